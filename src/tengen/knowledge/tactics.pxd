# Tactics as plain functions on a Board, and a Reader that reads captures to the end on boards of its own.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board, atari_at, atari_point, lib_weight

cdef int _STEP[8]      # the four neighbours, then the four diagonals

cdef int liberties_after(Board b, int v, int c, int limit) noexcept nogil
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


@cython.final
cdef class Reader:
    cdef Board board              # scratch of this depth
    cdef Reader deeper            # scratch for a branch, or None at the bottom
    cdef int nodes                # moves tried in the reading under way
    cdef public int limit         # of nodes: beyond it the chain counts as safe

    cdef bint captures(self, Board b, int v, int s) noexcept nogil
    cdef int capture_point(self, Board b, int s) noexcept nogil
    cdef bint saves(self, Board b, int v, int s) noexcept nogil
    cdef int save_point(self, Board b, int s) noexcept nogil
    cdef bint ladder_capture(self, Board b, int v, int c) noexcept nogil
    cdef bint ladder_escape(self, Board b, int v, int c) noexcept nogil
    cdef int _replies(self, int s, uint16_t *out) noexcept nogil
    cdef bint _hopeless(self, int a, int other, int s) noexcept nogil
    cdef bint _branch_fails(self, int v, int c, int s) noexcept nogil
    cdef bint _runs_out(self, int s) noexcept nogil
    cdef bint _chase(self, int s) noexcept nogil


cdef bint _dead_four(uint16_t *points) noexcept nogil


cdef class Tactics:
    cdef Board board
    cdef readonly Reader reader
