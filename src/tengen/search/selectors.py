"""Which move of a node to follow: UCB1, UCB1-tuned, RAVE, PUCT.

Each fills a column of scores over the node's edges (loops the compiler turns into vector instructions) and takes
the best. Results are sums of 0..1 for the side to move.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, sqrt, sqrtf  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import Selector, Simulation  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.selectors import tengen_highest  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.store import Store  # type: ignore[import-not-found]

__all__ = ["Puct", "Rave", "Ucb1", "Ucb1Tuned"]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _best(store: Store, first: cython.int, count: cython.int, sim: Simulation) -> cython.int:
    best: cython.int = tengen_highest(sim.scores, count)
    away: cython.float = 1e9
    i: cython.int
    if store.flags[first + best]:
        # Few moves are out of reach, and seldom the best: the flags are another column to read.
        for i in range(count):
            # PRUNED is the one flag there is.
            sim.scores[i] -= away * store.flags[first + i]
        best = tengen_highest(sim.scores, count)
    return first + best


class Ucb1(Selector):
    """Eq.: w/n + c sqrt(2 ln N / n) (Auer 2002); an unvisited move counts as ``first_play``."""

    def __init__(self, exploration=0.5, first_play=1e9):
        self.exploration = exploration
        self.first_play = first_play
        self.uses_amaf = False

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        bonus: cython.float = 2 * log(store.nodes[node].visits + 1)
        c: cython.float = self.exploration
        never: cython.float = self.first_play
        n: cython.float
        i: cython.int
        for i in range(count):
            n = store.visits[first + i]
            if n > 0:
                sim.scores[i] = store.wins[first + i] / n + c * sqrtf(bonus / n)
            else:
                sim.scores[i] = never + store.prior[first + i]
        return _best(store, first, count, sim)


class Ucb1Tuned(Selector):
    """UCB1-tuned (Auer 2002): the bonus shrinks with the variance seen."""

    def __init__(self, exploration=1.0, first_play=1e9):
        self.exploration = exploration
        self.first_play = first_play
        self.uses_amaf = False

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        logs: cython.float = log(store.nodes[node].visits + 1)
        c: cython.float = self.exploration
        never: cython.float = self.first_play
        n: cython.float
        q: cython.float
        v: cython.float
        i: cython.int
        for i in range(count):
            n = store.visits[first + i]
            if n > 0:
                q = store.wins[first + i] / n
                v = q * (1 - q) + sqrtf(2 * logs / n)
                sim.scores[i] = q + c * sqrtf(logs / n * (v if v < 0.25 else 0.25))
            else:
                sim.scores[i] = never + store.prior[first + i]
        return _best(store, first, count, sim)


class Rave(Selector):
    """Rapid action value estimation (Gelly and Silver 2011) with a prior as progressive bias.

    Eq.: (1-b) w/n + b w~/n~ + k P sqrt(N) / (1+n), b = n~ / (n~ + n + n n~ / e). ``first_play`` is the worth of a
    move seen neither way. ``widen_base`` > 1 looks only at the first 2 + log(N / 20) / log(base) moves, best prior
    first.
    """

    def __init__(self, equivalence=1000.0, exploration=0.0, prior_weight=0.1, first_play=1.0, widen_base=0.0):
        self.equivalence = equivalence
        self.exploration = exploration
        self.prior_weight = prior_weight
        self.first_play = first_play
        self.widen_base = widen_base
        self.uses_amaf = True

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        total: cython.float = store.nodes[node].visits + 1
        bonus: cython.float = self.exploration * log(total) if self.exploration > 0 else 0
        bias: cython.float = self.prior_weight * sqrt(total)
        each: cython.float = 1 / self.equivalence
        never: cython.float = self.first_play
        wide: cython.int
        if self.widen_base > 1 and total > 20:
            wide = 3 + cython.cast(cython.int, log(total / 20) / log(self.widen_base))
            if wide < count:
                count = wide
        elif self.widen_base > 1 and count > 3:
            count = 3
        _rave_scores(
            count,
            store.visits + first,
            store.wins + first,
            store.amaf_visits + first,
            store.amaf_wins + first,
            store.prior + first,
            sim.scores,
            each,
            never,
            bias,
            bonus,
        )
        return _best(store, first, count, sim)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rave_scores(
    count: cython.int,
    visits: cython.p_int,
    wins: cython.p_float,
    amaf_visits: cython.p_float,
    amaf_wins: cython.p_float,
    prior: cython.p_float,
    scores: cython.p_float,
    each: cython.float,
    never: cython.float,
    bias: cython.float,
    bonus: cython.float,
) -> cython.void:
    # Constants as variables: a literal would be a double, and the loop no vector one.
    none: cython.float = 0
    one: cython.float = 1
    tiny: cython.float = 1e-9
    seen: cython.float
    n: cython.float
    r: cython.float
    q: cython.float
    i: cython.int
    for i in range(count):
        n = visits[i]
        r = amaf_visits[i]
        seen = n + r > none
        # (1-b) w/n + b w~/n~ over one denominator.
        q = (wins[i] * (one + r * each) + amaf_wins[i]) / (r + n + n * r * each + tiny)
        q += never - seen * never
        scores[i] = q + bias * prior[i] / (one + n)
    if bonus > none:
        for i in range(count):
            n = visits[i]
            scores[i] += sqrtf(bonus / (n + one))


class Puct(Selector):
    """PUCT as AlphaGo's: q + c P sqrt(N) / (1+n); an unvisited move has its parent's q less a reduction.

    ``amaf_equivalence`` > 0 mixes AMAF into q as Rave does.
    """

    def __init__(self, exploration=1.1, first_play_reduction=0.2, amaf_equivalence=0.0):
        self.exploration = exploration
        self.first_play_reduction = first_play_reduction
        self.amaf_equivalence = amaf_equivalence
        self.uses_amaf = amaf_equivalence > 0

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        total: cython.float = store.nodes[node].visits
        scale: cython.float = self.exploration * sqrt(total + 1)
        parent: cython.float = store.nodes[node].wins / total if total > 0 else 0.5
        seen: cython.float = 0
        each: cython.float
        n: cython.float
        r: cython.float
        b: cython.float
        q: cython.float
        i: cython.int
        for i in range(count):
            seen += store.prior[first + i] if store.visits[first + i] > 0 else 0
        parent -= self.first_play_reduction * sqrtf(seen)
        if self.amaf_equivalence > 0:
            each = 1 / self.amaf_equivalence
            for i in range(count):
                n = store.visits[first + i]
                r = store.amaf_visits[first + i]
                b = r / (r + n + n * r * each + 1e-9)
                q = (1 - b) * store.wins[first + i] / (n + 1e-9) + b * store.amaf_wins[first + i] / (r + 1e-9)
                q = q if n + r > 0 else parent
                sim.scores[i] = q + scale * store.prior[first + i] / (1 + n)
        else:
            for i in range(count):
                n = store.visits[first + i]
                q = store.wins[first + i] / (n + 1e-9) if n > 0 else parent
                sim.scores[i] = q + scale * store.prior[first + i] / (1 + n)
        return _best(store, first, count, sim)
