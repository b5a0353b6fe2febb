"""Which root move to play once the search is over."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.go.coords import Move

__all__ = ["Chooser", "MostVisited", "RootMove", "Softened"]


@dataclass(frozen=True)
class RootMove:
    """What the search found of a root move; values for the side to move."""

    move: Move
    visits: int
    winrate: float
    prior: float


class Chooser(Protocol):
    def choose(self, moves: Sequence[RootMove], rng: random.Random) -> int:
        """The index of the move to play among at least one."""


class MostVisited:
    """The move looked at most; of equals the better, then the likelier."""

    def choose(self, moves: Sequence[RootMove], rng: random.Random) -> int:
        return max(range(len(moves)), key=lambda i: (moves[i].visits, moves[i].winrate, moves[i].prior))


@dataclass(frozen=True)
class Softened:
    """A move drawn in proportion to visits ** (1 / temperature): variety, and weaker play as it grows."""

    temperature: float = 1.0

    def choose(self, moves: Sequence[RootMove], rng: random.Random) -> int:
        most = max(move.visits for move in moves)
        if most == 0 or self.temperature <= 0:
            return MostVisited().choose(moves, rng)
        weights = [(move.visits / most) ** (1 / self.temperature) for move in moves]
        return rng.choices(range(len(moves)), weights)[0]
