# Layout of the search's memory; see store.py for what the fields mean.
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define tengen_add(p, d) _InterlockedExchangeAdd((volatile long *)(p), (d))
    #define tengen_claim(p, was, now) (_InterlockedCompareExchange((volatile long *)(p), (now), (was)) == (long)(was))
    #define tengen_publish(p, v) _InterlockedExchange((volatile long *)(p), (v))
    #define tengen_peek(p) (*(volatile int *)(p))
    #else
    #define tengen_add(p, d) __atomic_fetch_add((p), (d), __ATOMIC_RELAXED)
    #define tengen_publish(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
    #define tengen_peek(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
    static inline int tengen_claim(int *p, int was, int now) {
        return __atomic_compare_exchange_n(p, &was, now, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
    #endif
    """
    int tengen_add(int *p, int d) noexcept nogil
    int tengen_claim(int *p, int was, int now) noexcept nogil
    void tengen_publish(int *p, int v) noexcept nogil
    int tengen_peek(int *p) noexcept nogil

cdef enum:
    NO_NODE = -1         # an edge nobody has gone beyond
    CLAIMED = -2         # an edge whose node is being made by some thread
    PRUNED = 1           # edge flag: not to be selected


cdef struct Node:
    uint64_t key
    int first            # its edges are first .. first + count - 1
    int count
    int visits           # simulations that passed through or ended here
    int own_visits       # those that ended here
    float wins           # sum of results 0..1 for the side to move here
    float own_wins
    float history_visits # what a graph on disk knew of the state
    float history_wins
    int color            # whose turn
    int mark             # for compaction: the new index, or -1


cdef class Store:
    cdef readonly int capacity          # nodes
    cdef readonly int edge_capacity
    cdef int node_count
    cdef int edge_count
    cdef int full                       # a node did not fit
    cdef readonly bint shared           # nodes shared by key: a graph
    cdef readonly bint keyed            # nodes know their key, shared or not
    cdef Node *nodes
    cdef uint16_t *move                 # per edge: the vertex, 0 for a pass
    cdef uint8_t *flags
    cdef int *child
    cdef int *visits
    cdef float *wins                    # sum of results 0..1 for the side to move at the edge's node
    cdef float *amaf_visits
    cdef float *amaf_wins
    cdef float *prior
    cdef int *table                     # open addressing by key, node index + 1; only if shared
    cdef int table_mask
    cdef int lock

    cdef void _blank(self, int node, uint64_t key, int color, int first) noexcept nogil

    cdef int add_node(self, uint64_t key, int color, int count, uint16_t *moves, float *priors) noexcept nogil
    cdef int find(self, uint64_t key) noexcept nogil
    cdef void remember(self, int node) noexcept nogil
    cdef void reset(self) noexcept nogil
    cdef int keep_below(self, int root, int min_visits)
