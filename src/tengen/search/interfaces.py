"""What goes into a search and what comes out of it, as plain data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tengen.errors import ConfigError
from tengen.go.board import Board
from tengen.go.coords import Color, Move

__all__ = [
    "AnalysisReport",
    "AnalysisRequest",
    "Barred",
    "Branch",
    "Decision",
    "Leaf",
    "Limit",
    "MoveInfo",
    "PlainEvaluator",
    "PlainPruner",
    "PlainSelector",
    "Report",
]


@dataclass(frozen=True)
class Limit:
    """When to stop thinking: whichever comes first. All None leaves it to the player.

    ``playouts`` are simulations made now; ``visits`` count those kept from earlier searches too. ``seconds`` are for
    the search; what else belongs to the move, such as a look whether a pass holds, may take a little longer, but all
    together never more than ``most``.
    """

    playouts: int | None = None
    visits: int | None = None
    seconds: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        for name in ("playouts", "visits", "seconds", "most"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"limit {name}={value}: more than nought expected")

    @property
    def is_set(self) -> bool:
        return self.playouts is not None or self.visits is not None or self.seconds is not None

    def within(self, seconds: float | None, most: float | None) -> "Limit":
        """The same in no more time than a clock gives; as it is where that sets no bound."""
        if seconds is None:
            return self
        if self.seconds is not None:
            seconds = min(seconds, self.seconds)
        return Limit(self.playouts, self.visits, seconds, most)


@dataclass(frozen=True)
class MoveInfo:
    """A candidate of the root. Values are of the side to move at the root."""

    move: Move
    visits: int
    winrate: float
    prior: float
    order: int
    pv: tuple[Move, ...]
    score_lead: float = 0.0
    score_stdev: float = 0.0
    lcb: float = 0.0


@dataclass(frozen=True)
class AnalysisReport:
    """What a search knows at one moment; ``ownership`` row by row from the top, +1 the side to move's."""

    to_move: Color
    moves: tuple[MoveInfo, ...]
    root_visits: int
    root_winrate: float
    root_score: float
    seconds: float
    ownership: tuple[float, ...] | None = None


Report = Callable[[AnalysisReport], None]

Barred = Mapping[Color, Mapping[Move, int]]
"""By colour: the depth below the root from which on it may play a move."""


@dataclass(frozen=True)
class AnalysisRequest:
    """What a front end asks of a live analysis.

    ``allow``/``avoid`` map a colour to the root moves it may only, or may not, play. ``barred`` has the moves a colour
    may not play further down, each until so many moves below the root.
    """

    interval: float = 0.5
    min_moves: int = 0
    max_moves: int = 0
    ownership: bool = False
    limit: Limit = field(default_factory=Limit)
    allow: Mapping[Color, frozenset[Move]] = field(default_factory=dict)
    avoid: Mapping[Color, frozenset[Move]] = field(default_factory=dict)
    barred: Barred = field(default_factory=dict)


@dataclass(frozen=True)
class Decision:
    """A move and why. ``winrate`` and ``score`` are of the side that moves; None where the player has none."""

    move: Move
    winrate: float | None = None
    score: float | None = None
    visits: int = 0
    pv: tuple[Move, ...] = ()
    seconds: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict)


# ---- parts of the search written in plain Python (see python_parts.py) -------------------------------------------


@dataclass(frozen=True)
class Branch:
    """A move of a node, as a selector sees it: results are sums of 0..1 for the side to move there.

    ``open`` is False for one that may not be chosen.
    """

    move: Move
    visits: int
    wins: float
    prior: float
    amaf_visits: float
    amaf_wins: float
    open: bool


@dataclass(frozen=True)
class Leaf:
    """A position the search has come to. The board is a copy: play on it as you like.

    ``passes`` were just made in a row; ``komi`` is what Black must beat, with all that the rules add to it.
    """

    board: Board
    to_move: Color
    passes: int
    komi: float


class PlainSelector(Protocol):
    """May have ``uses_amaf = True``; without it the AMAF figures stay nought."""

    def select(self, visits: int, branches: Sequence[Branch]) -> int:
        """The index of the branch to follow from a node of so many visits. One is open always."""


class PlainPruner(Protocol):
    """May have ``begin(position)``: it is told of the root before each search."""

    def moves(self, leaf: Leaf) -> Iterable[tuple[Move, float]]:
        """The legal moves to look at and how good each looks, in shares of any sum; the pass is added if absent."""


class PlainEvaluator(Protocol):
    def evaluate(self, leaf: Leaf) -> float:
        """-1..1 for the side to move. Asked only while the game goes on; from several threads, one at a time."""
