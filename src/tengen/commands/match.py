"""``tengen match``: two players, many games, and how sure one may be of the outcome."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tengen.arena.session import Session

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds ``match``."""
    app.command("match", help="Play games between two players and say who is stronger, with intervals.")(
        match
    )


def match(
    a: Annotated[
        str,
        typer.Argument(help="mucgo:f=0.6,threads=1 or cmd:gnugo --mode gtp --level 10; name@... names it."),
    ],
    b: Annotated[str, typer.Argument(help="The same for the opponent.")],
    games: Annotated[
        int, typer.Option(help="How many; pairs share an opening with colours exchanged.")
    ] = 100,
    size: Annotated[str, typer.Option(help="Board size, 9 or 9x7.")] = "9",
    komi: Annotated[float | None, typer.Option(help="Default: what the rules have.")] = None,
    rules: Annotated[str, typer.Option(help="chinese, japanese, tromp-taylor, capture ...")] = "chinese",
    handicap: Annotated[int, typer.Option(help="Stones for B, who then always has Black.")] = 0,
    time_per_move: Annotated[float | None, typer.Option(help="Seconds asked of both, not enforced.")] = None,
    clock: Annotated[
        str | None, typer.Option(help="Enforced: 60, 60/30/10 (main/byo/stones), 60/10x5 or 60+2.")
    ] = None,
    playouts: Annotated[int | None, typer.Option(help="Simulations a move, for both.")] = None,
    visits: Annotated[int | None, typer.Option(help="Visits of the root, for both.")] = None,
    playouts_a: Annotated[int | None, typer.Option(help="Simulations a move for A alone.")] = None,
    playouts_b: Annotated[int | None, typer.Option(help="Simulations a move for B alone.")] = None,
    time_a: Annotated[float | None, typer.Option(help="Seconds a move for A alone.")] = None,
    time_b: Annotated[float | None, typer.Option(help="Seconds a move for B alone.")] = None,
    openings: Annotated[
        Path | None, typer.Option(help="SGF, or lines of GTP vertices; default random ones.")
    ] = None,
    opening_moves: Annotated[int, typer.Option(help="Length of the random openings; 0 for none.")] = 4,
    move_limit: Annotated[
        int | None, typer.Option(help="Moves until the referee counts; default 3 x points.")
    ] = None,
    resign: Annotated[
        str | None, typer.Option(help="P,N: a side has resigned whose own winrate is below P for N moves.")
    ] = None,
    adjudicate: Annotated[
        str | None,
        typer.Option(help="P,N: decided when both sides see P or more for the same side for N moves."),
    ] = None,
    second_opinion: Annotated[str, typer.Option(help="GNU Go counts too: auto, always, never.")] = "auto",
    hang_after: Annotated[float, typer.Option(help="Seconds until a silent program is given up.")] = 300.0,
    sprt: Annotated[
        str | None, typer.Option(help="elo0,elo1[,alpha,beta]: stop as soon as it is decided.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that play at the same time.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="dask: local:N, or a scheduler's address.")] = None,
    separate: Annotated[
        bool, typer.Option("--separate", help="Our systems in processes of their own.")
    ] = False,
    memory: Annotated[int | None, typer.Option(help="Megabytes for each of our systems.")] = None,
    seed: Annotated[int, typer.Option(help="Openings and players depend on it and on nothing else.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for games, SGF and report.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the games in the folder.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    from tengen.arena.session import Session
    from tengen.arena.specs import PlayerSpec, distinct
    from tengen.arena.tournament import parse_tournament
    from tengen.commands.arena_players import EngineBuilder

    first, second = distinct([PlayerSpec.parse(a), PlayerSpec.parse(b)])
    conditions: dict[str, Any] = {
        "size": size,
        "komi": komi,
        "rules": rules,
        "handicap": handicap,
        "seconds": time_per_move,
        "clock": clock,
        "playouts": playouts,
        "visits": visits,
        "openings": None if openings is None else str(openings.resolve()),
        "opening_moves": opening_moves,
        "move_limit": move_limit,
        "second_opinion": second_opinion,
        "hang_after": hang_after,
        **_threshold("resign", resign, "resign_below", "resign_moves"),
        **_threshold("adjudicate", adjudicate, "adjudicate_above", "adjudicate_moves"),
    }
    players = [
        {"name": first.name, "spec": first.text, "playouts": playouts_a, "seconds": time_a},
        {"name": second.name, "spec": second.text, "playouts": playouts_b, "seconds": time_b},
    ]
    fields = {
        "name": f"{first.name} - {second.name}",
        "games": games,
        "seed": seed,
        "sprt": sprt,
        "conditions": conditions,
        "players": players,
    }
    config = parse_tournament(fields, "match")
    session = Session(config, EngineBuilder(separate, memory), workers, cluster, out, resume)
    run_match(session, as_json=as_json)


def _threshold(option: str, text: str | None, share: str, moves: str) -> dict[str, Any]:
    """``P,N`` as the two fields it stands for."""
    from tengen.errors import ConfigError

    if text is None:
        return {}
    chance, comma, number = text.partition(",")
    try:
        return {share: float(chance)} | ({moves: int(number)} if comma else {})
    except ValueError:
        raise ConfigError(
            f"--{option} {text!r}: a chance, or a chance and a number of moves (0.05,3)"
        ) from None


def run_match(session: Session, *, as_json: bool) -> None:
    """Play, print and write what there is to say; after Ctrl-C too, about the games finished by then."""
    from tengen.arena.schedules import RoundRobin
    from tengen.arena.summary import MatchSummary

    schedule = session.schedule()
    assert isinstance(schedule, RoundRobin)
    if session.cluster is None and (warning := schedule.series.book.check(session.config.games // 2)):
        print(f"note: {warning}", file=sys.stderr)
    results, interrupted = session.play_watched(schedule, schedule.players[0].name)
    summary = MatchSummary.of(schedule, results)
    fields = summary.to_json()
    page = session.write_report(session.outcome(schedule, results), {"match": fields}) if results else None
    print(json.dumps(fields) if as_json else "\n".join(summary.lines()))
    if page is not None:
        print(f"report: {page}", file=sys.stderr)
    if interrupted:
        raise typer.Exit(130)
