# Layout of the compiled evaluator of Capture Go: accumulators kept up to date stone by stone.
from libc.stdint cimport uint8_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board
from tengen.search.leaves cimport LeafEvaluator

cdef enum:
    SECOND = 40
    THIRD = 10
    MAX_FIRST = 506          # sub-squares of the largest board, 13x13
    MAX_DEPTH = 172          # stones on the largest board, and a few


cdef class CaptureNet(LeafEvaluator):
    cdef readonly int size
    cdef readonly int first
    cdef readonly float slope
    cdef int depth
    cdef int starts[CELLS + 1]   # per vertex: where its connections begin
    cdef int *nodes              # of each connection: the sub-square
    cdef float *weights          # and its weight
    cdef float *second           # first x SECOND, row by row
    cdef float third[SECOND * THIRD]
    cdef float bias1[MAX_FIRST]
    cdef float bias2[SECOND]
    cdef float bias3[THIRD]
    cdef float last[THIRD]
    cdef float bias4
    cdef float *sums1            # [depth][first]: pre-activations of the first layer
    cdef float *outs1            # [depth][first]
    cdef float *sums2            # [depth][SECOND]

    cdef void _set(self, uint8_t *colors) noexcept nogil
    cdef void start(self, Board board) noexcept nogil
    cdef void push(self, int v, int c) noexcept nogil
    cdef void pop(self) noexcept nogil
    cdef float black_value(self) noexcept nogil


cdef inline float fast_tanh(float x) noexcept nogil:
    """tanh by its continued fraction (Lambert), nine levels deep; within 1e-5 of it everywhere."""
    cdef float y
    cdef float t
    x = x if x < <float>6.2 else <float>6.2
    x = x if x > <float>-6.2 else <float>-6.2
    y = x * x
    t = x * (<float>34459425.0 + y * (<float>4729725.0 + y * (<float>135135.0 + y * (<float>990.0 + y)))) / (
        <float>34459425.0
        + y * (<float>16216200.0 + y * (<float>945945.0 + y * (<float>13860.0 + y * <float>45.0)))
    )
    t = t if t < <float>1.0 else <float>1.0
    return t if t > <float>-1.0 else <float>-1.0
