"""Table 1 of Cai and Wunsch 2007 again: breed by every method from several seeds, then play all pairings.

The paper bred one champion a method. Here every method is bred from several seeds, and what is reported
is the mean over them with its 95 % interval, so that a difference between methods is not one champion's luck.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.learn.evolve import HOUSE, EvolveSettings, evolve, play_pairings
from tengen.learn.workers import executor_by_name
from tengen.systems.capture_breeding import CaptureContest

__all__ = ["interval_of_means", "table1"]

NAMES = {"hybrid": "hybrid PSO-EA", "pso": "PSO", "ea": "EA", "hc": "HC"}
RANDOM = "random"

# Two-sided 95 % points of Student's t by degrees of freedom; beyond the table the normal's.
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


def interval_of_means(means: Sequence[float]) -> tuple[float, float | None, float | None]:
    """The mean of several runs' means and its 95 % interval (Student's t); no interval from one run."""
    mean = sum(means) / len(means)
    if len(means) < 2:
        return mean, None, None
    deviation = math.sqrt(sum((value - mean) ** 2 for value in means) / (len(means) - 1))
    t = _T95[len(means) - 2] if len(means) - 2 < len(_T95) else 1.96
    half = t * deviation / math.sqrt(len(means))
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def table1(
    *,
    scale: float = 1.0,
    seed: int = 1,
    workers: int = 1,
    seeds: int = 5,
    generations: int = 100,
    population: int = 40,
    opponents: int = 8,
    games: int = 100,
    depth: int = 1,
    reading: int = 1,
    stray: float = 0.2,
    size: int = 9,
    out: str | None = None,
) -> list[dict[str, Any]]:
    """Rows ``A (B) - B (W)``: the share of games Black wins, mean and interval over the seeds.

    With ``out`` every breeding keeps a checkpoint in a folder of its own there, and a run that was killed goes
    on from where it was, to the same rows.

    ``scale`` below 1 shortens the breeding and thins the games alike, never the number of seeds. In the
    matches a ``stray`` share of both sides' moves is random, as in the paper; in the breeding none is.
    """
    generations = max(1, round(generations * scale))
    games = max(2, round(games * scale))
    bred: dict[str, list[NDArray[np.float64]]] = {}
    contest = CaptureContest(size, depth, reading)
    matches = CaptureContest(size, depth, reading, stray, house="random")
    with executor_by_name("processes", workers) as (pool, count):
        for number in range(seeds):
            for method in NAMES:
                settings = EvolveSettings(method, population, generations, opponents, seed=seed + number)
                kept = Path(out) / f"{method}-{seed + number}" if out else None
                champion, history = evolve(
                    settings, contest, pool, workers=count, directory=kept, label=repr(contest)
                )
                bred.setdefault(method, []).append(champion)
                seconds = sum(row.seconds for row in history)
                print(
                    f"{NAMES[method]}, seed {seed + number}: bred in {seconds:.0f} s",
                    file=sys.stderr,
                    flush=True,
                )
        rows = []
        for black in NAMES:
            for white in (*NAMES, RANDOM):
                if black == white:
                    continue
                wins = [
                    _wins(matches, bred, black, white, number, games, seed, pool, count)
                    for number in range(seeds)
                ]
                mean, low, high = interval_of_means(wins)
                label = f"{NAMES[black]} (B) - {NAMES.get(white, white)} (W)"
                rows.append({"label": label, "value": mean, "low": low, "high": high, "games": games * seeds})
    return rows


def _wins(
    contest: CaptureContest,
    bred: dict[str, list[NDArray[np.float64]]],
    black: str,
    white: str,
    number: int,
    games: int,
    seed: int,
    pool: Executor,
    workers: int,
) -> float:
    """The share of games the ``number``-th champion of one method wins as Black against that of another."""
    rows = [bred[black][number]] + ([] if white == RANDOM else [bred[white][number]])
    pairing = (0, HOUSE if white == RANDOM else 1)
    seeds = [int(one) for one in np.random.default_rng([seed, number, 4]).integers(2**31, size=games)]
    played = play_pairings(contest, np.array(rows), [pairing] * games, seeds, pool, workers)
    return sum(game.result == 1 for game in played) / games
