from dataclasses import dataclass

from tengen.go.board import Board
from tengen.search.leaves import LeafEvaluator

__all__ = ["WIN", "AlphaBeta", "LineResult"]

WIN: float

@dataclass(frozen=True)
class LineResult:
    move: int
    value: float
    depth: int
    nodes: int
    values: tuple[tuple[int, float], ...]
    @property
    def decided(self) -> bool: ...
    @property
    def plies(self) -> int | None: ...

class AlphaBeta:
    reading: int
    stopped: bool
    @property
    def evaluator(self) -> LeafEvaluator: ...
    @property
    def nodes(self) -> int: ...
    @property
    def reached(self) -> int: ...
    def __init__(self, evaluator: LeafEvaluator, reading: int = 1, table_bits: int = 14) -> None: ...
    def search(
        self, board: Board, color: int, depth: int, *, every: bool = False, node_limit: int = 0
    ) -> LineResult: ...
    def best_move(self, board: Board, color: int, depth: int) -> int: ...
