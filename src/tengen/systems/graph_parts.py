"""The parts of the search that make it `graph`: Eq. 1 and 2 as a Selector, history for new nodes as a Pruner."""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, sqrtf  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import (  # type: ignore[import-not-found]
        Pruner,
        Selector,
        Simulation,
        mix,
        spread,
    )
    from cython.cimports.tengen.search.store import PRUNED, Store  # type: ignore[import-not-found]

import numpy as np

__all__ = ["GraphUcb", "HistoryPruner", "win_ratio"]

WELL_KNOWN = cython.declare(cython.int, 16)
"""Visits in history from which on the states a move leads to are looked up too, before any of them is a node."""


def win_ratio(wins: float, visits: float, history_wins: float, history_visits: float, m: float) -> float:
    """Eq. 2: (m W + W_h) / (m V + V_h)."""
    return _ratio(wins, visits, history_wins, history_visits, m)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _ratio(
    w: cython.float, v: cython.float, wh: cython.float, vh: cython.float, m: cython.float
) -> cython.float:
    return (m * w + wh) / (m * v + vh)


class GraphUcb(Selector):
    """Eq. 1 over states: W/V + c sqrt(2 ln N / V), the win ratio of Eq. 2 with what history knows of the state.

    W and V are the state's, whatever the path; with ``edge_visits`` (the sound way) the bonus counts the visits made
    by this edge. A move seen neither now nor in history is worth ``first_play`` (the paper: infinity) and a little of
    its prior.

    What history knows of a move whose state is no node yet stands in the edge's columns of AMAF, of which there is none
    here: `HistoryPruner` put it there.
    """

    def __init__(self, exploration=0.4, m=2.0, first_play=1.1, prior_weight=0.3, edge_visits=True):
        self.exploration = exploration
        self.m = m
        self.first_play = first_play
        self.prior_weight = prior_weight
        self.edge_visits = edge_visits
        self.uses_amaf = False

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        total: cython.float = self.m * store.nodes[node].visits + store.nodes[node].history_visits
        two_logs: cython.float = 2 * log(total + 1)
        c: cython.float = self.exploration
        i: cython.int
        e: cython.int
        child: cython.int
        v: cython.float
        w: cython.float
        vh: cython.float
        wh: cython.float
        score: cython.float
        high: cython.float = -1e30
        best: cython.int = first + count - 1
        for i in range(count):
            e = first + i
            if store.flags[e] & PRUNED:
                continue
            child = store.child[e]
            v = store.visits[e]
            w = store.wins[e]
            vh = wh = 0
            if child >= 0:
                vh = store.nodes[child].history_visits
                wh = vh - store.nodes[child].history_wins
                if store.nodes[child].visits > 0:
                    if not self.edge_visits:
                        v = store.nodes[child].visits
                    w = (1 - store.nodes[child].wins / store.nodes[child].visits) * v
            else:
                vh = store.amaf_visits[e]
                wh = store.amaf_wins[e]
            if v + vh > 0:
                score = _ratio(w, v, wh, vh, self.m) + c * sqrtf(two_logs / (self.m * v + vh))
            else:
                score = self.first_play + self.prior_weight * store.prior[e] * count
            if score > high:
                high = score
                best = e
        return best


class HistoryPruner(Pruner):
    """Another pruner's moves, and for every new node what history knows of its state; of one it knows well also what
    it knows of every move (all but those that leave a ko, whose key is another).

    ``tell`` gives the rows: keys ascending, visits, wins of the side to move. This one and all its clones know them
    from the next search on.
    """

    def __init__(self, inner):
        self.inner = inner
        self.shelf = [None]
        self.tell(np.zeros(0, np.uint64), np.zeros(0), np.zeros(0))
        self._take(self.shelf[0])

    def tell(self, keys, visits, wins):
        self.shelf[0] = (
            np.ascontiguousarray(keys, np.uint64),
            np.ascontiguousarray(visits, np.float64),
            np.ascontiguousarray(wins, np.float64),
        )

    def _take(self, rows):
        self.rows = rows
        self.keys, self.visits, self.wins = rows
        self.known = len(rows[0])

    def clone(self):
        other: HistoryPruner = HistoryPruner(self.inner.clone())
        other.shelf = self.shelf
        return other

    def begin(self, position):
        if self.rows is not self.shelf[0]:
            self._take(self.shelf[0])
        self.inner.begin(position)

    def fill(self, sim):
        return self.inner.fill(sim)

    def revisit(self, store, node, sim):
        self.inner.revisit(store, node, sim)

    def made(self, store, node, sim):
        at: cython.int
        e: cython.int
        v: cython.int
        key: cython.ulong
        other: cython.int = 3 - sim.to_move
        self.inner.made(store, node, sim)
        at = self.place(store.nodes[node].key)
        if at < 0:
            return
        store.nodes[node].history_visits = self.visits[at]
        store.nodes[node].history_wins = self.wins[at]
        if self.visits[at] < WELL_KNOWN:
            return
        for e in range(store.nodes[node].first, store.nodes[node].first + store.nodes[node].count):
            v = store.move[e]
            if v:
                key = mix(sim.board.zobrist_after(v, sim.to_move) ^ spread(other)) | 1
            else:
                key = mix(sim.board.zobrist ^ spread(other + 4096 * ((sim.passes + 1) & 1))) | 1
            at = self.place(key)
            if at >= 0:
                store.amaf_visits[e] = self.visits[at]
                store.amaf_wins[e] = self.visits[at] - self.wins[at]

    def place(self, key):
        """Which row a key has, or -1."""
        low: cython.int = 0
        high: cython.int = self.known
        middle: cython.int
        while low < high:
            middle = (low + high) // 2
            if self.keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low if low < self.known and self.keys[low] == key else -1
