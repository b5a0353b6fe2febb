from tengen.search.parts cimport Selector, Simulation
from tengen.search.store cimport Store

cdef extern from *:
    """
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    static int tengen_lowest(int bits) {
        unsigned long at;
        _BitScanForward(&at, bits);
        return (int)at;
    }
    #else
    #define tengen_lowest(bits) __builtin_ctz(bits)
    #endif
    /* Sixteen comparisons with x, a bit each. */
    static int tengen_equal(const float *s, __m128 x) {
        __m128i a = _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(s), x));
        __m128i b = _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(s + 4), x));
        __m128i c = _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(s + 8), x));
        __m128i d = _mm_castps_si128(_mm_cmpeq_ps(_mm_loadu_ps(s + 12), x));
        return _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
    }
    #endif
    /* The first place of the highest of so many numbers; the last of all if none is above -1e30. By itself a compiler
       keeps one maximum, which waits for itself at every step, and may not take the numbers out of their order. */
    static int tengen_highest(const float *s, int count) {
        int i = 0, best = count - 1;
        float high = -1e30f;
    #if defined(__SSE2__) || defined(_M_X64)
        if (count >= 16) {
            __m128 a = _mm_set1_ps(high), b = a, c = a, d = a;
            int bits;
            /* The last sixteen may hold some seen before: neither maximum nor first place minds. */
            for (i = 0; i < count; i += 16) {
                const float *at = s + (i + 16 > count ? count - 16 : i);
                a = _mm_max_ps(a, _mm_loadu_ps(at));
                b = _mm_max_ps(b, _mm_loadu_ps(at + 4));
                c = _mm_max_ps(c, _mm_loadu_ps(at + 8));
                d = _mm_max_ps(d, _mm_loadu_ps(at + 12));
            }
            a = _mm_max_ps(_mm_max_ps(a, b), _mm_max_ps(c, d));
            a = _mm_max_ps(a, _mm_movehl_ps(a, a));
            a = _mm_max_ps(a, _mm_shuffle_ps(a, a, 1));
            a = _mm_shuffle_ps(a, a, 0);
            for (i = 0; i < count; i += 16) {
                int from = i + 16 > count ? count - 16 : i;
                bits = tengen_equal(s + from, a);
                if (bits) return from + tengen_lowest(bits);
            }
            return best;
        }
    #endif
        for (; i < count; i++)
            if (s[i] > high) {
                high = s[i];
                best = i;
            }
        return best;
    }
    """
    int tengen_highest(const float *scores, int count) noexcept nogil


cdef class Ucb1(Selector):
    cdef readonly float exploration
    cdef readonly float first_play

cdef class Ucb1Tuned(Selector):
    cdef readonly float exploration
    cdef readonly float first_play

cdef class Rave(Selector):
    cdef readonly float equivalence
    cdef readonly float exploration
    cdef readonly float prior_weight
    cdef readonly float first_play
    cdef readonly float widen_base

cdef class Puct(Selector):
    cdef readonly float exploration
    cdef readonly float first_play_reduction
    cdef readonly float amaf_equivalence
