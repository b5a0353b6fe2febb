# Playouts: what plays a position out from a leaf of the search.
cimport cython
from libc.stdint cimport uint16_t
from tengen.go.board cimport STRIDE, Board, atari_point, random_below
from tengen.knowledge.chains cimport _STEP, airless


cdef class Playout:
    cdef int run(self, Board board, int c, unsigned long long *rng, uint16_t *moves, int limit) noexcept nogil
    cdef void learn(self, int before, int c, uint16_t *moves, int played, int winner) noexcept nogil
    cpdef Playout clone(self)


@cython.final
cdef class UniformPlayout(Playout):
    pass


cdef class CapturePlayout(Playout):
    cdef int _urgent(self, Board b, int c, bint everywhere) noexcept nogil
    cdef int _quiet(self, Board b, int c, unsigned long long *rng) noexcept nogil
