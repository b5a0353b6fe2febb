# Layout of the compiled board. Other compiled modules read the fields directly; see board.py for what they mean.
cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t, int32_t

cdef enum:
    STRIDE = 26          # MAX_SIZE + 1: one column of wall serves both sides
    CELLS = 704          # (MAX_SIZE + 2) * STRIDE, rounded up
    EMPTY = 0
    BLACK = 1
    WHITE = 2
    WALL = 3
    MAX_PLAYOUT = 2048   # entries a playout may write: a 25x25 one takes about 800
    LIB_COUNT_SHIFT = 50
    LIB_SUM_SHIFT = 30


cdef uint64_t _KEYS[3 * CELLS]     # Zobrist keys by colour and vertex


cdef inline uint64_t lib_weight(int v) noexcept nogil:
    """What one pseudo-liberty at v adds to a chain's packed counter: a count, a sum, a sum of squares."""
    return (<uint64_t>1 << LIB_COUNT_SHIFT) | (<uint64_t>v << LIB_SUM_SHIFT) | <uint64_t>(v * v)


cdef inline unsigned long long stepped(unsigned long long x) noexcept nogil:
    """The state that follows x in xorshift64*. It must not be zero."""
    x ^= x >> 12
    x ^= x << 25
    return x ^ (x >> 27)


cdef inline unsigned long long random_bits(unsigned long long x) noexcept nogil:
    """The 32 good bits of a state: the upper half of its product."""
    return (x * <uint64_t>0x2545F4914F6CDD1D) >> 32


cdef inline int below(unsigned long long bits, int n) noexcept nogil:
    """32 random bits made uniform on 0..n-1 (bias below 2**-23 for any board)."""
    return <int>((bits * <uint64_t>n) >> 32)


cdef inline uint64_t next_random(unsigned long long *state) noexcept nogil:
    """xorshift64*: 32 good bits in the upper half of the product."""
    state[0] = stepped(state[0])
    return state[0] * <uint64_t>0x2545F4914F6CDD1D


cdef inline int random_below(unsigned long long *state, int n) noexcept nogil:
    return below(next_random(state) >> 32, n)


@cython.final
cdef class Board:
    cdef readonly int width
    cdef readonly int height
    cdef int cells                    # vertices in use: (height + 2) * STRIDE
    cdef int ko                       # vertex forbidden by simple ko, or 0
    cdef int last                     # vertex of the last stone, 0 after a pass or none
    cdef int before_last
    cdef int empty_count
    cdef int captured                 # stones taken by the last play
    cdef int moves                    # stones played since the board was empty
    cdef int prisoners[3]             # stones of each colour taken off so far
    cdef uint64_t zobrist             # stones only
    cdef uint8_t color[CELLS]
    cdef uint16_t nbr[CELLS]          # counts of neighbours: black | white << 4 | empty << 8, walls counted in both
    cdef uint16_t head[CELLS]         # chain of a stone, named by one of its vertices; 0 where there is no stone
    cdef uint16_t next[CELLS]         # the chain's stones, a ring
    cdef uint16_t stones[CELLS]       # at head: how many stones
    cdef uint64_t libs[CELLS]         # at head: packed pseudo-liberties
    cdef uint16_t empty[CELLS]        # the empty vertices, in any order
    cdef uint16_t slot[CELLS]         # where in `empty` a vertex stands

    cdef void clear(self) noexcept nogil
    cdef void copy_from(self, Board other) noexcept nogil
    cdef void play(self, int v, int c) noexcept nogil
    cdef void pass_turn(self) noexcept nogil
    cdef int _take(self, int n, int enemy) noexcept nogil
    cdef void _merge(self, int a, int b) noexcept nogil
    cdef int _remove_chain(self, int h) noexcept nogil
    cdef bint legal(self, int v, int c) noexcept nogil
    cdef bint fills(self, int v, int c) noexcept nogil
    cdef bint suicidal(self, int v, int c) noexcept nogil
    cdef bint _breathes(self, int n, int v, int c) noexcept nogil
    cdef bint eye(self, int v, int c) noexcept nogil
    cdef int liberty_count(self, int h, int limit) noexcept nogil
    cdef int liberties_into(self, int h, uint16_t *out, int limit) noexcept nogil
    cdef uint64_t zobrist_after(self, int v, int c) noexcept nogil
    cdef int playout(self, int c, unsigned long long *rng, int max_moves, uint16_t *record) noexcept nogil
    cdef int area_balance(self) noexcept nogil


cdef inline int lib_pseudo(uint64_t packed) noexcept nogil:
    return <int>(packed >> LIB_COUNT_SHIFT)


cdef inline bint atari_at(uint64_t packed, int v) noexcept nogil:
    """True iff v, a liberty of the chain, is its only one: the variance of its liberties is nought."""
    return packed == (packed >> LIB_COUNT_SHIFT) * lib_weight(v)


cdef inline int atari_point(uint64_t packed) noexcept nogil:
    """The only liberty of a chain in atari; 0 if it has more than one (or none)."""
    cdef uint64_t n = packed >> LIB_COUNT_SHIFT
    cdef uint64_t v
    if n == 0 or n > 4:
        return 0
    v = ((packed >> LIB_SUM_SHIFT) & 0xFFFFF) / n
    return <int>v if packed == n * lib_weight(<int>v) else 0
