cimport cython
from tengen.go.board cimport BLACK, EMPTY, WHITE, Board
from tengen.nets.features cimport PlaneWriter

cdef enum:
    # gamefiles.py says what the bits of an entry mean; a test holds these equal to its names.
    POINT = 0x03FF
    PASS_ENTRY = 0x03FF
    WHITE_BIT = 0x4000
    SUICIDE_RULE = 2


@cython.final
cdef class Replayer:
    cdef Board board
    cdef PlaneWriter writer
    cdef readonly int width
    cdef readonly int height
    cdef int passes                   # bit 0: the last move was a pass, bit 1: the one before
    cdef int mover

    cdef void replay(self, const unsigned short *entries, int setup, int ply, const short *turn, bint more) noexcept nogil
