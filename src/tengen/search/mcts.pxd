from tengen.search.parts cimport Evaluator, Pruner, Selector, Simulation
from tengen.search.store cimport Store
from libc.stdint cimport uint64_t

cdef class Control:
    cdef int stop                  # set by the controller: come home
    cdef int remaining             # simulations still to make
    cdef int done

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
    cdef void simulate(self, Simulation sim, Store store) noexcept nogil
    cdef int descend(self, Simulation sim, Store store) noexcept nogil
    cdef void expand(self, Simulation sim, Store store, int parent_edge) noexcept nogil
    cdef void back_up(self, Simulation sim, Store store, double value) noexcept nogil
    cdef void back_up_amaf(self, Simulation sim, Store store, float black_result) noexcept nogil
