"""What everything else is compared with: random, greedy, plain UCT, UCT with RAVE."""

import random
import time
from dataclasses import dataclass

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move, neighbours
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.knowledge.playout import CapturePlayout, Playout, UniformPlayout
from tengen.players import Clock, Decision, Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.parts import Evaluator, Pruner, Selector
from tengen.search.search import Search
from tengen.search.selectors import Puct, Rave, Ucb1
from tengen.search_player import PlayStyle, SearchPlayer
from tengen.systems import Resources
from tengen.systems.net_parts import NetParameters, net_guide

__all__ = ["GreedyPlayer", "RandomPlayer", "build_greedy", "build_random", "build_rave", "build_uct"]


class _MovePlayer:
    """A player that looks at the board once."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._seed = seed
        self._rng = random.Random(seed)

    def new_game(self, rules: Rules) -> None:
        """Nothing is remembered; the random sequence goes on, so that games differ."""

    def close(self) -> None:
        """Nothing to let go of."""

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        started = time.perf_counter()
        return Decision(self._move(position), seconds=time.perf_counter() - started)

    def _move(self, position: Position) -> Move:
        raise NotImplementedError


class RandomPlayer(_MovePlayer):
    """Any legal move that fills no own one-point eye, all alike; passes when there is none."""

    def _move(self, position: Position) -> Move:
        points = position.board.empty_points()
        self._rng.shuffle(points)
        eyes_count = position.rules.goal is Goal.SCORE
        for move in points:
            if eyes_count and position.board.is_eye(move, position.to_move):
                continue
            if position.is_legal(move):
                return move
        return PASS


class GreedyPlayer(_MovePlayer):
    """Takes the most stones it can, else saves the most it can, else any sensible move."""

    def _move(self, position: Position) -> Move:
        board, color = position.board, position.to_move
        best, high = PASS, -1.0
        for move in position.board.empty_points():
            if not position.is_legal(move) or board.is_eye(move, color):
                continue
            value = _greed(position, move, color) + self._rng.random()
            if value > high:
                best, high = move, value
        return best


def _greed(position: Position, move: Move, color: Color) -> float:
    """Ten for every stone captured, five for every own stone taken out of atari, less for standing in atari."""
    before = position.board.captures
    after = position.board.copy()
    saved = sum(
        1
        for point in neighbours(move, position.width, position.height)
        if position.color_at(point) is color and after.in_atari(point)
    )
    after.place(move, color, True, False)
    taken = after.captures[color - 1] - before[color - 1]
    exposed = after.color_at(move) == color and after.in_atari(move)
    return 10 * taken + (0 if exposed else 5 * saved) - (8 if exposed else 0)


@dataclass(frozen=True)
class RandomParameters:
    """Random has nothing to set."""


@dataclass(frozen=True)
class GreedyParameters:
    """Greedy has nothing to set."""


def build_random(parameters: RandomParameters, resources: Resources) -> RandomPlayer:
    return RandomPlayer("random", resources.seed)


def build_greedy(parameters: GreedyParameters, resources: Resources) -> GreedyPlayer:
    return GreedyPlayer("greedy", resources.seed)


@dataclass(frozen=True)
class UctParameters(NetParameters):
    """Plain UCT.

    exploration: UCB1's constant. expand: visits that make a leaf a node. seconds: time a move where nothing else
    is said. playouts: ``uniform`` or ``guided``. puct: with ``--net`` the constant of PUCT, UCB1 with a prior, which
    then chooses.
    """

    exploration: float = 0.45
    expand: int = 2
    seconds: float = 1.0
    playout: str = "uniform"
    resign: float = 0.08
    puct: float = 1.0


@dataclass(frozen=True)
class RaveParameters(NetParameters):
    """UCT with RAVE.

    equivalence: visits at which AMAF and the true mean weigh alike. prior: weight of the knowledge prior in the
    selection. widen: base of progressive widening, 0 for none. knowledge: priors from `MoveKnowledge` (else all
    moves alike). playout: ``uniform`` or ``guided``. score: weight of the margin in a playout's value. puct: with
    ``--net`` the constant of PUCT over the values RAVE mixes, which then chooses.
    """

    equivalence: float = 1000.0
    prior: float = 0.8
    exploration: float = 0.0
    widen: float = 0.0
    expand: int = 4
    seconds: float = 1.0
    playout: str = "guided"
    knowledge: bool = True
    score: float = 0.02
    resign: float = 0.08
    puct: float = 1.0


def make_playout(name: str, rules: Rules) -> Playout:
    """A playout policy by name; Capture Go has its own."""
    if rules.goal is Goal.FIRST_CAPTURE:
        return CapturePlayout()
    if name == "uniform":
        return UniformPlayout()
    if name == "guided":
        from tengen.knowledge.guided import GuidedPlayout

        return GuidedPlayout()
    raise ConfigError(f"playout {name!r}: uniform or guided expected")


def make_pruner(knowledge: bool, rules: Rules) -> Pruner:
    """All sensible moves, with knowledge priors if wanted; Capture Go knows no eyes, so nothing is left out."""
    if knowledge and rules.goal is Goal.SCORE:
        from tengen.search.pruners import KnowledgePruner

        return KnowledgePruner()
    return Pruner()


def build_uct(parameters: UctParameters, resources: Resources) -> SearchPlayer:
    guide = net_guide(parameters, resources)

    def make(rules: Rules) -> Search:
        selector: Selector = Ucb1(parameters.exploration)
        pruner = Pruner()
        evaluator: Evaluator = PlayoutEvaluator(make_playout(parameters.playout, rules))
        if guide is not None:
            selector, pruner = Puct(parameters.puct), guide.pruner(rules)
            evaluator = guide.evaluator(evaluator)
        return Search(
            selector,
            pruner,
            evaluator,
            threads=resources.threads,
            memory_mb=resources.memory_mb,
            expand_after=parameters.expand if guide is None else parameters.judge,
            seed=resources.seed,
        )

    return SearchPlayer("uct", make, PlayStyle(Limit(seconds=parameters.seconds), parameters.resign))


def build_rave(parameters: RaveParameters, resources: Resources) -> SearchPlayer:
    guide = net_guide(parameters, resources)

    def make(rules: Rules) -> Search:
        selector: Selector
        evaluator: Evaluator = PlayoutEvaluator(make_playout(parameters.playout, rules), parameters.score)
        if guide is None:
            pruner = make_pruner(parameters.knowledge, rules)
            selector = Rave(
                parameters.equivalence, parameters.exploration, parameters.prior, 1.0, parameters.widen
            )
        else:
            pruner = guide.pruner(rules)
            selector = Puct(parameters.puct, amaf_equivalence=parameters.equivalence)
            evaluator = guide.evaluator(evaluator)
        return Search(
            selector,
            pruner,
            evaluator,
            threads=resources.threads,
            memory_mb=resources.memory_mb,
            expand_after=parameters.expand if guide is None else parameters.judge,
            seed=resources.seed,
        )

    return SearchPlayer("rave", make, PlayStyle(Limit(seconds=parameters.seconds), parameters.resign))
