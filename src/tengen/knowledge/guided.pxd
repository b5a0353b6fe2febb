# Playouts guided by knowledge.
cimport cython
from libc.stdint cimport uint16_t
from tengen.go.board cimport (BLACK, CELLS, EMPTY, STRIDE, WALL, WHITE, Board, lib_pseudo, lib_weight, next_random,
                              random_below)
from tengen.knowledge.chains cimport (_STEP, _in_atari, _last_liberty, _meets, airless, bad_self_atari, liberties_after,
                                      rescue_points)
from tengen.knowledge.patterns cimport CODES, Shapes, code3x3
from tengen.knowledge.playout cimport Playout
from tengen.knowledge.tactics cimport Reader


@cython.final
cdef class GuidedPlayout(Playout):
    cdef readonly object parameters
    cdef Shapes small              # 3x3 weights for small, medium and large boards
    cdef Shapes medium
    cdef Shapes large
    cdef float *gamma              # those of the board being played
    cdef Reader reader
    # The parameters as 16-bit chances: a rule is tried when 16 random bits are below its chance.
    cdef unsigned int capture
    cdef unsigned int save
    cdef unsigned int attack
    cdef unsigned int nakade
    cdef unsigned int ladder
    cdef unsigned int throw_in
    cdef float local_factor
    cdef float diagonal_factor
    cdef float elsewhere
    cdef float rest               # elsewhere, for the board being played on
    cdef int candidates
    cdef unsigned int reply
    cdef uint16_t replies[2 * CELLS]   # by colour and the move answered; 0 is none
    cdef uint16_t codes[CELLS]         # 3x3 code of every point of the board being played on

    cdef void _flip(self, int v, int c) noexcept nogil
    cdef int _reply(self, Board b, int c, int last) noexcept nogil
    cdef int _save(self, Board b, int c, int last, unsigned long long *rng) noexcept nogil
    cdef int _attack(self, Board b, int c, int last, unsigned long long *rng) noexcept nogil
    cdef int _nakade(self, Board b, int c, int last) noexcept nogil
    cdef int _vital(self, Board b, int v, int shift) noexcept nogil
    cdef int _near(self, Board b, int c, int last, unsigned long long *rng) noexcept nogil
    cdef bint _wasted(self, Board b, int v, int c) noexcept nogil
    cdef int _anywhere(self, Board b, int c, unsigned long long *rng) noexcept nogil

cdef bint _alone(Board b, int v, int c) noexcept nogil
cdef int _open(Board b, int v, int shift) noexcept nogil
cdef bint _is_middle(Board b, int p, int owner, int shift) noexcept nogil
cdef int _first_liberty(Board b, int h) noexcept nogil
cdef bint _has_two(Board b, int h, uint16_t *libs) noexcept nogil
