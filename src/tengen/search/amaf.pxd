from tengen.search.parts cimport MAX_EDGES, Simulation
from tengen.search.store cimport Store

cdef enum:
    BUSY = 16                      # nodes whose AMAF a thread may be gathering at a time

cdef struct Gathered:
    int node
    int count                      # simulations gathered
    float visits[MAX_EDGES]
    float wins[MAX_EDGES]

cdef class Amaf:
    cdef bint among_threads
    cdef Gathered gathered[BUSY]   # not yet in the store, by node
    cdef void forget(self) noexcept nogil
    cdef void flush(self, Store store) noexcept nogil
    cdef void back_up(self, Simulation sim, Store store, float black_result) noexcept nogil
    cdef void gather(self, Store store, int node, float *first, float result) noexcept nogil
    cdef void hand_over(self, Store store, int slot) noexcept nogil
