"""The default player: the strongest composition of what there is. This page only composes."""

from tengen.search_player import SearchPlayer
from tengen.systems import Resources
from tengen.systems.baselines import RaveParameters as Parameters
from tengen.systems.baselines import build_rave

__all__ = ["Parameters", "build"]


def build(parameters: Parameters, resources: Resources) -> SearchPlayer:
    player = build_rave(parameters, resources)
    player.name = "tengen"
    return player
