"""Position: the noun every layer passes on. A board, whose turn it is, the rules, and how it came about."""

from collections.abc import Iterable, Iterator

from tengen.errors import IllegalMove
from tengen.go.board import Board
from tengen.go.coords import PASS, Color, Move, format_color, format_gtp
from tengen.go.rules import Goal, Ko, Rules

__all__ = ["Position"]

_MASK = 0xFFFFFFFFFFFFFFFF


class Position:
    """One moment of a game; never changes. ``play`` gives the next one and leaves this one as it was.

    ``board`` is for reading only: to change stones, copy it.
    """

    __slots__ = (
        "_seen",
        "board",
        "handicap",
        "last_color",
        "last_move",
        "move_number",
        "passes",
        "previous",
        "rules",
        "to_move",
    )

    rules: Rules
    board: Board
    to_move: Color
    handicap: int
    previous: "Position | None"
    last_move: Move | None
    last_color: Color
    move_number: int
    passes: int
    _seen: frozenset[int] | None

    def __init__(self) -> None:
        raise TypeError("use Position.start or Position.setup")

    @classmethod
    def _make(
        cls,
        rules: Rules,
        board: Board,
        to_move: Color,
        *,
        handicap: int = 0,
        previous: "Position | None" = None,
        last_move: Move | None = None,
        last_color: Color = Color.EMPTY,
        passes: int = 0,
    ) -> "Position":
        position = object.__new__(cls)
        position.rules = rules
        position.board = board
        position.to_move = to_move
        position.handicap = handicap
        position.previous = previous
        position.last_move = last_move
        position.last_color = last_color
        position.move_number = 0 if previous is None else previous.move_number + 1
        position.passes = passes
        position._seen = None
        return position

    @classmethod
    def start(cls, rules: Rules | None = None) -> "Position":
        """The empty board, Black to move."""
        rules = rules or Rules()
        return cls._make(rules, Board(rules.width, rules.height), Color.BLACK)

    @classmethod
    def setup(
        cls,
        rules: Rules,
        black: Iterable[Move] = (),
        white: Iterable[Move] = (),
        to_move: Color = Color.BLACK,
        handicap: int = 0,
    ) -> "Position":
        """Stones put down, not played. IllegalMove if two share a point or a chain has no liberty."""
        board = Board(rules.width, rules.height)
        for color, points in ((Color.BLACK, black), (Color.WHITE, white)):
            for move in points:
                if board.color_at(move):
                    name = format_gtp(move, rules.width, rules.height)
                    raise IllegalMove(f"setup: two stones on {name}")
                if not board.put(move, color):
                    name = format_gtp(move, rules.width, rules.height)
                    raise IllegalMove(f"setup: a chain without liberties at {name}")
        return cls._make(rules, board, to_move, handicap=handicap)

    def with_rules(self, rules: Rules) -> "Position":
        """This position under other rules of the same board size; its past is kept."""
        if (rules.width, rules.height) != (self.rules.width, self.rules.height):
            raise ValueError("another board size needs another position")
        return self._replaced(rules=rules)

    def with_to_move(self, color: Color) -> "Position":
        return self if color is self.to_move else self._replaced(to_move=color)

    def with_handicap(self, stones: int) -> "Position":
        """The same stones, counted as a handicap of that many."""
        return self if stones == self.handicap else self._replaced(handicap=stones)

    def _replaced(
        self, rules: Rules | None = None, to_move: Color | None = None, handicap: int | None = None
    ) -> "Position":
        position = Position._make(
            rules or self.rules,
            self.board,
            self.to_move if to_move is None else to_move,
            handicap=self.handicap if handicap is None else handicap,
            previous=self.previous,
            last_move=self.last_move,
            last_color=self.last_color,
            passes=self.passes,
        )
        position.move_number = self.move_number
        return position

    # ---- what stands where --------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        return self.rules.width

    @property
    def height(self) -> int:
        return self.rules.height

    def color_at(self, move: Move) -> Color:
        return Color(self.board.color_at(move))

    def stones(self, color: Color) -> list[Move]:
        """The points a colour's stones stand on, ascending."""
        return [move for move, stone in enumerate(self.board.stones_list()) if stone == color]

    @property
    def hash(self) -> int:
        """64-bit Zobrist hash of the stones alone."""
        return self.board.hash

    @property
    def ko(self) -> Move:
        """The point simple ko forbids the side to move, or PASS. None is forbidden under rules without ko."""
        if self.rules.ko is Ko.NONE or self.to_move is self.last_color:
            return PASS
        return self.board.ko_point

    @property
    def key(self) -> int:
        """64 bits for stones, side to move and ko point: equal keys go on alike under simple ko."""
        mixed = self.hash ^ (0x9E3779B97F4A7C15 * (self.to_move + 2 * (self.ko + 2)) & _MASK)
        mixed = (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9 & _MASK
        return mixed ^ (mixed >> 32)

    # ---- how it came about -------------------------------------------------------------------------------------

    def line(self) -> Iterator["Position"]:
        """This position and those before it, newest first."""
        position: Position | None = self
        while position is not None:
            yield position
            position = position.previous

    @property
    def moves(self) -> tuple[tuple[Color, Move], ...]:
        """(colour, move) from the first to the last."""
        played = [
            (position.last_color, position.last_move)
            for position in self.line()
            if position.last_move is not None
        ]
        return tuple(reversed(played))

    @property
    def root(self) -> "Position":
        """Where the game began: empty, or as set up."""
        *_, first = self.line()
        return first

    def situations(self) -> frozenset[int]:
        """What may not come back: hashes of the line's positions, with the side to move mixed in if situational."""
        if self._seen is None:
            todo = []
            for position in self.line():
                if position._seen is not None:
                    break
                todo.append(position)
            before = todo[-1].previous
            seen = set(before._seen or ()) if before is not None else set()
            seen.update(_situation(at.hash, at.to_move, self.rules.ko) for at in todo)
            self._seen = frozenset(seen)
        return self._seen

    # ---- the rules -----------------------------------------------------------------------------------------------

    def why_illegal(self, move: Move, color: Color | None = None, superko: bool = True) -> str | None:
        """What forbids the move, in words, or None. A pass is always legal."""
        color = self.to_move if color is None else color
        if move == PASS:
            return None
        reason = self._obstacle(move, color, superko)
        return reason and f"{format_color(color)} {format_gtp(move, self.width, self.height)} {reason}"

    def _obstacle(self, move: Move, color: Color, superko: bool) -> str | None:
        board = self.board
        if board.color_at(move):
            return "is occupied"
        ko = self.rules.ko
        if move == board.ko_point and ko is not Ko.NONE and color is not self.last_color:
            return "retakes the ko"
        if not board.is_legal_ignoring_ko(move, color, self.rules.suicide):
            return "is suicide"
        if superko and ko in (Ko.POSITIONAL, Ko.SITUATIONAL):
            after = _situation(board.hash_after(move, color), color.opponent, ko)
            if after in self.situations():
                return f"repeats a position ({ko.value.lower()} superko)"
        return None

    def is_legal(self, move: Move, color: Color | None = None, superko: bool = True) -> bool:
        color = self.to_move if color is None else color
        return move == PASS or self._obstacle(move, color, superko) is None

    def legal_moves(self, color: Color | None = None) -> list[Move]:
        """Every legal point, ascending; the pass, always legal, is not listed."""
        return [move for move in self.board.empty_points() if self.is_legal(move, color)]

    def play(self, move: Move, color: Color | None = None, *, superko: bool = True) -> "Position":
        """The position after the move, of the side to move unless a colour is given.

        IllegalMove if the rules forbid it; ``superko=False`` tolerates what only superko forbids. A game that is
        over may be played on.
        """
        color = self.to_move if color is None else color
        reason = self.why_illegal(move, color, superko)
        if reason is not None:
            raise IllegalMove(f"illegal move: {reason}")
        board = self.board.copy()
        if move == PASS:
            board.pass_move()
        else:
            board.place(move, color, True, False)
        return Position._make(
            self.rules,
            board,
            color.opponent,
            handicap=self.handicap,
            previous=self,
            last_move=move,
            last_color=color,
            passes=self.passes + 1 if move == PASS else 0,
        )

    @property
    def captures(self) -> tuple[int, int]:
        """Stones taken (by Black, by White), suicides included."""
        return self.board.captures

    @property
    def capture_winner(self) -> Color:
        """With the goal of a first capture: who has won, or EMPTY. A capture beats one's own suicide."""
        if self.rules.goal is not Goal.FIRST_CAPTURE:
            return Color.EMPTY
        by_black, by_white = self.board.captures
        if not by_black and not by_white:
            return Color.EMPTY
        if self.board.last_captured:
            return self.last_color
        return Color.BLACK if by_black else Color.WHITE

    @property
    def is_over(self) -> bool:
        """Two passes running, or a first capture where that decides."""
        return self.passes >= 2 or self.capture_winner is not Color.EMPTY

    def __repr__(self) -> str:
        return (
            f"<Position {self.width}x{self.height}, move {self.move_number}, "
            f"{format_color(self.to_move)} to play>"
        )


def _situation(stones: int, to_move: Color, ko: Ko) -> int:
    return stones if ko is Ko.POSITIONAL else stones ^ (to_move * 0x9E3779B97F4A7C15 & _MASK)
