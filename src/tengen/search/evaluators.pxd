from tengen.go.board cimport CELLS, Board
from tengen.knowledge.playout cimport Playout
from tengen.search.parts cimport Evaluator, Simulation

cdef int tromp_taylor(Board board, unsigned short *stack, unsigned char *mark) noexcept nogil


cdef class PlayoutEvaluator(Evaluator):
    cdef readonly Playout playout
    cdef readonly double score_weight
    cdef readonly double score_scale
    cdef unsigned short stack[CELLS]
    cdef unsigned char mark[CELLS]
    cdef double value_of(self, Simulation sim, double margin) noexcept nogil
