"""A player with a life: built when needed, used for many games, thrown away when he fails."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tengen.arena.conditions import Conditions
from tengen.arena.results import Reason
from tengen.arena.specs import PlayerSpec
from tengen.errors import ConfigError, EngineError, IllegalMove, TengenError

if TYPE_CHECKING:
    from tengen.go.position import Position
    from tengen.go.rules import Rules
    from tengen.players import Player

__all__ = ["Builder", "Contestant", "Opinion", "failure_reason"]


class Opinion(Protocol):
    """Another referee: the result of a finished position in GTP's form (``W+3.5``)."""

    def __call__(self, position: Position) -> str: ...


class Builder(Protocol):
    """Makes players. Pickled into worker processes, so it is plain data; the commands hand one in."""

    def build(self, spec: PlayerSpec, conditions: Conditions, seed: int) -> Player:
        """A player for any number of games. TengenError when the specification makes no sense."""
        ...

    def second_opinion(self) -> Opinion | None:
        """Another program that can count, or None where there is none."""
        ...


@dataclass
class Usage:
    """Counters at one moment."""

    cpu: float
    memory: int
    own_process: bool


class Contestant:
    """One specification, and the player built from it while he lives.

    A program keeps running from game to game; a system of ours is kept too when it can be reseeded, and built
    anew for each game otherwise: what a game becomes must not depend on the games before it.
    """

    def __init__(self, spec: PlayerSpec, conditions: Conditions, builder: Builder) -> None:
        self.spec = spec
        self._conditions = conditions
        self._builder = builder
        self._player: Player | None = None

    def begin(self, rules: Rules, seed: int) -> Player:
        """The player, ready for a new game.

        ConfigError when he cannot be built as specified or will not play under these rules: no game can
        change that, so it ends the match. What a program does wrong is an EngineError, and costs it the game.
        """
        player = self._player
        if player is not None and not self._fresh_enough(player, seed):
            self.close()
            player = None
        try:
            if player is None:
                player = self._player = self._builder.build(self.spec, self._conditions, seed)
            player.new_game(rules)
        except EngineError as error:
            if failure_reason(error) is Reason.REFUSAL:
                raise ConfigError(f"player {self.spec.name!r} will not play this: {error}") from error
            raise
        except TengenError as error:
            raise ConfigError(f"player {self.spec.name!r} ({self.spec.text}): {error}") from error
        return player

    def _fresh_enough(self, player: Player, seed: int) -> bool:
        if not self._can_stay(player):
            return False
        if not self.spec.is_program:
            reseed: Callable[[int], None] = getattr(player, "reseed", lambda given: None)
            reseed(seed)
        return True

    def _can_stay(self, player: Player) -> bool:
        if self.spec.is_program:
            return not self.spec.takes_seed
        return hasattr(player, "reseed")

    def rest(self) -> None:
        """After a game: let a player go who would be built anew for the next one, and the memory he holds."""
        if self._player is not None and not self._can_stay(self._player):
            self.close()

    def usage(self) -> Usage:
        """What the player has used so far; of a player in this process, what this process has."""
        cpu = getattr(self._player, "cpu_seconds", None)
        memory = getattr(self._player, "peak_memory", None)
        if cpu is not None and memory is not None:
            return Usage(float(cpu()), int(memory()), True)
        return Usage(time.process_time(), own_peak_memory(), False)

    @property
    def program(self) -> str:
        """Name and version another program gives itself; empty for a system of ours."""
        return str(getattr(self._player, "program", ""))

    def close(self) -> None:
        """End the player. The next ``begin`` builds a new one. Never raises."""
        player, self._player = self._player, None
        if player is not None:
            with contextlib.suppress(Exception):
                player.close()


def own_peak_memory() -> int:
    """Bytes this process has held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def failure_reason(error: BaseException) -> Reason:
    """Which failure an error of a player is. Programs tell it in words (front.gtp.client); ours by type."""
    if isinstance(error, IllegalMove):
        return Reason.ILLEGAL
    if not isinstance(error, EngineError):
        return Reason.ERROR
    text = str(error).partition("; its last words")[0]
    for reason, marks in _SIGNS:
        if any(mark in text for mark in marks):
            return reason
    return Reason.GARBAGE


_SIGNS = (
    (Reason.REFUSAL, (" refused: ", "knows no board")),
    (Reason.CRASH, ("it ended", "cannot be started", "closed its input", "ended its output")),
    (Reason.HANG, ("no complete answer",)),
    (Reason.ILLEGAL, ("illegal here",)),
)
"""What each failure is called in the words of ``front.gtp.client``; a test plays each kind."""
