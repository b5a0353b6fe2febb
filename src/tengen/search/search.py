"""The controller: threads, limits, reports, memory, and the tree kept from move to move."""

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tengen.go.coords import PASS, Color, Move, move_of_vertex, vertex_of
from tengen.go.position import Position
from tengen.go.rules import Goal, Ko, Scoring
from tengen.search.choosers import Chooser, MostVisited, RootMove
from tengen.search.interfaces import (
    AnalysisReport,
    Barred,
    Limit,
    MoveInfo,
    PlainEvaluator,
    PlainPruner,
    PlainSelector,
)
from tengen.search.mcts import SUMMED, Control, Worker
from tengen.search.parts import Evaluator, Pruner, Selector, Simulation
from tengen.search.python_parts import as_evaluator, as_pruner, as_selector
from tengen.search.store import Store

__all__ = ["Search", "SearchResult"]

_PRUNED = 1
_BARRED = 3
"""PRUNED, and by a wish of this search only: lifted at the next."""
_SLICE = 0.02
"""Seconds between two looks of the controller at what its workers do."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found, and what it cost."""

    report: AnalysisReport
    choice: Move
    simulations: int
    nodes: int
    memory: int

    @property
    def best(self) -> MoveInfo | None:
        """The entry of the chosen move."""
        return next((info for info in self.report.moves if info.move == self.choice), None)


class Search:
    """One tree or graph with the parts that grow it; keeps what it learned from one position to the next.

    A part may be compiled or plain Python (`interfaces.PlainSelector` and its like); what a plain one raises, `run`
    raises.

    ``expand_after`` visits make a leaf a node. ``shared`` makes the tree a graph, ``keyed`` has nodes know their keys
    all the same; ``backup_mode`` says whether a node's value is summed up or recomputed from its children. ``threads``
    workers share the store. ``seed`` with one thread and a limit in playouts replays exactly. Not to be called from
    two threads at once, but for `stop`.
    """

    def __init__(
        self,
        selector: Selector | PlainSelector,
        pruner: Pruner | PlainPruner,
        evaluator: Evaluator | PlainEvaluator,
        chooser: Chooser | None = None,
        *,
        threads: int = 1,
        memory_mb: float = 256,
        shared: bool = False,
        keyed: bool = False,
        backup_mode: int = SUMMED,
        expand_after: int = 2,
        virtual_loss: int = 1,
        seed: int = 1,
        early_stop: bool = True,
    ) -> None:
        self.selector = as_selector(selector)
        self.pruner = as_pruner(pruner)
        self.evaluator = as_evaluator(evaluator)
        self.chooser = chooser or MostVisited()
        self.threads = max(1, threads)
        self.expand_after = expand_after
        # By it the workers know that they have company.
        self.virtual_loss = max(1, virtual_loss) if self.threads > 1 else 0
        self.seed = seed
        self.early_stop = early_stop
        self.komi_shift = 0.0
        self.backup_mode = backup_mode
        self.store = Store(memory_mb, shared, keyed)
        self.rng = random.Random(seed)
        self._workers: list[Worker] = []
        self._control = Control()
        self._barred: Barred = {}
        self._position: Position | None = None
        self._root = -1
        self._searches = 0
        self._stop = threading.Event()

    # ---- the tree ------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Drop the tree and start the random sequence anew, as for a new game."""
        self.store.clear()
        self._position = None
        self._root = -1
        self._searches = 0
        self.rng = random.Random(self.seed)

    def refresh(self) -> None:
        """Make the workers anew at the next search, with the parts as they are then; the tree is dropped."""
        self.store.clear()
        self._position = None
        self._root = -1
        self._workers = []

    def stop(self) -> None:
        """End the search under way, from another thread."""
        self._stop.set()

    def _moves_since(self, position: Position) -> list[Move] | None:
        """The moves from the last root to this position, or None if it does not come from there."""
        if self._position is None or self._position.rules != position.rules:
            return None
        moves: list[Move] = []
        for at in position.line():
            if at is self._position or (at.key == self._position.key and at.moves == self._position.moves):
                return moves[::-1]
            if at.last_move is None or len(moves) > 8 or at.previous is None:
                return None
            if at.previous.to_move is not at.last_color:
                return None
            moves.append(at.last_move)
        return None

    def _kept(self, position: Position, moves: list[Move] | None) -> int:
        """The node the moves lead to from the last root, or -1."""
        node = self._root if moves is not None else -1
        for move in moves or ():
            if node < 0:
                break
            edges = self.store.edges(node)
            node = next((edge[6] for edge in edges if move_of_vertex(edge[0], position.width) == move), -1)
        return node

    def keeps(self, position: Position, barred: Barred | None = None) -> bool:
        """Would a search of this position go on from what the last one grew?"""
        moves = self._moves_since(position)
        return self._same_wish(moves, barred) and self._kept(position, moves) >= 0

    def _same_wish(self, moves: list[Move] | None, barred: Barred | None) -> bool:
        """Were the nodes made under these wishes? They count from the root, so that a move makes them others."""
        return not (barred or self._barred) or (not moves and self._barred == barred)

    def _attach(self, position: Position, barred: Barred | None) -> None:
        """Make position the root, keeping the part of the tree below it."""
        moves = self._moves_since(position)
        if not self._same_wish(moves, barred):
            moves = None
        self._barred = barred or {}
        node = self._kept(position, moves)
        if node >= 0 and moves:
            node = self.store.compact(node)
        elif node < 0:
            self.store.clear()
        self._position = position
        self._prepare_workers(position)
        if node < 0:
            node = self._workers[0].make_root()
        self._root = node

    @property
    def root(self) -> int:
        """The node of the last position searched, or -1."""
        return self._root

    def _prepare_workers(self, position: Position) -> None:
        rules = position.rules
        size = (rules.width, rules.height)
        if len(self._workers) != self.threads or getattr(self, "_size", None) != size:
            self._size = size
            self._workers = [
                Worker(
                    Simulation(rules.width, rules.height),
                    self.store,
                    self.selector,
                    self.pruner if i == 0 else self.pruner.clone(),
                    self.evaluator if i == 0 else self.evaluator.clone(),
                    self._control,
                    0,
                    self.expand_after,
                    self.virtual_loss,
                    self.backup_mode,
                )
                for i in range(self.threads)
            ]
        ko = rules.ko
        superko = ko in (Ko.POSITIONAL, Ko.SITUATIONAL)
        seen = sorted(position.situations()) if superko else []
        komi = rules.komi + self.komi_shift
        if rules.scoring is Scoring.AREA:
            komi += rules.handicap_bonus(position.handicap)
        elif rules.area % 2:
            # Under area scoring an odd board gives the last neutral point to one side; on average half of it.
            komi += 0.5
        for i, worker in enumerate(self._workers):
            worker.prepare(
                position.board,
                int(position.to_move),
                min(position.passes, 1),
                komi,
                position.ko != PASS,
                rules.goal is Goal.FIRST_CAPTURE,
            )
            if superko:
                worker.prepare_superko(ko is Ko.SITUATIONAL)
                worker.set_history(seen)
            for color, until in self._barred.items():
                worker.restrict(
                    int(color),
                    {vertex_of(move, position.width): depth for move, depth in until.items()},
                )
            worker.begin(position)
            worker.seed(self.seed * 1000003 + self._searches * 101 + i)

    def _restrict(self, position: Position, allow: frozenset[Move] | None, avoid: frozenset[Move]) -> None:
        """Flag the root moves that may not be chosen: illegal by superko, not allowed, to be avoided.

        What the pruner has flagged stays so, unless it is allowed by name.
        """
        edges = self.store.edges(self._root)
        moves = [move_of_vertex(edge[0], position.width) for edge in edges]
        legal = [move == PASS or position.is_legal(move) for move in moves]
        wanted = [
            ok and move not in avoid and (allow is None or move in allow)
            for ok, move in zip(legal, moves, strict=True)
        ]
        if not any(wanted):
            wanted = legal
        for index, ok in enumerate(wanted):
            flag = edges[index][7]
            if not ok:
                flag = flag or _BARRED
            elif flag == _BARRED or allow is not None:
                flag = 0
            self.store.set_flag(self._root, index, flag)

    # ---- the search ------------------------------------------------------------------------------------------

    def run(
        self,
        position: Position,
        limit: Limit,
        *,
        report: Callable[[AnalysisReport], None] | None = None,
        interval: float = 0.5,
        stop: threading.Event | None = None,
        allow: Mapping[Color, frozenset[Move]] | None = None,
        avoid: Mapping[Color, frozenset[Move]] | None = None,
        barred: Barred | None = None,
        ownership: bool = False,
        min_moves: int = 0,
    ) -> SearchResult:
        """Search until the limit, until stop is set, or without end if neither; then the result.

        ``allow`` and ``avoid`` are about the first move, ``barred`` about those below it. Reports have every visited
        move, and unvisited ones by their prior where those are fewer than ``min_moves``.
        """
        started = time.perf_counter()
        self._stop.clear()
        self._attach(position, barred)
        self._searches += 1
        color = position.to_move
        allowed = (allow or {}).get(color)
        self._restrict(position, allowed, (avoid or {}).get(color, frozenset()))
        made = self._work(limit, started, report, interval, stop, ownership, min_moves)
        for error in self._errors():
            self._errors().clear()
            raise error
        seconds = time.perf_counter() - started
        final = self._report(seconds, ownership=True, min_moves=min_moves)
        candidates = self._candidates()
        choice = candidates[self.chooser.choose(candidates, self.rng)].move
        return SearchResult(final, choice, made, self.store.used[0], self.store.bytes_used)

    def _work(
        self,
        limit: Limit,
        started: float,
        report: Callable[[AnalysisReport], None] | None,
        interval: float,
        stop: threading.Event | None,
        ownership: bool,
        min_moves: int,
    ) -> int:
        begun = self._simulations()
        kept = self.store.node_stats(self._root)[0]
        target = 2_000_000_000
        if limit.playouts is not None:
            target = min(target, limit.playouts)
        if limit.visits is not None:
            target = min(target, max(limit.visits - kept, 1))
        deadline = math.inf if limit.seconds is None else started + limit.seconds
        next_report = started + interval
        threads = self._launch(target)
        try:
            while any(thread.is_alive() for thread in threads):
                now = time.perf_counter()
                threads[0].join(max(min(_SLICE, deadline - now), 0.0))
                now = time.perf_counter()
                made = self._simulations() - begun
                if now >= deadline or self._stop.is_set() or (stop is not None and stop.is_set()):
                    break
                if self._errors():
                    break
                if report is not None and now >= next_report:
                    report(self._report(now - started, ownership, min_moves))
                    next_report = max(next_report + interval, now)
                if (
                    report is None
                    and self.early_stop
                    and self._decided(made, target, now - started, deadline - now)
                ):
                    break
                if self.store.is_full:
                    self._make_room(threads)
                    # More were made before the workers came home.
                    threads = self._launch(target - (self._simulations() - begun))
        finally:
            self._control.halt()
            for thread in threads:
                thread.join()
        return self._simulations() - begun

    def _errors(self) -> list[Exception]:
        """What parts written in plain Python raised in this search."""
        for part in (self.selector, self.pruner, self.evaluator):
            errors: list[Exception] = getattr(part, "errors", None) or []
            if errors:
                return errors
        return []

    def _simulations(self) -> int:
        """Made since the workers were."""
        return sum(worker.simulations for worker in self._workers)

    def _launch(self, simulations: int) -> list[threading.Thread]:
        self._control.start(simulations)
        for worker in self._workers:
            worker.set_root(self._root)
        threads = [threading.Thread(target=worker.run, daemon=True) for worker in self._workers]
        for thread in threads:
            thread.start()
        return threads

    def _make_room(self, threads: list[threading.Thread]) -> None:
        """Bring the workers home and drop the least visited parts of a full tree."""
        self._control.halt()
        for thread in threads:
            thread.join()
        # Not by trial: what is asked meanwhile waits for every pass over a full memory.
        visits = self.store.visits_to_keep(0.6)
        before = self.store.used[1]
        while self.store.used[1] > 0.6 * before and visits < 1_000_000_000:
            self._root = self.store.compact(self._root, visits)
            visits *= 2

    def _decided(self, made: int, target: int, spent: float, left: float) -> bool:
        """True iff the rest of the limit cannot make another move the most visited."""
        if made < 100 or (left == math.inf and target >= 2_000_000_000):
            return False
        remaining = float(target - made)
        if left < math.inf and spent > 0.05:
            remaining = min(remaining, made / spent * left)
        edges = self.store.edges(self._root)
        counts = sorted((edge[1] for edge in edges if not edge[7] & _PRUNED), reverse=True)
        return len(counts) > 1 and counts[0] - counts[1] > remaining

    # ---- what was found ---------------------------------------------------------------------------------------

    def _candidates(self) -> list[RootMove]:
        position = self._position
        assert position is not None
        return [
            RootMove(
                move_of_vertex(edge[0], position.width),
                edge[1],
                edge[2] / edge[1] if edge[1] else 0.0,
                edge[5],
            )
            for edge in self.store.edges(self._root)
            if not edge[7] & _PRUNED
        ]

    def _report(self, seconds: float, ownership: bool, min_moves: int = 0) -> AnalysisReport:
        position = self._position
        assert position is not None
        sign = 1 if position.to_move is Color.BLACK else -1
        edges = self.store.edges(self._root)
        margins = [worker.root_margins(len(edges)) for worker in self._workers]
        playouts = sum(worker.owner_sums()[1] for worker in self._workers)
        total = sum(worker.margins()[0] for worker in self._workers)
        squares = sum(worker.margins()[1] for worker in self._workers)
        mean = total / playouts if playouts else 0.0
        spread = math.sqrt(max(squares / playouts - mean * mean, 0.0)) if playouts else 0.0
        infos = []
        for rank, i in enumerate(self._shown(edges, min_moves)):
            n, w = self._known(edges[i])
            winrate = min(max(w / n, 0.0), 1.0) if n else self._root_mean()[1]
            noise = math.sqrt(winrate * (1 - winrate) / n + 0.25 / (n * n)) if n else 1.0
            score = sum(row[i][0] for row in margins)
            count = sum(row[i][1] for row in margins)
            move = move_of_vertex(edges[i][0], position.width)
            line = self.store.line(edges[i][6], 29)
            infos.append(
                MoveInfo(
                    move=move,
                    visits=round(n),
                    winrate=winrate,
                    prior=edges[i][5],
                    order=rank,
                    pv=(move, *(move_of_vertex(vertex, position.width) for vertex in line)),
                    score_lead=sign * ((score / count if count else mean) + self.komi_shift),
                    score_stdev=spread,
                    lcb=max(winrate - 1.96 * noise, 0.0),
                )
            )
        owner = self.ownership() if ownership else None
        visits, winrate = self._root_mean()
        return AnalysisReport(
            to_move=position.to_move,
            moves=tuple(infos),
            root_visits=round(visits),
            root_winrate=winrate,
            root_score=sign * (mean + self.komi_shift),
            seconds=seconds,
            ownership=None if owner is None else tuple(sign * value for value in owner),
        )

    def _root_mean(self) -> tuple[float, float]:
        """Visits of the root and its winrate, what history knows of it counted."""
        visits, wins = self.store.node_stats(self._root)
        before, won = self.store.history(self._root)
        together = visits + before
        return together, min(max((wins + won) / together, 0.0), 1.0) if together else 0.5

    def _known(self, edge: tuple[int, int, float, float, float, float, int, int]) -> tuple[float, float]:
        """Visits and wins of a root move: this search's, and what history knows of the state it leads to."""
        if edge[6] < 0:
            # The columns of AMAF hold what history knows, where there is no AMAF.
            return (edge[1], edge[2]) if self.selector.uses_amaf else (edge[1] + edge[3], edge[2] + edge[4])
        before, won = self.store.history(edge[6])
        return edge[1] + before, edge[2] + before - won

    def _shown(
        self, edges: list[tuple[int, int, float, float, float, float, int, int]], min_moves: int
    ) -> list[int]:
        """The root moves a report has, the most visited first."""
        known = {i: self._known(edge) for i, edge in enumerate(edges) if not edge[7] & _PRUNED}
        order = sorted(known, key=lambda i: (-known[i][0], -known[i][1], -edges[i][5]))
        visited = sum(1 for n, _ in known.values() if n > 0)
        return order[: max(visited, min_moves)]

    def ownership(self) -> list[float]:
        """-1 White's ... +1 Black's, by the playouts of the last search; all nought if there were none."""
        rows = [worker.owner_sums() for worker in self._workers]
        playouts = sum(count for _, count in rows)
        if not playouts:
            return [0.0] * (self._position.rules.area if self._position else 0)
        return [sum(values) / playouts for values in zip(*(sums for sums, _ in rows), strict=True)]
