"""One line on stderr that says how far long work has come; silent where stderr is no terminal."""

from __future__ import annotations

import sys
import time

__all__ = ["Ticker"]


class Ticker:
    """Counts something named ``what``; writes at most five times a second."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = 0.0
        self._begun = time.monotonic()
        self._on = sys.stderr.isatty()

    def tick(self, count: int, where: str = "") -> None:
        now = time.monotonic()
        if self._on and now - self._shown > 0.2:
            self._shown = now
            rate = count / max(now - self._begun, 1e-9)
            print(
                f"\r{count} {self._what}, {rate:.0f} a second  {where}\x1b[K",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def done(self) -> None:
        """Clear the line."""
        if self._on and self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
