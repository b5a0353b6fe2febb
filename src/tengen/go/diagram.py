"""Positions as text: ``X`` is Black, ``O`` White, ``.`` or ``+`` empty, the first row is the top one.

>>> position = parse_diagram('''
...     . X .
...     X O X
...     . . .
... ''')
>>> print(format_diagram(position))
   A B C
 3 . X . 3
 2 X O X 2
 1 . . . 1
   A B C
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tengen.errors import CoordinateError
from tengen.go.coords import Color, Move, check_size, format_gtp
from tengen.go.position import Position
from tengen.go.rules import Rules

__all__ = ["Diagram", "format_diagram", "parse_diagram", "parse_stones"]

_STONES = {
    "X": Color.BLACK,
    "#": Color.BLACK,
    "@": Color.BLACK,
    "O": Color.WHITE,
    ".": Color.EMPTY,
    "+": Color.EMPTY,
}
_STONES |= {",": Color.EMPTY, "●": Color.BLACK, "○": Color.WHITE}


@dataclass(frozen=True)
class Diagram:
    """What a drawing holds: stones, and the points marked with letters or figures (``a`` .. ``z``, ``1``
    .. ``9``).

    A marked point is empty; ``marks`` gives its letter.
    """

    width: int
    height: int
    black: tuple[Move, ...]
    white: tuple[Move, ...]
    marks: Mapping[str, Move]


def parse_stones(text: str) -> Diagram:
    """Read a drawing. Blanks between points, coordinates around the board and a frame of ``| - +`` do not
    matter.

    Raises CoordinateError, quoting the row, for rows of different lengths and for letters it does not know.
    """
    rows = _rows(text)
    if not rows:
        raise CoordinateError(f"diagram {text[:40]!r}: no rows")
    width = len(rows[0])
    stones: dict[Color, list[Move]] = {Color.BLACK: [], Color.WHITE: [], Color.EMPTY: []}
    marks: dict[str, Move] = {}
    for number, row in enumerate(rows):
        if len(row) != width:
            raise CoordinateError(f"diagram row {row!r}: {len(row)} points, the first row has {width}")
        for column, letter in enumerate(row):
            point = number * width + column
            if letter in _STONES:
                stones[_STONES[letter]].append(point)
            elif re.fullmatch("[a-z1-9]", letter):
                marks[letter] = point
            else:
                raise CoordinateError(f"diagram row {row!r}: {letter!r} is no point")
    check_size(width, len(rows))
    return Diagram(width, len(rows), tuple(stones[Color.BLACK]), tuple(stones[Color.WHITE]), marks)


def _rows(text: str) -> list[str]:
    """The rows of a drawing, a letter a point: without blanks, frame, column letters and row numbers."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not _FRAME.fullmatch(line) and not _is_header(line)]
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if lines and all(numbered):
        lines = [match["points"] for match in numbered if match]
    return [re.sub(r"[\s|]+", "", line) for line in lines]


_FRAME = re.compile(r"[-+|\s]*-[-+|\s]*")
_NUMBERED = re.compile(r"(?P<row>\d{1,2})\s*[\s|](?P<points>.*?)(?:[\s|]\s*(?P=row)\b.*)?")


def _is_header(line: str) -> bool:
    columns = line.replace(" ", "")
    return "ABCDEFGHJKLMNOPQRSTUVWXYZ".startswith(columns)


def parse_diagram(text: str, rules: Rules | None = None, to_move: Color = Color.BLACK) -> Position:
    """The position a drawing shows, on a board of its size; its marks do not matter.

    Raises CoordinateError as ``parse_stones`` does, and IllegalMove for stones without a liberty.
    """
    drawn = parse_stones(text)
    rules = replace(rules or Rules(), width=drawn.width, height=drawn.height)
    return Position.setup(rules, black=list(drawn.black), white=list(drawn.white), to_move=to_move)


def format_diagram(
    position: Position, marks: Mapping[Move, str] | None = None, coordinates: bool = True
) -> str:
    """Draw a position; ``marks`` puts its one-letter texts on points, over stones too. ``parse_diagram``
    reads it.
    """
    width, height = position.rules.width, position.rules.height
    marked = marks or {}
    letters = " ".join(format_gtp(column, width, 1)[0] for column in range(width))
    lines = [f"   {letters}"] if coordinates else []
    for row in range(height):
        points = range(row * width, (row + 1) * width)
        drawn = " ".join(marked.get(point) or ".XO"[position.color_at(point)] for point in points)
        lines.append(f"{height - row:2d} {drawn} {height - row}" if coordinates else drawn)
    if coordinates:
        lines.append(f"   {letters}")
    return "\n".join(lines)
