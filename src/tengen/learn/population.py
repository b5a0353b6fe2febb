"""Breeding by trial: four optimisers behind one ask/tell interface (Cai and Wunsch 2007, section 5).

``ask`` hands out a population, one genome a row; somebody measures it; ``tell`` takes one fitness a row,
*greater is better*, and breeds the next. A fitness may be noisy and may depend on who else is in the
population: nothing here measures anything. An optimiser is wholly described by its settings and
``arrays()``, with its random source among them, so that one loaded from a checkpoint goes on exactly as the
one that was saved.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError

__all__ = [
    "METHODS",
    "BreedingSettings",
    "Evolution",
    "HillClimbing",
    "Hybrid",
    "Optimiser",
    "ParticleSwarm",
    "clip_velocity",
    "diversity",
    "learning_rate",
    "make_optimiser",
    "mutate_genome",
    "mutate_steps",
    "swarm_position",
    "swarm_velocity",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BreedingSettings:
    """What the four optimisers are told. Defaults are the paper's where it names a number.

    inertia_last below inertia lets w fall linearly over ``horizon`` generations; equal to it, w is constant.
    """

    population: int = 40  # individuals; the paper's 40
    low: float = -0.2  # first weights are U[low, high]; the paper's +-0.2
    high: float = 0.2
    inertia: float = 0.8  # w of Eq. 5.1; "between 0.4 and 0.9"; with c1, c2 set on three test functions
    inertia_last: float = 0.4
    horizon: int = 100  # generations over which w falls; the paper's run is 100 long
    cognitive: float = 2.0  # c1 of Eq. 5.1; open in the paper: see inertia
    social: float = 1.5  # c2 of Eq. 5.1, likewise
    max_velocity: float = 2.0  # vmax; the paper's 2.0
    first_step: float = 0.05  # sigma of Eq. 5.3 at the start; the paper's 0.05
    least_step: float = 1e-9  # sigma never sinks below: a step of zero would never grow again
    climb: float = 0.05  # beta of hill climbing; the paper's 0.05
    climb_noise: float = 0.05  # spread of a challenger round the champion; open: as the first sigma

    def __post_init__(self) -> None:
        if self.population < 4 or self.population % 2:
            raise ConfigError(f"population {self.population}: an even number from 4 expected")
        if not self.low < self.high:
            raise ConfigError(f"first weights from {self.low} to {self.high}: an interval expected")
        for name in ("max_velocity", "first_step", "climb", "climb_noise"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} {getattr(self, name)}: a positive number expected")
        if self.horizon < 1:
            raise ConfigError(f"horizon {self.horizon}: at least one generation expected")


def swarm_velocity(
    velocity: Array,
    position: Array,
    own_best: Array,
    best: Array,
    r1: Array,
    r2: Array,
    *,
    inertia: float,
    cognitive: float,
    social: float,
) -> Array:
    """Eq. 5.1: v(t+1) = w v(t) + c1 r1 (p - x(t)) + c2 r2 (g - x(t)), before the limit of vmax."""
    moved: Array = (
        inertia * velocity + cognitive * r1 * (own_best - position) + social * r2 * (best - position)
    )
    return moved


def clip_velocity(velocity: Array, max_velocity: float) -> Array:
    """A component beyond +-vmax is set to that limit."""
    return np.clip(velocity, -max_velocity, max_velocity)


def swarm_position(position: Array, velocity: Array) -> Array:
    """Eq. 5.2: x(t+1) = x(t) + v(t+1)."""
    return position + velocity


def learning_rate(weights: int) -> float:
    """tau of Eq. 5.3: 1 / sqrt(2 sqrt(Nw))."""
    return 1.0 / math.sqrt(2.0 * math.sqrt(weights))


def mutate_steps(steps: Array, normals: Array) -> Array:
    """Eq. 5.3: sigma'(j) = sigma(j) exp(tau N_j(0,1)), one normal for every weight."""
    return steps * np.exp(learning_rate(steps.shape[-1]) * normals)


def mutate_genome(genome: Array, steps: Array, normals: Array) -> Array:
    """Eq. 5.4: w'(j) = w(j) + sigma'(j) N_j(0,1), with freshly drawn normals."""
    moved: Array = genome + steps * normals
    return moved


def diversity(genomes: Array) -> float:
    """The mean over the weights of their standard deviation over the population."""
    return float(np.std(genomes, axis=0).mean())


class Optimiser(Protocol):
    """What a loop needs to know. Genomes are rows; the greater fitness is the better."""

    name: str
    settings: BreedingSettings
    dimension: int
    generation: int

    def ask(self) -> Array:
        """The population to be measured; the same until ``tell`` is called. A copy."""

    def tell(self, fitness: Array) -> None:
        """Breed the next population from one fitness a row. Raises ConfigError on a wrong shape or a NaN."""

    def best(self) -> Array:
        """The genome this optimiser would hand in now, from what it was told so far."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that ``restore`` needs, as plain arrays."""

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Go on from what ``arrays`` gave. Raises DataError when something is missing or of a wrong shape."""


class _Population:
    """What the four have in common: genomes, a random source, a checked ``tell``, plain-data checkpoints."""

    name = ""
    fields: tuple[str, ...] = ("genomes",)

    def __init__(
        self, dimension: int, seed: int, settings: BreedingSettings, start: Array | None = None
    ) -> None:
        if dimension < 1:
            raise ConfigError(f"dimension {dimension}: at least one weight expected")
        self.settings = settings
        self.dimension = dimension
        self.generation = 0
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.genomes = self.random.uniform(settings.low, settings.high, (settings.population, dimension))
        if start is not None:
            if start.shape != (dimension,):
                raise ConfigError(f"start of shape {start.shape}: one genome of {dimension} weights expected")
            self.genomes += start
        self.champion = self.genomes[0].copy()
        """The fittest of the population that was measured last: the paper's "best neuro-engine at
        generation n".
        """

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
        self.breed(measured)
        self.generation += 1

    def best(self) -> Array:
        best: Array = self.champion.copy()
        return best

    def breed(self, fitness: Array) -> None:
        raise NotImplementedError

    def arrays(self) -> dict[str, NDArray[Any]]:
        state = np.frombuffer(json.dumps(self.random.bit_generator.state).encode(), dtype=np.uint8)
        held: dict[str, NDArray[Any]] = {name: np.array(getattr(self, name)) for name in self.fields}
        held |= {"champion": self.champion, "generation": np.array(self.generation), "random": state}
        return held

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        for name in (*self.fields, "champion", "generation", "random"):
            if name not in arrays:
                raise DataError(f"checkpoint of {self.name}: no array {name!r}")
        for name in (*self.fields, "champion"):
            here, there = np.shape(getattr(self, name)), arrays[name].shape
            if here != there:
                raise DataError(f"checkpoint of {self.name}: {name} is {there}, {here} expected")
            setattr(self, name, arrays[name].astype(np.float64) if here else float(arrays[name]))
        self.generation = int(arrays["generation"])
        self.random.bit_generator.state = json.loads(arrays["random"].tobytes().decode())

    def inertia(self) -> float:
        """w of Eq. 5.1 in this generation."""
        part = min(1.0, self.generation / self.settings.horizon)
        return self.settings.inertia + (self.settings.inertia_last - self.settings.inertia) * part


class _Swarm(_Population):
    """Memory of particles: velocities, each one's best, and the best of all."""

    fields: tuple[str, ...] = (
        "genomes",
        "velocities",
        "own_bests",
        "own_fitness",
        "global_best",
        "global_fitness",
    )

    def __init__(
        self, dimension: int, seed: int, settings: BreedingSettings, start: Array | None = None
    ) -> None:
        super().__init__(dimension, seed, settings, start)
        self.velocities = np.zeros_like(self.genomes)
        self.own_bests = self.genomes.copy()
        self.own_fitness = np.full(settings.population, -np.inf)
        self.global_best = self.genomes[0].copy()
        self.global_fitness = -np.inf

    def remember(self, fitness: Array) -> None:
        """Bring p_i, f(p_i), g and f(g) up to date."""
        better = fitness > self.own_fitness
        self.own_bests[better] = self.genomes[better]
        self.own_fitness[better] = fitness[better]
        leader = int(np.argmax(fitness))
        if fitness[leader] > self.global_fitness:
            self.global_best = self.genomes[leader].copy()
            self.global_fitness = float(fitness[leader])

    def fly(self, rows: NDArray[np.intp]) -> None:
        """Eq. 5.1 and 5.2 for these particles; r1 and r2 are drawn afresh for every weight."""
        shape = (len(rows), self.dimension)
        moved = swarm_velocity(
            self.velocities[rows],
            self.genomes[rows],
            self.own_bests[rows],
            self.global_best,
            self.random.random(shape),
            self.random.random(shape),
            inertia=self.inertia(),
            cognitive=self.settings.cognitive,
            social=self.settings.social,
        )
        self.velocities[rows] = clip_velocity(moved, self.settings.max_velocity)
        self.genomes[rows] = swarm_position(self.genomes[rows], self.velocities[rows])


class ParticleSwarm(_Swarm):
    """PSO: everybody flies, nobody dies (section 5.1)."""

    name = "pso"

    def breed(self, fitness: Array) -> None:
        self.remember(fitness)
        self.fly(np.arange(self.settings.population))


class Evolution(_Population):
    """The EA of section 5.2 with self-adaptive steps: the better half stays and each bears one offspring."""

    name = "ea"
    fields: tuple[str, ...] = ("genomes", "steps")

    def __init__(
        self, dimension: int, seed: int, settings: BreedingSettings, start: Array | None = None
    ) -> None:
        super().__init__(dimension, seed, settings, start)
        self.steps = np.full_like(self.genomes, settings.first_step)

    def breed(self, fitness: Array) -> None:
        winners, losers = _halves(fitness)
        self.bear(winners, losers)

    def bear(self, parents: NDArray[np.intp], children: NDArray[np.intp]) -> None:
        """Eq. 5.3 and 5.4: mutated offspring of the parents take the children's places."""
        shape = (len(parents), self.dimension)
        steps = mutate_steps(self.steps[parents], self.random.standard_normal(shape))
        self.steps[children] = np.maximum(steps, self.settings.least_step)
        self.genomes[children] = mutate_genome(
            self.genomes[parents], self.steps[children], self.random.standard_normal(shape)
        )


class Hybrid(_Swarm, Evolution):
    """Section 5.3: winners are improved by PSO and kept; they are the parents whose offspring replace the
    losers.

    The offspring inherit velocity and own best of their parents, in case they win in the next generation.
    """

    name = "hybrid"
    fields = (*_Swarm.fields, "steps")

    def breed(self, fitness: Array) -> None:
        self.remember(fitness)
        winners, losers = _halves(fitness)
        self.fly(winners)
        self.bear(winners, losers)
        self.velocities[losers] = self.velocities[winners]
        self.own_bests[losers] = self.own_bests[winners]
        self.own_fitness[losers] = self.own_fitness[winners]


class HillClimbing(_Population):
    """The baseline [30]: challengers are the champion and noise; it moves by beta towards the best that
    beats it.

    Row 0 of ``ask`` is the champion itself; the others are its challengers.
    """

    name = "hc"

    def __init__(
        self, dimension: int, seed: int, settings: BreedingSettings, start: Array | None = None
    ) -> None:
        super().__init__(dimension, seed, settings, start)
        self.challenge()

    def challenge(self) -> None:
        noise = self.random.standard_normal((self.settings.population - 1, self.dimension))
        self.genomes[1:] = self.genomes[0] + self.settings.climb_noise * noise

    def breed(self, fitness: Array) -> None:
        leader = int(np.argmax(fitness))
        if fitness[leader] > fitness[0]:
            self.genomes[0] += self.settings.climb * (self.genomes[leader] - self.genomes[0])
        self.champion = self.genomes[0].copy()
        self.challenge()


METHODS: dict[str, type[_Population]] = {
    kind.name: kind for kind in (Hybrid, ParticleSwarm, Evolution, HillClimbing)
}
"""The optimisers by the names the command line knows them by."""


def make_optimiser(
    method: str,
    dimension: int,
    *,
    seed: int = 0,
    settings: BreedingSettings | None = None,
    start: Array | None = None,
    **changes: Any,
) -> Optimiser:
    """An optimiser by name, those of ``tengen.learn.outside`` among them; changes replace fields of the
    settings. Raises ConfigError on an unknown name, or one whose package is not installed.

    ``start`` is a genome that the first population is drawn around instead of nought.
    """
    from tengen.learn.outside import OUTSIDE

    kind: Any = METHODS.get(method) or OUTSIDE.get(method)
    if kind is None:
        raise ConfigError(f"method {method!r}: one of {', '.join([*METHODS, *OUTSIDE])} expected")
    try:
        chosen = replace(settings or BreedingSettings(), **changes)
    except TypeError:
        raise ConfigError(
            f"settings {sorted(changes)}: not all of them are BreedingSettings' fields"
        ) from None
    made: Optimiser = kind(dimension, seed, chosen, start)
    return made


def _halves(fitness: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of the better half, best first, and of the rest; equal fitness keeps the order of rows."""
    order = np.argsort(-fitness, kind="stable")
    half = len(order) // 2
    return order[:half], order[half:]
