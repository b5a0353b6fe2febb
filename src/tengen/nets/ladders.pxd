# Layout of the ladder reader. It reads on bare colours, so that a move and its undoing cost next to nothing.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from tengen.go.board cimport CELLS, EMPTY, STRIDE, WALL, Board

cdef enum:
    TRAIL = 8192
    MOST_RESCUES = 16
    NODES = 1000         # positions looked at for one question; beyond them the chain is taken to escape


@cython.final
cdef class LadderReader:
    cdef uint8_t color[CELLS]
    cdef uint32_t mark[CELLS]
    cdef uint32_t stamp
    cdef uint16_t chain[CELLS]        # stones of the chain last flooded
    cdef int chain_length
    cdef uint16_t queue[CELLS]
    cdef uint16_t trail[TRAIL]        # what undoing restores: vertex, colour << 10, captured << 12
    cdef int trail_length
    cdef int ko
    cdef int nodes

    cdef void load(self, Board b) noexcept nogil
    cdef int air(self, int s, int *libs, int limit) noexcept nogil
    cdef bint has_air(self, int s) noexcept nogil
    cdef bint put(self, int v, int c) noexcept nogil
    cdef void undo(self, int length, int ko) noexcept nogil
    cdef int rescues(self, int s, int *found) noexcept nogil
    cdef bint saves(self, int s, int v) noexcept nogil
    cdef bint catches(self, int s, int v) noexcept nogil
    cdef bint caught(self, int s) noexcept nogil
    cdef bint catchable(self, int s) noexcept nogil
