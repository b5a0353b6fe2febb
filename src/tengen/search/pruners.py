"""Which moves a new node has: those domain knowledge calls sensible, the best looking first."""

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import CELLS  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import Pruner  # type: ignore[import-not-found]

from tengen.knowledge.moves import MoveKnowledge

__all__ = ["KnowledgePruner"]


def sort_by_prior(moves, priors, count):
    """Largest prior first; insertion is quickest on lists this short and already half in order."""
    i: cython.int
    j: cython.int
    m: cython.ushort
    p: cython.float
    for i in range(1, count):
        m = moves[i]
        p = priors[i]
        j = i - 1
        while j >= 0 and priors[j] < p:
            moves[j + 1] = moves[j]
            priors[j + 1] = priors[j]
            j -= 1
        moves[j + 1] = m
        priors[j + 1] = p


class KnowledgePruner(Pruner):
    """Moves with their domain-knowledge value d as prior, sorted; keeps the best ``keep`` of them (1 = all).

    The pass comes last with the prior of the least of them.
    """

    def __init__(self, knowledge=None, keep=1.0, at_least=3):
        self.knowledge = knowledge if knowledge is not None else MoveKnowledge()
        self.keep = keep
        self.at_least = at_least

    def clone(self):
        return KnowledgePruner(self.knowledge.clone(), self.keep, self.at_least)

    def ranked(self, sim):
        """Write every move knowledge values, best first, with priors adding up to 1; how many."""
        i: cython.int
        v: cython.int
        count: cython.int = 0
        total: cython.float = 0
        self.knowledge.evaluate(sim.board, sim.to_move, self.d)
        for i in range(sim.board.empty_count):
            v = sim.board.empty[i]
            if self.d[v] > 0 and sim.board.legal(v, sim.to_move):
                sim.moves[count] = v
                sim.priors[count] = self.d[v]
                total += self.d[v]
                count += 1
        for i in range(count):
            sim.priors[i] /= total
        sort_by_prior(sim.moves, sim.priors, count)
        return count

    def fill(self, sim):
        count: cython.int = self.ranked(sim)
        wanted: cython.int
        if self.keep < 1:
            wanted = cython.cast(cython.int, self.keep * count + 0.5)
            if wanted < self.at_least:
                wanted = self.at_least
            if wanted < count:
                count = wanted
        sim.moves[count] = 0
        sim.priors[count] = sim.priors[count - 1] * 0.1 if count else 1.0
        return count + 1
