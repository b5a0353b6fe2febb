"""``tengen tournament FILE.toml``: round robin, gauntlet or ladder, on many workers, taken up where it was
left.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds ``tournament``."""
    app.command("tournament", help="Play the tournament a TOML file describes.")(tournament)


def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament; docs/arena.md has every key.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for games and report; default beside FILE.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games in the folder.")] = False,
    workers: Annotated[int, typer.Option(help="Processes that play at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="dask: local:N, or a scheduler's address.")] = None,
    games: Annotated[
        int | None, typer.Option(help="Of every pairing, in place of the file's number.")
    ] = None,
    separate: Annotated[
        bool, typer.Option("--separate", help="Our systems in processes of their own.")
    ] = False,
    memory: Annotated[int | None, typer.Option(help="Megabytes for each of our systems.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    from tengen.arena.session import Session
    from tengen.arena.tournament import load_tournament
    from tengen.commands.arena_players import EngineBuilder

    config = load_tournament(file)
    if games is not None:
        config = config.changed(games=games)
    folder = out or file.with_suffix("")
    builder = EngineBuilder(separate, memory)
    session = Session(config, builder, workers, cluster, folder, resume, file.resolve().parent)
    schedule = session.schedule()
    results, interrupted = session.play_watched(schedule)
    outcome = session.outcome(schedule, results)
    page = session.write_report(outcome)
    print(json.dumps(outcome.to_json()) if as_json else "\n".join(outcome.lines()))
    print(f"report: {page}", file=sys.stderr)
    if interrupted:
        raise typer.Exit(130)
