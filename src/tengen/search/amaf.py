"""All moves as first: what a colour played first on a point counts as if it had been played at once.

Kept apart from the loop because it has scratch memory and habits of its own among threads.
"""

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import BLACK  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import MAX_EDGES  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.store import NO_NODE  # type: ignore[import-not-found]

__all__ = ["Amaf"]

GATHERED = cython.declare(cython.int, 8)
"""Simulations a thread keeps to itself before it adds their AMAF to a node that other threads use too."""
OFTEN = cython.declare(cython.int, 256)
"""Visits that make a node such a one."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _credit(
    count: cython.int,
    moves: cython.p_ushort,
    first: cython.p_float,
    result: cython.float,
    amaf_visits: cython.p_float,
    amaf_wins: cython.p_float,
) -> cython.void:
    """Add a result to the AMAF of every move that ``first`` has as 1: no branch, for half of them would be guessed
    wrong; and first the looking up, so that the adding is vector instructions.
    """
    hit: cython.float[MAX_EDGES]
    e: cython.int
    for e in range(count):
        hit[e] = first[moves[e]]
    for e in range(count):
        amaf_visits[e] += hit[e]
        amaf_wins[e] += hit[e] * result


class Amaf:
    """One thread's backing up of AMAF; ``among_threads`` says whether others write to the same nodes."""

    def __init__(self, among_threads: cython.bint):
        self.among_threads = among_threads
        self.forget()

    def forget(self):
        """Drop what was gathered and not handed over; nodes may have other numbers now."""
        i: cython.int
        for i in range(BUSY):
            self.gathered[i].node = NO_NODE
            self.gathered[i].count = 0

    def flush(self, store):
        """Hand over all that was gathered."""
        i: cython.int
        for i in range(BUSY):
            self.hand_over(store, i)

    def back_up(self, sim, store, black_result):
        """Credit every node of the path with the moves played first below it, and with Black's result.

        Points taken first by the other colour say nothing.
        """
        result: cython.float
        v: cython.int
        i: cython.int
        first: cython.int
        node: cython.int
        mine: cython.p_float = sim.first_of_black
        theirs: cython.p_float = sim.first_of_white
        for v in range(sim.board.cells):
            mine[v] = 0
            theirs[v] = 0
        # mine is always the table of the one whose move is looked at; they change places with every move.
        if (sim.to_move == BLACK) == (sim.record_length & 1):
            mine, theirs = theirs, mine
        for i in range(sim.record_length - 1, -1, -1):
            mine, theirs = theirs, mine
            mine[sim.record[i]] = 1
            theirs[sim.record[i]] = 0
        for i in range(sim.depth, -1, -1):
            node = sim.node[i]
            if i < sim.depth:
                mine, theirs = theirs, mine
                mine[store.move[sim.edge[i]]] = 1
                theirs[store.move[sim.edge[i]]] = 0
            if node < 0:
                continue
            mine[0] = 0
            result = black_result if mine == sim.first_of_black else 1 - black_result
            first = store.nodes[node].first
            if self.among_threads and store.nodes[node].visits >= OFTEN:
                self.gather(store, node, mine, result)
                continue
            _credit(
                store.nodes[node].count,
                store.move + first,
                mine,
                result,
                store.amaf_visits + first,
                store.amaf_wins + first,
            )

    def gather(self, store, node, first, result):
        """AMAF of a node many threads pass through: gathered by each and added now and then.

        Else every thread would write to the same lines of memory in every simulation.
        """
        at: cython.int = node & (BUSY - 1)
        i: cython.int
        count: cython.int = store.nodes[node].count
        if self.gathered[at].node != node:
            self.hand_over(store, at)
            self.gathered[at].node = node
            for i in range(count):
                self.gathered[at].visits[i] = 0
                self.gathered[at].wins[i] = 0
        _credit(
            count,
            store.move + store.nodes[node].first,
            first,
            result,
            self.gathered[at].visits,
            self.gathered[at].wins,
        )
        self.gathered[at].count += 1
        if self.gathered[at].count >= GATHERED:
            self.hand_over(store, at)

    def hand_over(self, store, slot):
        """Add what was gathered in a slot to the store, and start it anew."""
        node: cython.int = self.gathered[slot].node
        first: cython.int
        i: cython.int
        if node < 0 or self.gathered[slot].count == 0:
            return
        first = store.nodes[node].first
        for i in range(store.nodes[node].count):
            store.amaf_visits[first + i] += self.gathered[slot].visits[i]
            store.amaf_wins[first + i] += self.gathered[slot].wins[i]
            self.gathered[slot].visits[i] = 0
            self.gathered[slot].wins[i] = 0
        self.gathered[slot].count = 0
