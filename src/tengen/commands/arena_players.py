"""The players of a match, built from their specifications: systems of ours here, other programs over GTP."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tengen.arena.conditions import Conditions
from tengen.arena.game import limits_of
from tengen.arena.specs import PlayerSpec, command_words, program_path
from tengen.errors import ConfigError, EngineError
from tengen.go.rules import Scoring

if TYPE_CHECKING:
    from tengen.front.gtp.client import ProgramPlayer
    from tengen.go.position import Position
    from tengen.players import Player

__all__ = ["EngineBuilder", "GnuGoReferee", "find_gnugo"]


def find_gnugo() -> str | None:
    """GNU Go's path, or None."""
    return program_path("gnugo")


@dataclass(frozen=True)
class EngineBuilder:
    """Plain data that travels to worker processes and builds players there.

    ``separate`` gives each system of ours a process of its own, as another program has: then CPU time and
    memory are its own too.
    """

    separate: bool = False
    memory_mb: int | None = None

    def build(self, spec: PlayerSpec, conditions: Conditions, seed: int) -> Player:
        if spec.is_program:
            return self._program(spec, conditions, _found(command_words(spec.command_with_seed(seed))))
        if self.separate:
            return self._program(spec, conditions, self._own_command(spec, conditions, seed))
        return self._system(spec, seed)

    def _program(self, spec: PlayerSpec, conditions: Conditions, command: list[str]) -> ProgramPlayer:
        from tengen.front.gtp.client import ProgramPlayer

        return ProgramPlayer(command, name=spec.name, move_timeout=conditions.hang_after)

    def _own_command(self, spec: PlayerSpec, conditions: Conditions, seed: int) -> list[str]:
        words = [sys.executable, "-m", "tengen", "gtp", "--engine", str(spec.system), "--seed", str(seed)]
        limits = limits_of(spec, conditions)
        names = ("playouts", "visits", "time-per-move", "memory")
        for option, number in zip(names, (*limits, self.memory_mb), strict=True):
            if number is not None:
                words += [f"--{option}", str(number)]
        for key, value in spec.parameters.items():
            words += ["--param", f"{key}={value}"]
        return words

    def _system(self, spec: PlayerSpec, seed: int) -> Player:
        from tengen.systems import Resources, make_player

        resources = Resources(seed=seed)
        if self.memory_mb is not None:
            resources = replace(resources, memory_mb=self.memory_mb)
        return make_player(spec.text, resources)

    def second_opinion(self) -> GnuGoReferee | None:
        path = find_gnugo()
        return None if path is None else GnuGoReferee(path)


def _found(words: list[str]) -> list[str]:
    """The command with its program's path. ConfigError when there is no such program: no game would change
    that.
    """
    path = program_path(words[0])
    if path is None:
        raise ConfigError(f"no program {words[0]!r} here")
    return [path, *words[1:]]


class GnuGoReferee:
    """GNU Go's ``final_score`` of a finished position, under the position's way of scoring."""

    def __init__(self, path: str, timeout: float = 120.0) -> None:
        self._path = path
        self._timeout = timeout
        self._programs: dict[Scoring, ProgramPlayer] = {}

    def __call__(self, position: Position) -> str:
        """The result as GNU Go writes it. EngineError when it cannot say (a board it does not know)."""
        rules = position.rules
        if rules.width != rules.height or not 5 <= rules.width <= 19:
            raise EngineError(f"GNU Go knows no board of {rules.width}x{rules.height}")
        return self._program(rules.scoring).final_score(position)

    def _program(self, scoring: Scoring) -> ProgramPlayer:
        from tengen.front.gtp.client import ProgramPlayer

        if scoring not in self._programs:
            way = "--chinese-rules" if scoring is Scoring.AREA else "--japanese-rules"
            self._programs[scoring] = ProgramPlayer(
                [self._path, "--mode", "gtp", "--level", "10", way], timeout=self._timeout
            )
        return self._programs[scoring]

    def close(self) -> None:
        for program in self._programs.values():
            program.close()
        self._programs.clear()
