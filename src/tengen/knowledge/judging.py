"""Which stones of a finished game are dead: playouts that know some tactics, from both sides.

Uniform playouts (``tengen.go.scoring``) break sekis and bungle capturing races; guided ones save what is in
atari, play the vital point of an eye and shun self-atari, and so keep alive what people leave standing. What they still
call dead is read where few points decide (``tengen.knowledge.standoff``).
"""

import numpy as np
import numpy.typing as npt

from tengen.go.coords import Move
from tengen.go.position import Position
from tengen.go.scoring import dead_by_ownership
from tengen.knowledge.guided import GuidedPlayout
from tengen.knowledge.playout import play_out
from tengen.knowledge.standoff import stands

__all__ = ["find_dead", "ownership"]

PLAYOUTS = 300


def ownership(position: Position, playouts: int = PLAYOUTS, seed: int = 1) -> list[float]:
    """-1 (White's) to +1 (Black's) for every point, row by row: the mean over guided playouts, half from each
    side. Same seed, same answer."""
    width, height = position.width, position.height
    player = GuidedPlayout()
    ends = np.empty((playouts, height, width), dtype=np.int8)
    for number in range(playouts):
        _, end = play_out(player, position.board, 1 + number % 2, seed * 1_000_003 + number)
        ends[number].flat = end.stones_list()
    total = _owners(ends).sum(axis=0, dtype=np.int64)
    return [float(value) for value in (total / max(playouts, 1)).reshape(-1)]


def _owners(ends: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """+1 and -1 for the points of boards played out: stones, and eyes of one colour."""
    walled = np.pad(ends, ((0, 0), (1, 1), (1, 1)), constant_values=3)
    near = walled[:, :-2, 1:-1] & walled[:, 2:, 1:-1] & walled[:, 1:-1, :-2] & walled[:, 1:-1, 2:]
    sides = np.where(ends == 0, near, ends)
    return (sides & 1) - (sides >> 1)


def find_dead(position: Position, playouts: int = PLAYOUTS, seed: int = 1) -> frozenset[Move]:
    """The stones to take off a finished game: by playouts, but for chains that reading shows to stand (seki). Same
    seed, same answer."""
    dead = dead_by_ownership(position, ownership(position, playouts, seed))
    return dead - _standing(position, dead)


def _standing(position: Position, dead: frozenset[Move]) -> frozenset[Move]:
    """Of the stones called dead those whose chain the enemy cannot take without losing as much."""
    board, asked, standing = position.board, set[Move](), set[Move]()
    for stone in sorted(dead):
        if stone not in asked:
            chain = board.chain(stone)
            asked.update(chain)
            if stands(board, stone, dead):
                standing.update(chain)
    return frozenset(standing)
