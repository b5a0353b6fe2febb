"""mucgo's own parts of the search: Algorithm 2 (layered pruning), Eq. 9 (V = f d + g u), RSHQI (selection).

What the paper leaves open is settled here and kept a parameter. d, the domain knowledge of a move, is brought to
0..1 by ``d = 1 / (1 + (mean / gamma)^(1/temper))``: 1/2 for an average move of the node, so that it can be added to
u. u is UCB1 with, unless ``amaf`` is 0, the win ratio's early visits filled in by AMAF.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, powf, sqrtf  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import random_below  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import Pruner, Selector, Simulation  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.store import PRUNED, Store  # type: ignore[import-not-found]

__all__ = ["LayeredPruner", "QualityInterval", "knowledge_value", "mixed_value", "ucb1"]

LATE = cython.declare(cython.int, 16)
"""Visits by which the second layer may come late."""


def knowledge_value(share: float, count: int, temper: float) -> float:
    """d of a move that has this share of the knowledge spread over count moves."""
    return _d(share, count, 1 / temper)


def ucb1(wins: float, visits: float, total: float, exploration: float) -> float:
    """u, Eq.: w/n + c sqrt(2 ln N / n)."""
    return _u(wins / visits, visits, 2 * log(total), exploration)


def mixed_value(f: float, d: float, u: float) -> float:
    """Eq. 9: V = f d + g u, g = 1 - f."""
    return _v(f, d, u)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _d(share: cython.float, count: cython.float, power: cython.float) -> cython.float:
    return 1 / (1 + powf(1 / (count * share + 1e-6), power))


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _u(mean: cython.float, visits: cython.float, two_logs: cython.float, c: cython.float) -> cython.float:
    return mean + c * sqrtf(two_logs / visits)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _v(f: cython.float, d: cython.float, u: cython.float) -> cython.float:
    return f * d + (1 - f) * u


class LayeredPruner(Pruner):
    """Algorithm 2 over the moves of ``ranked``, which come best d first: the lowest ``drop_knowledge`` (20 %) dropped
    when the node is made; of the rest those tried are sorted by UCB1 and the lowest ``drop_ucb`` (20 %) of them
    dropped once the node has ``second_layer`` visits a child. (The paper tries every child first. Were the fifth one of
    all children, a node that tried few would drop the very moves it thinks good.)

    The pass is never dropped; its d is at least a tenth of the least that is kept.
    """

    def __init__(self, ranked, drop_knowledge=0.2, drop_ucb=0.2, second_layer=4, exploration=0.3):
        self.ranked = ranked
        self.drop_knowledge = drop_knowledge
        self.drop_ucb = drop_ucb
        self.second_layer = second_layer
        self.exploration = exploration

    def clone(self):
        return LayeredPruner(
            self.ranked.clone(), self.drop_knowledge, self.drop_ucb, self.second_layer, self.exploration
        )

    def begin(self, position):
        self.ranked.begin(position)

    def fill(self, sim):
        count: cython.int = self.ranked.fill(sim) - 1
        wanted: cython.int = cython.cast(cython.int, (1.0 - self.drop_knowledge) * count + 0.5)
        passing: cython.float = sim.priors[count]
        if wanted < 3:
            wanted = 3
        if wanted >= count:
            return count + 1
        if passing < sim.priors[wanted - 1] * 0.1:
            passing = sim.priors[wanted - 1] * 0.1
        sim.moves[wanted] = 0
        sim.priors[wanted] = passing
        return wanted + 1

    def made(self, store, node, sim):
        self.ranked.made(store, node, sim)

    def revisit(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count - 1
        due: cython.int = self.second_layer * (count + 1)
        drop: cython.int
        tried: cython.int = 0
        two_logs: cython.float
        bar: cython.float
        lowest: cython.float
        i: cython.int
        dropped: cython.int = 0
        self.ranked.revisit(store, node, sim)
        # Once, when the node has become due. Among threads nobody may see the very count, so a few more will do,
        # and who finds moves flagged leaves it at that.
        if self.drop_ucb <= 0 or not 0 <= store.nodes[node].visits - due < LATE:
            return
        for i in range(count):
            if store.flags[first + i] == PRUNED:
                return
        two_logs = 2 * log(store.nodes[node].visits + 1)
        for i in range(count):
            # Moves never tried are not known to be bad; those barred at the root by a wish of this search do not count.
            self.ucb[i] = 1e9
            if store.flags[first + i] == 0 and store.visits[first + i] > 0:
                tried += 1
                self.ucb[i] = _u(
                    store.wins[first + i] / store.visits[first + i],
                    store.visits[first + i],
                    two_logs,
                    self.exploration,
                )
        if tried < 5:
            return
        drop = cython.cast(cython.int, self.drop_ucb * tried)
        bar = -1e30
        while dropped < drop:
            lowest = 1e30
            for i in range(count):
                if self.ucb[i] > bar and self.ucb[i] < lowest:
                    lowest = self.ucb[i]
            for i in range(count):
                if self.ucb[i] == lowest and dropped < drop:
                    store.flags[first + i] |= PRUNED
                    dropped += 1
            bar = lowest


class QualityInterval(Selector):
    """RSHQI: the children whose V lies in the highest ``quality`` (15 %) of the range of V make the high-quality
    interval; one of them is drawn at random to extend the tree. With quality 0 the best V is taken.

    The draw is for extending the tree: a node of ``draw_below`` visits or more, whose children are no longer
    guesses, takes the best V (0: it always draws).
    """

    def __init__(
        self,
        f=0.6,
        exploration=0.3,
        amaf_equivalence=1000.0,
        quality=0.15,
        temper=12.0,
        draw_below=32,
        first_play=1.0,
    ):
        self.f = f
        self.exploration = exploration
        self.amaf_equivalence = amaf_equivalence
        self.quality = quality
        self.temper = temper
        self.draw_below = draw_below
        self.first_play = first_play
        self.uses_amaf = amaf_equivalence > 0

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        two_logs: cython.float = 2 * log(store.nodes[node].visits + 1)
        power: cython.float = 1 / self.temper
        each: cython.float = 1 / self.amaf_equivalence if self.amaf_equivalence > 0 else 0
        high: cython.float = -1e30
        low: cython.float = 1e30
        bar: cython.float
        n: cython.float
        r: cython.float
        b: cython.float
        q: cython.float
        i: cython.int
        best: cython.int = count - 1
        inside: cython.int = 0
        for i in range(count):
            if store.flags[first + i] & PRUNED:
                sim.scores[i] = -1e30
                continue
            n = store.visits[first + i]
            r = store.amaf_visits[first + i] if each > 0 else 0
            if n + r > 0:
                b = r / (r + n + n * r * each + 1e-9)
                q = (1 - b) * store.wins[first + i] / (n + 1e-9)
                if b > 0:
                    q += b * store.amaf_wins[first + i] / r
                q = _u(q, n + 1, two_logs, self.exploration)
            else:
                q = self.first_play
            q = _v(self.f, _d(store.prior[first + i], count, power), q)
            sim.scores[i] = q
            if q > high:
                high = q
                best = i
            if q < low:
                low = q
        if self.quality <= 0 or 0 < self.draw_below <= store.nodes[node].visits:
            return first + best
        bar = high - self.quality * (high - low)
        for i in range(count):
            if sim.scores[i] >= bar:
                inside += 1
                if random_below(cython.address(sim.rng), inside) == 0:
                    best = i
        return first + best
