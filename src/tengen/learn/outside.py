"""Others' optimisers behind our ask and tell, as a measure of ours: pymoo's particle swarm, cma's CMA-ES.

They need the extra ``lab``. A checkpoint holds the fitness of every generation and no object of theirs:
``restore`` begins anew from the same seed and tells them all of it again, which ends in the same state.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError
from tengen.learn.population import BreedingSettings

__all__ = ["OUTSIDE", "CovarianceStrategy", "OutsideSwarm"]

Array = NDArray[np.float64]

WIDE = 500
"""From so many weights on CMA-ES adapts its variances alone: a whole matrix of them would not do."""


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(f"{name}: the extra 'lab' is not installed") from None


class _Outside:
    """An Optimiser (tengen.learn.population) around another; the two kinds below make, ask and tell it."""

    name = ""

    def __init__(
        self, dimension: int, seed: int, settings: BreedingSettings, start: Array | None = None
    ) -> None:
        if dimension < 1:
            raise ConfigError(f"dimension {dimension}: at least one weight expected")
        self.settings = settings
        self.dimension = dimension
        self.start = np.zeros(dimension) if start is None else np.asarray(start, dtype=np.float64)
        if self.start.shape != (dimension,):
            raise ConfigError(
                f"start of shape {self.start.shape}: one genome of {dimension} weights expected"
            )
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self.seed = seed
        self.generation = 0
        self.told: list[Array] = []
        self.random = np.random.Generator(np.random.PCG64(seed))
        span = (self.settings.population, self.dimension)
        first = self.start + self.random.uniform(self.settings.low, self.settings.high, span)
        self.champion: Array = first[0].copy()
        self._make(first)
        self.genomes = self._asked()

    def _make(self, first: Array) -> None:
        raise NotImplementedError

    def _asked(self) -> Array:
        raise NotImplementedError

    def _tell(self, costs: Array) -> None:
        raise NotImplementedError

    def ask(self) -> Array:
        return self.genomes.copy()

    def tell(self, fitness: Array) -> None:
        measured = np.asarray(fitness, dtype=np.float64)
        if measured.shape != (self.settings.population,):
            raise ConfigError(
                f"fitness of shape {measured.shape}: one number for each of {self.settings.population}"
            )
        if np.isnan(measured).any():
            raise ConfigError("fitness: not a number among them")
        self.champion = self.genomes[int(np.argmax(measured))].copy()
        self._tell(-measured)
        self.told.append(measured.copy())
        self.genomes = self._asked()
        self.generation += 1

    def best(self) -> Array:
        return self.champion.copy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        told = np.array(self.told).reshape(len(self.told), self.settings.population)
        return {"told": told, "seed": np.array(self.seed), "generation": np.array(self.generation)}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        for name in ("told", "seed", "generation"):
            if name not in arrays:
                raise DataError(f"checkpoint of {self.name}: no array {name!r}")
        told = arrays["told"]
        expected = (int(arrays["generation"]), self.settings.population)
        if told.shape != expected:
            raise DataError(f"checkpoint of {self.name}: told is {told.shape}, {expected} expected")
        self._begin(int(arrays["seed"]))
        for fitness in told:
            self.tell(fitness)


class OutsideSwarm(_Outside):
    """pymoo's PSO with its own settings (adaptive w, c1, c2), from a first population drawn as ours is.

    It wants a box: one in which its limit on velocities, a fifth of the range, is our vmax, and which holds
    the first population.
    """

    name = "pymoo-pso"

    def _make(self, first: Array) -> None:
        swarm = _module("pymoo.algorithms.soo.nonconvex.pso").PSO
        problem = _module("pymoo.core.problem").Problem
        settings = self.settings
        half = max(abs(settings.low), abs(settings.high), settings.max_velocity / 0.4)
        box = problem(n_var=self.dimension, n_obj=1, xl=self.start - half, xu=self.start + half)
        self.swarm: Any = swarm(pop_size=settings.population, sampling=first)
        termination = _module("pymoo.core.termination").NoTermination()
        self.swarm.setup(box, termination=termination, seed=self.seed + 1, verbose=False)

    def _asked(self) -> Array:
        self.flying: Any = self.swarm.ask()
        return np.array(self.flying.get("X"), dtype=np.float64)

    def _tell(self, costs: Array) -> None:
        self.flying.set("F", costs[:, None])
        self.swarm.tell(infills=self.flying)


class CovarianceStrategy(_Outside):
    """cma's CMA-ES round the first genome, its first spread that of our first population."""

    name = "cma"

    def _make(self, first: Array) -> None:
        cma = _module("cma")
        spread = (self.settings.high - self.settings.low) / np.sqrt(12.0)
        options = {
            "popsize": self.settings.population,
            "seed": np.nan,  # it leaves numpy's own source alone,
            "randn": lambda *shape: self.random.standard_normal(shape),  # and draws from ours
            "CMA_diagonal": self.dimension >= WIDE,
            "verbose": -9,
        }
        self.strategy: Any = cma.CMAEvolutionStrategy(first[0], spread, options)

    def _asked(self) -> Array:
        self.offspring: list[Array] = self.strategy.ask()
        return np.array(self.offspring, dtype=np.float64)

    def _tell(self, costs: Array) -> None:
        self.strategy.tell(self.offspring, costs.tolist())


OUTSIDE: dict[str, type[_Outside]] = {kind.name: kind for kind in (OutsideSwarm, CovarianceStrategy)}
"""By the names the command line knows them by."""
