"""``tengen tune``: better parameters for a system, found by playing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds ``tune``."""
    app.command("tune", help="Search a system's parameters by matches against fixed opponents.")(tune)


def tune(
    system: Annotated[str, typer.Argument(help="mucgo, or with parameters that stay: mucgo:threads=1.")],
    param: Annotated[
        list[str],
        typer.Option(help="name=0.3..0.9, name=1..20, name=0.01..10:log or name=a|b; again for more."),
    ],
    against: Annotated[list[str], typer.Option(help="An opponent; again for more.")],
    games: Annotated[int, typer.Option(help="A trial, against each opponent.")] = 40,
    trials: Annotated[int, typer.Option(help="Settings to try.")] = 50,
    confirm: Annotated[int, typer.Option(help="Games to measure the best again, on fresh seeds.")] = 0,
    size: Annotated[str, typer.Option(help="Board size, 9 or 9x7.")] = "9",
    komi: Annotated[float | None, typer.Option(help="Default: what the rules have.")] = None,
    rules: Annotated[str, typer.Option(help="chinese, japanese, tromp-taylor, capture ...")] = "chinese",
    time_per_move: Annotated[float | None, typer.Option(help="Seconds asked of everybody.")] = None,
    playouts: Annotated[int | None, typer.Option(help="Simulations a move, for everybody.")] = None,
    workers: Annotated[int, typer.Option(help="Games at the same time.")] = 1,
    seed: Annotated[int, typer.Option(help="Of proposals, openings and players.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder of study and games; default runs/tune-SYSTEM.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    from tengen.arena.conditions import Conditions
    from tengen.arena.specs import PlayerSpec, distinct
    from tengen.arena.tune import ParameterRange, Tuning
    from tengen.commands.arena_players import EngineBuilder

    spec = PlayerSpec.parse(system)
    conditions = Conditions.of(
        size=size, komi=komi, rules=rules, seconds=time_per_move, playouts=playouts, second_opinion="never"
    )
    tuning = Tuning(
        spec,
        [ParameterRange.parse(text) for text in param],
        distinct([PlayerSpec.parse(text) for text in against]),
        conditions,
        EngineBuilder(),
        out or Path("runs") / f"tune-{spec.system}",
        games,
        trials,
        confirm,
        workers,
        seed,
        lambda text: print(text, file=sys.stderr),
    )
    candidates = tuning.run()
    if as_json:
        best = candidates[0].to_json() if candidates else None
        print(json.dumps({"best": best, "trials": [candidate.to_json() for candidate in candidates]}))
    else:
        print("\n".join(candidate.line() for candidate in candidates[:10]))
