"""Which stones of a finished game are dead: playouts that know some tactics, from both sides.

Uniform playouts (``tengen.go.scoring``) break sekis and bungle capturing races; guided ones save what is in
atari, play the vital point of an eye and shun self-atari, and so keep alive what people leave standing.
"""

import numpy as np
import numpy.typing as npt

from tengen.go.coords import Move
from tengen.go.position import Position
from tengen.go.scoring import dead_by_ownership
from tengen.knowledge.guided import GuidedPlayout
from tengen.knowledge.playout import play_out

__all__ = ["find_dead", "ownership"]

PLAYOUTS = 300


def ownership(position: Position, playouts: int = PLAYOUTS, seed: int = 1) -> list[float]:
    """-1 (White's) to +1 (Black's) for every point, row by row: the mean over guided playouts, half from each
    side. Same seed, same answer."""
    width, height = position.width, position.height
    player = GuidedPlayout()
    total = np.zeros((height, width))
    for number in range(playouts):
        _, end = play_out(player, position.board, 1 + number % 2, seed * 1_000_003 + number)
        total += _owners(np.array(end.stones_list(), dtype=np.int8).reshape(height, width))
    return [float(value) for value in (total / max(playouts, 1)).reshape(-1)]


def _owners(stones: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """+1 and -1 for the points of a board played out: stones, and eyes of one colour."""
    walled = np.pad(stones, 1, constant_values=3)
    near = np.stack([walled[:-2, 1:-1], walled[2:, 1:-1], walled[1:-1, :-2], walled[1:-1, 2:]])
    black = (stones == 1) | ((stones == 0) & ((near & 1) == 1).all(axis=0))
    white = (stones == 2) | ((stones == 0) & ((near & 2) == 2).all(axis=0))
    owners = np.zeros(stones.shape)
    owners[black] += 1
    owners[white] -= 1
    return owners


def find_dead(position: Position, playouts: int = PLAYOUTS, seed: int = 1) -> frozenset[Move]:
    """The stones to take off a finished game. Same seed, same answer."""
    return dead_by_ownership(position, ownership(position, playouts, seed))
