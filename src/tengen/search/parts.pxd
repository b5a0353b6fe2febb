# The interface between the search loop and its parts. See parts.py for the contracts.
from libc.stdint cimport uint16_t, uint64_t
from tengen.go.board cimport CELLS, MAX_PLAYOUT, Board
from tengen.search.store cimport Store

cdef enum:
    MAX_DEPTH = 800      # moves below the root, on any path
    MAX_EDGES = 640      # every point of 25x25, the pass, and some air


cdef inline uint64_t spread(int small) noexcept nogil:
    """A small number over 64 bits, to be mixed into a key; Position does the same for situational superko."""
    return <uint64_t>small * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint64_t mix(uint64_t key) noexcept nogil:
    key = (key ^ (key >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return key ^ (key >> 32)


cdef class Simulation:
    cdef Board board                 # the position the simulation has come to
    cdef Board root
    cdef int to_move
    cdef int passes                  # consecutive, up to here
    cdef int root_to_move
    cdef int root_passes
    cdef unsigned long long rng
    cdef int depth
    cdef int node[MAX_DEPTH + 1]     # node[i] is where move i was chosen; node[depth] the leaf's, or NO_NODE
    cdef int edge[MAX_DEPTH + 1]
    cdef uint64_t seen[MAX_DEPTH + 1]
    cdef uint16_t record[MAX_PLAYOUT]
    cdef int record_length           # what the evaluator played beyond the leaf
    cdef double margin               # of the last playout: Black's points minus White's, komi paid
    cdef double komi                 # what Black must beat: komi, compensation, and any dynamic shift
    cdef bint superko
    cdef bint situational
    cdef bint first_capture
    cdef bint expanding              # a node is being made of the leaf
    cdef double net_value            # side to move; valid if has_net
    cdef bint has_net
    cdef float *policy               # by vertex (0 the pass); valid if has_net
    cdef int count                   # what the pruner wrote
    cdef uint16_t moves[MAX_EDGES]
    cdef float priors[MAX_EDGES]
    cdef float scores[MAX_EDGES]     # a selector's scratch
    cdef float first_of_black[CELLS] # AMAF: 1 where Black played before White did, from some point of the path on
    cdef float first_of_white[CELLS]
    cdef int owner[CELLS]
    cdef long long owner_count
    cdef double margin_sum
    cdef double margin_squares
    cdef float root_margin[MAX_EDGES]
    cdef int root_margin_count[MAX_EDGES]
    cdef uint64_t *history           # open addressing, 0 is empty
    cdef uint64_t history_mask
    cdef object keep_alive

    cdef bint repeats(self, uint64_t situation) noexcept nogil
    cdef void forget(self) noexcept nogil
    cdef uint64_t key(self) noexcept nogil


cdef class Selector:
    cdef readonly bint uses_amaf
    cdef int select(self, Store store, int node, Simulation sim) noexcept nogil


cdef class Pruner:
    cdef int fill(self, Simulation sim) noexcept nogil
    cdef void revisit(self, Store store, int node, Simulation sim) noexcept nogil
    cdef void made(self, Store store, int node, Simulation sim) noexcept nogil
    cpdef Pruner clone(self)


cdef class Evaluator:
    cdef double evaluate(self, Simulation sim) noexcept nogil
    cpdef Evaluator clone(self)
