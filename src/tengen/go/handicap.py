"""Where handicap stones go: the points of the GTP standard, and an engine's own choice of more."""

from tengen.go.coords import Move

__all__ = ["fixed_handicap", "free_handicap", "largest_fixed_handicap"]


def largest_fixed_handicap(width: int, height: int) -> int:
    """How many stones the standard has points for: none below 7 lines, 4 on 7x7 and even boards, else 9.

    A rectangle has what both its sides allow.
    """
    if min(width, height) < 7:
        return 0
    return 9 if min(width, height) >= 9 and width % 2 and height % 2 else 4


def fixed_handicap(stones: int, width: int, height: int) -> list[Move]:
    """The standard's points for 2 to 9 stones, from the top left row by row. ValueError when there are none.

    On the fourth line from 13 lines on, on the third below: corners first (lower left and upper right, upper
    left, lower right), then the left and right sides, then top and bottom; the centre with 5, 7 and 9.
    """
    if not 2 <= stones <= largest_fixed_handicap(width, height):
        raise ValueError(f"no fixed handicap of {stones} stones on {width}x{height}")
    left, top = (3 if width >= 13 else 2), (3 if height >= 13 else 2)
    right, bottom = width - 1 - left, height - 1 - top
    middle, centre = width // 2, height // 2
    order = [(bottom, left), (top, right), (top, left), (bottom, right)]
    if stones >= 6:
        order += [(centre, left), (centre, right)]
    if stones >= 8:
        order += [(top, middle), (bottom, middle)]
    points = order[: stones - stones % 2] if stones >= 5 else order[:stones]
    if stones >= 5 and stones % 2:
        points.append((centre, middle))
    return sorted(row * width + column for row, column in points)


def free_handicap(stones: int, width: int, height: int) -> list[Move]:
    """Points for any number of stones of at least 2, as many as have sense: at most half of the board.

    The standard's points as far as they go; every further stone as far as possible from the others, off the
    first line where there is room.
    """
    points = width * height
    stones = min(stones, max(2, points // 2))
    largest = min(stones, largest_fixed_handicap(width, height))
    chosen = fixed_handicap(largest, width, height) if largest >= 2 else []
    while len(chosen) < stones:
        chosen.append(max(range(points), key=lambda move: _spread(move, chosen, width, height)))
    return sorted(chosen)


def _spread(move: Move, chosen: list[Move], width: int, height: int) -> tuple[bool, float, float, int]:
    """How well one more stone stands here: not taken, off the edge, far from the others, near the centre."""
    row, column = divmod(move, width)
    edge = min(row, column, height - 1 - row, width - 1 - column)
    nearest = min(
        ((row - other // width) ** 2 + (column - other % width) ** 2 for other in chosen),
        default=width + height,
    )
    middle = (row - (height - 1) / 2) ** 2 + (column - (width - 1) / 2) ** 2
    wanted_edge = 2 if min(width, height) >= 9 else 1 if min(width, height) >= 5 else 0
    return nearest > 0, nearest if edge >= wanted_edge else nearest / 8, -middle, -move
