from tengen.search.parts cimport Selector, Simulation
from tengen.search.store cimport Store


cdef class Ucb1(Selector):
    cdef readonly float exploration
    cdef readonly float first_play

cdef class Ucb1Tuned(Selector):
    cdef readonly float exploration
    cdef readonly float first_play

cdef class Rave(Selector):
    cdef readonly float equivalence
    cdef readonly float exploration
    cdef readonly float prior_weight
    cdef readonly float first_play
    cdef readonly float widen_base

cdef class Puct(Selector):
    cdef readonly float exploration
    cdef readonly float first_play_reduction
    cdef readonly float amaf_equivalence
