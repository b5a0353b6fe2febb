"""Where games start, so that players who always answer alike do not play one game a hundred times.

A random opening gives Black and White points of equal height in turn, none touching another: level enough
that neither side is helped, and the colours are exchanged from the same opening anyway. A file gives better
ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import ConfigError, TengenError
from tengen.go.coords import Color, Move, parse_gtp, point_of

__all__ = ["Opening", "OpeningBook", "random_opening"]


@dataclass(frozen=True)
class Opening:
    """Moves from the empty board, Black first and in turn."""

    name: str
    moves: tuple[Move, ...]

    def colored(self) -> list[tuple[Color, Move]]:
        return [(Color.WHITE if i % 2 else Color.BLACK, move) for i, move in enumerate(self.moves)]


def random_opening(seed: int, width: int, height: int, length: int) -> Opening:
    """``length`` moves (fewer on a board too small for them), the same for the same arguments."""
    rng = random.Random(seed)
    chosen: list[Move] = []
    while len(chosen) < length:
        pair = _level_pair(rng, chosen, width, height)
        if not pair:
            break
        chosen += pair
    moves = tuple(chosen[:length])
    return Opening(f"random {seed & 0xFFFFFFFF:08x}" if moves else "empty board", moves)


def _level_pair(rng: random.Random, taken: Sequence[Move], width: int, height: int) -> list[Move]:
    """A point for each side on the same line, apart from all others; any two where lines are full."""
    levels = list(_levels(width, height))
    rng.shuffle(levels)
    for points in [*(_at_level(width, height, level) for level in levels), list(range(width * height))]:
        rng.shuffle(points)
        free = [move for move in points if _apart(move, taken, width)]
        for first in free:
            second = next((move for move in free if _apart(move, [*taken, first], width)), None)
            if second is not None:
                return [first, second]
    return []


def _levels(width: int, height: int) -> Sequence[int]:
    """Lines a plausible first move stands on: the third and fourth; on tiny boards what there is."""
    middle = (min(width, height) + 1) // 2
    return [line for line in (3, 4) if line <= middle] or [middle]


def _at_level(width: int, height: int, level: int) -> list[Move]:
    """Points whose distance to the nearest edge is that line."""
    moves = []
    for move in range(width * height):
        row, column = point_of(move, width)
        if min(row, column, height - 1 - row, width - 1 - column) + 1 == level:
            moves.append(move)
    return moves


def _apart(move: Move, others: Sequence[Move], width: int) -> bool:
    row, column = point_of(move, width)
    for other in others:
        other_row, other_column = point_of(other, width)
        if abs(row - other_row) + abs(column - other_column) < 2:
            return False
    return True


class OpeningBook:
    """The openings of a match: random ones, or those of a file in turn. Pure: the same pair, the same
    opening.
    """

    def __init__(
        self, width: int, height: int, length: int, fixed: Sequence[Opening] = (), *, source: str = ""
    ) -> None:
        self._size = width, height
        self._length = length
        self._fixed = tuple(fixed)
        self.source = source or (f"random, {length} moves" if length else "empty board")

    @staticmethod
    def of_file(path: Path, width: int, height: int) -> OpeningBook:
        """SGF (every game's main line), or lines of GTP vertices; ``#`` begins a comment. ConfigError names
        the line.
        """
        try:
            text = path.read_bytes()
        except OSError as error:
            raise ConfigError(f"openings {path}: {error.strerror or error}") from None
        if path.suffix.lower() == ".sgf":
            openings = _of_sgf(path, width, height)
        else:
            openings = _of_lines(path, text.decode("utf-8", "replace"), width, height)
        if not openings:
            raise ConfigError(f"openings {path}: none in it")
        return OpeningBook(width, height, 0, openings, source=str(path))

    def opening(self, pair: int, seed: int) -> Opening:
        """The opening of a pair of games."""
        if self._fixed:
            return self._fixed[pair % len(self._fixed)]
        return random_opening(seed, *self._size, self._length)

    def check(self, pairs: int) -> str | None:
        """A warning when a file's openings must be used more than once."""
        if self._fixed and pairs > len(self._fixed):
            return f"{self.source}: {len(self._fixed)} openings for {pairs} pairs, so some are played again"
        return None


def _of_lines(path: Path, text: str, width: int, height: int) -> list[Opening]:
    openings = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            moves = tuple(parse_gtp(word, width, height) for word in words)
        except TengenError as error:
            raise ConfigError(f"openings {path}, line {number}: {error}") from None
        openings.append(Opening(f"{path.name}:{number}", moves))
    return openings


def _of_sgf(path: Path, width: int, height: int) -> list[Opening]:
    from tengen.go.sgf import load_sgf, record_of

    openings = []
    for number, game in enumerate(load_sgf(path).games, 1):
        record = record_of(game)
        if (record.rules.width, record.rules.height) != (width, height):
            size = f"{record.rules.width}x{record.rules.height}"
            raise ConfigError(f"openings {path}, game {number}: a board of {size}, {width}x{height} expected")
        opening = Opening(f"{path.name}:{number}", tuple(move for _, move in record.moves))
        if (
            record.setup_black
            or record.setup_white
            or opening.colored() != [(Color(c), m) for c, m in record.moves]
        ):
            raise ConfigError(
                f"openings {path}, game {number}: Black first and in turn from the empty board expected"
            )
        openings.append(opening)
    return openings
