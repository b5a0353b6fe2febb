from tengen.search.parts cimport MAX_EDGES, Evaluator, Pruner, Selector, Simulation
from tengen.search.store cimport Store
from libc.stdint cimport uint64_t

cdef enum:
    BUSY = 16                      # nodes whose AMAF a thread may be gathering at a time

cdef struct Gathered:
    int node
    int count                      # simulations gathered
    float visits[MAX_EDGES]
    float wins[MAX_EDGES]

cdef class Control:
    cdef int stop                  # set by the controller: come home
    cdef char apart[64]            # read by all in every simulation: not in one line with what is written
    cdef int remaining             # simulations still to make

cdef class Worker:
    cdef readonly Simulation sim
    cdef Store store
    cdef Selector selector
    cdef Pruner pruner
    cdef Evaluator evaluator
    cdef Control control
    cdef int expand_after
    cdef int virtual_loss
    cdef int backup_mode
    cdef int root
    cdef int done                  # simulations made
    cdef Gathered gathered[BUSY]   # AMAF not yet in the store, by node
    cdef int barred[MAX_EDGES]     # edges of a shared state that repeat the position by this path
    cdef void simulate(self, Simulation sim, Store store) noexcept nogil
    cdef int descend(self, Simulation sim, Store store) noexcept nogil
    cdef void expand(self, Simulation sim, Store store, int parent_edge) noexcept nogil
    cdef void back_up(self, Simulation sim, Store store, double value) noexcept nogil
    cdef void back_up_amaf(self, Simulation sim, Store store, float black_result) noexcept nogil
    cdef void gather(self, Store store, int node, float *first, float result) noexcept nogil
    cdef void hand_over(self, Store store, int slot) noexcept nogil
