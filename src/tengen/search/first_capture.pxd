# Exact questions about one move where the first capture ends the game. See first_capture.py.
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.go.board cimport CELLS, EMPTY, STRIDE, Board, atari_at, atari_point


cdef struct Frame:
    # All of a board that a play without captures changes.
    uint64_t zobrist
    int ko
    int last
    int before_last
    int empty_count
    int moves
    uint8_t color[CELLS]
    uint16_t nbr[CELLS]
    uint16_t head[CELLS]
    uint16_t next[CELLS]
    uint16_t stones[CELLS]
    uint16_t empty[CELLS]
    uint16_t slot[CELLS]
    uint64_t libs[CELLS]


cdef int room(Board board, int v, int c) noexcept nogil
cdef int ataris(Board board, int v, int c) noexcept nogil
cdef int endangered(Board board, int last, int c, int *point) noexcept nogil
cdef bint takes(Board board, int v, int c) noexcept nogil
cdef bint stuck(Board board, int c) noexcept nogil
cdef void save_board(Board board, Frame *frame) noexcept nogil
cdef void restore_board(Board board, Frame *frame) noexcept nogil
