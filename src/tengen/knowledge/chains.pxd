# What a move does to the chains beside it, as plain functions on a Board.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport (BLACK, CELLS, EMPTY, LIB_COUNT_SHIFT, LIB_SUM_SHIFT, STRIDE, WALL, WHITE, Board, atari_at,
                              atari_point, lib_weight)

cdef int _STEP[8]      # the four neighbours, then the four diagonals


cdef inline bint _in_atari(uint64_t packed) noexcept nogil:
    """atari_point(packed) != 0, of a chain on the board, without a division or a branch: the variance of four liberties
    or fewer is nought."""
    cdef uint64_t n = packed >> LIB_COUNT_SHIFT
    cdef uint64_t total = (packed >> LIB_SUM_SHIFT) & 0xFFFFF
    return (n <= 4) & (n * (packed & 0x3FFFFFFF) == total * total)


cdef inline int _last_liberty(uint64_t packed) noexcept nogil:
    """atari_point(packed); most chains have more liberties, and of them it asks no division."""
    return atari_point(packed) if _in_atari(packed) else 0


cdef int liberties_after(Board b, int v, int c, int limit) noexcept nogil
cdef bint _among(int *heads, int n, int h) noexcept nogil
cdef int stones_after(Board b, int v, int c, uint16_t *out, int limit) noexcept nogil
cdef int captures_at(Board b, int v, int c) noexcept nogil
cdef int rescue_points(Board b, int h, uint16_t *out, int limit) noexcept nogil
cdef bint ataris(Board b, int v, int c) noexcept nogil
cdef bint airless(Board b, int v, int c) noexcept nogil
cdef int _meets(Board b, int v, int h) noexcept nogil
cdef int self_atari(Board b, int v, int c) noexcept nogil
cdef bint bad_self_atari(Board b, int v, int c) noexcept nogil
cdef int region_of(Board b, int v, int c, uint16_t *out, int limit) noexcept nogil
cdef int vital_of(uint16_t *points, int n) noexcept nogil
cdef int nakade_point(Board b, int v, int c) noexcept nogil
cdef bint false_eye(Board b, int v, int c) noexcept nogil
cdef int race(Board b, int a, int d) noexcept nogil
cdef int chains_joined(Board b, int v, int c) noexcept nogil
cdef bint _dead_four(uint16_t *points) noexcept nogil
