# Exact questions about one move where the first capture ends the game. See first_capture.py.
from tengen.go.board cimport EMPTY, STRIDE, Board, atari_at, atari_point

cdef int room(Board board, int v, int c) noexcept nogil
cdef int ataris(Board board, int v, int c) noexcept nogil
cdef int endangered(Board board, int last, int c, int *point) noexcept nogil
cdef bint takes(Board board, int v, int c) noexcept nogil
cdef bint stuck(Board board, int c) noexcept nogil
