# Layout of what judges the leaves of alpha-beta.
from tengen.go.board cimport Board


cdef class LeafEvaluator:
    cdef void start(self, Board board) noexcept nogil
    cdef void push(self, int v, int c) noexcept nogil
    cdef void pop(self) noexcept nogil
    cdef float black_value(self) noexcept nogil


cdef class CallableEvaluator(LeafEvaluator):
    cdef object function
    cdef Board board
    cdef list pushed

    cdef void start(self, Board board) noexcept nogil
    cdef void push(self, int v, int c) noexcept nogil
    cdef void pop(self) noexcept nogil
    cdef float black_value(self) noexcept nogil
