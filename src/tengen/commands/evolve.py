"""``tengen evolve``: breed a Capture Go player, and look at those there are."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.errors import ConfigError

if TYPE_CHECKING:
    from tengen.learn.evolve import GenerationReport
    from tengen.systems.capture_breeding import CaptureContest

__all__ = ["register"]

LEARNERS = ("td", "hdp")
BREEDERS_ALONE = {"genes": "weights", "start": "", "spread": 1.0, "finals": 0}
LEARNERS_ALONE = {"rate": 0.001}
"""Options the others would pass over in silence, with their defaults."""

REDRAWN = 20.0
"""Seconds between two pictures of the curves while a run goes on."""


def register(app: typer.Typer) -> None:
    """Adds the command ``evolve``."""
    app.command(
        "evolve", help="Breed a Capture Go player by PSO, an EA, their hybrid, hill climbing, TD or HDP."
    )(evolve)


def evolve(
    method: Annotated[
        str, typer.Option(help="hybrid, pso, ea, hc; pymoo-pso, cma; learners td, hdp.")
    ] = "hybrid",
    population: Annotated[int, typer.Option(help="Individuals.")] = 40,
    generations: Annotated[
        int, typer.Option(help="Generations; for td and hdp rounds of as many games.")
    ] = 100,
    opponents: Annotated[int, typer.Option(help="Games of each as Black, opponents drawn at random.")] = 8,
    house_games: Annotated[
        int, typer.Option(help="Games of each against the defensive player beside them.")
    ] = 0,
    finals: Annotated[
        int, typer.Option(help="Games of each of the last population against it, to choose the champion by.")
    ] = 0,
    depth: Annotated[int, typer.Option(help="Plies searched in the games.")] = 1,
    reading: Annotated[int, typer.Option(help="Plies of ataris read beyond them; 0 is blind.")] = 1,
    size: Annotated[int, typer.Option(help="Board size, 5 to 13.")] = 9,
    slope: Annotated[float, typer.Option(help="lambda of tanh(lambda x).")] = 1.0,
    stray: Annotated[float, typer.Option(help="Share of moves made at random.")] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed breeds the same champion.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes; 0 is one a core.")] = 0,
    executor: Annotated[str, typer.Option(help="processes, serial, dask or dask:ADDRESS.")] = "processes",
    out: Annotated[
        Path | None, typer.Option(help="The run's directory; default runs/evolve-METHOD-SIZE-SEED.")
    ] = None,
    rate: Annotated[float, typer.Option(help="td and hdp: the step of a correction.")] = 0.001,
    genes: Annotated[
        str, typer.Option(help="weights: all of them; squares: a few numbers that give them.")
    ] = "weights",
    start: Annotated[
        str, typer.Option(help="Breed around a champion file, or `influence`; empty: around 0.")
    ] = "",
    spread: Annotated[float, typer.Option(help="First weights and steps by this much of the paper's.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """The run goes on from its directory's checkpoint when there is one; Ctrl-C loses at most one
    generation.
    """
    directory = out or Path("runs") / f"evolve-{method}-{size}-{seed}"
    given = {
        "method": method, "population": population, "generations": generations, "opponents": opponents,
        "house_games": house_games, "finals": finals, "depth": depth, "reading": reading, "size": size,
        "slope": slope, "stray": stray, "seed": seed, "rate": rate, "genes": genes, "start": start,
        "spread": spread,
    }  # fmt: skip
    _check_meaning(given)
    began = time.monotonic()
    try:
        weights, figures = (_learn if method in LEARNERS else _breed)(given, directory, executor, workers)
    except KeyboardInterrupt:
        print(f"evolve: stopped; {directory} is kept, the same command goes on", file=sys.stderr)
        raise
    seconds = time.monotonic() - began
    path = directory / "champion.json"
    _keep(path, given, weights, figures)
    if as_json:
        print(json.dumps({"champion": str(path), "seconds": round(seconds, 2), **given, **figures}))
    else:
        print(
            f"champion: {path}\n"
            f"play it: tengen gtp --engine capture --rules capture --size {given['size']} --champion {path}"
        )


def _check_meaning(given: dict[str, Any]) -> None:
    """ConfigError on an option that this method would not look at: its champion would say a false thing of
    itself.
    """
    learns = given["method"] in LEARNERS
    for name, default in (BREEDERS_ALONE if learns else LEARNERS_ALONE).items():
        if given[name] != default:
            kind = "breeders alone" if learns else "learners td and hdp alone"
            raise ConfigError(f"--{name} {given[name]}: it is for the {kind}, not for {given['method']}")


class _Diary:
    """What a breeding run leaves to be looked at while it goes on: a line a generation, and the curves."""

    def __init__(self, directory: Path, title: str) -> None:
        self.log = directory / "generations.jsonl"
        self.picture = directory / "curves.png"
        self.title = title
        self.history: list[GenerationReport] = []
        self._drawn = time.monotonic()
        self._able = True

    def begin(self, history: list[GenerationReport]) -> None:
        """Take over what was there before, from the checkpoint: a line may be missing after a kill."""
        self.history = list(history)
        self.log.write_text("".join(self._line(row) for row in history), encoding="utf-8")

    def add(self, row: GenerationReport) -> None:
        print(row.line(), file=sys.stderr, flush=True)
        self.history.append(row)
        with self.log.open("a", encoding="utf-8") as file:
            file.write(self._line(row))
        if time.monotonic() - self._drawn > REDRAWN:
            self.draw()

    def draw(self) -> None:
        if self.history and self._able:
            self._able = draw_curves(self.history, self.picture, self.title)
        self._drawn = time.monotonic()

    @staticmethod
    def _line(row: GenerationReport) -> str:
        return json.dumps(asdict(row)) + "\n"


def _breed(given: dict[str, Any], directory: Path, executor: str, workers: int) -> tuple[Any, dict[str, Any]]:
    from tengen.learn.evolve import EvolveSettings
    from tengen.learn.evolve import evolve as run
    from tengen.learn.population import BreedingSettings
    from tengen.learn.workers import executor_by_name
    from tengen.systems.capture_breeding import CaptureContest

    settings = EvolveSettings(
        given["method"],
        given["population"],
        given["generations"],
        given["opponents"],
        given["house_games"],
        given["finals"],
        given["seed"],
    )
    contest = CaptureContest(
        given["size"],
        given["depth"],
        given["reading"],
        given["stray"],
        slope=given["slope"],
        genes=given["genes"],
    )
    plain = BreedingSettings()
    breeding = BreedingSettings(
        population=given["population"],
        horizon=given["generations"],
        low=plain.low * given["spread"],
        high=plain.high * given["spread"],
        max_velocity=plain.max_velocity * given["spread"],
        first_step=plain.first_step * given["spread"],
        climb_noise=plain.climb_noise * given["spread"],
    )
    start = _start(given["start"], contest)
    directory.mkdir(parents=True, exist_ok=True)
    diary = _Diary(directory, f"{given['method']}, {given['size']}x{given['size']}")
    with executor_by_name(executor, workers) as (pool, count):
        try:
            weights, history = run(
                settings,
                contest,
                pool,
                workers=count,
                breeding=breeding,
                start=start,
                directory=directory,
                label=f"{contest!r} {given['start']}".strip(),
                resumed=diary.begin,
                report=diary.add,
            )
        finally:
            diary.draw()
    games = sum(row.games for row in history)
    seconds = sum(row.seconds for row in history)
    return contest.weights_of(weights), {
        "games": games,
        "breeding_seconds": round(seconds, 2),
        "games_per_second": round(games / seconds, 1) if seconds else None,
        "best_fitness": history[-1].best,
        "diversity": history[-1].diversity,
    }


def _start(name: str, contest: CaptureContest) -> Any:
    """The genome a run begins around; None for nought."""
    if not name:
        return None
    if name == "influence":
        from tengen.systems.capture_shape import influence_numbers, squares_genome

        numbers = influence_numbers(contest.size)
        return numbers if contest.genes == "squares" else squares_genome(contest.size, numbers)
    from tengen.systems.capture_champions import find_champion

    if contest.genes == "squares":
        raise ConfigError(f"start {name!r}: with --genes squares only influence can be a start")
    return find_champion(name, contest.size).weights.astype(float)


def _learn(given: dict[str, Any], directory: Path, executor: str, workers: int) -> tuple[Any, dict[str, Any]]:
    from tengen.learn.td import LearnSettings, learn_by_play
    from tengen.learn.workers import executor_by_name
    from tengen.systems.capture_breeding import CaptureSelfPlay
    from tengen.systems.capture_shape import board_shape

    games = given["population"] * given["opponents"]
    settings = LearnSettings(
        given["method"],
        given["generations"],
        games,
        seed=given["seed"],
        rate=given["rate"],
        slope=given["slope"],
    )
    play = CaptureSelfPlay(
        given["size"],
        given["depth"],
        given["reading"],
        given["stray"],
        house=given["house_games"] / (given["opponents"] + given["house_games"]),
        slope=given["slope"],
    )
    if given["method"] == "td":
        play = replace(play, weights=None)
    last: dict[str, Any] = {}

    def report(number: int, error: float, moves: float) -> None:
        last.update(error=error)
        print(
            f"round {number}: squared error {error:.3f} a game, {moves:.1f} moves",
            file=sys.stderr,
            flush=True,
        )

    with executor_by_name(executor, workers) as (pool, count):
        weights = learn_by_play(
            settings,
            board_shape(given["size"]),
            play,
            pool,
            workers=count,
            directory=directory,
            label=repr(play),
            report=report,
        )
    return weights, {"games": games * given["generations"], "squared_error": last.get("error")}


def _keep(path: Path, given: dict[str, Any], weights: Any, figures: dict[str, Any]) -> None:
    from tengen import __version__
    from tengen.systems.capture_champions import Champion, write_champion

    about = {"bred": given, "figures": figures, "version": __version__}
    write_champion(path, Champion(given["method"], given["size"], weights, given["slope"], about))


def draw_curves(history: list[GenerationReport], path: Path, title: str) -> bool:
    """Fitness and diversity by generation as a picture; False where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        print("evolve: no picture of the curves: the extra 'lab' is not installed", file=sys.stderr)
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    if not history:
        raise ConfigError("curves: no generation to draw")
    generations = [row.generation for row in history]
    figure, (upper, lower) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 6), layout="constrained")
    upper.plot(generations, [row.best for row in history], label="best")
    upper.plot(generations, [row.mean for row in history], label="mean")
    upper.set_ylabel("fitness")
    upper.set_title(title)
    if any(row.house_wins for row in history):
        share = upper.twinx()
        share.plot(generations, [1.0 - row.house_wins for row in history], color="tab:green", alpha=0.6)
        share.set_ylabel("not lost to the defensive player")
        share.set_ylim(0.0, 1.0)
    upper.legend(loc="best")
    lower.plot(generations, [row.diversity for row in history], color="tab:purple")
    lower.set_ylabel("diversity of weights")
    lower.set_xlabel("generation")
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True
