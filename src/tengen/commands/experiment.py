"""``tengen experiment``: the papers' tables and figures, measured again."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the family ``experiment`` with list and run."""
    family = typer.Typer(help="The papers' tables and figures, ours beside theirs.", no_args_is_help=True)
    family.command("list", help="What there is, and what it needs that is not here.")(list_experiments)
    family.command("run", help="Play and measure one, print our table beside the paper's.")(run)
    app.add_typer(family, name="experiment")


def list_experiments(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    from tengen.arena.experiment import load_experiment, shipped_experiments

    systems = _systems()
    rows = []
    for name, path in shipped_experiments().items():
        experiment = load_experiment(path)
        rows.append(
            {
                "name": name,
                "paper": experiment.paper,
                "source": experiment.source,
                "title": experiment.title,
                "games": experiment.games,
                "missing": experiment.missing(systems),
                "can_run": experiment.can_run(systems),
            }
        )
    if as_json:
        print(json.dumps({"experiments": rows}))
        return
    for row in rows:
        missing: Any = row["missing"]
        how = "not here" if row["can_run"] else "waiting for"
        lacks = f"  ({how}: {', '.join(missing)})" if missing else ""
        games = f"{row['games']} games" if row["games"] else "no games"
        print(f"{row['name']:24} {row['paper']:8} {row['source']:22} {row['title']}, {games}{lacks}")


def _systems() -> list[str]:
    """The systems of this package that are there: some are listed before they are written."""
    from tengen.systems import SYSTEMS

    return [name for name, system in SYSTEMS.items() if find_spec(system.module) is not None]


def run(
    name: Annotated[str, typer.Argument(help="A name of `experiment list`, or a TOML file.")],
    scale: Annotated[float, typer.Option(help="Share of the games to play, 1 is as in the paper.")] = 1.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder; default runs/experiments/NAME. Taken up if it is there.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Games at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="dask: local:N, or a scheduler's address.")] = None,
    playouts: Annotated[
        int | None, typer.Option(help="Simulations a move, in place of the file's limits.")
    ] = None,
    time_per_move: Annotated[
        float | None, typer.Option(help="Seconds a move, in place of the file's limits.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Board size, 9 or 9x7, in place of the file's.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data that some experiments measure on.")
    ] = None,
    separate: Annotated[
        bool, typer.Option("--separate", help="Our systems in processes of their own.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="In place of the file's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    from tengen.arena.experiment import find_experiment, load_experiment
    from tengen.arena.laboratory import Laboratory
    from tengen.commands.arena_players import EngineBuilder

    experiment = load_experiment(find_experiment(name))
    changes: dict[str, Any] = {}
    if playouts is not None or time_per_move is not None:
        changes = {"playouts": playouts, "visits": None, "seconds": time_per_move}
    if size is not None:
        changes["size"] = size
    folder = out or Path("runs") / "experiments" / experiment.name
    builder = EngineBuilder(separate or experiment.separate)
    laboratory = Laboratory(builder, workers, cluster, folder, scale, seed, changes, data, _systems())
    try:
        finding = laboratory.run(experiment)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    print(json.dumps(finding.to_json()) if as_json else finding.text())
    print(f"report: {folder / 'report.html'}", file=sys.stderr)
