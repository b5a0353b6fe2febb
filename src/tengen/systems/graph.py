"""graph: the search as a directed graph keyed by Zobrist hash, kept from game to game.

States, not paths, are the nodes. Before a game the graph is warmed from disk within a time budget; during a search a
state is worth what this search and history say of it (Eq. 1-2); after each search what was found becomes history
(Eq. 3) and is written back in one transaction, while the opponent thinks. A kill loses at most the search under way.

The paper shares W and V of a state among all paths and lets a move's number of visits be the state's. That double
counts: a state much visited by one path looks well explored, and well known, from another. ``backup=sound`` (the
default) keeps visits on edges and recomputes a node's value from its children; ``backup=paper`` is the paper's way.
Cycles end the simulation where the path would bite its tail; superko is decided by the path and the game, never by
the state.
"""

import threading
import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tengen.errors import ConfigError, TengenError
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.players import Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.interfaces import Barred
from tengen.search.mcts import RECOMPUTED, SUMMED
from tengen.search.parts import Evaluator
from tengen.search.search import Search, SearchResult
from tengen.search_player import PlayStyle, SearchPlayer
from tengen.systems import Resources
from tengen.systems.baselines import make_playout, make_pruner
from tengen.systems.graph_book import from_search, graph_key, search_key, to_search, warm_around
from tengen.systems.graph_disk import GraphDisk
from tengen.systems.graph_parts import GraphUcb, HistoryPruner
from tengen.systems.graph_rows import GraphRows
from tengen.systems.net_parts import NetParameters, net_guide

__all__ = ["GraphPlayer", "MemoryGraph", "Parameters", "build"]


@dataclass(frozen=True)
class Parameters(NetParameters):
    """m, n: Eq. 2's and Eq. 3's. shared: a graph, or a tree for comparison. history: keep what was found from game to
    game (on disk with ``--graph``, else in memory). backup: ``sound`` or ``paper``. first_play: worth of a move never
    seen (the paper's infinity is 1e9). warm_states, warm_seconds: bounds of the warming before a game, and again
    before a search that finds its tree gone; a search with a time limit gives at most a quarter of it.
    """

    m: float = 2.0
    n: float = 0.9
    shared: bool = True
    history: bool = True
    backup: str = "sound"
    exploration: float = 0.15
    first_play: float = 0.45
    prior: float = 0.1
    expand: int = 1
    playout: str = "guided"
    knowledge: bool = True
    score: float = 0.02
    warm_states: int = 100_000
    warm_seconds: float = 0.5
    seconds: float = 1.0
    resign: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.m >= 1 or not 0 <= self.n <= 1:
            raise ConfigError(
                f"graph: m={self.m}, n={self.n}: m of at least 1 and n between 0 and 1 expected"
            )
        if self.backup not in ("sound", "paper"):
            raise ConfigError(f"graph: backup={self.backup!r}: sound or paper expected")
        if self.warm_states < 0 or self.warm_seconds < 0:
            raise ConfigError("graph: warm_states and warm_seconds of at least nought expected")


class History(Protocol):
    """Where states are kept between searches."""

    def warm(self, limit: int, seconds: float) -> GraphRows: ...

    def write_back(self, keys: ArrayLike, visits: ArrayLike, wins: ArrayLike, *, n: float) -> object: ...

    def close(self) -> None: ...


class MemoryGraph:
    """History that dies with the process: Eq. 3 over a dictionary."""

    def __init__(self) -> None:
        self._states: dict[int, tuple[float, float]] = {}

    def warm(self, limit: int, seconds: float) -> GraphRows:
        rows = sorted(self._states.items(), key=lambda item: -item[1][0])[:limit]
        numbers = np.array([row for _, row in rows], np.float64).reshape(-1, 2)
        return GraphRows(np.array([key for key, _ in rows], np.uint64), numbers[:, 0], numbers[:, 1])

    def write_back(self, keys: ArrayLike, visits: ArrayLike, wins: ArrayLike, *, n: float) -> None:
        for key, v, w in zip(
            np.asarray(keys).tolist(), np.asarray(visits).tolist(), np.asarray(wins).tolist(), strict=True
        ):
            old_v, old_w = self._states.get(key, (0.0, 0.0))
            self._states[key] = (v + n * old_v, w + n * old_w)

    def close(self) -> None:
        self._states.clear()


class GraphPlayer(SearchPlayer):
    """A SearchPlayer whose search remembers."""

    def __init__(self, parameters: Parameters, resources: Resources) -> None:
        self.parameters = parameters
        self._resources = resources
        self._history: History | None = None
        self._disk: GraphDisk | None = None
        if parameters.history:
            if resources.graph:
                self._disk = GraphDisk.open(resources.graph)
            self._history = self._disk or MemoryGraph()
        self._guide = net_guide(parameters, resources)
        self._pruners: HistoryPruner | None = None
        self._warmed: tuple[Rules, int] | None = None
        self._partly = False  # only a part of the graph is in memory
        self._known = np.zeros(0, np.uint64)  # the states that are, by the search's keys, ascending
        self._fresh = False  # something was kept since it was warmed
        self._writer: threading.Thread | None = None
        self._trouble: TengenError | None = None
        super().__init__("graph", self._make, PlayStyle(Limit(seconds=parameters.seconds), parameters.resign))

    def _make(self, rules: Rules) -> Search:
        parameters, resources, guide = self.parameters, self._resources, self._guide
        evaluator: Evaluator = PlayoutEvaluator(make_playout(parameters.playout, rules), parameters.score)
        if guide is None:
            self._pruners = HistoryPruner(make_pruner(parameters.knowledge, rules))
        else:
            self._pruners = HistoryPruner(guide.pruner(rules))
            evaluator = guide.evaluator(evaluator)
        sound = parameters.backup == "sound"
        return Search(
            GraphUcb(parameters.exploration, parameters.m, parameters.first_play, parameters.prior, sound),
            self._pruners,
            evaluator,
            threads=resources.threads,
            memory_mb=resources.memory_mb,
            shared=parameters.shared and rules.goal is Goal.SCORE,
            keyed=True,
            backup_mode=RECOMPUTED if sound and parameters.shared else SUMMED,
            expand_after=parameters.expand if guide is None else parameters.judge,
            seed=resources.seed,
        )

    def new_game(self, rules: Rules) -> None:
        """What the last game found is history now; it is warmed here, before anybody's clock runs."""
        self._settle()
        super().new_game(rules)
        self._warmed = None
        if self._history is not None:
            self._warm(Position.start(rules), self.parameters.warm_seconds)

    def _run(self, search: Search, position: Position, limit: Limit, **options: Any) -> SearchResult:
        """Warm, search, keep: every search of a player that remembers.

        The last search is in the history before this one begins, so that a kill loses one at most; waiting for that,
        and warming, count against the limit's time and take no more than a quarter of it.
        """
        started = time.perf_counter()
        share = None if limit.seconds is None else 0.25 * limit.seconds
        if self._writer is not None:
            self._writer.join(share)
        if self._history is not None and self._is_cold(search, position, options.get("barred")):
            most = self.parameters.warm_seconds
            self._warm(position, most if share is None else min(most, share))
        if limit.seconds is not None:
            left = max(limit.seconds - (time.perf_counter() - started), 0.01)
            limit = Limit(limit.playouts, limit.visits, left)
        result = search.run(position, limit, **options)
        if self._history is not None:
            self._keep(search, position)
        return result

    def _is_cold(self, search: Search, position: Position, barred: Barred | None) -> bool:
        """Is there history that this search would not find in memory?

        Of a graph larger than memory the most visited states are there; a game that leaves them wants others.
        """
        if self._warmed != (position.rules, position.handicap):
            return True
        if self._partly and not self._knows(position):
            return True
        return self._fresh and not search.keeps(position, barred)

    def _knows(self, position: Position) -> bool:
        key = np.uint64(search_key(position))
        at = int(np.searchsorted(self._known, key))
        return at < len(self._known) and bool(self._known[at] == key)

    def _warm(self, position: Position, seconds: float) -> None:
        """Bring history into memory: all of it or the most visited, and of a disk that holds more than the bound,
        where the position is not among those, what can be reached from the position.

        Nothing while the last search is still being written: the next one tries again.
        """
        if self._writer is not None and self._writer.is_alive():
            return
        assert self._history is not None
        self._searcher(position)  # makes the pruners, too
        assert self._pruners is not None
        rows = self._rows(self._history, position, seconds)
        rows = to_search(rows, position.rules, position.handicap)
        self._pruners.tell(rows.keys, rows.visits, rows.wins)
        self._known = rows.keys
        self._warmed = (position.rules, position.handicap)
        self._fresh = False

    def _rows(self, history: History, position: Position, seconds: float) -> GraphRows:
        most = self.parameters.warm_states
        self._partly = self._disk is not None and self._disk.count() > most
        if self._disk is None or not self._partly:
            return history.warm(most, seconds)
        if self._warmed is None:
            rows = self._disk.warm(most, seconds)
            if np.any(rows.keys == np.uint64(graph_key(position))):
                return rows
        return warm_around(self._disk, position, most, seconds)

    def _keep(self, search: Search, position: Position) -> None:
        """Eq. 3 for every state of the search, in memory now and in the history by a thread of its own, which waits
        for the one before it."""
        keys, visits, wins = search.store.fold(self.parameters.n)
        if not len(keys):
            return
        rows = from_search(GraphRows(keys, visits, wins), position.rules, position.handicap)
        self._writer = threading.Thread(target=self._write, args=(rows, self._writer))
        self._writer.start()
        self._fresh = True

    def _write(self, rows: GraphRows, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        assert self._history is not None
        try:
            self._history.write_back(rows.keys, rows.visits, rows.wins, n=self.parameters.n)
        except TengenError as error:
            self._trouble = error

    def _settle(self) -> None:
        """Wait for the writing; what went wrong with it is raised here."""
        if self._writer is not None:
            self._writer.join()
            self._writer = None
        if self._trouble is not None:
            trouble, self._trouble = self._trouble, None
            raise trouble

    def close(self) -> None:
        try:
            self._settle()
        finally:
            super().close()
            if self._history is not None:
                self._history.close()
                self._history = None


def build(parameters: Parameters, resources: Resources) -> GraphPlayer:
    return GraphPlayer(parameters, resources)
