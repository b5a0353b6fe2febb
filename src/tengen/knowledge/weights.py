"""The file of learned weights: strengths of diamonds, of tactical features and of 3x3 shapes, and how they
came about.

A NumPy archive of plain arrays (nothing in it can run): ``diamond_keys`` (uint64) with ``diamond_logs``
(float16, natural logarithms), ``tactics`` (groups x values, logarithms), ``codes`` (uint16, canonical,
Black to play) with ``code_logs``, ``near`` (two logarithms: a playout's move beside the last, and diagonal
to it), ``meta`` (JSON: the command, the games, the figures).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError
from tengen.knowledge.patterns import Diamonds, Shapes

__all__ = ["FORMAT", "MEDIUM", "SMALL", "MoveWeights", "load_weights", "shipped_weights"]

FORMAT = 1

SMALL, MEDIUM = 10, 15
"""Boards up to these sizes use what was learned on 9x9 and 13x13; larger ones what was learned on 19x19."""

_TACTICS = 240


@dataclass(frozen=True, eq=False)
class MoveWeights:
    """Strengths as factors, 1 where nothing was learned."""

    diamond_keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    diamond_gammas: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    tactics: NDArray[np.float32] = field(default_factory=lambda: np.ones(_TACTICS, np.float32))
    codes: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    code_gammas: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    near: tuple[float, float] = (1.0, 1.0)
    meta: dict[str, Any] = field(default_factory=dict)
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    def diamonds(self) -> Diamonds:
        """The table, made once and shared."""
        if "diamonds" not in self._made:
            self._made["diamonds"] = Diamonds(self.diamond_keys.tolist(), self.diamond_gammas.tolist())
        table: Diamonds = self._made["diamonds"]
        return table

    def shapes(self) -> Shapes:
        """The 3x3 table for playouts, made once and shared."""
        if "shapes" not in self._made:
            self._made["shapes"] = Shapes(
                dict(zip(self.codes.tolist(), self.code_gammas.tolist(), strict=True))
            )
        table: Shapes = self._made["shapes"]
        return table

    def save(self, path: str | Path) -> None:
        def logs(gammas: NDArray[np.float32]) -> NDArray[np.float16]:
            return np.log(np.maximum(gammas, 1e-9)).astype(np.float16)

        text = json.dumps({"format": FORMAT, **self.meta}, sort_keys=True).encode()
        with open(path, "wb") as stream:
            np.savez_compressed(
                stream,
                diamond_keys=self.diamond_keys,
                diamond_logs=logs(self.diamond_gammas),
                tactics=logs(self.tactics),
                codes=self.codes,
                code_logs=logs(self.code_gammas),
                near=logs(np.array(self.near, np.float32)),
                meta=np.frombuffer(text, np.uint8),
            )


def load_weights(path: str | Path) -> MoveWeights:
    """Read a file of weights. DataError if it is not one, or of another format."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        meta = json.loads(arrays["meta"].tobytes())
        if meta.get("format") != FORMAT:
            raise DataError(f"{path}: weights of format {meta.get('format')}, {FORMAT} expected")

        def factors(name: str) -> NDArray[np.float32]:
            values: NDArray[np.float32] = np.exp(arrays[name].astype(np.float32))
            return values

        near = factors("near")
        weights = MoveWeights(
            diamond_keys=arrays["diamond_keys"].astype(np.uint64),
            diamond_gammas=factors("diamond_logs"),
            tactics=factors("tactics"),
            codes=arrays["codes"].astype(np.uint16),
            code_gammas=factors("code_logs"),
            near=(float(near[0]), float(near[1])),
            meta=meta,
        )
    except (OSError, KeyError, ValueError, IndexError) as error:
        raise DataError(f"{path}: not a file of pattern weights ({error})") from None
    shapes_match = len(weights.codes) == len(weights.code_gammas)
    if not shapes_match or len(weights.tactics) != _TACTICS:
        raise DataError(f"{path}: arrays of the wrong length")
    if len(weights.diamond_keys) != len(weights.diamond_gammas):
        raise DataError(f"{path}: arrays of the wrong length")
    return weights


@lru_cache(maxsize=3)
def _shipped(name: str) -> MoveWeights:
    path = resources.files("tengen") / "data" / "patterns" / name
    with resources.as_file(path) as real:
        return load_weights(real)


def shipped_weights(size: int = 19) -> MoveWeights:
    """The weights that come with the package for boards whose longer side is ``size``."""
    return _shipped(f"weights-{9 if size <= SMALL else 13 if size <= MEDIUM else 19}.npz")
