from tengen.go.board cimport CELLS
from tengen.knowledge.moves cimport MoveKnowledge
from tengen.search.parts cimport Pruner, Simulation
from tengen.search.store cimport Store


cdef class KnowledgePruner(Pruner):
    cdef readonly MoveKnowledge knowledge
    cdef readonly double keep
    cdef readonly int at_least
    cdef float d[CELLS]
    cdef int ranked(self, Simulation sim) noexcept nogil


cdef void sort_by_prior(unsigned short *moves, float *priors, int count) noexcept nogil
