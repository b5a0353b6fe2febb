"""The generation loop: ask an optimiser, let its individuals play each other, tell it how they did.

Knows no game: a Contest plays, an Executor spreads the games, a run directory keeps what was done.
Opponents and game seeds come from (seed, generation) alone, so a run is the same with any number of
workers, and one that was killed and resumed is the same as one that was not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError
from tengen.learn.population import BreedingSettings, Optimiser, diversity, make_optimiser
from tengen.learn.run_file import difference, read_checkpoint, write_checkpoint

__all__ = [
    "HOUSE",
    "Contest",
    "EvolveSettings",
    "GameReport",
    "GenerationReport",
    "draw_pairings",
    "evolve",
    "fitness_of",
    "play_pairings",
]

Array = NDArray[np.float64]

HOUSE = -1
"""In a pairing: no individual but the player the contest brings along."""


@dataclass(frozen=True)
class GameReport:
    """One game: +1 Black won, 0 drawn, -1 White won; and its moves."""

    result: int
    moves: int


class Contest(Protocol):
    """A game individuals play. Travels to other processes by value, so keep it small."""

    @property
    def dimension(self) -> int:
        """Weights of a genome."""

    def play(
        self, genomes: Array, pairings: Sequence[tuple[int, int]], seeds: Sequence[int]
    ) -> list[GameReport]:
        """One game for each (row that is Black, row that is White), in order; a game depends on its seed
        only.

        Row HOUSE is the contest's own player.
        """


@dataclass(frozen=True)
class EvolveSettings:
    """One run. Defaults are the paper's (section 5.4)."""

    method: str = "hybrid"
    population: int = 40
    generations: int = 100
    opponents: int = 8  # games as Black of each individual, against this many others drawn at random
    house_games: int = 0  # beside them, games of each individual against the contest's own player, in turn as
    # Black and White ("competing with this player teaches our hybrid engine")
    finals: int = 0  # games of each of the last population against that player, to choose the champion by;
    # 0: it is the fittest of the last generation, as in the paper
    seed: int = 0
    win: float = 1.0
    draw: float = 0.0
    loss: float = -2.0
    white_scores: bool = True  # each game scores for both players ("each engine participating in 16 games")

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ConfigError(f"generations {self.generations}: at least 1 expected")
        if not 1 <= self.opponents < self.population:
            raise ConfigError(f"opponents {self.opponents}: 1 to {self.population - 1} expected")
        if self.house_games < 0 or self.finals < 0:
            raise ConfigError(f"house_games {self.house_games}, finals {self.finals}: 0 or more expected")
        if self.seed < 0:
            raise ConfigError(f"seed {self.seed}: 0 or more expected")


@dataclass(frozen=True)
class GenerationReport:
    """How one generation did. ``best`` and ``mean`` are fitness; rates are of this generation alone."""

    generation: int
    best: float
    mean: float
    diversity: float
    games: int
    games_per_second: float
    moves_per_game: float
    black_wins: float
    house_games: int
    house_wins: float  # of the contest's own player, the share of its games; 0 when it plays none
    seconds: float

    def line(self) -> str:
        return (
            f"generation {self.generation}: best {self.best:+.0f}, mean {self.mean:+.2f}, "
            f"diversity {self.diversity:.3f}, {self.moves_per_game:.1f} moves a game, "
            f"{self.games_per_second:.0f} games/s"
            + (f", house wins {self.house_wins:.0%}" if self.house_games else "")
        )


def draw_pairings(settings: EvolveSettings, generation: int) -> list[tuple[int, int]]:
    """(Black, White) rows: everybody is Black once against each of so many different others, drawn at
    random.
    """
    random = np.random.default_rng([settings.seed, generation, 1])
    population, pairings = settings.population, []
    for black in range(population):
        others = random.choice(population - 1, size=settings.opponents, replace=False)
        pairings += [(black, int(other) + int(other >= black)) for other in others]
        pairings += [(HOUSE, black) if game % 2 else (black, HOUSE) for game in range(settings.house_games)]
    return pairings


def fitness_of(
    settings: EvolveSettings, pairings: Sequence[tuple[int, int]], games: Sequence[GameReport]
) -> Array:
    """Every individual's sum of scores: -2, 0 or +1 a game."""
    points = {1: settings.win, 0: settings.draw, -1: settings.loss}
    fitness = np.zeros(settings.population)
    for (black, white), game in zip(pairings, games, strict=True):
        if black != HOUSE:
            fitness[black] += points[game.result]
        if white != HOUSE and (settings.white_scores or black == HOUSE):
            fitness[white] += points[-game.result]
    return fitness


def _play_some(
    contest: Contest, genomes: Array, pairings: Sequence[tuple[int, int]], seeds: Sequence[int]
) -> list[GameReport]:
    return contest.play(genomes, pairings, seeds)


def play_pairings(
    contest: Contest,
    genomes: Array,
    pairings: Sequence[tuple[int, int]],
    seeds: Sequence[int],
    executor: Executor,
    workers: int,
) -> list[GameReport]:
    """All games, in the order of the pairings, in about four tasks a worker."""
    size = max(1, -(-len(pairings) // (4 * max(1, workers))))
    tasks = []
    for begin in range(0, len(pairings), size):
        chunk = pairings[begin : begin + size]
        rows = sorted({row for pair in chunk for row in pair if row != HOUSE})
        place = {row: index for index, row in enumerate(rows)} | {HOUSE: HOUSE}
        local = [(place[black], place[white]) for black, white in chunk]
        tasks.append(
            executor.submit(_play_some, contest, genomes[rows], local, list(seeds[begin : begin + size]))
        )
    return [game for task in tasks for game in task.result()]


def evolve(
    settings: EvolveSettings,
    contest: Contest,
    executor: Executor,
    *,
    workers: int = 1,
    breeding: BreedingSettings | None = None,
    start: Array | None = None,
    directory: Path | None = None,
    label: str = "",
    resumed: Callable[[list[GenerationReport]], None] = lambda _: None,
    report: Callable[[GenerationReport], None] = lambda _: None,
) -> tuple[Array, list[GenerationReport]]:
    """Run to the last generation; its fittest individual and the history.

    ``start`` is a genome to draw the first population around; name it in ``label``. ``resumed`` is told once
    what generations there are already, ``report`` each one that comes.

    With a directory every generation leaves a checkpoint there (written whole or not at all), and a run whose
    checkpoint is there goes on from it, to the same end as if it had never stopped. Raises DataError when
    that checkpoint belongs to other settings, ``label`` (which names the contest) included; a later last
    generation alone makes no other settings, but the breeding's horizon does.
    """
    chosen = breeding or BreedingSettings(population=settings.population, horizon=settings.generations)
    if chosen.population != settings.population:
        raise ConfigError(
            f"population {settings.population} of the run, {chosen.population} of the optimiser"
        )
    optimiser = make_optimiser(
        settings.method, contest.dimension, seed=settings.seed, settings=chosen, start=start
    )
    described: dict[str, Any] = {"run": asdict(settings), "breeding": asdict(chosen), "contest": label}
    for ending in ("generations", "finals"):
        described["run"].pop(ending)
    path = directory / "checkpoint.npz" if directory else None
    history: list[GenerationReport] = []
    if path is not None and path.exists():
        history = _resume(path, described, optimiser)
    resumed(history)
    while optimiser.generation < settings.generations:
        began = time.monotonic()
        generation = optimiser.generation
        genomes = optimiser.ask()
        pairings = draw_pairings(settings, generation)
        random = np.random.default_rng([settings.seed, generation, 2])
        seeds = [int(seed) for seed in random.integers(2**31, size=len(pairings))]
        games = play_pairings(contest, genomes, pairings, seeds, executor, workers)
        fitness = fitness_of(settings, pairings, games)
        optimiser.tell(fitness)
        seconds = time.monotonic() - began
        history.append(
            GenerationReport(
                generation=generation + 1,
                best=float(fitness.max()),
                mean=float(fitness.mean()),
                diversity=diversity(genomes),
                games=len(games),
                games_per_second=len(games) / seconds,
                moves_per_game=float(np.mean([game.moves for game in games])),
                black_wins=float(np.mean([game.result == 1 for game in games])),
                house_games=settings.house_games * settings.population,
                house_wins=_house_wins(pairings, games),
                seconds=seconds,
            )
        )
        if path is not None:
            write_checkpoint(path, described, optimiser.arrays() | {"history": _table(history)})
        report(history[-1])
    if settings.finals:
        return _finalist(settings, contest, optimiser.ask(), executor, workers), history
    return optimiser.best(), history


def _finalist(
    settings: EvolveSettings, contest: Contest, genomes: Array, executor: Executor, workers: int
) -> Array:
    """The individual that wins most of so many games against the contest's own player, in turn as Black and
    White; all play the same seeds.
    """
    random = np.random.default_rng([settings.seed, settings.generations, 5])
    once = [int(seed) for seed in random.integers(2**31, size=settings.finals)]
    pairings = [
        (HOUSE, row) if game % 2 else (row, HOUSE)
        for row in range(len(genomes))
        for game in range(settings.finals)
    ]
    games = play_pairings(contest, genomes, pairings, once * len(genomes), executor, workers)
    won = [
        game.result == (1 if white == HOUSE else -1) for (_, white), game in zip(pairings, games, strict=True)
    ]
    best: Array = genomes[int(np.argmax(np.reshape(won, (len(genomes), -1)).sum(axis=1)))]
    return best


def _house_wins(pairings: Sequence[tuple[int, int]], games: Sequence[GameReport]) -> float:
    won = [
        game.result == (1 if black == HOUSE else -1)
        for (black, white), game in zip(pairings, games, strict=True)
        if HOUSE in (black, white)
    ]
    return float(np.mean(won)) if won else 0.0


def _table(history: list[GenerationReport]) -> Array:
    return np.array([list(asdict(row).values()) for row in history], dtype=np.float64)


def _resume(path: Path, described: dict[str, Any], optimiser: Optimiser) -> list[GenerationReport]:
    found, arrays = read_checkpoint(path)
    if found != described:
        raise DataError(f"{path}: a checkpoint of another run: {difference(found, described)}")
    optimiser.restore(arrays)
    kinds = {field.name: int if field.type == "int" else float for field in fields(GenerationReport)}
    history = []
    for row in arrays["history"]:
        values: dict[str, Any] = {
            name: kind(value) for (name, kind), value in zip(kinds.items(), row, strict=True)
        }
        history.append(GenerationReport(**values))
    return history
