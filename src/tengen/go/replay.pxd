# Layout of replay.py.
from tengen.go.board cimport Board

cdef int _replay(Board board, const unsigned char *text, int moves, int color, bint suicide) noexcept nogil
