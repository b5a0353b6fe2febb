"""States of a game graph as arrays, as they are stored, and Eq. 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tengen.errors import ConfigError

__all__ = [
    "FACTOR_SCALE",
    "SCALE",
    "Batch",
    "GraphRows",
    "as_keys",
    "batch_of",
    "fade",
    "faded",
    "rows_of",
]

SCALE = 1000
"""Visits and wins are stored as whole thousandths."""
FACTOR_SCALE = 1_000_000
"""n of Eq. 3 is taken to six decimals."""


@dataclass(frozen=True)
class GraphRows:
    """States by key: three arrays of one length, no key twice; wins are those of the side that moved in."""

    keys: NDArray[np.uint64]
    visits: NDArray[np.float64]
    wins: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Unpacks: ``keys, visits, wins = rows``."""
        return iter((self.keys, self.visits, self.wins))


class Batch(NamedTuple):
    """The same as it is stored: keys as signed integers, ascending; visits and wins in thousandths."""

    keys: NDArray[np.int64]
    visits: NDArray[np.int64]
    wins: NDArray[np.int64]


def fade(new: int, old: int, factor: int) -> int:
    """Eq. 3, V_h,new = V + n V_h,old, in what is stored: thousandths, n in millionths; halves go up.

    Wins never come to exceed visits by it: rounding keeps the order of two numbers.
    """
    return new + int(faded(old, factor))


def faded(old: Any, factor: int) -> Any:
    """n V_h,old: of an integer, an array or a column of a table, by the same expression."""
    return (old * factor + FACTOR_SCALE // 2) // FACTOR_SCALE


def as_keys(keys: ArrayLike) -> NDArray[np.int64]:
    """Unsigned 64-bit keys as the databases keep them."""
    return np.ascontiguousarray(keys, dtype=np.uint64).reshape(-1).view(np.int64)


def batch_of(keys: ArrayLike, visits: ArrayLike, wins: ArrayLike) -> Batch:
    """A search's findings made ready to be stored: sorted, a key given twice once with its sum.

    Raises ConfigError unless the three are of one length and 0 <= wins <= visits for each.
    """
    signed = as_keys(keys)
    played = np.asarray(visits, np.float64).reshape(-1)
    won = np.asarray(wins, np.float64).reshape(-1)
    if not len(signed) == len(played) == len(won):
        raise ConfigError(f"graph: {len(signed)} keys, {len(played)} visits and {len(won)} wins do not match")
    # A running mean may overshoot by the last bits of its float; more than that is a mistake of the caller.
    sound = np.isfinite(played) & (won >= -1e-6 * (1 + played)) & (won <= played + 1e-6 * (1 + played))
    if not sound.all():
        i = int(np.argmin(sound))
        raise ConfigError(f"graph: {won[i]:g} wins of {played[i]:g} visits (key {int(signed[i])})")
    unique, places = np.unique(signed, return_inverse=True)
    whole_visits, whole_wins = (np.rint(a * SCALE).astype(np.int64) for a in (played, won))
    whole_wins = np.clip(whole_wins, 0, whole_visits)
    if len(unique) < len(signed):
        summed = np.zeros((2, len(unique)), np.int64)
        np.add.at(summed[0], places, whole_visits)
        np.add.at(summed[1], places, whole_wins)
        return Batch(unique, summed[0], summed[1])
    order = np.argsort(signed)
    return Batch(unique, whole_visits[order], whole_wins[order])


def rows_of(tables: Sequence[NDArray[np.int64]]) -> GraphRows:
    """Stored (key, visits, wins) rows, in pieces, as arrays."""
    numbers = np.concatenate([np.empty((0, 3), np.int64), *tables])
    keys = np.ascontiguousarray(numbers[:, 0]).view(np.uint64)
    return GraphRows(keys, numbers[:, 1] / SCALE, numbers[:, 2] / SCALE)
