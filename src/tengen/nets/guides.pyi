from typing import Any

from tengen.go.position import Position
from tengen.nets.runtime import Net
from tengen.search.parts import Evaluator, Pruner

__all__ = ["NetEvaluator", "NetPruner"]

class NetPruner(Pruner):
    net: Net
    mass: float
    at_least: int
    error: BaseException | None
    judged: int
    def __init__(self, net: Any, width: int, height: int, mass: float = 1.0, at_least: int = 4) -> None: ...
    def begin(self, position: Position) -> None: ...
    def clone(self) -> NetPruner: ...

class NetEvaluator(Evaluator):
    playouts: Evaluator
    playout_weight: float
    def __init__(self, playouts: Evaluator, playout_weight: float = 0.5) -> None: ...
    def clone(self) -> NetEvaluator: ...
