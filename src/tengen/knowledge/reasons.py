"""What a move does, in words a player understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.go.coords import PASS, Color, Move, format_gtp, neighbours
from tengen.knowledge.moves import MoveKnowledge
from tengen.knowledge.tactics import Tactics

if TYPE_CHECKING:
    from tengen.go.board import Board
    from tengen.go.position import Position

__all__ = ["reasons"]


def reasons(position: Position, move: Move) -> list[str]:
    """Why a legal point may be worth playing, or not: the most urgent first; empty for a pass and a quiet
    move.

    Raises IllegalMove for a point that is occupied or off the board.
    """
    if move == PASS:
        return []
    return _Reading(position, move).said()


class _Reading:
    """One move of one position, looked at from all sides."""

    def __init__(self, position: Position, move: Move) -> None:
        self.board: Board = position.board
        self.width = position.width
        self.height = position.height
        self.move = move
        self.color = position.to_move
        self.enemy = position.to_move.opponent
        self.tactics = Tactics(position.board)
        self.last = position.last_move

    def name(self, move: Move) -> str:
        return format_gtp(move, self.width, self.height)

    def said(self) -> list[str]:
        taken = self.tactics.stones_taken(self.move, self.color)
        if not self.board.is_legal(self.move, self.color):
            return [f"{self.name(self.move)} is not legal"]
        found = [] if taken == 0 else [f"captures {_count(taken)}"]
        found += self._saved()
        if taken == 0:
            found += self._attacked()
        found += self._eyes()
        exposed = self._self_atari()
        found += exposed or self._joined()
        if not found:
            found += self._ordinary()
        return found

    def _chains(self, color: Color) -> list[list[Move]]:
        """The chains of a colour beside the move, each once."""
        found: list[list[Move]] = []
        for point in neighbours(self.move, self.width, self.height):
            if self.board.color_at(point) == color and not any(point in chain for chain in found):
                found.append(self.board.chain(point))
        return found

    def _rescued(self) -> list[list[Move]]:
        """Own chains in atari beside the move, or beside what it takes."""
        beside = self._chains(self.color)
        for chain in self._chains(self.enemy):
            if self.board.chain_liberties(chain[0]) != [self.move]:
                continue
            after = self.board.copy()
            for stone in chain:
                row, column = divmod(stone, self.width)
                for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
                    point = r * self.width + c
                    inside = 0 <= r < self.height and 0 <= c < self.width
                    if (
                        inside
                        and after.color_at(point) == self.color
                        and not any(point in own for own in beside)
                    ):
                        beside.append(self.board.chain(point))
        return [chain for chain in beside if self.board.in_atari(chain[0])]

    def _saved(self) -> list[str]:
        found = []
        for chain in self._rescued():
            after = self.board.copy()
            after.place(self.move, self.color)
            name = self.name(chain[0])
            if Tactics(after).capture_point(chain[0]) is not None:
                found.append(f"runs with {name}, which is caught all the same")
            else:
                found.append(f"saves {name} from capture")
        for chain in self._chains(self.color):
            if self.board.liberties(chain[0]) == 2 and self.tactics.capture_point(chain[0]) is not None:
                after = self.board.copy()
                after.place(self.move, self.color)
                if Tactics(after).capture_point(chain[0]) is None:
                    found.append(f"saves {self.name(chain[0])} from a ladder")
        return found

    def _attacked(self) -> list[str]:
        found = []
        for chain in self._chains(self.enemy):
            if self.board.liberties(chain[0]) != 2:
                continue
            after = self.board.copy()
            after.place(self.move, self.color)
            name = self.name(chain[0])
            if after.color_at(chain[0]) == self.enemy and Tactics(after).save_point(chain[0]) is None:
                found.append(f"puts {name} in atari, and it cannot get away")
            else:
                found.append(f"puts {name} in atari")
        return found

    def _eyes(self) -> list[str]:
        if self.board.is_eye(self.move, self.color):
            return ["fills an own eye"]
        if self.tactics.nakade(self.move, self.enemy) == self.move:
            return [f"makes a nakade at {self.name(self.move)}: the eye there is one eye only"]
        if self.tactics.nakade(self.move, self.color) == self.move:
            return [f"divides the eye at {self.name(self.move)} in two"]
        return []

    def _self_atari(self) -> list[str]:
        size = self.tactics.self_atari_size(self.move, self.color)
        if size == 0:
            return []
        if self.tactics.is_bad_self_atari(self.move, self.color):
            return [f"self-atari of {_count(size)}"]
        return [f"sacrifices {_count(size)}"]

    def _joined(self) -> list[str]:
        found = []
        joined = self.tactics.touches(self.move, self.color)
        cut = self.tactics.touches(self.move, self.enemy)
        if joined >= 2:
            found.append(f"connects {joined} chains")
        if cut >= 2:
            found.append(f"cuts between {cut} chains")
        return found

    def _ordinary(self) -> list[str]:
        values = MoveKnowledge().values(self.board, self.color)
        if not values or self.move not in values:
            return []
        rank = sum(value > values[self.move] for value in values.values())
        return ["a shape strong players like here"] if rank < 5 else []


def _count(stones: int) -> str:
    return "one stone" if stones == 1 else f"{stones} stones"
