"""One line on stderr that says how a match stands and how long it will take."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from typing import TextIO

from tengen.arena.results import tally
from tengen.arena.runner import Progress

__all__ = ["ProgressLine"]


class ProgressLine:
    """Called with every Progress; rewrites its line on a terminal, adds one now and then to a file."""

    def __init__(self, player: str | None = None, stream: TextIO | None = None) -> None:
        """``player``: whose score to show; None for tournaments."""
        self._player = player
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty()
        self._interval = 0.2 if self._terminal else 10.0
        self._due = time.monotonic() + (0.0 if self._terminal else 2.0)
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + self._interval
        text = self.text(progress)
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def text(self, progress: Progress) -> str:
        parts = [f"{len(progress.results)}/{progress.most_games} games"]
        if self._player is not None:
            score = tally(progress.results.values(), self._player)
            low, high = (100 * bound for bound in score.interval().as_list())
            parts.append(f"{self._player} {100 * score.score:.1f} % [{low:.1f}, {high:.1f}]")
        if progress.played and progress.seconds > 0:
            parts.append(f"{progress.played / progress.seconds:.2f} games/s")
        if progress.seconds_left is not None:
            parts.append(f"{timedelta(seconds=round(progress.seconds_left))} left")
        return "  ".join(parts)

    def finish(self) -> None:
        """End the line, if one was begun."""
        if self._terminal and self._width:
            self._stream.write("\n")
            self._stream.flush()
