"""Where a search keeps what it learns: nodes and edges in flat memory, a tree, or a graph shared by key.

A node is a position that has been expanded, with the edges of its moves side by side; a position merely visited
lives as the edge that leads to it. Edges are a table of columns, so that a selector's arithmetic over a node's
moves is a few vector instructions. A node takes 48 bytes, an edge 27.

The memory bound is met by refusing nodes (``full``): the search then goes on without growing, and the controller
makes room by ``keep_below`` when all threads are at rest. Counts are added atomically while several threads
search; sums of results are written plainly, and a lost update now and then is the price.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free, malloc  # type: ignore[import-not-found]
    from cython.cimports.libc.string import memset  # type: ignore[import-not-found]

import numpy as np

from tengen.errors import ConfigError

__all__ = ["EDGE_BYTES", "NODE_BYTES", "Store"]

NODE_BYTES = 48
EDGE_BYTES = 27
EDGES_PER_NODE = 48
"""Edges reserved for every node on average; a small board needs fewer, and then edges run out last."""


class Store:
    """Memory for one search tree or graph, bounded by ``memory_mb``; the memory is touched only as it is used."""

    def __cinit__(self, memory_mb=256, shared=False, keyed=False):
        nodes: cython.longlong = int(memory_mb * 1e6 / (NODE_BYTES + EDGES_PER_NODE * EDGE_BYTES + 16))
        if not 100 <= nodes <= 40_000_000:
            raise ConfigError(f"memory {memory_mb} MB: between 1 and 50000 expected")
        self.capacity = nodes
        self.edge_capacity = nodes * EDGES_PER_NODE
        self.shared = shared
        self.keyed = keyed or shared
        self.nodes = cython.cast(cython.pointer(Node), malloc(nodes * cython.sizeof(Node)))
        edges: cython.size_t = self.edge_capacity
        self.move = cython.cast(cython.p_ushort, malloc(edges * 2))
        self.flags = cython.cast(cython.p_uchar, malloc(edges))
        self.child = cython.cast(cython.p_int, malloc(edges * 4))
        self.visits = cython.cast(cython.p_int, malloc(edges * 4))
        self.wins = cython.cast(cython.p_float, malloc(edges * 4))
        self.amaf_visits = cython.cast(cython.p_float, malloc(edges * 4))
        self.amaf_wins = cython.cast(cython.p_float, malloc(edges * 4))
        self.prior = cython.cast(cython.p_float, malloc(edges * 4))
        size: cython.int = 1
        if shared:
            while size < 2 * nodes:
                size *= 2
            self.table = cython.cast(cython.p_int, calloc(size, 4))
        self.table_mask = size - 1
        self.reset()
        if not (
            self.nodes and self.prior and self.amaf_wins and self.amaf_visits and self.wins and self.visits
        ):
            raise MemoryError(f"no {memory_mb} MB for the search; give less with --memory")

    def __dealloc__(self):
        free(self.nodes)
        free(self.move)
        free(self.flags)
        free(self.child)
        free(self.visits)
        free(self.wins)
        free(self.amaf_visits)
        free(self.amaf_wins)
        free(self.prior)
        free(self.table)

    def reset(self):
        self.node_count = 0
        self.edge_count = 0
        self.full = 0
        if self.table:
            memset(self.table, 0, (cython.cast(cython.size_t, self.table_mask) + 1) * 4)

    def add_node(self, key, color, count, moves, priors):
        """Make a node with its edges; its index, or NO_NODE when memory is used up. Safe from several threads."""
        node: cython.int
        first: cython.int
        i: cython.int
        e: cython.int
        while not tengen_claim(cython.address(self.lock), 0, 1):
            pass
        node = self.node_count
        first = self.edge_count
        if node < self.capacity and first + count <= self.edge_capacity:
            self.node_count = node + 1
            self.edge_count = first + count
        else:
            self.full = 1
            node = NO_NODE
        tengen_publish(cython.address(self.lock), 0)
        if node < 0:
            return NO_NODE
        self._blank(node, key, color, first)
        self.nodes[node].count = count
        for i in range(count):
            e = first + i
            self.move[e] = moves[i]
            self.flags[e] = 0
            self.child[e] = NO_NODE
            self.visits[e] = 0
            self.wins[e] = 0
            self.amaf_visits[e] = 0
            self.amaf_wins[e] = 0
            self.prior[e] = priors[i]
        return node

    def _blank(
        self, node: cython.int, key: cython.ulonglong, color: cython.int, first: cython.int
    ) -> cython.void:
        n: cython.pointer(Node) = cython.address(self.nodes[node])
        n.key = key
        n.first = first
        n.count = 0
        n.visits = 0
        n.own_visits = 0
        n.wins = 0
        n.own_wins = 0
        n.history_visits = 0
        n.history_wins = 0
        n.color = color
        n.mark = -1

    def find(self, key):
        """The node of a state, or NO_NODE."""
        i: cython.int = cython.cast(cython.int, key & cython.cast(cython.ulonglong, self.table_mask))
        node: cython.int
        while True:
            node = tengen_peek(cython.address(self.table[i])) - 1
            if node < 0:
                return NO_NODE
            if self.nodes[node].key == key:
                return node
            i = (i + 1) & self.table_mask

    def remember(self, node):
        """Enter a node under its key. Two threads may enter one state twice; the first is found from then on."""
        key: cython.ulonglong = self.nodes[node].key
        i: cython.int = cython.cast(cython.int, key & cython.cast(cython.ulonglong, self.table_mask))
        while not tengen_claim(cython.address(self.table[i]), 0, node + 1):
            i = (i + 1) & self.table_mask

    def keep_below(self, root, min_visits):
        """Drop every node but root and what hangs from it by edges of at least min_visits.

        No thread may be searching. Returns the root's new index; any other held from before means nothing.
        """
        kept: cython.int = 0
        edges: cython.int = 0
        node: cython.int
        child: cython.int
        i: cython.int
        e: cython.int
        to: cython.int
        top: cython.int = 0
        stack: cython.p_int
        limit: cython.int = self.node_count
        stack = cython.cast(cython.p_int, malloc((cython.cast(cython.size_t, limit) + 1) * 4))
        if not stack:
            return root
        for node in range(limit):
            self.nodes[node].mark = -1
        self.nodes[root].mark = 0
        stack[0] = root
        top = 1
        while top:
            top -= 1
            node = stack[top]
            for e in range(self.nodes[node].first, self.nodes[node].first + self.nodes[node].count):
                child = self.child[e]
                if child < 0:
                    self.child[e] = NO_NODE
                elif self.visits[e] < min_visits:
                    self.child[e] = NO_NODE
                elif self.nodes[child].mark < 0:
                    self.nodes[child].mark = 0
                    stack[top] = child
                    top += 1
        # In the order they were made both nodes and edges only move down, so they can be moved in place.
        for node in range(limit):
            if self.nodes[node].mark == 0:
                self.nodes[node].mark = kept
                kept += 1
        for node in range(limit):
            to = self.nodes[node].mark
            if to < 0:
                continue
            i = self.nodes[node].first
            for e in range(edges, edges + self.nodes[node].count):
                self.move[e] = self.move[i]
                self.flags[e] = self.flags[i]
                child = self.child[i]
                self.child[e] = self.nodes[child].mark if child >= 0 else NO_NODE
                self.visits[e] = self.visits[i]
                self.wins[e] = self.wins[i]
                self.amaf_visits[e] = self.amaf_visits[i]
                self.amaf_wins[e] = self.amaf_wins[i]
                self.prior[e] = self.prior[i]
                i += 1
            stack[to] = edges
            edges += self.nodes[node].count
        top = self.nodes[root].mark
        for node in range(limit):
            to = self.nodes[node].mark
            if to >= 0:
                self.nodes[to] = self.nodes[node]
                self.nodes[to].first = stack[to]
        free(stack)
        self.node_count = kept
        self.edge_count = edges
        self.full = 0
        if self.table:
            memset(self.table, 0, (cython.cast(cython.size_t, self.table_mask) + 1) * 4)
            for node in range(kept):
                self.remember(node)
        return top

    @property
    def used(self) -> tuple[int, int]:
        """(nodes, edges) in use."""
        return self.node_count, self.edge_count

    @property
    def bytes_used(self) -> int:
        nodes, edges = self.used
        return nodes * NODE_BYTES + edges * EDGE_BYTES

    # ---- the Python face, for reports: no thread need rest, a figure may be a moment old ------------------------

    def edges(self, node: int) -> list[tuple[int, int, float, float, float, float, int, int]]:
        """(vertex, visits, wins, AMAF visits, AMAF wins, prior, child or negative, flags) of a node's edges."""
        e: cython.int
        self._check(node)
        first: cython.int = self.nodes[node].first
        return [
            (
                self.move[e],
                self.visits[e],
                self.wins[e],
                self.amaf_visits[e],
                self.amaf_wins[e],
                self.prior[e],
                self.child[e],
                self.flags[e],
            )
            for e in range(first, first + self.nodes[node].count)
        ]

    def line(self, node: int, most: int) -> list[int]:
        """The vertices of the most visited line from a node on, history counted; at most so many."""
        found: list[int] = []
        e: cython.int
        child: cython.int
        at: cython.int = node
        best: cython.int
        n: cython.float
        high: cython.float
        if node < 0:
            return found
        self._check(node)
        while at >= 0 and len(found) < most:
            high = 0
            best = -1
            for e in range(self.nodes[at].first, self.nodes[at].first + self.nodes[at].count):
                n = self.visits[e]
                child = self.child[e]
                if child >= 0:
                    n += self.nodes[child].history_visits
                if n > high:
                    high = n
                    best = e
            if best < 0:
                break
            found.append(self.move[best])
            at = self.child[best]
        return found

    @property
    def bytes_each(self) -> tuple[int, int]:
        """Bytes a node and an edge really take, the table of a graph counted with its nodes."""
        table: cython.longlong = (self.table_mask + 1) * cython.sizeof(cython.int) if self.shared else 0
        edge = (
            cython.sizeof(cython.ushort)
            + cython.sizeof(cython.uchar)
            + 2 * cython.sizeof(cython.int)
            + 4 * cython.sizeof(cython.float)
        )
        return cython.sizeof(Node) + -(-table // self.capacity), edge

    def node_stats(self, node: int) -> tuple[int, float]:
        """(visits, wins) of a node, for its side to move."""
        self._check(node)
        return self.nodes[node].visits, self.nodes[node].wins

    def set_flag(self, node: int, index: int, flag: int) -> None:
        """Flags of one edge."""
        self._check(node)
        if not 0 <= index < self.nodes[node].count:
            raise IndexError(f"edge {index} of node {node}")
        self.flags[self.nodes[node].first + index] = flag

    def set_prior(self, node: int, index: int, prior: float) -> None:
        self._check(node)
        if not 0 <= index < self.nodes[node].count:
            raise IndexError(f"edge {index} of node {node}")
        self.prior[self.nodes[node].first + index] = prior

    def compact(self, root: int, min_visits: int = 0) -> int:
        """Drop what does not hang from root; its new index. No thread may be searching."""
        self._check(root)
        return self.keep_below(root, min_visits)

    def visits_to_keep(self, share: float) -> int:
        """The power of two of visits, at least 2, whose edges lead to no more than about this share of all edges.

        About, for a state of a graph counts for every edge that leads to it. No thread may be searching.
        """
        led: cython.longlong[32]
        bits: cython.int
        i: cython.int
        e: cython.int
        n: cython.int
        left: cython.longlong = 0
        if not cython.compiled:
            led = [0] * 32
        for i in range(32):
            led[i] = 0
        for e in range(self.edge_count):
            if self.child[e] >= 0:
                n = self.visits[e]
                bits = 0
                while n > 1 and bits < 31:
                    n >>= 1
                    bits += 1
                led[bits] += self.nodes[self.child[e]].count
        for bits in range(31, 0, -1):
            left += led[bits]
            if left > share * self.edge_count:
                return 1 << (bits + 1) if bits < 30 else 1 << 30
        return 2

    def clear(self) -> None:
        self.reset()

    def fold(self, n: float):
        """Make what was searched history: V_h = V + n V_h (Eq. 3 of `graph`), W_h alike, and V, W nought again.

        Only nodes visited since the last fold change. Returns their (keys, visits, wins for the side to move) as
        they were, as arrays. No thread may be searching.
        """
        node: cython.int
        e: cython.int
        count: cython.int = 0
        factor: cython.float = n
        for node in range(self.node_count):
            count += self.nodes[node].visits > 0
        keys = np.zeros(count, np.uint64)
        visits = np.zeros(count, np.float64)
        wins = np.zeros(count, np.float64)
        k: cython.ulong[::1] = keys
        v: cython.double[::1] = visits
        w: cython.double[::1] = wins
        count = 0
        for node in range(self.node_count):
            if self.nodes[node].visits <= 0:
                continue
            k[count] = self.nodes[node].key
            v[count] = self.nodes[node].visits
            w[count] = self.nodes[node].wins
            count += 1
            self.nodes[node].history_visits = (
                self.nodes[node].visits + factor * self.nodes[node].history_visits
            )
            self.nodes[node].history_wins = self.nodes[node].wins + factor * self.nodes[node].history_wins
            self.nodes[node].visits = 0
            self.nodes[node].wins = 0
            self.nodes[node].own_visits = 0
            self.nodes[node].own_wins = 0
            for e in range(self.nodes[node].first, self.nodes[node].first + self.nodes[node].count):
                self.visits[e] = 0
                self.wins[e] = 0
        return keys, visits, np.minimum(wins, visits)

    def history(self, node: int) -> tuple[float, float]:
        """(V_h, W_h) of a node, for its side to move."""
        self._check(node)
        return self.nodes[node].history_visits, self.nodes[node].history_wins

    def key(self, node: int) -> int:
        """The key of a node's state; 0 in a store that keeps none."""
        self._check(node)
        return self.nodes[node].key

    @property
    def is_full(self) -> bool:
        """A node did not fit since the last compaction."""
        return self.full != 0

    def _check(self, node: int) -> None:
        if not 0 <= node < self.node_count:
            raise IndexError(f"node {node} of {self.node_count}")
