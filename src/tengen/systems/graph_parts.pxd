from tengen.search.parts cimport Pruner, Selector, Simulation, mix, spread
from tengen.search.store cimport Store


cdef class GraphUcb(Selector):
    cdef readonly float exploration
    cdef readonly float m
    cdef readonly float first_play
    cdef readonly float prior_weight
    cdef readonly bint edge_visits


cdef class HistoryPruner(Pruner):
    cdef readonly Pruner inner
    cdef object rows               # as the keys, visits and wins below were taken from
    cdef list shelf                # one element, the rows told last; shared with all clones
    cdef void _take(self, object rows)
    cdef int place(self, unsigned long key) noexcept nogil
    cdef unsigned long[::1] keys
    cdef double[::1] visits
    cdef double[::1] wins
    cdef int known
