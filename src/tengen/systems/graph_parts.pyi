import numpy as np
from numpy.typing import NDArray

from tengen.go.position import Position
from tengen.search.parts import Pruner, Selector

__all__ = ["GraphUcb", "HistoryPruner", "win_ratio"]

def win_ratio(wins: float, visits: float, history_wins: float, history_visits: float, m: float) -> float: ...

class GraphUcb(Selector):
    exploration: float
    m: float
    first_play: float
    prior_weight: float
    edge_visits: bool
    def __init__(
        self,
        exploration: float = 0.4,
        m: float = 2.0,
        first_play: float = 1.1,
        prior_weight: float = 0.3,
        edge_visits: bool = True,
    ) -> None: ...

class HistoryPruner(Pruner):
    inner: Pruner
    known: int
    def __init__(self, inner: Pruner) -> None: ...
    def tell(
        self, keys: NDArray[np.uint64], visits: NDArray[np.float64], wins: NDArray[np.float64]
    ) -> None: ...
    def clone(self) -> HistoryPruner: ...
    def begin(self, position: Position) -> None: ...
