"""A game of the arena as SGF, with what each move cost and what its player thought of his position."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from tengen.go.coords import Color, Move
from tengen.go.record import GameRecord
from tengen.go.sgf import sgf_of

if TYPE_CHECKING:
    from tengen.go.position import Position

__all__ = ["MoveNote", "write_sgf"]


@dataclass(frozen=True)
class MoveNote:
    """What is written beside a move."""

    color: Color
    move: Move
    seconds: float
    winrate: float | None
    visits: int

    def text(self) -> str:
        parts = [f"{self.seconds:.3f} s"]
        if self.winrate is not None:
            black = self.winrate if self.color is Color.BLACK else 1 - self.winrate
            parts.append(f"Black {100 * black:.1f} %")
        if self.visits:
            parts.append(f"{self.visits} visits")
        return ", ".join(parts)


def write_sgf(
    start: Position, final: Position, black: str, white: str, result: str, notes: list[MoveNote], comment: str
) -> bytes:
    """The record of a game: ``start`` is the position before any move, ``notes`` belong to its last moves."""
    opening = len(final.moves) - len(notes)
    comments = {opening + number: note.text() for number, note in enumerate(notes, 1)}
    comments[0] = comment
    record = GameRecord(
        rules=final.rules,
        handicap=start.handicap,
        setup_black=tuple(start.stones(Color.BLACK)),
        setup_white=tuple(start.stones(Color.WHITE)),
        first=Color(start.to_move),
        moves=[(Color(color), move) for color, move in final.moves],
        result=result,
        black=black,
        white=white,
        date=date.today().isoformat(),
        comments=comments,
    )
    return sgf_of(record)
