"""One game as the arena keeps it: who, how it ended, what it cost. Everything here is plain data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from tengen.arena.stats import Tally
from tengen.errors import DataError

__all__ = ["GameKey", "GameResult", "Reason", "SideCost", "derive_seed", "digest_of_moves", "tally"]


class GameKey(NamedTuple):
    """A game's identity in a tournament: the pairing (in the order it was listed) and the number in it.

    Games 2k and 2k+1 are a pair: one opening, colours exchanged, ``a`` Black in the even one.
    """

    a: str
    b: str
    number: int

    @property
    def pair(self) -> int:
        return self.number // 2

    def text(self) -> str:
        return f"{self.a} - {self.b} game {self.number + 1}"


class Reason(StrEnum):
    """Why a game ended."""

    SCORE = "score"
    CAPTURE = "capture"
    RESIGN = "resign"
    TIME = "time"
    MOVE_LIMIT = "move limit"
    ADJUDICATION = "adjudication"
    ILLEGAL = "illegal move"
    CRASH = "crash"
    HANG = "hang"
    GARBAGE = "garbage"
    REFUSAL = "refusal"
    ERROR = "error"

    @property
    def is_failure(self) -> bool:
        """Whether a side lost by not playing properly."""
        return self in _FAILURES


_FAILURES = frozenset(
    (Reason.ILLEGAL, Reason.CRASH, Reason.HANG, Reason.GARBAGE, Reason.REFUSAL, Reason.ERROR)
)


@dataclass(frozen=True)
class SideCost:
    """What one side spent in one game. Memory is the peak of its process, which both sides may share."""

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    own_process: bool = False

    def __add__(self, other: SideCost) -> SideCost:
        return SideCost(
            self.moves + other.moves,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
            self.cpu_seconds + other.cpu_seconds,
            max(self.peak_memory, other.peak_memory),
            self.own_process or other.own_process,
        )

    @property
    def seconds_per_move(self) -> float:
        return self.seconds / self.moves if self.moves else 0.0

    @property
    def cpu_per_move(self) -> float:
        return self.cpu_seconds / self.moves if self.moves else 0.0


@dataclass(frozen=True)
class GameResult:
    """A finished game. ``winner`` is a player's name, "" for a draw and for a game that was nobody's.

    ``void`` games (a worker died under them) are listed and counted by no statistic. ``overhead`` is the arena's
    own work in processor seconds: all but making the players, their thinking and the second opinion.
    """

    key: GameKey
    seed: int
    black: str
    white: str
    winner: str
    result: str
    reason: Reason
    detail: str
    moves: int
    digest: str
    opening: str
    seconds: float
    overhead: float
    black_cost: SideCost
    white_cost: SideCost
    second_opinion: str | None = None
    disagreement: bool = False
    void: bool = False
    black_program: str = ""
    white_program: str = ""
    sgf: bytes | None = None

    @property
    def loser(self) -> str:
        if not self.winner:
            return ""
        return self.white if self.winner == self.black else self.black

    def points_of(self, player: str) -> float:
        """1, 1/2 or 0 for a player of this game."""
        if not self.winner:
            return 0.5
        return float(self.winner == player)

    def cost_of(self, player: str) -> SideCost:
        return self.black_cost if player == self.black else self.white_cost

    def program_of(self, player: str) -> str:
        """What the program behind a player called itself, with its version; empty for a system of ours."""
        return self.black_program if player == self.black else self.white_program

    def to_json(self) -> dict[str, Any]:
        """Everything but the record itself, which has a file of its own."""
        fields = asdict(self)
        fields["key"] = list(self.key)
        fields["reason"] = self.reason.value
        del fields["sgf"]
        return fields

    @staticmethod
    def from_json(fields: dict[str, Any]) -> GameResult:
        try:
            a, b, number = fields["key"]
            known = dict(fields)
            known["key"] = GameKey(str(a), str(b), int(number))
            known["reason"] = Reason(fields["reason"])
            known["black_cost"] = SideCost(**fields["black_cost"])
            known["white_cost"] = SideCost(**fields["white_cost"])
            return GameResult(**known)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a game's result: {error}") from None


def derive_seed(*parts: object) -> int:
    """63 bits that depend on all of the parts and on nothing else (no process, no order of events)."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def digest_of_moves(moves: Sequence[int]) -> str:
    """A short fingerprint: two games with the same one had the same moves."""
    return hashlib.blake2b(",".join(map(str, moves)).encode(), digest_size=8).hexdigest()


def tally(results: Iterable[GameResult], player: str, opponent: str | None = None) -> Tally:
    """The player's games, against one opponent or all, counted from his side."""
    wins = draws = losses = 0
    for game in results:
        if game.void or player not in (game.black, game.white):
            continue
        if opponent is not None and opponent not in (game.black, game.white):
            continue
        if not game.winner:
            draws += 1
        elif game.winner == player:
            wins += 1
        else:
            losses += 1
    return Tally(wins, draws, losses)
