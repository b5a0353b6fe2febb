"""Positions with a law a small net can learn, so that the loop is tested without games."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

PLANES = 5
GLOBALS = 2


class SyntheticSampler:
    """Each position has one marked point (plane 1): the policy target is there; its mover wins where global
    0 > 0.

    Batch i depends on (seed, i) alone, as a real sampler's does.
    """

    def __init__(self, board: int, batch: int, seed: int = 0) -> None:
        self.board = board
        self.batch = batch
        self.seed = seed
        self.next = 0
        self.closed = False

    def next_batch(self) -> dict[str, npt.NDArray[Any]]:
        batch, board = self.batch, self.board
        random = np.random.default_rng((self.seed, self.next))
        self.next += 1
        planes = (random.random((batch, PLANES, board, board)) < 0.3).astype(np.uint8)
        planes[:, 1] = 0
        move = random.integers(0, board * board, batch)
        planes[np.arange(batch), 1, move // board, move % board] = 1
        globals_ = random.uniform(-1, 1, (batch, GLOBALS)).astype(np.float32)
        index = np.zeros((batch, 16), np.int16)
        prob = np.zeros((batch, 16), np.float32)
        index[:, 0], prob[:, 0] = move, 1.0
        ones = np.ones(batch, np.float32)
        owner = (8 * (2 * planes[:, 2].astype(np.int8) - 1)).astype(np.int8)
        return {
            "planes": planes,
            "globals": globals_,
            "policy_index": index,
            "policy_prob": prob,
            "policy_weight": ones,
            "value": np.sign(globals_[:, 0]),
            "value_weight": ones,
            "score": 10.0 * globals_[:, 0],
            "score_weight": ones,
            "ownership": owner,
            "ownership_weight": ones,
            "source": np.zeros(batch, np.int16),
            "played": move.astype(np.int16),
        }

    def state(self) -> dict[str, Any]:
        return {"next": self.next}

    def restore(self, state: dict[str, Any]) -> None:
        self.next = int(state["next"])

    def close(self) -> None:
        self.closed = True
