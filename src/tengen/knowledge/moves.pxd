# What a move is worth without search, by weights learned from games.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board, atari_at, atari_point
from tengen.knowledge.patterns cimport LEVELS, PADDED, Diamonds, code3x3, pad_board, padded_index
from tengen.knowledge.chains cimport (_STEP, airless, bad_self_atari, captures_at, liberties_after, nakade_point, rescue_points, stones_after)
from tengen.knowledge.tactics cimport Reader

cdef enum:
    # Groups of features; a move has at most one value of each. Order and values are those of the weights file.
    CAPTURE = 0
    RESCUE = 1
    SELF_ATARI = 2
    ATARI = 3
    GUARD = 4
    NAKADE = 5
    NEAR_LAST = 6
    NEAR_BEFORE = 7
    LINE = 8
    AIR = 9
    GROUPS = 10
    VALUES = 24           # values a group may have, 0 (none) included


@cython.final
cdef class Features:
    # The features of every point of one position.
    cdef uint8_t value[GROUPS * CELLS]
    cdef Reader reader

    cdef void read(self, Board b, int c) noexcept nogil
    cdef void _enemy_chain(self, Board b, int c, int h) noexcept nogil
    cdef void _own_chain(self, Board b, int c, int h) noexcept nogil
    cdef void _point(self, Board b, int c, int v, int phase) noexcept nogil
    cdef void _raise(self, int group, int v, int value) noexcept nogil


@cython.final
cdef class MoveKnowledge:
    cdef readonly object weights      # for small, medium and large boards
    cdef Diamonds small
    cdef Diamonds medium
    cdef Diamonds large
    cdef readonly Features features
    cdef float gamma[3 * GROUPS * VALUES]
    cdef uint8_t padded[PADDED]
    cdef float scratch[CELLS]

    cdef int evaluate(self, Board board, int c, float *d) noexcept nogil
    cpdef MoveKnowledge clone(self)
    cdef float _shape(self, int kind, int at) noexcept nogil


cdef bint _frees(Board b, int h, int c) noexcept nogil
cdef int _span(int a, int b) noexcept nogil
cdef bint _playable(Board b, int v, int c) noexcept nogil
cdef bint _inner(Board b, int v, int shift) noexcept nogil
