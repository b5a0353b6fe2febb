from libc.stdint cimport uint16_t
from tengen.go.board cimport CELLS
from tengen.search.amaf cimport Amaf
from tengen.search.parts cimport MAX_EDGES, Evaluator, Pruner, Selector, Simulation
from tengen.search.store cimport Store

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define tengen_prefetch(p) ((void)(p))
    #else
    #define tengen_prefetch(p) __builtin_prefetch(p)
    #endif
    """
    void tengen_prefetch(void *p) noexcept nogil


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
    cdef Amaf amaf
    cdef int barred[MAX_EDGES]     # edges of a shared state that repeat the position by this path
    cdef bint wishes               # until says something
    cdef uint16_t until[2][CELLS]  # by colour: the depth from which on it may play a vertex
    cdef void bar(self, Simulation sim, Store store, int node) noexcept nogil
    cdef void simulate(self, Simulation sim, Store store) noexcept nogil
    cdef int descend(self, Simulation sim, Store store) noexcept nogil
    cdef void expand(self, Simulation sim, Store store, int parent_edge) noexcept nogil
    cdef void back_up(self, Simulation sim, Store store, double value) noexcept nogil
