"""One run of a tournament from configuration to report: what the commands and experiments share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.arena.contestants import Builder
from tengen.arena.journal import Journal
from tengen.arena.machine import provenance
from tengen.arena.pools import Pool, open_pool
from tengen.arena.progress import ProgressLine
from tengen.arena.report import tournament_body, write_report
from tengen.arena.results import GameKey, GameResult
from tengen.arena.runner import Progress, run_schedule
from tengen.arena.schedules import Ladder, RoundRobin
from tengen.arena.tournament import Outcome, TournamentConfig, make_schedule

__all__ = ["Session"]


@dataclass(frozen=True)
class Session:
    """How to play a tournament: who builds players, where games run, where they are kept.

    ``folder`` None keeps nothing. ``openings`` is the folder a relative openings file is looked for in.
    """

    config: TournamentConfig
    builder: Builder
    workers: int = 1
    cluster: str | None = None
    folder: Path | None = None
    resume: bool = False
    openings: Path | None = None

    def schedule(self) -> RoundRobin | Ladder:
        return make_schedule(self.config, self.openings)

    def play(
        self, schedule: RoundRobin | Ladder, report: Callable[[Progress], None] | None = None
    ) -> dict[GameKey, GameResult]:
        """Play what is missing. Whatever ends this early, the games finished by then are in the journal."""
        if self.folder is None:
            return run_schedule(schedule, self.builder, self._pool(), None, report)
        with Journal(self.folder, self.config.identity(), resume=self.resume) as journal:
            return run_schedule(schedule, self.builder, self._pool(), journal, report)

    def play_watched(
        self, schedule: RoundRobin | Ladder, player: str | None = None
    ) -> tuple[dict[GameKey, GameResult], bool]:
        """Play with a line of progress on stderr; the results, and whether Ctrl-C ended it."""
        line = ProgressLine(player)
        latest: dict[GameKey, GameResult] = {}

        def report(progress: Progress) -> None:
            nonlocal latest
            latest = progress.results
            line(progress)

        try:
            return self.play(schedule, report), False
        except KeyboardInterrupt:
            kept = "go on with --resume" if self.folder else "without --out they are not kept"
            print(f"\nstopped with {len(latest)} games; {kept}", file=sys.stderr)
            return self.kept() or latest, True
        finally:
            line.finish()

    def kept(self) -> dict[GameKey, GameResult]:
        """The games on disk: after Ctrl-C there may be one more than was reported."""
        if self.folder is None:
            return {}
        with Journal(self.folder, self.config.identity(), resume=True) as journal:
            return dict(journal.results)

    def _pool(self) -> Pool:
        return open_pool(self.workers, self.cluster)

    def outcome(self, schedule: RoundRobin | Ladder, results: dict[GameKey, GameResult]) -> Outcome:
        return Outcome.of(schedule, results)

    def write_report(self, outcome: Outcome, extra: dict[str, Any] | None = None) -> Path | None:
        """``report.html`` and ``report.json`` in the folder; where the page is, or None without a folder."""
        if self.folder is None:
            return None
        body = tournament_body(outcome, "sgf")
        origin = provenance() | {
            "seed": self.config.seed,
            "workers": self.workers,
            "tournament": json.loads(self.config.model_dump_json(exclude_none=True)),
        }
        write_report(self.folder, self.config.name, body, outcome.to_json() | (extra or {}), origin)
        return self.folder / "report.html"
