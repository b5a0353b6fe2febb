# A network in the search: it gives a new node its moves and priors, and a leaf its value.
from tengen.go.board cimport CELLS
from tengen.nets.features cimport PlaneWriter
from tengen.search.parts cimport MAX_DEPTH, MAX_EDGES, Evaluator, Pruner, Simulation
from tengen.search.store cimport Store

cdef enum:
    LOOKS_BACK = 5       # features.RECENT
    NO_MOVE = -1


cdef class NetPruner(Pruner):
    cdef readonly object net
    cdef readonly double mass
    cdef readonly int at_least
    cdef public object error          # what the runtime raised last, or None
    cdef readonly int judged          # leaves the network has seen
    cdef PlaneWriter writer
    cdef object planes
    cdef object numbers
    cdef unsigned char[::1] plane_bytes
    cdef float[::1] number_floats
    cdef int kind
    cdef int path[MAX_DEPTH + 1]      # the moves of the simulation under way, as far as the search told
    cdef int before[LOOKS_BACK]       # the root's last moves, newest first; 0 a pass, NO_MOVE none
    cdef float komi_unit
    cdef float territory
    cdef float suicide
    cdef float superko

    cdef int _move_ago(self, Simulation sim, int ago) noexcept nogil
    cdef void _draw(self, Simulation sim) noexcept nogil
    cdef int _judge(self, Simulation sim) except -1
    cdef void _add_ownership(self, Simulation sim, float[::1] owner) noexcept nogil


cdef class NetEvaluator(Evaluator):
    cdef readonly Evaluator playouts
    cdef readonly double playout_weight
