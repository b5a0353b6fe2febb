from tengen.knowledge.guided_parameters import GuidedParameters
from tengen.knowledge.patterns import Shapes
from tengen.knowledge.playout import Playout

__all__ = ["GuidedParameters", "GuidedPlayout"]

class GuidedPlayout(Playout):
    parameters: GuidedParameters
    def __init__(self, parameters: GuidedParameters | None = None, shapes: Shapes | None = None) -> None: ...
