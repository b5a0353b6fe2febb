"""What a search is made of. Four small parts are handed to the one loop in mcts.py:

* a **Selector** says which move of a node to follow;
* a **Pruner** says which moves a new node has, and how good each looks beforehand;
* an **Evaluator** says what a leaf is worth;
* a **Chooser** (choosers.py) says which root move to play.

The compiled ones run without the GIL; each base class here is also the smallest implementation there is. A plain
Python class stands in for any of them through python_parts.py, taking the GIL for each call.

A `Simulation` is one thread's scratch memory: the board at the leaf, the path that led there, what was played
beyond it.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import (  # type: ignore[import-not-found]
        BLACK,
        CELLS,
        STRIDE,
        Board,
        random_below,
    )
    from cython.cimports.tengen.search.parts import mix, spread  # type: ignore[import-not-found]

__all__ = ["Evaluator", "Pruner", "Selector", "Simulation"]


class Simulation:
    """Scratch memory of one searching thread."""

    def __cinit__(self, width, height):
        self.board = Board(width, height)
        self.root = Board(width, height)
        self.policy = cython.cast(cython.p_float, calloc(CELLS, 4))
        self.history = cython.NULL
        self.rng = 88172645463325252
        self.forget()

    def __dealloc__(self):
        free(self.policy)

    def forget(self):
        """Nothing known yet of ownership and scores."""
        i: cython.int
        for i in range(CELLS):
            self.owner[i] = 0
        for i in range(640):
            self.root_margin[i] = 0
            self.root_margin_count[i] = 0
        self.owner_count = 0
        self.margin_sum = 0
        self.margin_squares = 0

    def repeats(self, situation):
        """True iff these stones (and side to move, if situational) stood before, in the game or on this path."""
        i: cython.int
        at: cython.ulonglong
        for i in range(self.depth + 1):
            if self.seen[i] == situation:
                return True
        if self.history:
            at = situation & self.history_mask
            while self.history[at]:
                if self.history[at] == situation:
                    return True
                at = (at + 1) & self.history_mask
        return False

    def key(self):
        """The state at the leaf for a graph: stones, side to move, ko, a pass just made."""
        return (
            mix(self.board.zobrist ^ spread(self.to_move + 2 * self.board.ko + 4096 * (self.passes & 1))) | 1
        )


class Selector:
    """Chooses an edge of a node; base class and smallest instance: any edge at random."""

    def select(self, store, node, sim):
        """Index of an edge not flagged PRUNED (a node always has one: the pass)."""
        first: cython.int = store.nodes[node].first
        return first + random_below(cython.address(sim.rng), store.nodes[node].count)


class Pruner:
    """Gives a new node its moves; base class and smallest instance: every legal move that fills no own eye."""

    def fill(self, sim):
        """Write moves and priors (adding up to about 1) for the leaf, best first or in random order; how many.

        The pass is always the last of them.
        """
        i: cython.int
        j: cython.int
        v: cython.int
        c: cython.int = sim.to_move
        count: cython.int = 0
        for i in range(sim.board.empty_count):
            v = sim.board.empty[i]
            if sim.board.legal(v, c) and not sim.board.eye(v, c):
                j = random_below(cython.address(sim.rng), count + 1)
                sim.moves[count] = sim.moves[j]
                sim.moves[j] = v
                count += 1
        sim.moves[count] = 0
        count += 1
        for i in range(count):
            sim.priors[i] = 1.0 / count
        return count

    def begin(self, position) -> None:
        """Told of the root before each search; every thread's own is."""

    def revisit(self, store, node, sim):
        """Called each time the search is about to choose at a node: may flag edges PRUNED."""

    def made(self, store, node, sim):
        """Called once for every new node, its edges in place, before another thread can see it."""

    def clone(self):
        """One for another thread: itself, if it keeps no scratch memory."""
        return self


class Evaluator:
    """Says what a leaf is worth; base class and smallest instance: nothing is known."""

    def evaluate(self, sim):
        """The leaf's value in [-1, 1] for the side to move. May play on sim.board, and then fills sim.record."""
        sim.record_length = 0
        return 0.0

    def begin(self, position) -> None:
        """Told of the root before each search; every thread's own is."""

    def clone(self):
        return self
