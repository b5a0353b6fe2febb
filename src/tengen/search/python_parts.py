"""A selector, pruner or evaluator written in plain Python, in the compiled search.

`interfaces.py` says what such a part has: one method each. The adaptors here take the GIL, show the part what it asks
about as plain data, and check its answer. What a part raises, or answers wrongly, ends the search: the first of it
lies in ``errors`` and `Search.run` raises it.
"""

import cython

if cython.compiled:
    from cython.cimports.tengen.search.evaluators import PlayoutEvaluator  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import (  # type: ignore[import-not-found]
        Evaluator,
        Pruner,
        Selector,
        Simulation,
    )
    from cython.cimports.tengen.search.store import PRUNED, Store  # type: ignore[import-not-found]

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, move_of_vertex, vertex_of
from tengen.search.interfaces import Branch, Leaf

__all__ = ["PythonEvaluator", "PythonPruner", "PythonSelector", "as_evaluator", "as_pruner", "as_selector"]


class PythonSelector(Selector):
    """``part.select(visits, branches)`` gives the index of the branch to follow."""

    def __init__(self, part):
        self.part = part
        self.errors = []
        self.uses_amaf = bool(getattr(part, "uses_amaf", False))

    def select(self, store, node, sim):
        first: cython.int = store.nodes[node].first
        count: cython.int = store.nodes[node].count
        e: cython.int
        chosen: cython.int = -1
        with cython.gil:
            try:
                branches = [
                    Branch(
                        move_of_vertex(store.move[e], sim.board.width),
                        store.visits[e],
                        store.wins[e],
                        store.prior[e],
                        store.amaf_visits[e],
                        store.amaf_wins[e],
                        not store.flags[e] & PRUNED,
                    )
                    for e in range(first, first + count)
                ]
                answer = int(self.part.select(int(store.nodes[node].visits), branches))
                if not (0 <= answer < count and branches[answer].open):
                    raise ConfigError(f"select answered {answer}: the index of an open branch expected")
                chosen = answer
            except Exception as error:
                self.errors.append(error)
        if chosen < 0:
            chosen = count - 1
            while chosen > 0 and store.flags[first + chosen] & PRUNED:
                chosen -= 1
        return first + chosen


class PythonPruner(Pruner):
    """``part.moves(leaf)`` gives pairs of a move and its prior; they need neither order nor sum, nor have the pass."""

    def __init__(self, part):
        self.part = part
        self.errors = []

    def clone(self):
        other = PythonPruner(self.part)
        other.errors = self.errors
        return other

    def begin(self, position) -> None:
        told = getattr(self.part, "begin", None)
        if told is not None:
            told(position)

    def fill(self, sim):
        count: cython.int = 0
        v: cython.int
        sim.moves[0] = 0
        sim.priors[0] = 1
        with cython.gil:
            try:
                shares = {PASS: 0.0}
                for move, prior in self.part.moves(_leaf(sim)):
                    if move != PASS:
                        v = vertex_of(move, sim.board.width) if move in _points(sim) else 0
                        if not v or not sim.board.legal(v, sim.to_move):
                            raise ConfigError(f"moves named {move}: legal moves expected")
                    if not prior >= 0:
                        raise ConfigError(f"moves gave {move} the prior {prior}: nought or more expected")
                    shares[move] = float(prior)
                last = shares.pop(PASS)
                total = sum(shares.values()) + last or 1.0
                for move, prior in sorted(shares.items(), key=lambda item: -item[1]):
                    sim.moves[count] = vertex_of(move, sim.board.width)
                    sim.priors[count] = prior / total
                    count += 1
                sim.moves[count] = 0
                sim.priors[count] = last / total
            except Exception as error:
                self.errors.append(error)
                count = 0
                sim.moves[0] = 0
        return count + 1


class PythonEvaluator(PlayoutEvaluator):
    """``part.evaluate(leaf)`` gives -1..1 for the side to move; a game that is over is scored without asking."""

    def __init__(self, part):
        PlayoutEvaluator.__init__(self)
        self.part = part
        self.errors = []

    def clone(self):
        other = PythonEvaluator(self.part)
        other.errors = self.errors
        return other

    def evaluate(self, sim):
        value: cython.double = 0
        if sim.passes >= 2 or (sim.first_capture and sim.board.captured):
            return PlayoutEvaluator.evaluate(self, sim)
        sim.record_length = 0
        sim.margin = 0
        with cython.gil:
            try:
                answer = float(self.part.evaluate(_leaf(sim)))
                if not -1 <= answer <= 1:
                    raise ConfigError(f"evaluate answered {answer}: -1 to 1 for the side to move expected")
                value = answer
            except Exception as error:
                self.errors.append(error)
        return value


@cython.cfunc
def _leaf(sim: Simulation):
    return Leaf(sim.board.copy(), Color(sim.to_move), sim.passes, sim.komi)


@cython.cfunc
def _points(sim: Simulation):
    return range(sim.board.width * sim.board.height)


def as_selector(part):
    """The part itself if it is compiled, else its adaptor. ConfigError for what is neither."""
    return _adapted(part, Selector, "select", PythonSelector)


def as_pruner(part):
    """As `as_selector`."""
    return _adapted(part, Pruner, "moves", PythonPruner)


def as_evaluator(part):
    """As `as_selector`."""
    return _adapted(part, Evaluator, "evaluate", PythonEvaluator)


def _adapted(part, kind, method, adaptor):
    if isinstance(part, kind):
        return part
    if not callable(getattr(part, method, None)):
        raise ConfigError(f"{type(part).__name__} is no {kind.__name__}: a method {method!r} expected")
    return adaptor(part)
