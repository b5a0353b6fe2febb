"""What alpha-beta found at its root."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

__all__ = ["DECIDED", "WIN", "LineResult"]

WIN = 1000.0
"""A capture now; one that comes n plies later is worth WIN - n. Evaluators stay within -1..1."""

DECIDED = 300.0
"""A value beyond is a capture read to the end."""


@dataclass(frozen=True)
class LineResult:
    """What a search found. Values are for the side to move; ``plies`` is to the capture, None if none was
    read.
    """

    move: int
    value: float
    depth: int
    nodes: int
    values: tuple[tuple[int, float], ...]
    """Every root move considered with its value, best first; exact for the best, an upper bound for others
    unless the search was asked for all."""

    @classmethod
    def ordered(
        cls,
        found: Iterable[tuple[int, float]],
        depth: int,
        nodes: int,
        rest: Iterable[tuple[int, float]] = (),
    ) -> LineResult:
        """Moves found now by their values, equal ones as they came; after them those of ``rest`` that are
        not among them.
        """
        values = sorted(found, key=itemgetter(1), reverse=True)
        seen = {move for move, _ in values}
        values += [pair for pair in rest if pair[0] not in seen]
        return cls(values[0][0], values[0][1], depth, nodes, tuple(values))

    @property
    def decided(self) -> bool:
        return abs(self.value) > DECIDED

    @property
    def plies(self) -> int | None:
        """Moves until the capture, this one included; None when no capture was read to the end."""
        return round(WIN - abs(self.value)) + 1 if self.decided else None
