"""What every game of a match has in common: the board, the rules, the limits and who ends a game when."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tengen.arena.timekeeping import ClockSettings
from tengen.errors import ConfigError, TengenError
from tengen.go.coords import MAX_SIZE
from tengen.go.rules import Rules

__all__ = ["Conditions", "Strict", "validation_text"]


class Strict(BaseModel):
    """A table of a configuration file: immutable, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **fields: Any) -> Self:
        """The same with other values, checked as those of a file are: ConfigError names the wrong one."""
        try:
            return self.model_validate({**self.model_dump(), **fields})
        except ValidationError as error:
            raise ConfigError(validation_text(error)) from None
        except TengenError as error:
            raise ConfigError(str(error)) from None


def validation_text(error: ValidationError) -> str:
    """One line: every complaint with the path of the value it is about."""
    parts = []
    for problem in error.errors():
        path = ".".join(str(step) for step in problem["loc"]) or "(top)"
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            message = "unknown key"
        parts.append(f"{path}: {message}")
    return "; ".join(parts)


class Conditions(Strict):
    """The same for both sides unless a player brings limits of his own."""

    size: int | str = 9
    """The side of a square board, or width and height of a rectangle, ``9x7``; 2 to 25."""
    rules: str = "chinese"
    komi: float | None = None
    handicap: Annotated[int, Field(ge=0, le=9)] = 0
    """Stones the second player of a match puts; he then has Black in every game."""

    playouts: Annotated[int | None, Field(ge=1)] = None
    visits: Annotated[int | None, Field(ge=1)] = None
    seconds: Annotated[float | None, Field(gt=0)] = None
    """A move, asked of the players and not enforced; ``clock`` is enforced."""
    clock: str | None = None
    clock_grace: Annotated[float, Field(ge=0)] = 0.05
    """Seconds of every move the clock forgives."""
    hang_after: Annotated[float, Field(gt=0)] = 300.0
    """Seconds after which a program that does not answer a genmove is given up."""

    move_limit: Annotated[int | None, Field(ge=1)] = None
    """Moves after which the referee counts what stands; None is three times the board."""
    resign_below: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    """A side has resigned whose own winrate stays below this for ``resign_moves`` moves; 0 is never."""
    resign_moves: Annotated[int, Field(ge=1)] = 3
    adjudicate_above: Annotated[float, Field(gt=0.5, le=1)] = 1.0
    """When both sides agree for ``adjudicate_moves`` moves that one wins with this chance, it has; 1 is
    never.
    """
    adjudicate_moves: Annotated[int, Field(ge=2)] = 10

    opening_moves: Annotated[int, Field(ge=0, le=40)] = 4
    """Length of the random openings; 0 starts from the empty board."""
    openings: str | None = None
    """A file of openings instead: SGF, or one line of GTP vertices each."""

    second_opinion: str = "auto"
    """GNU Go counts too: ``always``, ``never``, ``auto`` = games that took a second or more."""

    @field_validator("size")
    @classmethod
    def _size(cls, value: int | str) -> int | str:
        width, height = _sides(value)
        if not (min(width, height) >= 2 and max(width, height) <= MAX_SIZE):
            raise ValueError(f"{width}x{height}: sides go from 2 to {MAX_SIZE}")
        return width if width == height else f"{width}x{height}"

    @field_validator("clock")
    @classmethod
    def _clock(cls, value: str | None) -> str | None:
        return None if value is None else ClockSettings.parse(value).format()

    @field_validator("second_opinion")
    @classmethod
    def _opinion(cls, value: str) -> str:
        if value not in ("auto", "always", "never"):
            raise ValueError("auto, always or never expected")
        return value

    @field_validator("rules")
    @classmethod
    def _rules(cls, value: str) -> str:
        Rules.named(value)
        return value

    @staticmethod
    def of(**fields: Any) -> Conditions:
        """Checked; a wrong value is a ConfigError naming it."""
        try:
            return Conditions(**fields)
        except ValidationError as error:
            raise ConfigError(f"conditions: {validation_text(error)}") from None
        except TengenError as error:
            raise ConfigError(f"conditions: {error}") from None

    def game_rules(self) -> Rules:
        return Rules.named(self.rules, _sides(self.size), self.komi)

    def clock_settings(self) -> ClockSettings | None:
        return None if self.clock is None else ClockSettings.parse(self.clock)

    @property
    def longest_game(self) -> int:
        """Moves."""
        width, height = _sides(self.size)
        return self.move_limit or 3 * width * height


def _sides(size: int | str) -> tuple[int, int]:
    width, times, height = str(size).lower().partition("x")
    try:
        return int(width), int(height if times else width)
    except ValueError:
        raise ConfigError(f"size {size!r}: a number such as 9, or 9x7, expected") from None
