# A Reader reads captures to the end, on boards of its own.
cimport cython
from libc.stdint cimport uint16_t
from tengen.go.board cimport EMPTY, Board, atari_at, atari_point
from tengen.knowledge.chains cimport (_STEP, ataris, bad_self_atari, captures_at, chains_joined, false_eye, liberties_after,
                                      nakade_point, race, rescue_points, self_atari)


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


cdef class Tactics:
    cdef readonly Board board
    cdef readonly Reader reader
