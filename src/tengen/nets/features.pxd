# Layout of the plane writer: another compiled module fills planes without the GIL through `PlaneWriter.write`.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, Board
from tengen.nets.ladders cimport NODES, LadderReader

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define tengen_popcount(x) __builtin_popcountll(x)
    #else
    static int tengen_popcount(unsigned long long x) {
        int n = 0;
        while (x) { x &= x - 1; n++; }
        return n;
    }
    #endif
    """
    int tengen_popcount(unsigned long long x) noexcept nogil

cdef enum:
    DANN = 0
    DANN_NOLADDER = 1
    POCKET = 2
    TACTICS = 3
    RECENT = 5           # moves the planes look back
    KEY_KINDS = 8        # own, opponent, the recent moves, ko
    WORDS = 10           # 64-bit words for a set of points on the largest board


cdef uint64_t _KEYS[KEY_KINDS * 625]      # random bits by kind and flat point, for canonical keys


@cython.final
cdef class PlaneWriter:
    cdef readonly int width
    cdef readonly int height
    cdef int area
    cdef int words
    cdef uint16_t recent[RECENT]      # vertices of the last moves, newest first; 0: a pass or none
    cdef uint16_t flat[CELLS]         # vertex -> flat point
    cdef uint16_t vertex[625]         # flat point -> vertex
    cdef uint64_t air[CELLS * WORDS]  # at a chain's head: its liberties, as a set of flat points
    cdef uint16_t liberties[CELLS]    # at a chain's head: how many
    cdef uint8_t legal[625]
    cdef LadderReader ladders

    cdef void forget(self) noexcept nogil
    cdef void remember(self, int v) noexcept nogil
    cdef uint64_t key(self, Board b, int mover, const short *turn) noexcept nogil
    cdef void _wipe(self, uint8_t *out, Py_ssize_t at, Py_ssize_t count) noexcept nogil
    cdef void survey(self, Board b, int mover) noexcept nogil
    cdef void write(self, Board b, int mover, int kind, uint8_t *out, Py_ssize_t at) noexcept nogil
    cdef void _write_dann(self, Board b, int mover, uint8_t *out, Py_ssize_t at) noexcept nogil
    cdef void _write_pocket(self, Board b, int mover, uint8_t *out, Py_ssize_t at) noexcept nogil
    cdef void _write_tactics(self, Board b, int mover, uint8_t *out, Py_ssize_t at) noexcept nogil
    cdef void _write_ladders(self, Board b, int mover, uint8_t *out, Py_ssize_t at, bint chains) noexcept nogil
    cdef int _after(self, Board b, int v, int mover, int *captured, int *size) noexcept nogil
