"""The end of the game on the board: which dead stone to take next, and which chains live only in seki."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.go.coords import PASS, Color, Move

if TYPE_CHECKING:
    from tengen.go.position import Position

__all__ = ["cleanup_move", "seki_chains"]


LARGEST_SHARED = 4
"""Points of a region both colours border in a seki; a larger one is a game not finished."""


def cleanup_move(position: Position, dead: frozenset[Move]) -> Move:
    """A move that takes a dead enemy chain or brings it nearer to it; PASS when none is left to take.

    The chain with the fewest liberties first, and never a move that puts its own chain in atari without
    capturing.
    """
    color = position.to_move
    board = position.board
    targets = {
        tuple(board.chain(move)): board.chain_liberties(move)
        for move in dead
        if position.color_at(move) is color.opponent
    }
    for chain in sorted(targets, key=lambda stones: (len(targets[stones]), stones)):
        for move in targets[chain]:
            if not position.is_legal(move, color):
                continue
            after = position.play(move, color).board
            if after.last_captured or after.liberties(move) >= 2:
                return move
    return PASS


def seki_chains(position: Position, dead: frozenset[Move]) -> frozenset[Move]:
    """The living stones that share liberties with the enemy and have at most one eye between them.

    Chains that border a common region of their own are one group; a region of their own that is larger than
    two points counts as two eyes, since it can be divided. What merely has unfilled neutral points beside it
    is alive.
    """
    width, height = position.rules.width, position.rules.height
    colors = [Color.EMPTY if move in dead else position.color_at(move) for move in range(position.rules.area)]
    groups = _Groups(position, colors)
    room: dict[Move, int] = {}
    neutral: set[Move] = set()
    for region, borders in _regions(colors, width, height):
        owners = {colors[move] for move in borders}
        heads = sorted({groups.of(move) for move in borders})
        if len(owners) == 1:
            head = groups.join(heads)
            eyes = 1 if len(region) <= 2 else 2
            room[head] = sum(room.pop(other, 0) for other in {*heads, head}) + eyes
        elif len(region) <= LARGEST_SHARED:
            neutral.update(heads)
    touched = {groups.of(head) for head in neutral}
    found = {
        move for move, color in enumerate(colors)
        if color and groups.of(move) in touched and room.get(groups.of(move), 0) < 2
    }  # fmt: skip
    both = {colors[move] for move in found}
    return frozenset(found) if len(both) == 2 else frozenset()


class _Groups:
    """Chains, joined where they border a region of their own; each named by one of its points."""

    def __init__(self, position: Position, colors: list[Color]) -> None:
        self._parent: dict[Move, Move] = {}
        for move, color in enumerate(colors):
            if color and move not in self._parent:
                for stone in position.board.chain(move):
                    self._parent[stone] = move

    def of(self, move: Move) -> Move:
        while self._parent[move] != move:
            move = self._parent[move]
        return move

    def join(self, heads: list[Move]) -> Move:
        first = self.of(heads[0])
        for head in heads[1:]:
            self._parent[self.of(head)] = first
        return first


def _regions(colors: list[Color], width: int, height: int) -> list[tuple[list[Move], set[Move]]]:
    """Every region of empty points with the stones that border it; one without borders is left out."""
    seen: set[Move] = set()
    regions = []
    for start, color in enumerate(colors):
        if color or start in seen:
            continue
        region, borders, todo = [], set(), [start]
        seen.add(start)
        while todo:
            move = todo.pop()
            region.append(move)
            row, column = divmod(move, width)
            for other, inside in (
                (move - width, row > 0),
                (move + width, row < height - 1),
                (move - 1, column > 0),
                (move + 1, column < width - 1),
            ):
                if not inside:
                    continue
                if colors[other]:
                    borders.add(other)
                elif other not in seen:
                    seen.add(other)
                    todo.append(other)
        if borders:
            regions.append((region, borders))
    return regions
