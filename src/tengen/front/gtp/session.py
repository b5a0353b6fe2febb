"""The game an engine is asked about: set-up, moves, rules, time; undo as far as it goes back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tengen.errors import RulesError
from tengen.front.gtp.time_control import TimeControl
from tengen.go.coords import PASS, Color, Move
from tengen.go.position import Position
from tengen.go.rules import Rules

if TYPE_CHECKING:
    from tengen.go.record import GameRecord

__all__ = ["Session"]


class Session:
    """One game, as a front end builds it up. A refused change leaves everything as it was.

    Whose turn it is follows the moves; a ``play`` or ``genmove`` of the other colour simply is that colour's.
    A handicap is what was placed as one, or several black plays at the start with no white one between: it
    counts for the compensation of rules that have one.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.time = TimeControl()
        self.position = Position.start(rules)
        self._black: tuple[Move, ...] = ()
        self._white: tuple[Move, ...] = ()
        self._first = Color.BLACK

    # ---- what it is ---------------------------------------------------------------------------------------

    @property
    def moves(self) -> tuple[tuple[Color, Move], ...]:
        return self.position.moves

    @property
    def to_move(self) -> Color:
        return self.position.to_move

    @property
    def empty(self) -> bool:
        """No stone on the board."""
        return self.position.hash == 0

    @property
    def handicap(self) -> int:
        """Handicap stones: those set up, and Black's plays before White's first if two or more."""
        stones = 0 if self._white else len(self._black)
        opening = 0
        for color, move in self.moves:
            if color is not Color.BLACK or move == PASS:
                break
            opening += 1
        if opening >= 2:
            stones += opening
        return stones if stones >= 2 else 0

    def position_for(self, color: Color | None = None) -> Position:
        """The position with this colour to move, and its handicap counted."""
        position = self.position.with_handicap(self.handicap)
        return position if color is None else position.with_to_move(color)

    # ---- changes ------------------------------------------------------------------------------------------

    def resize(self, width: int, height: int) -> None:
        """An empty board of another size. Raises CoordinateError for a size no board has."""
        self.rules = self.rules.replace(width=width, height=height)
        self.clear()

    def clear(self) -> None:
        """A new game under the same rules and time settings."""
        self.set_up((), (), Color.BLACK)
        self.time.reset()

    def change_rules(self, rules: Rules) -> None:
        """Other rules or komi for this very game, on the same board; moves already made stay."""
        if (rules.width, rules.height) != (self.rules.width, self.rules.height):
            raise RulesError("the rules of a game do not change its board")
        self.rules = rules
        self.position = self.position.with_rules(rules)

    def play(self, color: Color, move: Move) -> None:
        """A move of either colour, whatever superko says. Raises IllegalMove on occupied points, ko,
        suicide."""
        self.position = self.position.play(move, color, superko=False)

    def undo(self, count: int = 1) -> bool:
        """Take back moves; False (and nothing changes) when there are not so many."""
        if not 0 <= count <= self.position.move_number:
            return False
        position = self.position
        for _ in range(count):
            if position.previous is None:
                return False
            position = position.previous
        self.position = position if position.rules is self.rules else position.with_rules(self.rules)
        return True

    def set_up(self, black: Iterable[Move], white: Iterable[Move], to_move: Color) -> None:
        """These stones, no moves. Raises IllegalMove for a chain without liberties or a point named twice."""
        black, white = tuple(black), tuple(white)
        if black or white:
            self.position = Position.setup(self.rules, black, white, to_move)
        else:
            self.position = Position.start(self.rules).with_to_move(to_move)
        self._black, self._white, self._first = black, white, to_move

    def set_to_move(self, color: Color) -> None:
        """Whose turn it is, said by the front end."""
        self.position = self.position.with_to_move(color)
        if self.position.previous is None:
            self._first = color

    # ---- records ------------------------------------------------------------------------------------------

    def load(self, record: GameRecord, moves: int | None = None) -> None:
        """Become a recorded game, of which only the first ``moves`` moves are played.

        Raises IllegalMove where the record goes wrong; the session is then unchanged.
        """
        fresh = Session(record.rules)
        fresh.set_up(record.setup_black, record.setup_white, record.first)
        for color, move in record.moves if moves is None else record.moves[:moves]:
            fresh.play(color, move)
        self.rules, self.position = fresh.rules, fresh.position
        self._black, self._white, self._first = fresh._black, fresh._white, fresh._first

    def record(self) -> GameRecord:
        """The game as it stands, for writing."""
        from tengen.go.record import GameRecord

        return GameRecord(
            rules=self.rules,
            handicap=0 if self._white or len(self._black) < 2 else len(self._black),
            setup_black=self._black,
            setup_white=self._white,
            first=self._first,
            moves=list(self.moves),
        )
