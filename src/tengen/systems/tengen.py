"""The default player: the strongest composition of what there is. This page only composes.

PUCT over a small network that gives every node its priors and its value, mixed with a guided playout now and then.
Capture Go, and boards the network does not play on, are searched without it.
"""

from dataclasses import dataclass

from tengen.go.rules import Goal, Rules
from tengen.nets.guides import NetEvaluator, NetPruner
from tengen.nets.runtime import Net
from tengen.nets.shipped import DEFAULT_NET, net_path
from tengen.players import Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.parts import Evaluator, Pruner, Selector
from tengen.search.search import Search
from tengen.search.selectors import Puct, Rave
from tengen.search_player import PlayStyle, SearchPlayer
from tengen.systems import Resources
from tengen.systems.baselines import make_playout, make_pruner

__all__ = ["Parameters", "build"]


@dataclass(frozen=True)
class Parameters:
    """The default player.

    net: a shipped net or a file (``--net`` does the same). exploration, reduction: PUCT's. playouts: share of a
    playout in a leaf's value, 0 none. expand: visits that make a leaf a node, and have the network asked. seconds:
    time a move where nothing else is said.
    """

    net: str = DEFAULT_NET
    exploration: float = 1.0
    reduction: float = 0.2
    playouts: float = 0.0
    expand: int = 0
    seconds: float = 2.0
    resign: float = 0.05
    score: float = 0.1


def build(parameters: Parameters, resources: Resources) -> SearchPlayer:
    net = Net(net_path(resources.net or parameters.net), threads=1)

    def make(rules: Rules) -> Search:
        selector: Selector
        pruner: Pruner
        evaluator: Evaluator
        playouts = PlayoutEvaluator(make_playout("guided", rules), parameters.score)
        if rules.goal is Goal.FIRST_CAPTURE or not net.plays_on(rules.width, rules.height):
            selector, pruner, evaluator, expand = Rave(), make_pruner(True, rules), playouts, 4
        else:
            selector = Puct(parameters.exploration, parameters.reduction)
            pruner = NetPruner(net, rules.width, rules.height)
            evaluator, expand = NetEvaluator(playouts, parameters.playouts), parameters.expand
        return Search(
            selector,
            pruner,
            evaluator,
            threads=resources.threads,
            memory_mb=resources.memory_mb,
            expand_after=expand,
            seed=resources.seed,
        )

    return SearchPlayer("tengen", make, PlayStyle(Limit(seconds=parameters.seconds), parameters.resign))
