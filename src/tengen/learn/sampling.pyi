import numpy as np
from numpy.typing import NDArray

__all__ = ["Replayer", "first_illegal"]

class Replayer:
    width: int
    height: int
    def __init__(self, width: int, height: int) -> None: ...
    def fill(
        self,
        entries: NDArray[np.uint16],
        starts: NDArray[np.int64],
        setups: NDArray[np.int32],
        plies: NDArray[np.int32],
        lengths: NDArray[np.int32],
        symmetries: NDArray[np.int32],
        tables: NDArray[np.int16],
        kind: int,
        planes: NDArray[np.uint8],
        movers: NDArray[np.int32],
        passes: NDArray[np.int32],
        played: NDArray[np.int32],
        first: int,
        last: int,
    ) -> None: ...

def first_illegal(entries: NDArray[np.uint16], setup: int, width: int, height: int, rules: int) -> int: ...
