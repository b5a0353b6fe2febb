"""A network for any tree search: what ``--net`` is to uct, rave, mucgo and graph.

The network gives a new node its moves and how likely each is (a Pruner) and judges the leaf (an Evaluator), mixed with
what the system's own playout says. How a system chooses among the moves, prunes them or remembers them stays its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.errors import ConfigError
from tengen.go.rules import Goal, Rules
from tengen.nets.guides import NetEvaluator, NetPruner
from tengen.nets.runtime import Net
from tengen.nets.shipped import net_path
from tengen.search.parts import Evaluator
from tengen.systems import Resources

__all__ = ["NetGuide", "NetParameters", "net_guide"]


@dataclass(frozen=True)
class NetParameters:
    """How a network given by ``--net`` is used; without one nothing changes.

    mix: share of a playout in the value of a leaf the network judged, 0 none, 1 the network gives priors alone.
    judge: visits a leaf has before the network is asked; 0 asks it of every leaf. Takes the place of ``expand``.
    """

    mix: float = 0.3
    judge: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.mix <= 1 or self.judge < 0:
            raise ConfigError(f"mix={self.mix}, judge={self.judge}: 0 to 1 and at least 0 expected")


@dataclass(frozen=True)
class NetGuide:
    """A network and how it is used, from which every search gets parts of its own."""

    net: Net
    use: NetParameters

    def pruner(self, rules: Rules) -> NetPruner:
        """Legal moves with the policy as priors; ConfigError for a game the network does not know."""
        if rules.goal is Goal.FIRST_CAPTURE:
            raise ConfigError(f"{self.net.name}: does not know Capture Go")
        return NetPruner(self.net, rules.width, rules.height)

    def evaluator(self, playouts: Evaluator) -> NetEvaluator:
        """The network's value mixed with the playouts'; the playouts' alone where it has no value head."""
        return NetEvaluator(playouts, self.use.mix)


def net_guide(use: NetParameters, resources: Resources) -> NetGuide | None:
    """A guide by the network the resources name, or None where they name none.

    DataError for a file that is no network of ours.
    """
    if resources.net is None:
        return None
    return NetGuide(Net(net_path(resources.net), threads=1, cache=0), use)
