"""The symmetries of a board: eight of a square, four of a rectangle, on moves and on flat arrays.

A symmetry is a whole number 0 to 7, three bits: 1 mirrors left and right, 2 top and bottom, and 4 then
swaps rows and columns (of a square only). 0 changes nothing.

    >>> from tengen.go.symmetry import transform_move
    >>> [transform_move(1, symmetry, 3, 3) for symmetry in range(8)]  # B3 of a 3x3 board, then around it
    [1, 1, 7, 7, 3, 3, 5, 5]
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from tengen.errors import CoordinateError
from tengen.go.coords import Move, check_size

__all__ = [
    "IDENTITY",
    "canonical",
    "compose",
    "inverse",
    "source_points",
    "symmetries",
    "transform_array",
    "transform_move",
    "transform_moves",
]

T = TypeVar("T")

IDENTITY = 0
MIRROR_COLUMNS, MIRROR_ROWS, TRANSPOSE = 1, 2, 4


def symmetries(width: int, height: int) -> range:
    """The symmetries that keep a board's shape: all eight of a square, the first four of a rectangle."""
    return range(8 if width == height else 4)


def compose(first: int, then: int) -> int:
    """The symmetry that does ``first``, then ``then``.

    Mirroring after a transposition is mirroring the other way before it.
    """
    if first & TRANSPOSE:
        then = (then & TRANSPOSE) | (then & 1) << 1 | (then & 2) >> 1
    return first ^ then


def inverse(symmetry: int) -> int:
    """The symmetry that undoes this one: itself, but for the two quarter turns."""
    if symmetry & TRANSPOSE:
        return TRANSPOSE | (symmetry & 1) << 1 | (symmetry & 2) >> 1
    return symmetry


@lru_cache(maxsize=512)
def _targets(symmetry: int, width: int, height: int) -> tuple[Move, ...]:
    """Where each point of the board goes."""
    check_size(width, height)
    if symmetry not in symmetries(width, height):
        raise CoordinateError(
            f"symmetry {symmetry}: a {width}x{height} board has 0 to {symmetries(width, height)[-1]}"
        )
    targets = []
    for row in range(height):
        for column in range(width):
            to_row = height - 1 - row if symmetry & MIRROR_ROWS else row
            to_column = width - 1 - column if symmetry & MIRROR_COLUMNS else column
            if symmetry & TRANSPOSE:
                to_row, to_column = to_column, to_row
            targets.append(to_row * width + to_column)
    return tuple(targets)


def source_points(symmetry: int, width: int, height: int) -> tuple[Move, ...]:
    """For each point the one whose content comes there: with numpy ``changed = array[list(source)]``."""
    return _targets(inverse(symmetry), width, height)


def transform_move(move: Move, symmetry: int, width: int, height: int) -> Move:
    """Where a point goes; PASS and RESIGN stay. Raises CoordinateError for a symmetry the board has not."""
    targets = _targets(symmetry, width, height)
    if move < 0:
        return move
    if move >= len(targets):
        raise CoordinateError(f"move {move} is off the {width}x{height} board")
    return targets[move]


def transform_moves(moves: Sequence[Move], symmetry: int, width: int, height: int) -> list[Move]:
    """``transform_move`` of each."""
    return [transform_move(move, symmetry, width, height) for move in moves]


def transform_array(values: Sequence[T], symmetry: int, width: int, height: int) -> list[T]:
    """A flat array with its points moved; what stands behind them (the pass of a policy) stays there."""
    source = source_points(symmetry, width, height)
    if len(values) < len(source):
        raise CoordinateError(f"{len(values)} values for a {width}x{height} board")
    return [values[point] for point in source] + list(values[len(source) :])


def canonical(values: Sequence[int], width: int, height: int) -> tuple[tuple[int, ...], int]:
    """The least of an array's images, the same for all of them, and the symmetry that gives it."""
    images = ((tuple(transform_array(values, s, width, height)), s) for s in symmetries(width, height))
    return min(images)
