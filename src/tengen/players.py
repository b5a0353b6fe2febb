"""What plays a game: the protocols every front end and the arena speak to."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tengen.go.coords import Color, Move
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.search.clock import Clock
from tengen.search.interfaces import (
    AnalysisReport,
    AnalysisRequest,
    Decision,
    Limit,
    MoveInfo,
    Report,
)

__all__ = [
    "AnalysisReport",
    "AnalysisRequest",
    "Analyst",
    "Clock",
    "Decision",
    "Explainer",
    "Hint",
    "Judge",
    "Limit",
    "MoveInfo",
    "Player",
    "Ponderer",
    "Report",
    "Stoppable",
    "Teacher",
    "Threat",
]


@runtime_checkable
class Player(Protocol):
    """Chooses moves. Told nothing of a game but the position, which carries its past."""

    name: str

    def new_game(self, rules: Rules) -> None:
        """Forget the last game."""

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        """A legal move (superko included), PASS or RESIGN for the side to move."""

    def close(self) -> None:
        """Let go of threads, files and programs; the player may not be used again."""


@runtime_checkable
class Stoppable(Protocol):
    def stop(self) -> None:
        """End the choosing under way in another thread soon; it answers with the best found."""


@runtime_checkable
class Analyst(Protocol):
    """Can think aloud."""

    def analyze(
        self, position: Position, request: AnalysisRequest, report: Report, stop: threading.Event
    ) -> Decision:
        """Search until the limit or until stop is set, reporting every interval; the move it would play."""


@runtime_checkable
class Ponderer(Protocol):
    """Can think on the opponent's time."""

    def ponder(self, position: Position, stop: threading.Event) -> None:
        """Search until stop is set or memory is full, to be quicker next time."""


@runtime_checkable
class Judge(Protocol):
    """Has an opinion on what is dead and whose a point is."""

    def dead_stones(self, position: Position) -> frozenset[Move]:
        """The stones that would be taken off if the game ended here."""

    def ownership(self, position: Position) -> list[float]:
        """-1 White's ... +1 Black's for every point, row by row from the top."""


@runtime_checkable
class Explainer(Protocol):
    """Can say why, in words."""

    def explain(self, position: Position, move: Move) -> str: ...


@dataclass(frozen=True)
class Threat:
    """A chain with one liberty left: its colour, its stones, and the point where it can be taken (or
    saved).
    """

    color: Color
    stones: tuple[Move, ...]
    liberty: Move


@dataclass(frozen=True)
class Hint:
    """What a teacher shows: a move, why, and the chains in danger."""

    move: Move
    text: str
    threats: tuple[Threat, ...]


@runtime_checkable
class Teacher(Protocol):
    """Helps whoever learns, as well as it can whatever level it plays at."""

    def hint(self, position: Position) -> Hint: ...

    def threatened(self, position: Position) -> Sequence[Threat]:
        """Every chain in atari, the longest first."""

    def ending(self, position: Position) -> str:
        """How the game ended, in words; empty while it goes on."""
