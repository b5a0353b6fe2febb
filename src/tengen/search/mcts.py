"""The one search loop: select, expand, evaluate, back up; and the workers that run it without the GIL.

Results on edges are sums of 0..1 for the side to move at the edge's node. The sign changes in one place, where a
leaf's value becomes Black's result (`Worker.simulate`); every level then takes its own colour's share.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.stdint import uint64_t  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import BLACK, CELLS, STRIDE, Board  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.amaf import Amaf  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.mcts import tengen_prefetch  # type: ignore[import-not-found]
    from cython.cimports.tengen.search.parts import (  # type: ignore[import-not-found]
        MAX_DEPTH,
        Evaluator,
        Pruner,
        Selector,
        Simulation,
        spread,
    )
    from cython.cimports.tengen.search.store import (  # type: ignore[import-not-found]
        CLAIMED,
        NO_NODE,
        PRUNED,
        Store,
        tengen_add,
        tengen_claim,
        tengen_peek,
        tengen_publish,
    )

import numpy as np

__all__ = ["RECOMPUTED", "SUMMED", "Control", "Worker"]

SUMMED = 0
RECOMPUTED = 1

BARRED = cython.declare(cython.int, 3)
"""PRUNED, and by a wish: no judgment of the pruner's."""
CLAIM = cython.declare(cython.int, 8)
"""Simulations a thread takes from the common count at a time, while many are left."""


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _all_pruned(store: Store, node: cython.int) -> cython.bint:
    e: cython.int
    for e in range(store.nodes[node].first, store.nodes[node].first + store.nodes[node].count):
        if not (store.flags[e] & PRUNED):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lift(store: Store, barred: cython.p_int, count: cython.int) -> cython.int:
    """Take back the flags of these edges; nought, as many as are left."""
    i: cython.int
    for i in range(count):
        store.flags[barred[i]] &= 0xFF ^ PRUNED
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _on_path(sim: Simulation, node: cython.int) -> cython.bint:
    i: cython.int
    for i in range(sim.depth):
        if sim.node[i] == node:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _prefetch(store: Store, node: cython.int) -> cython.void:
    """Send for what is read of one edge only, when it has been selected; the selector sends for its own columns."""
    first: cython.int = store.nodes[node].first
    end: cython.int = first + store.nodes[node].count
    e: cython.int
    for e in range(first, end, 16):
        tengen_prefetch(cython.address(store.child[e]))
    for e in range(first, end, 32):
        tengen_prefetch(cython.address(store.move[e]))
    for e in range(first, end, 64):
        tengen_prefetch(cython.address(store.flags[e]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _count(alone: cython.bint, visits: cython.p_int, more: cython.int) -> cython.void:
    """Add to a count of visits, and let nothing be lost among threads; alone, nobody waits for the memory."""
    if alone:
        visits[0] += more
    else:
        tengen_add(visits, more)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _recompute(store: Store, node: cython.int) -> cython.void:
    """The sound value of a node: its own evaluations, and every edge's visits at its child's value."""
    e: cython.int
    child: cython.int
    n: cython.float
    count: cython.float = store.nodes[node].own_visits
    wins: cython.float = store.nodes[node].own_wins
    for e in range(store.nodes[node].first, store.nodes[node].first + store.nodes[node].count):
        n = store.visits[e]
        if n <= 0:
            continue
        child = store.child[e]
        count += n
        if child >= 0 and store.nodes[child].visits > 0:
            wins += n * (1 - store.nodes[child].wins / store.nodes[child].visits)
        else:
            wins += store.wins[e]
    if count > 0:
        store.nodes[node].wins = wins / count * store.nodes[node].visits


class Control:
    """What the controller and its workers share: a stop sign and a count of simulations to make."""

    def __init__(self):
        self.stop = 0
        self.remaining = 0

    def start(self, simulations: int) -> None:
        self.stop = 0
        self.remaining = simulations

    def halt(self) -> None:
        self.stop = 1


class Worker:
    """One thread's loop over its own simulation, on a store shared with the others."""

    def __init__(
        self,
        sim: Simulation,
        store: Store,
        selector: Selector,
        pruner: Pruner,
        evaluator: Evaluator,
        control: Control,
        root: cython.int,
        expand_after: cython.int,
        virtual_loss: cython.int,
        backup_mode: cython.int = 0,
    ):
        self.sim = sim
        self.store = store
        self.selector = selector
        self.pruner = pruner
        self.evaluator = evaluator
        self.control = control
        self.root = root
        self.expand_after = expand_after
        self.virtual_loss = virtual_loss
        self.backup_mode = backup_mode
        self.amaf = Amaf(virtual_loss > 0)
        self.done = 0

    def prepare(
        self, board: Board, to_move: int, passes: int, komi: float, ko: bool, first_capture: bool
    ) -> None:
        """Set the root: its board is copied, its ko point too if ``ko``. No superko: see `prepare_superko`."""
        sim: Simulation = self.sim
        i: cython.int
        sim.root.copy_from(board)
        if not ko:
            sim.root.ko = 0
        sim.root.captured = 0
        sim.root_to_move = to_move
        sim.root_passes = passes
        sim.komi = komi
        sim.superko = False
        sim.situational = False
        sim.first_capture = first_capture
        sim.seen[0] = sim.root.zobrist
        sim.depth = 0
        sim.margin = 0
        sim.forget()
        self.wishes = False
        for i in range(CELLS):
            self.until[0][i] = 0
            self.until[1][i] = 0

    def prepare_superko(self, situational: bool) -> None:
        """After prepare: no position of the game or the path may come back."""
        sim: Simulation = self.sim
        sim.superko = True
        sim.situational = situational
        sim.seen[0] = sim.root.zobrist ^ (spread(sim.root_to_move) if situational else 0)

    def restrict(self, color: int, until) -> None:
        """After prepare: in nodes made below the root the colour may play a vertex (0 the pass) from this depth on."""
        for vertex, depth in until.items():
            self.until[color - 1][vertex] = min(depth, MAX_DEPTH)
            self.wishes = True

    def set_root(self, node: int) -> None:
        """Where simulations start, as the store numbers it now."""
        self.root = node

    def begin(self, position) -> None:
        """Tell the pruner and the evaluator of the root."""
        self.pruner.begin(position)
        self.evaluator.begin(position)

    def set_history(self, situations) -> None:
        """What stood on the board before the root, as hashes; for superko."""
        sim: Simulation = self.sim
        size: cython.int = 4
        while size < 2 * len(situations) + 4:
            size *= 2
        table = np.zeros(size, np.uint64)
        view: cython.ulonglong[::1] = table
        at: cython.ulonglong
        for situation in situations:
            at = situation & (size - 1)
            while view[at]:
                at = (at + 1) & cython.cast(cython.ulonglong, size - 1)
            view[at] = situation
        sim.keep_alive = table
        sim.history = cython.cast(cython.pointer(uint64_t), cython.address(view[0]))
        sim.history_mask = size - 1

    def make_root(self) -> int:
        """A node for the position prepared; its index. The store must have room."""
        sim: Simulation = self.sim
        key: cython.ulonglong
        node: cython.int = NO_NODE
        sim.board.copy_from(sim.root)
        sim.to_move = sim.root_to_move
        sim.passes = sim.root_passes
        sim.depth = 0
        sim.has_net = False
        key = sim.key()
        if self.store.shared:
            node = self.store.find(key)
        if node == NO_NODE:
            sim.count = self.pruner.fill(sim)
            node = self.store.add_node(key, sim.to_move, sim.count, sim.moves, sim.priors)
            if node >= 0:
                self.pruner.made(self.store, node, sim)
                if self.store.shared:
                    self.store.remember(node)
        if node < 0:
            raise MemoryError("the search's memory holds not even a root; give more with --memory")
        self.root = node
        return node

    def seed(self, seed: int) -> None:
        """Start the random sequence anew: one seed and one thread replay a search."""
        self.sim.rng = (seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) & 0xFFFFFFFFFFFFFFFF | 1

    def owner_sums(self) -> tuple[list[int], int]:
        """(Black's minus White's ends of every point, row by row; how many playouts)."""
        sim: Simulation = self.sim
        row: cython.int
        col: cython.int
        sums = [
            sim.owner[(row + 1) * STRIDE + col + 1]
            for row in range(sim.root.height)
            for col in range(sim.root.width)
        ]
        return sums, sim.owner_count

    def margins(self) -> tuple[float, float]:
        """(sum, sum of squares) of Black's margin over the playouts."""
        return self.sim.margin_sum, self.sim.margin_squares

    def root_margins(self, count: int) -> list[tuple[float, int]]:
        """Per root edge: sum of Black's margins, playouts."""
        sim: Simulation = self.sim
        i: cython.int
        return [(sim.root_margin[i], sim.root_margin_count[i]) for i in range(count)]

    def run(self) -> None:
        """Simulate until told to stop or the count is used up."""
        control: Control = self.control
        mine: cython.int = 0
        left: cython.int
        # Compaction may have given the nodes other numbers since.
        self.amaf.forget()
        with cython.nogil:
            while not tengen_peek(cython.address(control.stop)):
                if mine == 0:
                    left = tengen_peek(cython.address(control.remaining))
                    mine = CLAIM if left > 100 * CLAIM else 1
                    if tengen_add(cython.address(control.remaining), -mine) <= 0:
                        break
                mine -= 1
                self.simulate(self.sim, self.store)
                self.done += 1
            self.amaf.flush(self.store)

    @property
    def simulations(self) -> int:
        """Made by this worker since it was."""
        return self.done

    def simulate(self, sim, store):
        """One pass: down to a leaf, its value, and back."""
        value: cython.double
        edge: cython.int
        sim.board.copy_from(sim.root)
        sim.to_move = sim.root_to_move
        sim.passes = sim.root_passes
        sim.has_net = False
        edge = self.descend(sim, store)
        if edge >= 0:
            self.expand(sim, store, edge)
        value = self.evaluator.evaluate(sim)
        self.back_up(sim, store, value)

    def descend(self, sim, store):
        """Follow the selector to a leaf; the edge to be expanded there, or -1 if it is not yet time or the end.

        On the way each edge gets its virtual loss. A move that repeats the position is flagged and another chosen;
        in a graph the flag is taken back at once, for by another path to the state the move repeats nothing.
        """
        node: cython.int = self.root
        depth: cython.int = 0
        barred: cython.int = 0
        edge: cython.int
        child: cython.int
        v: cython.int
        situation: cython.ulonglong
        sim.depth = 0
        while True:
            self.pruner.revisit(store, node, sim)
            edge = self.selector.select(store, node, sim)
            v = store.move[edge]
            child = store.child[edge]
            if child >= 0:
                tengen_prefetch(cython.address(store.nodes[child]))
            if v:
                if not sim.board.legal(v, sim.to_move):
                    # Only in a graph: the state was first met by a path on which this point was not a ko.
                    store.flags[edge] |= PRUNED
                    if _all_pruned(store, node):
                        break
                    continue
                if sim.superko:
                    situation = sim.board.zobrist_after(v, sim.to_move)
                    if sim.situational:
                        situation ^= spread(3 - sim.to_move)
                    if sim.repeats(situation):
                        store.flags[edge] |= PRUNED
                        if store.shared and barred < MAX_EDGES:
                            self.barred[barred] = edge
                            barred += 1
                        if _all_pruned(store, node):
                            break
                        continue
                    sim.seen[depth + 1] = situation
                sim.board.play(v, sim.to_move)
                sim.passes = 0
            else:
                sim.board.pass_turn()
                sim.passes += 1
                sim.seen[depth + 1] = sim.board.zobrist ^ (spread(3 - sim.to_move) if sim.situational else 0)
            if barred:
                barred = _lift(store, self.barred, barred)
            sim.node[depth] = node
            sim.edge[depth] = edge
            depth += 1
            sim.depth = depth
            sim.to_move = 3 - sim.to_move
            if self.virtual_loss:
                tengen_add(cython.address(store.visits[edge]), self.virtual_loss)
            if sim.passes >= 2 or (sim.first_capture and sim.board.captured) or depth >= MAX_DEPTH:
                sim.node[depth] = NO_NODE
                return -1
            child = tengen_peek(cython.address(store.child[edge]))
            if child >= 0 and not (store.shared and _on_path(sim, child)):
                node = child
                _prefetch(store, node)
                continue
            sim.node[depth] = NO_NODE
            if child >= 0:
                # A cycle of the graph: the state is worth what a playout from here says, and nothing is expanded.
                return -1
            if (
                store.visits[edge] - self.virtual_loss >= self.expand_after
                and not store.full
                and tengen_claim(cython.address(store.child[edge]), NO_NODE, CLAIMED)
            ):
                return edge
            return -1
        if barred:
            _lift(store, self.barred, barred)
        sim.node[depth] = node
        return -1

    def expand(self, sim, store, parent_edge):
        """Make a node of the leaf (or find it, in a graph) and hang it on the edge that led there."""
        key: cython.ulonglong = 0
        node: cython.int = NO_NODE
        if store.keyed:
            key = sim.key()
        if store.shared:
            node = store.find(key)
        if node == NO_NODE:
            sim.count = self.pruner.fill(sim)
            node = store.add_node(key, sim.to_move, sim.count, sim.moves, sim.priors)
            if node >= 0:
                self.pruner.made(store, node, sim)
                if self.wishes:
                    self.bar(sim, store, node)
                if store.shared:
                    store.remember(node)
        sim.node[sim.depth] = node
        tengen_publish(cython.address(store.child[parent_edge]), node)

    def bar(self, sim, store, node):
        """Flag the moves of a new node that may not be played so soon; none if that were all."""
        first: cython.int = store.nodes[node].first
        e: cython.int
        left: cython.int = 0
        for e in range(first, first + store.nodes[node].count):
            left += self.until[sim.to_move - 1][store.move[e]] <= sim.depth
        if left == 0:
            return
        for e in range(first, first + store.nodes[node].count):
            if self.until[sim.to_move - 1][store.move[e]] > sim.depth:
                store.flags[e] = BARRED

    def back_up(self, sim, store, value):
        """Add the leaf's value, given for the side to move there, to every node and edge on the path."""
        black: cython.float = 0.5 + 0.5 * (value if sim.to_move == BLACK else -value)
        result: cython.float
        node: cython.int
        edge: cython.int
        color: cython.int = sim.to_move
        i: cython.int
        leaf: cython.int = sim.node[sim.depth]
        alone: cython.bint = self.virtual_loss == 0
        if sim.depth:
            # Which root move this was tells the score each leads to.
            i = sim.edge[0] - store.nodes[self.root].first
            sim.root_margin[i] += sim.margin
            sim.root_margin_count[i] += 1
        if self.selector.uses_amaf:
            self.amaf.back_up(sim, store, black)
        if leaf >= 0:
            result = black if color == BLACK else 1 - black
            _count(alone, cython.address(store.nodes[leaf].visits), 1)
            store.nodes[leaf].wins += result
            store.nodes[leaf].own_visits += 1
            store.nodes[leaf].own_wins += result
        for i in range(sim.depth - 1, -1, -1):
            color = 3 - color
            result = black if color == BLACK else 1 - black
            node = sim.node[i]
            edge = sim.edge[i]
            _count(alone, cython.address(store.visits[edge]), 1 - self.virtual_loss)
            store.wins[edge] += result
            _count(alone, cython.address(store.nodes[node].visits), 1)
            if self.backup_mode == 1:  # RECOMPUTED
                _recompute(store, node)
            else:
                store.nodes[node].wins += result
