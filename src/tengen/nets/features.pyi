import numpy as np
from numpy.typing import NDArray

from tengen.go.board import Board

__all__ = ["PlaneWriter", "canonical_key", "draw", "draw_games", "legal_mask", "tell"]

class PlaneWriter:
    width: int
    height: int
    def __init__(self, width: int, height: int) -> None: ...

def tell(writer: PlaneWriter, vertices: list[int]) -> None: ...
def draw(writer: PlaneWriter, board: Board, mover: int, kind: int, out: NDArray[np.uint8]) -> None: ...
def canonical_key(
    writer: PlaneWriter, board: Board, mover: int, tables: NDArray[np.int16]
) -> tuple[int, int]: ...
def legal_mask(writer: PlaneWriter) -> NDArray[np.bool_]: ...
def draw_games(
    writer: PlaneWriter,
    board: Board,
    games: NDArray[np.int32],
    lengths: NDArray[np.int32],
    kind: int,
    out: NDArray[np.uint8],
    rounds: int,
) -> int: ...
