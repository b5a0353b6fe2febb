"""Minorization-maximization for generalised Bradley-Terry models (Coulom, Computing Elo Ratings of Move
Patterns).

A competition is a set of candidates of which one was chosen. The strength of a candidate is the product of
the strengths (gammas) of its features, at most one of each group; it is chosen with probability its
strength over the sum of all. MM raises the likelihood of what was chosen at every step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Competitions", "Fit", "evidence", "fit", "strengths"]


@dataclass(frozen=True)
class Competitions:
    """Candidates of all competitions one after another.

    ``starts`` is where each competition's candidates begin, ``winners`` the candidate chosen in each,
    ``columns`` one array a group: the feature each candidate has of it, 0 for none.
    """

    starts: NDArray[np.int64]
    winners: NDArray[np.int64]
    columns: tuple[NDArray[np.integer], ...]

    @property
    def candidates(self) -> int:
        return len(self.columns[0])

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(np.append(self.starts, self.candidates))


@dataclass(frozen=True)
class Fit:
    """Gammas of every group, 1 for no feature; the mean log-evidence after every sweep."""

    gammas: list[NDArray[np.float64]]
    evidence: list[float]


def strengths(data: Competitions, gammas: Sequence[NDArray[np.floating]]) -> NDArray[np.float32]:
    """The strength of every candidate."""
    product = np.ones(data.candidates, np.float32)
    for column, gamma in zip(data.columns, gammas, strict=True):
        product *= gamma.astype(np.float32)[column]
    return product


def evidence(data: Competitions, product: NDArray[np.float32]) -> float:
    """Mean log-probability of what was chosen."""
    totals = np.add.reduceat(product, data.starts)
    return float(np.mean(np.log(product[data.winners] / totals)))


def fit(
    data: Competitions,
    sizes: Sequence[int],
    sweeps: int = 20,
    prior: float = 1.0,
    tolerance: float = 1e-4,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Learn every group's gammas, ``sizes`` of them each, feature 0 staying 1.

    ``prior`` is Coulom's: that many games won and lost against an opponent of strength 1 for every feature.
    Stops early when a sweep gains less than ``tolerance`` of log-evidence. ``progress`` is told (sweep,
    log-evidence). An interrupt after the first sweep ends it early.
    """
    gammas = [np.ones(size) for size in sizes]
    product = np.ones(data.candidates, np.float32)
    owner = np.repeat(np.arange(len(data.starts), dtype=np.int32), data.sizes())
    present = [np.flatnonzero(column) for column in data.columns]
    ids = [column[at].astype(np.int32) for column, at in zip(data.columns, present, strict=True)]
    wins = [
        np.bincount(column[data.winners], minlength=size).astype(np.float64)
        for column, size in zip(data.columns, sizes, strict=True)
    ]
    history: list[float] = []
    try:
        for sweep in range(sweeps):
            for group, gamma in enumerate(gammas):
                at, feature = present[group], ids[group]
                inverse = (1.0 / np.add.reduceat(product, data.starts)).astype(np.float32)
                share = product[at] * inverse[owner[at]]
                # Sum over candidates of (strength without this feature) / (sum of its competition).
                against = np.bincount(feature, weights=share, minlength=len(gamma)) / gamma
                updated = (wins[group] + prior) / (against + 2.0 * prior / (1.0 + gamma))
                updated[0] = 1.0
                product[at] *= (updated / gamma).astype(np.float32)[feature]
                gammas[group] = updated
            history.append(evidence(data, product))
            if progress is not None:
                progress(sweep + 1, history[-1])
            if len(history) > 1 and history[-1] - history[-2] < tolerance:
                break
    except KeyboardInterrupt:
        # Every sweep leaves usable weights: keep the last finished one's, or give up if there is none.
        if not history:
            raise
    return Fit(gammas, history)
