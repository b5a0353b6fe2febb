"""Capture Go by a bred evaluator and alpha-beta (Cai and Wunsch 2007), for boards from 5x5 to 13x13.

The first capture wins. The player needs the rules ``capture``; it passes only when no move is legal, and
never resigns. Levels go from random to champion, and it says in words what a move does.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.players import Clock, Decision, Hint, Limit, Threat
from tengen.search.alphabeta import AlphaBeta, LineResult
from tengen.systems import Resources
from tengen.systems.capture_champions import find_champion
from tengen.systems.capture_defender import DefensiveChooser
from tengen.systems.capture_games import Chooser, RandomChooser
from tengen.systems.capture_net import CaptureNet
from tengen.systems.capture_teacher import ending, explain_move, threats

__all__ = ["LEVELS", "CapturePlayer", "Level", "Parameters", "build"]


@dataclass(frozen=True)
class Level:
    """How well it plays: the share of moves made at random, plies searched, plies of ataris read beyond
    them.
    """

    stray: float
    depth: int
    reading: int


LEVELS: dict[str, Level] = {
    "random": Level(1.0, 1, 0),
    "1": Level(1.0, 1, 0),
    "2": Level(0.6, 1, 0),
    "3": Level(0.3, 1, 0),
    "4": Level(0.15, 1, 0),
    "5": Level(0.15, 1, 1),
    "6": Level(0.05, 1, 1),
    "7": Level(0.0, 1, 1),
    "8": Level(0.0, 2, 4),
    "9": Level(0.0, 3, 10),
    "10": Level(0.0, 0, 0),
    "champion": Level(0.0, 0, 0),
}
"""By name; depth 0 takes the parameters' depth and reading."""


@dataclass(frozen=True)
class Parameters:
    """What ``--param`` and a spec such as ``capture:champion=pso,depth=2`` set."""

    champion: str = "best"  # a method whose champion is shipped, a file, ``defensive`` or ``random``
    depth: int = 4  # plies, an answer to atari not counted
    reading: int = 12  # plies of ataris and answers read beyond them
    seconds: float = 5.0  # the longest a move may take where nothing else is said
    level: str = "champion"  # see LEVELS

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 20:
            raise ConfigError(f"depth {self.depth}: 1 to 20 expected")
        if not 0 <= self.reading <= 200:
            raise ConfigError(f"reading {self.reading}: 0 to 200 expected")
        if not self.seconds > 0:
            raise ConfigError(f"seconds {self.seconds}: a positive number expected")
        if self.level not in LEVELS:
            raise ConfigError(f"level {self.level!r}: one of {', '.join(LEVELS)} expected")


class CapturePlayer:
    """Player, Stoppable, Explainer and Teacher of Capture Go; not for two threads at once, but for ``stop``."""

    def __init__(self, parameters: Parameters, seed: int = 1) -> None:
        self.name = f"capture-{parameters.champion.rsplit('/', 1)[-1].removesuffix('.json')}"
        self.parameters = parameters
        self._random = random.Random(seed)
        self._search: AlphaBeta | None = None
        self._size = 0
        self._stop = False

    # ---- a game -----------------------------------------------------------------------------------

    def new_game(self, rules: Rules) -> None:
        """Load the champion for this board; ConfigError unless it is square, of a known size, and Capture
        Go.
        """
        self._prepare(rules)

    def close(self) -> None:
        self._search = None
        self._size = 0

    def stop(self) -> None:
        self._stop = True
        if self._search is not None:
            self._search.stopped = True

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        """The move at this level. ``playouts`` or ``visits`` of a limit count positions looked at."""
        began = time.perf_counter()
        self._stop = False
        self._prepare(position.rules)
        level = LEVELS[self.parameters.level]
        simple = self._simple_chooser()
        if simple is None and level.stray and self._random.random() < level.stray:
            simple = RandomChooser()
        if simple is not None or self._search is None:
            move = (simple or RandomChooser()).move(position.board, position.to_move, self._random)
            return Decision(move, seconds=time.perf_counter() - began)
        depth = level.depth or self.parameters.depth
        self._search.reading = level.reading if level.depth else self.parameters.reading
        found = self._timed(position, depth, limit, clock)
        return Decision(
            found.move,
            winrate=_winrate(found),
            visits=found.nodes,
            pv=(found.move,),
            seconds=time.perf_counter() - began,
            info={"depth": found.depth, "plies_to_capture": found.plies, "value": found.value},
        )

    def _timed(self, position: Position, depth: int, limit: Limit | None, clock: Clock | None) -> LineResult:
        assert self._search is not None
        seconds: float | None = self.parameters.seconds
        nodes = 0
        if limit is not None and limit.is_set:
            seconds = limit.seconds
            nodes = limit.playouts or limit.visits or 0
        elif clock is not None:
            budget = clock.budget(position)
            seconds = budget if budget is not None else seconds
        self._search.stopped = False
        timer = threading.Timer(seconds, self.stop) if seconds is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            return self._search.search(position.board, position.to_move, depth, node_limit=nodes)
        finally:
            if timer is not None:
                timer.cancel()

    def _simple_chooser(self) -> Chooser | None:
        if self.parameters.champion == "defensive":
            return DefensiveChooser()
        return RandomChooser() if self.parameters.champion == "random" else None

    def _prepare(self, rules: Rules) -> None:
        if rules.goal is not Goal.FIRST_CAPTURE:
            raise ConfigError(f"{self.name} plays Capture Go only: start with --rules capture")
        if self._simple_chooser() is not None or (self._search is not None and self._size == rules.width):
            return
        if rules.width != rules.height:
            raise ConfigError(f"board {rules.width}x{rules.height}: {self.name} plays on square boards only")
        champion = find_champion(self.parameters.champion, rules.width)
        self._search = AlphaBeta(
            CaptureNet(champion.size, champion.weights, champion.slope), 1, table_bits=18
        )
        self._size = rules.width

    # ---- the teacher ------------------------------------------------------------------------------

    def explain(self, position: Position, move: Move) -> str:
        """What the move does by the rules, and what reading finds after it."""
        text = explain_move(position, move)
        after = position.play(move)
        if after.is_over or move == PASS or self._simple_chooser() is not None:
            return text
        self._prepare(position.rules)
        assert self._search is not None
        self._search.reading = self.parameters.reading
        reply = self._search.search(after.board, after.to_move, 2)
        if not reply.decided or "But" in text:
            return text
        mine = "Black" if position.to_move is Color.BLACK else "White"
        other = "White" if position.to_move is Color.BLACK else "Black"
        winner = other if reply.value > 0 else mine
        return f"{text} From here {winner} can force a capture in {reply.plies} moves."

    def hint(self, position: Position) -> Hint:
        """The champion's move whatever the level, the words for it, and every chain in atari."""
        self._prepare(position.rules)
        if self._search is None:
            move = self.choose(position).move
        else:
            self._search.reading = self.parameters.reading
            move = self._timed(position, self.parameters.depth, Limit(seconds=1.0), None).move
        return Hint(move, self.explain(position, move), tuple(threats(position)))

    def threatened(self, position: Position) -> list[Threat]:
        """Every chain in atari, the longest first."""
        return threats(position)

    def ending(self, position: Position) -> str:
        """The end of the game in words; empty while it goes on."""
        return ending(position)


def _winrate(found: LineResult) -> float:
    if found.decided:
        return 1.0 if found.value > 0 else 0.0
    return 0.5 + 0.5 * max(-1.0, min(1.0, found.value))


def build(parameters: Parameters, resources: Resources) -> CapturePlayer:
    """A player; ``--level`` and ``--seed`` come with the resources."""
    if resources.level is not None:
        if resources.level not in LEVELS:
            raise ConfigError(f"level {resources.level!r}: one of {', '.join(LEVELS)} expected")
        parameters = Parameters(**{**parameters.__dict__, "level": resources.level})
    return CapturePlayer(parameters, resources.seed)
