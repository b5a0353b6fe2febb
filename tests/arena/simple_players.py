"""Players and a builder for the arena's tests: no engine of the package is needed to test its referee."""

import random
import time
from dataclasses import dataclass
from pathlib import Path

from tengen.arena.conditions import Conditions
from tengen.arena.specs import PlayerSpec
from tengen.errors import ConfigError
from tengen.go.coords import PASS, RESIGN, Move
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Clock, Decision, Limit


class RandomMover:
    """Any legal move that does not fill an own one-point eye; passes when there is none."""

    def __init__(self, seed: int, greedy: bool = False) -> None:
        self.name = "greedy" if greedy else "random"
        self._rng = random.Random(seed)
        self._greedy = greedy

    def new_game(self, rules: Rules) -> None:
        pass

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        moves = position.legal_moves()
        self._rng.shuffle(moves)
        if self._greedy:
            moves = [m for m in moves if m in captures(position)] + moves
        for move in moves:
            if not is_eye(position, move):
                return Decision(move, winrate=0.5, visits=1)
        return Decision(PASS)

    def close(self) -> None:
        pass


def neighbours(position: Position, move: Move) -> list[Move]:
    row, column = divmod(move, position.width)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [r * position.width + c for r, c in around if 0 <= r < position.height and 0 <= c < position.width]


def is_eye(position: Position, move: Move) -> bool:
    return all(position.color_at(near) is position.to_move for near in neighbours(position, move))


def captures(position: Position) -> set[Move]:
    """Last liberties of enemy chains."""
    found = set()
    for stone in position.stones(position.to_move.opponent):
        if position.board.liberties(stone) == 1:
            for point in position.board.chain(stone):
                found.update(n for n in neighbours(position, point) if not position.color_at(n))
    return found


class Scripted:
    """Does one thing at its turn: resigns, passes, sleeps, raises, plays where it may not."""

    def __init__(self, what: str) -> None:
        self.name = what
        self._what, _, value = what.partition("=")
        self._value = float(value or 0)
        self._turn = 0

    def new_game(self, rules: Rules) -> None:
        self._turn = 0

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        self._turn += 1
        if self._what == "resign":
            return Decision(RESIGN)
        if self._what == "sleep":
            time.sleep(self._value)
        if self._what == "raise":
            raise RuntimeError("out of ideas")
        if self._what == "occupied" and position.move_number:
            return Decision(next(m for m in range(81) if position.color_at(m)))
        if self._what == "winrate":
            return Decision(position.legal_moves()[0], winrate=self._value)
        if self._what == "first":
            return Decision(position.legal_moves()[0])
        return Decision(PASS)

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class SimpleBuilder:
    """``random``, ``greedy``, a Scripted word, ``die:FILE`` (ends its process once), or a program."""

    move_timeout: float = 2.0

    def build(self, spec: PlayerSpec, conditions: Conditions, seed: int) -> object:
        if spec.is_program:
            from tengen.front.gtp.client import ProgramPlayer

            return ProgramPlayer(
                spec.command_with_seed(seed),
                name=spec.name,
                startup_timeout=5.0,
                timeout=5.0,
                move_timeout=self.move_timeout,
                grace=0.5,
            )
        if spec.system in ("random", "greedy"):
            return RandomMover(seed, spec.system == "greedy")
        if spec.system == "die":
            return Killer(Path(spec.parameters["at"]), int(spec.parameters.get("times", "1")), seed)
        if spec.system == "script":
            return Scripted(spec.parameters["do"])
        raise ConfigError(f"no system {spec.system!r}")

    def second_opinion(self) -> None:
        return None


class Killer(RandomMover):
    """Ends its own process, as a segfault would, until it has done so often enough."""

    def __init__(self, counter: Path, times: int, seed: int) -> None:
        super().__init__(seed)
        self._counter = counter
        self._times = times

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        import os

        died = len(self._counter.read_text()) if self._counter.exists() else 0
        if died < self._times:
            with self._counter.open("a") as file:
                file.write("x")
            os._exit(11)
        return super().choose(position, limit, clock)
