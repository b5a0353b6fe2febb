"""mucgo: MCTS for the middle game on a low-cost PC.

Before and after the middle game of a 19x19 game, pattern matching on domain knowledge; in it, and on smaller boards
all the time, Algorithm 1: grow the tree, prune in two layers (Algorithm 2), value what remains by Eq. 9, and follow
one drawn from the high-quality interval. Where the middle game begins and ends is drawn for every game from T1 and
T2 (Eq. 6-8), fitted to a collection of games by `tengen stages fit`.
"""

import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Move
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.knowledge.moves import move_values
from tengen.players import AnalysisRequest, Clock, Decision, Limit, Report
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.parts import Evaluator, Pruner
from tengen.search.pruners import KnowledgePruner
from tengen.search.search import Search
from tengen.search_player import PlayStyle, SearchPlayer
from tengen.systems import Resources
from tengen.systems.baselines import make_playout, make_pruner
from tengen.systems.mucgo_parts import LayeredPruner, QualityInterval
from tengen.systems.net_parts import NetParameters, net_guide
from tengen.systems.stages import Thresholds, open_thresholds

__all__ = ["Mucgo", "Parameters", "build"]


@dataclass(frozen=True)
class Parameters(NetParameters):
    """Every number of the paper, and those it leaves open.

    f: weight of knowledge in Eq. 9, g = 1 - f (schemas A-E: 0.5 to 0.9). quality: width of the high-quality
    interval (V1-V4: 0.05 to 0.20), 0 takes the best. prune_knowledge, prune_ucb: the two layers' shares.
    stages: the middle game has limits on 19x19. thresholds: a shipped name or a file of `tengen stages fit`.
    Open in the paper: exploration (UCB1's constant), amaf (equivalence, 0 none), temper (how flat d is),
    draw_below (visits from which a node takes the best V instead of drawing; 0 always draws),
    second_layer (visits a child before the second layer), candidates (how many pattern moves a short look of
    ``outside`` of the time chooses among outside the middle game; 1 plays the best pattern at once), seconds, bank
    (what moves decided early leave of them goes to later moves, each at most so many times its own on top; the
    paper's 433 ms is a mean, too).
    With ``--net`` the network's policy takes the place of domain knowledge d, in the search and outside of it.
    """

    f: float = 0.6
    quality: float = 0.15
    prune_knowledge: float = 0.2
    prune_ucb: float = 0.2
    stages: bool = True
    thresholds: str = "paper-19"
    exploration: float = 0.1
    amaf: float = 1000.0
    temper: float = 12.0
    draw_below: int = 32
    second_layer: int = 4
    expand: int = 4
    candidates: int = 8
    outside: float = 1.0
    playout: str = "guided"
    score: float = 0.02
    seconds: float = 0.4
    resign: float = 0.05
    bank: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.f <= 1:
            raise ConfigError(f"mucgo: f={self.f}: between 0 and 1 expected")
        for name in ("quality", "prune_knowledge", "prune_ucb"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"mucgo: {name}={getattr(self, name)}: between 0 and 1 expected")
        if self.temper <= 0 or self.candidates < 1 or not 0 < self.outside <= 1:
            raise ConfigError("mucgo: temper > 0, candidates >= 1 and 0 < outside <= 1 expected")


class Mucgo(SearchPlayer):
    """A SearchPlayer that matches patterns outside the middle game."""

    def __init__(self, parameters: Parameters, resources: Resources) -> None:
        self.parameters = parameters
        self._resources = resources
        self._guide = net_guide(parameters, resources)
        self._rng = random.Random(resources.seed)
        self._bells: Thresholds | None = open_thresholds(parameters.thresholds) if parameters.stages else None
        self.stage: tuple[int, int] | None = None
        super().__init__(
            "mucgo",
            self._make,
            PlayStyle(Limit(seconds=parameters.seconds), parameters.resign, bank=parameters.bank),
        )

    def _make(self, rules: Rules) -> Search:
        parameters, resources, guide = self.parameters, self._resources, self._guide
        evaluator: Evaluator = PlayoutEvaluator(make_playout(parameters.playout, rules), parameters.score)
        ranked: Pruner = KnowledgePruner()
        if guide is not None:
            ranked, evaluator = guide.pruner(rules), guide.evaluator(evaluator)
        if rules.goal is Goal.FIRST_CAPTURE:
            pruner = make_pruner(False, rules)
        else:
            pruner = LayeredPruner(
                ranked,
                parameters.prune_knowledge,
                parameters.prune_ucb,
                parameters.second_layer,
                parameters.exploration,
            )
        return Search(
            QualityInterval(
                parameters.f,
                parameters.exploration,
                parameters.amaf,
                parameters.quality,
                parameters.temper,
                parameters.draw_below,
            ),
            pruner,
            evaluator,
            threads=resources.threads,
            memory_mb=min(resources.memory_mb, 64.0),
            expand_after=parameters.expand if guide is None else parameters.judge,
            seed=resources.seed,
        )

    def new_game(self, rules: Rules) -> None:
        """Eq. 8: t1 and t2 are drawn for the game; only 19x19 has stages."""
        super().new_game(rules)
        self.stage = None
        if self._bells is not None and rules.width == rules.height == 19 and rules.goal is Goal.SCORE:
            self.stage = self._bells.draw(self._rng)

    def in_middle_game(self, position: Position) -> bool:
        """Is the paper's search due? t1 <= moves made < t2, and on boards without stages always."""
        return self.stage is None or self.stage[0] <= position.move_number < self.stage[1]

    def _knowledge(self, position: Position) -> Mapping[Move, float]:
        """d of every move worth a thought, not brought to any scale: by patterns and tactics, or by the network."""
        if self._guide is None:
            return move_values(position)
        policy = self._guide.net.evaluate([position])[0].policy
        return {move: float(share) for move, share in enumerate(policy[:-1]) if share > 0}

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        started = time.perf_counter()
        self._searcher(position)
        best = self._pattern_moves(position)
        if not best:
            return super().choose(position, limit, clock)
        if self.parameters.candidates == 1:
            return Decision(best[0], seconds=time.perf_counter() - started, info={"stage": "patterns"})
        short = self._limit(position, limit, clock)
        share = self.parameters.outside
        look = Limit(
            None if short.playouts is None else max(int(short.playouts * share), 1),
            short.visits,
            None if short.seconds is None else short.seconds * share,
            short.most,
        )
        return self._within_means(position, look, clock, {position.to_move: frozenset([*best, PASS])})

    def _pattern_moves(self, position: Position) -> list[Move]:
        """The best moves by d, those to choose among where patterns are matched; none where the search is due."""
        if self.in_middle_game(position) or position.passes:
            return []
        values = self._knowledge(position)
        best = sorted((move for move in values if position.is_legal(move)), key=lambda move: -values[move])
        return best[: self.parameters.candidates]

    def analyze(
        self, position: Position, request: AnalysisRequest, report: Report, stop: threading.Event
    ) -> Decision:
        """As any search, but a move thought of aloud (a request with a limit) is one `choose` might take."""
        self._searcher(position)
        best = self._pattern_moves(position) if request.limit.is_set and not request.allow else []
        if best:
            request = replace(request, allow={position.to_move: frozenset([*best, PASS])})
        return super().analyze(position, request, report, stop)


def build(parameters: Parameters, resources: Resources) -> Mucgo:
    return Mucgo(parameters, resources)
