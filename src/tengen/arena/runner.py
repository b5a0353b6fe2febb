"""Playing the games a schedule wants, booking each before it counts, and going on whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from itertools import islice

from tengen.arena.contestants import Builder
from tengen.arena.game import GameTask
from tengen.arena.journal import Journal
from tengen.arena.pools import Pool
from tengen.arena.results import GameKey, GameResult, Reason, SideCost
from tengen.arena.schedules import Schedule
from tengen.arena.worker import play_batch
from tengen.errors import EngineError

__all__ = ["Progress", "run_schedule"]

BATCH_SECONDS = 0.5
"""Games are handed to workers in batches that last about this long."""
LARGEST_BATCH = 64
ATTEMPTS = 3
"""How often a game is begun whose worker process dies under it; then it is void."""
FALSE_STARTS = 10
"""Games a player may lose in a row without making a move before the match is given up."""


@dataclass(frozen=True)
class Progress:
    """How a run stands; ``played`` are the games of this run, the results hold older ones too."""

    results: dict[GameKey, GameResult]
    most_games: int
    played: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Time left at the pace so far, if all games must be played; None before the first."""
        if not self.played:
            return None
        return max(0, self.most_games - len(self.results)) * self.seconds / self.played


def run_schedule(
    schedule: Schedule,
    builder: Builder,
    pool: Pool,
    journal: Journal | None = None,
    report: Callable[[Progress], None] | None = None,
) -> dict[GameKey, GameResult]:
    """Play until the schedule wants no more; all results, those of the journal included.

    Every game is in the journal before it is reported, but for those a player lost without a move: they wait
    until he makes one, or the end. Ctrl-C and errors leave the journal whole and the workers ended.
    EngineError when a player never gets to move; ConfigError when one cannot be built. Closes the pool.
    """
    run = _Run(schedule, builder, pool, journal, report or (lambda progress: None))
    try:
        run.loop()
        run.finish()
    except BaseException:
        pool.close(now=True)
        raise
    pool.close(now=bool(run.flying))
    return run.results


@dataclass
class _Run:
    schedule: Schedule
    builder: Builder
    pool: Pool
    journal: Journal | None
    report: Callable[[Progress], None]
    results: dict[GameKey, GameResult] = field(init=False)
    flying: dict[Future[list[GameResult]], list[GameTask]] = field(default_factory=dict)
    attempts: dict[GameKey, int] = field(default_factory=dict)
    held: dict[str, list[GameResult]] = field(default_factory=dict)
    played: int = 0
    playing_seconds: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.results = dict(self.journal.results) if self.journal else {}

    def loop(self) -> None:
        while next(self.schedule.wanted(self.results), None) is not None:
            self._launch()
            done, _ = wait(self.flying, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                broken |= self._land(future)
            if broken:
                self._recover()

    def _launch(self) -> None:
        """Keep every worker busy and a batch ready for each; one game alone while a killer is sought."""
        waiting = self._waiting()
        while len(self.flying) < (1 if self.attempts else 2 * self.pool.workers):
            batch = list(islice(waiting, self._batch_size()))
            if not batch:
                return
            try:
                future = self.pool.executor.submit(play_batch, self.builder, batch)
            except BrokenExecutor:
                self._recover()
                return
            self.flying[future] = batch

    def _waiting(self) -> Iterator[GameTask]:
        taken = {task.key for batch in self.flying.values() for task in batch}
        return (task for task in self.schedule.wanted(self.results) if task.key not in taken)

    def _batch_size(self) -> int:
        if self.attempts or not self.played:
            return 1
        mean = self.playing_seconds / self.played
        left = self.schedule.most_games - len(self.results)
        fair = left // (2 * self.pool.workers) + 1
        return max(1, min(LARGEST_BATCH, int(BATCH_SECONDS / max(mean, 1e-6)), fair))

    def _land(self, future: Future[list[GameResult]]) -> bool:
        """Book what a batch brought; True when its worker died under it."""
        tasks = self.flying.pop(future)
        error = future.exception()
        if error is None:
            self._book(future.result())
            return False
        if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
            self._blame(tasks, str(error))
            return True
        raise error

    def _recover(self) -> None:
        """A worker process died: begin the games under way again, in a new pool."""
        for tasks in self.flying.values():
            self._blame(tasks, "its worker process died")
        self.flying.clear()
        self.pool.renew()

    def _blame(self, tasks: Sequence[GameTask], why: str) -> None:
        for task in tasks:
            self.attempts[task.key] = self.attempts.get(task.key, 0) + 1
            if self.attempts[task.key] >= ATTEMPTS:
                self._book([_void(task, why)])

    def _book(self, games: Sequence[GameResult]) -> None:
        fresh = [game for game in games if game.key not in self.results]
        sure: list[GameResult] = []
        for game in fresh:
            absent = _false_start(game)
            if absent is None:
                for name in (game.black, game.white):
                    sure += self.held.pop(name, [])
                sure.append(game)
            else:
                self._hold(absent, game)
        if self.journal is not None:
            self.journal.add(sure)
        for game in fresh:
            self.results[game.key] = game
            self.attempts.pop(game.key, None)
            self.played += 1
            self.playing_seconds += game.seconds
        self.report(
            Progress(self.results, self.schedule.most_games, self.played, time.monotonic() - self.began)
        )

    def _hold(self, name: str, game: GameResult) -> None:
        """Keep a game out of the journal until its loser shows that he is there at all."""
        held = self.held.setdefault(name, [])
        held.append(game)
        if len(held) >= FALSE_STARTS:
            raise EngineError(
                f"player {name!r} failed {FALSE_STARTS} games in a row at the start: {game.detail}"
            )

    def finish(self) -> None:
        """Book what was held back: there are too few such games to call the player absent."""
        if self.journal is not None:
            self.journal.add([game for held in self.held.values() for game in held])


def _false_start(game: GameResult) -> str | None:
    """The player who lost by failing before he made a move, if one did.

    A program that starts and fails at its first move is an opponent; a system of ours that raises is a fault.
    """
    if game.void or not game.reason.is_failure:
        return None
    tried = 1 if game.reason is Reason.ERROR else 0
    return game.loser if game.cost_of(game.loser).moves <= tried else None


def _void(task: GameTask, why: str) -> GameResult:
    return GameResult(
        key=task.key,
        seed=task.seed,
        black=task.black.name,
        white=task.white.name,
        winner="",
        result="Void",
        reason=Reason.ERROR,
        detail=why[:500],
        moves=0,
        digest="",
        opening=task.opening.name,
        seconds=0.0,
        overhead=0.0,
        black_cost=SideCost(),
        white_cost=SideCost(),
        void=True,
    )
