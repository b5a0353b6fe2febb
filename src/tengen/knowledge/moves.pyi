import numpy as np
from numpy.typing import NDArray

from tengen.go.board import Board
from tengen.go.coords import Move
from tengen.go.position import Position
from tengen.knowledge.patterns import Diamonds
from tengen.knowledge.weights import MoveWeights

__all__ = [
    "GROUP_NAMES",
    "VALUE_NAMES",
    "Features",
    "MoveKnowledge",
    "candidate_rows",
    "move_values",
    "value_name",
]

GROUP_NAMES: tuple[str, ...]
VALUE_NAMES: dict[str, tuple[str, ...]]

def value_name(group: str, value: int) -> str: ...

class Features:
    def __init__(self) -> None: ...
    def at(self, move: int, width: int) -> dict[str, int]: ...
    def read_board(self, board: Board, color: int) -> None: ...

class MoveKnowledge:
    weights: tuple[MoveWeights, ...]
    features: Features
    def __init__(self, weights: MoveWeights | None = None) -> None: ...
    def clone(self) -> MoveKnowledge: ...
    def bench(self, board: Board, color: int, times: int) -> None: ...
    def values(self, board: Board, color: int) -> dict[Move, float]: ...

def candidate_rows(
    features: Features,
    diamonds: Diamonds,
    board: Board,
    color: int,
    rows: NDArray[np.uint8],
    slots: NDArray[np.int32],
    codes: NDArray[np.int32],
) -> list[Move]: ...
def move_values(position: Position) -> dict[Move, float]: ...
