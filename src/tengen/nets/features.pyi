import numpy as np
from numpy.typing import NDArray

from tengen.go.board import Board
from tengen.go.position import Position
from tengen.nets.feature_sets import FEATURE_SETS, FeatureSpec, feature_spec

__all__ = [
    "FEATURE_SETS",
    "FeatureSpec",
    "PlaneWriter",
    "canonical_key",
    "draw",
    "feature_spec",
    "follow",
    "globals_of",
    "legal_mask",
    "planes_of",
    "recent_moves",
]

class PlaneWriter:
    width: int
    height: int
    def __init__(self, width: int, height: int) -> None: ...

def planes_of(position: Position, name: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]: ...
def globals_of(position: Position, name: str) -> NDArray[np.float32]: ...
def recent_moves(position: Position) -> list[int]: ...
def draw(writer: PlaneWriter, board: Board, mover: int, kind: int, out: NDArray[np.uint8]) -> None: ...
def follow(writer: PlaneWriter, position: Position) -> None: ...
def legal_mask(writer: PlaneWriter) -> NDArray[np.bool_]: ...
def canonical_key(
    writer: PlaneWriter, board: Board, mover: int, tables: NDArray[np.int16]
) -> tuple[int, int]: ...
