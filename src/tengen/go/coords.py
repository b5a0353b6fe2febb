"""The one table of coordinate systems.

======  ===============================  ==================  =====
name    what it is                       top left of 19x19   pass
======  ===============================  ==================  =====
Move    flat index, row by row from the  0                   -1
        top left (row * width + column)
GTP     letter without I, then the row   A19                 pass
        counted from the bottom
SGF     column letter, row letter from   aa                  empty
        the top                                              or tt
vertex  index into a compiled board,     27                  0
        walls included, stride 26
======  ===============================  ==================  =====

Beyond Z the GTP column goes on AA, AB, ... as KataGo and q5Go write it; sizes here end at 25.
"""

from enum import IntEnum

from tengen.errors import CoordinateError

__all__ = [
    "MAX_SIZE",
    "PASS",
    "RESIGN",
    "STRIDE",
    "Color",
    "Move",
    "check_size",
    "format_color",
    "format_gtp",
    "format_sgf",
    "move_at",
    "move_of_vertex",
    "neighbours",
    "opponent",
    "parse_color",
    "parse_gtp",
    "parse_sgf",
    "point_of",
    "vertex_of",
]

Move = int
"""A point as a flat index from the top left, or PASS, or RESIGN."""

PASS: Move = -1
RESIGN: Move = -2

MIN_SIZE = 1
MAX_SIZE = 25
STRIDE = MAX_SIZE + 1

_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SGF_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Color(IntEnum):
    """What stands on a point; also whose turn it is."""

    EMPTY = 0
    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> "Color":
        return Color(3 - self) if self else self


def opponent(color: Color) -> Color:
    return color.opponent


def check_size(width: int, height: int) -> None:
    """Raise CoordinateError unless a board of this size can be built."""
    if not (MIN_SIZE <= width <= MAX_SIZE and MIN_SIZE <= height <= MAX_SIZE):
        raise CoordinateError(f"board size {width}x{height}: sides go from {MIN_SIZE} to {MAX_SIZE}")


def move_at(row: int, column: int, width: int, height: int) -> Move:
    """The move on a row (0 = top) and column (0 = left)."""
    if not (0 <= row < height and 0 <= column < width):
        raise CoordinateError(f"row {row}, column {column} is off the {width}x{height} board")
    return row * width + column


def point_of(move: Move, width: int) -> tuple[int, int]:
    """(row, column) of a move that is a point, row 0 at the top."""
    return divmod(move, width)


def neighbours(move: Move, width: int, height: int) -> list[Move]:
    """The points beside a point, in ascending order."""
    row, column = divmod(move, width)
    found = []
    if row > 0:
        found.append(move - width)
    if column > 0:
        found.append(move - 1)
    if column < width - 1:
        found.append(move + 1)
    if row < height - 1:
        found.append(move + width)
    return found


def vertex_of(move: Move, width: int) -> int:
    """The compiled board's index of a point; 0 for a pass."""
    if move < 0:
        return 0
    row, column = divmod(move, width)
    return (row + 1) * STRIDE + column + 1


def move_of_vertex(vertex: int, width: int) -> Move:
    if vertex == 0:
        return PASS
    row, column = divmod(vertex, STRIDE)
    return (row - 1) * width + column - 1


def parse_color(text: str) -> Color:
    """b, w, black, white in any case."""
    lowered = text.lower()
    if lowered in ("b", "black"):
        return Color.BLACK
    if lowered in ("w", "white"):
        return Color.WHITE
    raise CoordinateError(f"color {text!r}: black or white expected")


def format_color(color: Color) -> str:
    """``B`` or ``W``."""
    return "?BW"[color]


def parse_gtp(text: str, width: int, height: int) -> Move:
    """A GTP vertex in any case: ``d4``, ``Q16``, ``pass``, ``resign``. The letter I names no column."""
    upper = text.upper()
    if upper == "PASS":
        return PASS
    if upper == "RESIGN":
        return RESIGN
    column = _LETTERS.find(upper[0]) if upper else -1
    digits = upper[1:]
    if column < 0 or not (digits.isascii() and digits.isdigit()) or len(digits) > 2:
        raise CoordinateError(f"vertex {text!r}: a letter (no I) and a number expected")
    row = height - int(digits)
    if column >= width or not 0 <= row < height:
        raise CoordinateError(f"vertex {text!r} is off the {width}x{height} board")
    return row * width + column


def format_gtp(move: Move, width: int, height: int) -> str:
    """Upper case vertex, or ``pass``, or ``resign``."""
    if move == PASS:
        return "pass"
    if move == RESIGN:
        return "resign"
    if not 0 <= move < width * height:
        raise CoordinateError(f"move {move} is off the {width}x{height} board")
    row, column = divmod(move, width)
    return f"{_LETTERS[column]}{height - row}"


def parse_sgf(text: str, width: int, height: int) -> Move:
    """An SGF point; empty is a pass, and so is ``tt`` on boards up to 19x19."""
    if text == "" or (text == "tt" and width <= 19 and height <= 19):
        return PASS
    if len(text) == 2:
        column, row = _SGF_LETTERS.find(text[0]), _SGF_LETTERS.find(text[1])
        if 0 <= column < width and 0 <= row < height:
            return row * width + column
    raise CoordinateError(f"SGF point {text!r} is off the {width}x{height} board")


def format_sgf(move: Move, width: int, height: int) -> str:
    """Two letters; a pass is the empty text, as FF[4] has it."""
    if move == PASS:
        return ""
    if not 0 <= move < width * height:
        raise CoordinateError(f"move {move} is off the {width}x{height} board")
    row, column = divmod(move, width)
    return _SGF_LETTERS[column] + _SGF_LETTERS[row]
