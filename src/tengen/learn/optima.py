"""The optimisers on functions whose optimum is known, ours beside pymoo's and cma's."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.learn.population import BreedingSettings, make_optimiser

__all__ = ["PROBLEMS", "interval_of_the_median", "lowest", "optima", "rastrigin", "rosenbrock", "sphere"]

Array = NDArray[np.float64]


def sphere(x: Array) -> Array:
    """Least, 0, at 0."""
    return np.asarray((x**2).sum(axis=-1))


def rastrigin(x: Array) -> Array:
    """Least, 0, at 0, among very many dips."""
    return np.asarray((x**2 - 10.0 * np.cos(2.0 * np.pi * x) + 10.0).sum(axis=-1))


def rosenbrock(x: Array) -> Array:
    """Least, 0, where all are 1, at the end of a bent valley."""
    return np.asarray((100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2).sum(axis=-1))


PROBLEMS: dict[str, tuple[Callable[[Array], Array], float]] = {
    "sphere": (sphere, 5.12),
    "Rastrigin": (rastrigin, 5.12),
    "Rosenbrock": (rosenbrock, 2.048),
}
"""Each with the half width of the box it is usually searched in."""

LABELS = {
    "pso": "PSO",
    "ea": "EA",
    "hybrid": "hybrid PSO-EA",
    "hc": "HC",
    "pymoo-pso": "pymoo's PSO",
    "cma": "cma's CMA-ES",
}
NEEDS = {"pymoo-pso": "pymoo", "cma": "cma"}


def lowest(
    method: str,
    problem: str,
    seed: int,
    *,
    dimensions: int = 20,
    generations: int = 500,
    population: int = 40,
) -> float:
    """The least value met in so many generations."""
    function, bound = PROBLEMS[problem]
    settings = BreedingSettings(
        population=population,
        low=-bound,
        high=bound,
        max_velocity=0.2 * bound,
        first_step=0.1 * bound,
        horizon=generations,
    )
    optimiser = make_optimiser(method, dimensions, seed=seed, settings=settings)
    best = np.inf
    for _ in range(generations):
        values = function(optimiser.ask())
        best = min(best, float(values.min()))
        optimiser.tell(-values)
    return best


def interval_of_the_median(values: Array) -> tuple[float, float, float]:
    """The median and its 95 % interval by order statistics (the binomial's normal approximation)."""
    ordered = np.sort(values)
    half = 0.98 * np.sqrt(len(ordered))  # 1.96 standard deviations of a fair coin's count
    low = max(0, int(np.floor(len(ordered) / 2 - half)))
    high = min(len(ordered) - 1, int(np.ceil(len(ordered) / 2 + half)))
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def optima(
    *,
    scale: float = 1.0,
    seed: int = 1,
    workers: int = 1,
    seeds: int = 30,
    generations: int = 500,
    population: int = 40,
    dimensions: int = 20,
) -> list[dict[str, Any]]:
    """Rows ``method, problem``: log10 of the least value met, its median over the seeds with an interval.

    ``scale`` thins the seeds, never the evaluations. Those of an optimiser that is not installed are left
    out. One process does all of it: ``workers`` is not looked at.
    """
    count = max(2, round(seeds * scale))
    rows = []
    for problem in PROBLEMS:
        for method, label in LABELS.items():
            if method in NEEDS and find_spec(NEEDS[method]) is None:
                continue
            found = [
                lowest(
                    method,
                    problem,
                    seed + number,
                    dimensions=dimensions,
                    generations=generations,
                    population=population,
                )
                for number in range(count)
            ]
            median, low, high = interval_of_the_median(np.log10(np.maximum(found, 1e-300)))
            rows.append(
                {"label": f"{label}, {problem}", "value": median, "low": low, "high": high, "games": count}
            )
    return rows
