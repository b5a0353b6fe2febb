# Patterns: the 3x3 neighbourhood as a 16-bit code, diamonds as hashes.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board

cdef enum:
    CODES = 65536


cdef inline int code3x3(Board b, int v) noexcept nogil:
    """The eight points round v, two bits each, from the upper left; colours as they are."""
    return (b.color[v - STRIDE - 1] | b.color[v - STRIDE] << 2 | b.color[v - STRIDE + 1] << 4
            | b.color[v - 1] << 6 | b.color[v + 1] << 8
            | b.color[v + STRIDE - 1] << 10 | b.color[v + STRIDE] << 12 | b.color[v + STRIDE + 1] << 14)


@cython.final
cdef class Shapes:
    cdef float gamma[2 * CODES]    # by colour to play (black first) and 3x3 code


cdef enum:
    POINTS = 88            # points of the largest diamond, its centre apart
    LEVELS = 9             # diamonds of size 3 to 11
    PAD = 6                # points of margin round a padded board
    ROW = 37               # 25 + 2 * PAD
    PADDED = 1369          # ROW * ROW


cdef uint64_t _DIAMOND_KEYS[POINTS * 4 * 8]     # by point, colour, symmetry
cdef int _DIAMOND_STEP[POINTS]                  # from the centre, on a padded board
cdef int _LEVEL_END[LEVELS]

cdef void pad_board(Board b, int c, uint8_t *padded) noexcept nogil
cdef inline int padded_index(int v) noexcept nogil:
    return (v // STRIDE - 1 + PAD) * ROW + v % STRIDE - 1 + PAD


@cython.final
cdef class Diamonds:
    cdef readonly int count
    cdef uint64_t *keys            # open addressing; 0 is an empty slot
    cdef int *index
    cdef float *gamma              # by slot
    cdef uint64_t mask

    cdef int slot_of(self, uint64_t key) noexcept nogil
    cdef int largest(self, uint8_t *padded, int at) noexcept nogil
    cdef void hashes(self, uint8_t *padded, int at, uint64_t *out) noexcept nogil

cdef uint64_t _level_key(uint64_t key, int level) noexcept nogil
