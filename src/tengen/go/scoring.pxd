from tengen.go.board cimport Board
from libc.stdint cimport uint16_t


cdef int add_ownership(Board board, int *sums) noexcept nogil
