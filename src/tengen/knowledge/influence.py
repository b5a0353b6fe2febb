"""Two ideas of the first Go programs: Zobrist's influence function and Ryder's two phases.

Zobrist (1969) let every stone radiate: +50 from a black stone, -50 from a white one, spreading and fading
with distance; areas of one sign are spheres of influence. Ryder (1971) first filtered the moves by a quick
judgement to about fifteen, then read those more deeply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tengen.go.coords import Color, Move, neighbours

__all__ = [
    "InfluenceParameters",
    "areas",
    "influence",
    "ryder_choice",
    "ryder_filter",
    "territory_balance",
]

_M = TypeVar("_M")


@dataclass(frozen=True)
class InfluenceParameters:
    """Zobrist's numbers: a stone is worth 50, and four times every point passes 1 to each neighbour per
    sign."""

    stone: int = 50
    """Value of a black stone's point at the start; a white one's is the negative."""
    rounds: int = 4
    """How often influence spreads; that many lines away is where it ends."""
    step: int = 1
    """What each neighbour adds (or takes, if its value is negative) in one round."""


def influence(
    stones: Sequence[int], width: int, height: int, parameters: InfluenceParameters | None = None
) -> list[int]:
    """The influence on every point, positive for Black.

    ``stones`` holds a colour a point, row by row. At the start a black stone's point is +50, a white one's
    -50, others 0. Four rounds, all points at once: a point gains 1 for each neighbour above 0 and loses 1
    for each below 0. So a lone stone reaches its neighbours in the first round, theirs in the second, and
    fades outwards.
    """
    given = parameters or InfluenceParameters()
    start = {Color.BLACK: given.stone, Color.WHITE: -given.stone}
    values = [start.get(Color(stone), 0) for stone in stones]
    near = [neighbours(point, width, height) for point in range(width * height)]
    for _ in range(given.rounds):
        signs = [(value > 0) - (value < 0) for value in values]
        values = [
            value + given.step * sum(signs[other] for other in near[point])
            for point, value in enumerate(values)
        ]
    return values


def areas(values: Sequence[int], width: int, height: int) -> list[tuple[Color, list[Move]]]:
    """Connected areas of one sign, largest first: Black's where influence is positive, White's where
    negative.

    Points of no influence belong to nobody.
    """
    seen: set[Move] = set()
    found: list[tuple[Color, list[Move]]] = []
    for start, value in enumerate(values):
        if value == 0 or start in seen:
            continue
        sign = value > 0
        region, waiting = [], [start]
        seen.add(start)
        while waiting:
            point = waiting.pop()
            region.append(point)
            for other in neighbours(point, width, height):
                if other not in seen and values[other] != 0 and (values[other] > 0) == sign:
                    seen.add(other)
                    waiting.append(other)
        found.append((Color.BLACK if sign else Color.WHITE, sorted(region)))
    found.sort(key=lambda entry: (-len(entry[1]), entry[1][0]))
    return found


def territory_balance(values: Iterable[int], threshold: int = 0) -> int:
    """Points of Black's sphere minus points of White's; those within ``threshold`` of nought count for
    nobody."""
    return sum((value > threshold) - (value < -threshold) for value in values)


def ryder_filter(values: Mapping[_M, float], keep: int = 15) -> list[_M]:
    """Phase one: the ``keep`` best moves by a quick judgement, best first; of equal ones the first given."""
    return sorted(values, key=lambda move: -values[move])[:keep]


def ryder_choice(
    values: Mapping[_M, float], read: Callable[[_M], float], keep: int = 15
) -> tuple[_M, dict[_M, float]] | None:
    """Both phases: filter to the ``keep`` best, read each of those more deeply, choose the best by the
    reading.

    Returns the move and what was read of every one looked at; None when there is no move at all.
    """
    candidates = ryder_filter(values, keep)
    if not candidates:
        return None
    judged = {move: read(move) for move in candidates}
    return max(candidates, key=lambda move: judged[move]), judged
