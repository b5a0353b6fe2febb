"""Where the middle game and the endgame of a game begin: a stand-in for the 5-dan who labelled the paper's
games.

The paper's labels were read off 500 professional games by a strong player, who left no rule. The rule here
is about the stones alone, so that it labels any collection, of any board size, the same way every time:

    a point is *touched* once a stone was put on it or on one of the eight points around it;
    a *contact play* puts a stone right beside one of the other side (captured stones count as if they stood);

    X, the middle game, begins when half of the board is touched, or when there was one contact play to
    every thirteen points of the board (28 on 19x19), whichever comes first; Y, the endgame, begins when
    nine tenths of the board are touched.

Why it is a fair stand-in. The opening is the phase in which stones go where there are none: it ends when
there is no room left to open, or when fighting has taken over before that. When only a tenth of the board,
in scattered spots, is out of touch with any stone, no new area can be opened any more: every empty region
lies along stones, and what is left are its borders. Half and nine tenths are round fractions, settled on
while candidate measures were compared with the paper's figures; one to thirteen was set by the paper's mean
of X. So the agreement with the paper's 49 +- 6 and 162 +- 19 (``docs/stages.md``) is no blind test. As with the
5-dan nearly every game has a label X and about two thirds a label Y, the others having ended before.

What it does not see: whether a fight is decided. A game that goes on killing groups after nine tenths of
the board are touched is called an endgame all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.go.coords import Color, Move
from tengen.go.record import GameRecord

__all__ = ["CONTACT_SHARE", "END_SHARE", "MIDDLE_SHARE", "Labels", "label_game"]

MIDDLE_SHARE = 0.5
CONTACT_SHARE = 1 / 13
END_SHARE = 0.9


@dataclass(frozen=True)
class Labels:
    """The number of the move (from 1) that begins the middle game and the endgame; None if the game ended
    before."""

    middle: int | None
    end: int | None


def label_game(
    record: GameRecord,
    *,
    middle_share: float = MIDDLE_SHARE,
    contact_share: float = CONTACT_SHARE,
    end_share: float = END_SHARE,
) -> Labels:
    """X and Y of one game.

    A pass counts as a move and does nothing. Stones set up are there before the first move; a stage that
    they alone bring about began before the game, and has no label.
    """
    board = _Touched(record.rules.width, record.rules.height)
    for color, points in ((Color.BLACK, record.setup_black), (Color.WHITE, record.setup_white)):
        for point in points:
            board.put(point, color)
    before = board.share
    board.contacts = 0
    middle = end = None
    for number, (color, move) in enumerate(record.moves, 1):
        if move >= 0:
            board.put(move, color)
        if middle is None and (board.share >= middle_share or board.contacts >= contact_share * board.area):
            middle = number
        if board.share >= end_share:
            end = number
            break
    return Labels(middle if before < middle_share else None, end if before < end_share else None)


class _Touched:
    """Which points stones were put on or next to, and how often right beside the other side's."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height, self.area = width, height, width * height
        self.touched = 0
        self.contacts = 0
        self._untouched = bytearray(b"\1" * self.area)
        self._stones = bytearray(self.area)

    @property
    def share(self) -> float:
        return self.touched / self.area

    def put(self, move: Move, color: Color) -> None:
        row, column = divmod(move, self.width)
        rows = range(max(row - 1, 0), min(row + 2, self.height))
        columns = range(max(column - 1, 0), min(column + 2, self.width))
        self._stones[move] = color
        enemy = color.opponent
        contact = False
        for r in rows:
            for c in columns:
                point = r * self.width + c
                self.touched += self._untouched[point]
                self._untouched[point] = 0
                contact |= self._stones[point] == enemy and (r == row or c == column)
        self.contacts += contact
