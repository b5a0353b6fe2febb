# Layout of the alpha-beta search of games that end at the first capture.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from tengen.search.first_capture cimport Frame, ataris, endangered, restore_board, room, save_board, stuck, takes
from tengen.search.leaves cimport LeafEvaluator
from tengen.go.board cimport BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board, atari_at, atari_point

cdef enum:
    MAX_PLY = 640            # stones never leave the board before the end, so a line is no longer than the board
    MAX_POINTS = 625
    EXACT = 0
    AT_LEAST = 1
    AT_MOST = 2
    SEARCH = 0               # what the rules say of a root: search it,
    WON = 1                  # a capture is there,
    LOST = 2                 # every move gives the enemy a capture,
    STUCK = 3                # or no move is legal


cdef float _CAPTURE
cdef float _DECIDED
cdef float _INFINITE
cdef uint64_t _BLACK_KEY


cdef struct Entry:
    uint64_t key
    float value
    uint16_t move
    short depth
    uint8_t bound


@cython.final
cdef class AlphaBeta:
    cdef readonly LeafEvaluator evaluator
    cdef public int reading
    cdef readonly long long nodes
    cdef readonly int reached
    cdef public bint stopped
    cdef long long node_limit
    cdef Board board
    cdef Frame *frames
    cdef int frame_count
    cdef Entry *table
    cdef uint64_t mask
    cdef uint16_t killers[MAX_PLY]
    cdef uint16_t roots[MAX_POINTS]
    cdef int root_count
    cdef bint forced

    cdef void _save(self, int ply) noexcept nogil
    cdef void _restore(self, int ply) noexcept nogil
    cdef int _candidates(self, int c, uint16_t *out) noexcept nogil
    cdef float _static(self, int c) noexcept nogil
    cdef float _horizon(self, int c, float alpha, float beta) noexcept nogil
    cdef float _after(self, int v, int c, int depth, int reading, float alpha, float beta, int ply) noexcept nogil
    cdef float _value(self, int c, int last, int depth, int reading, float alpha, float beta, int ply, bint passed) noexcept nogil
    cdef float _attack(self, int c, int reading, float alpha, float beta, int ply) noexcept nogil
    cdef float _branch(self, int c, int depth, int reading, float alpha, float beta, int ply, bint passed) noexcept nogil
    cdef int _root(self, int c, bint blind) noexcept nogil
    cdef int _shallow(self, int c) noexcept nogil
