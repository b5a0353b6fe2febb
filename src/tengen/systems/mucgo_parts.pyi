from tengen.go.position import Position
from tengen.search.parts import Pruner, Selector

__all__ = ["LayeredPruner", "QualityInterval", "knowledge_value", "mixed_value", "ucb1"]

def knowledge_value(share: float, count: int, temper: float) -> float: ...
def ucb1(wins: float, visits: float, total: float, exploration: float) -> float: ...
def mixed_value(f: float, d: float, u: float) -> float: ...

class LayeredPruner(Pruner):
    ranked: Pruner
    drop_knowledge: float
    drop_ucb: float
    second_layer: int
    exploration: float
    def __init__(
        self,
        ranked: Pruner,
        drop_knowledge: float = 0.2,
        drop_ucb: float = 0.2,
        second_layer: int = 4,
        exploration: float = 0.3,
    ) -> None: ...
    def begin(self, position: Position) -> None: ...
    def clone(self) -> LayeredPruner: ...

class QualityInterval(Selector):
    f: float
    exploration: float
    amaf_equivalence: float
    quality: float
    temper: float
    draw_below: int
    first_play: float
    def __init__(
        self,
        f: float = 0.6,
        exploration: float = 0.3,
        amaf_equivalence: float = 1000.0,
        quality: float = 0.15,
        temper: float = 12.0,
        draw_below: int = 32,
        first_play: float = 1.0,
    ) -> None: ...
