from tengen.search.parts cimport MAX_EDGES, Pruner, Selector, Simulation
from tengen.search.store cimport Store


cdef class LayeredPruner(Pruner):
    cdef readonly Pruner ranked
    cdef readonly double drop_knowledge
    cdef readonly double drop_ucb
    cdef readonly int second_layer
    cdef readonly float exploration
    cdef float ucb[MAX_EDGES]


cdef class QualityInterval(Selector):
    cdef readonly float f
    cdef readonly float exploration
    cdef readonly float amaf_equivalence
    cdef readonly float quality
    cdef readonly float temper
    cdef readonly int draw_below
    cdef readonly float first_play
