# Layout of the defensive player of Capture Go.
from libc.stdint cimport uint8_t, uint16_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board, atari_point

cdef enum:
    MAX_POINTS = 625
    SATURATED = 1000         # liberties a player with two eyes is held to have: more than any board


cdef struct Merit:
    int chains
    int liberties
    int enclosed
    int weakest


cdef class DefensiveChooser:
    cdef Board scratch
    cdef uint16_t best[MAX_POINTS]
    cdef int best_count
    cdef uint8_t seen[CELLS]
    cdef uint16_t edge[MAX_POINTS]

    cdef Merit _merit(self, Board board, int c) noexcept nogil
    cdef bint _in_atari(self, Board board, int c) noexcept nogil
    cdef void _choose(self, Board board, int c) noexcept nogil
