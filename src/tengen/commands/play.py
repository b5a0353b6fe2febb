"""``tengen play``: a game in the terminal against any engine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tengen.go.position import Position
    from tengen.players import Player

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds ``play``."""
    app.command("play", help="Play a game in the terminal against an engine (type help there).")(play)


def play(
    engine: Annotated[
        str, typer.Option(help="An engine with parameters, or cmd:PROGRAM for a GTP program.")
    ] = "tengen",
    champion: Annotated[
        str | None, typer.Option(help="Of --engine capture: best, hybrid, ..., or a file of tengen evolve.")
    ] = None,
    size: Annotated[int, typer.Option(help="Board size, 2 to 25.", min=2, max=25)] = 9,
    komi: Annotated[
        float | None, typer.Option(help="Default: what the rules have, 0.5 with a handicap.")
    ] = None,
    rules: Annotated[str, typer.Option(help="chinese, japanese, tromp-taylor, capture ...")] = "chinese",
    color: Annotated[str, typer.Option(help="Yours: black, white, both, or none to watch.")] = "black",
    handicap: Annotated[int, typer.Option(help="Black's handicap stones, 2 to 9.", min=0, max=9)] = 0,
    time_per_move: Annotated[float | None, typer.Option(help="Seconds the engine thinks.", min=0.01)] = None,
    playouts: Annotated[int | None, typer.Option(help="Simulations for each of its moves.", min=1)] = None,
    level: Annotated[str | None, typer.Option(help="Playing level, weaker than full strength.")] = None,
    threads: Annotated[int, typer.Option(help="Search threads.", min=1)] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Same seed, same answers (one thread, --playouts).")
    ] = None,
    net: Annotated[str | None, typer.Option(help="A network for engines that use one.")] = None,
    graph: Annotated[str | None, typer.Option(help="The game graph on disk: sqlite:///my.db")] = None,
    load: Annotated[Path | None, typer.Option(help="Go on with the game in an SGF file.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the game here when it ends or is left.")] = None,
) -> None:
    from tengen.errors import ConfigError
    from tengen.front.terminal import HELP, TerminalGame
    from tengen.go.coords import Color
    from tengen.players import Limit

    mine = {"black": {Color.BLACK}, "white": {Color.WHITE}, "both": {Color.BLACK, Color.WHITE}, "none": set()}
    if color.lower() not in mine:
        raise ConfigError(f"--color {color}: one of {', '.join(mine)} expected")
    people = mine[color.lower()]
    start = _start(load, rules, size, komi, handicap)
    if champion is not None:
        engine += f"{',' if ':' in engine else ':'}champion={champion}"
    player = _player(engine, threads, seed, level, net, graph)
    limit = (
        None
        if time_per_move is None and playouts is None
        else Limit(playouts=playouts, seconds=time_per_move)
    )
    if people and sys.stdin.isatty():
        typer.echo(HELP)
    game = TerminalGame(
        start=start,
        players={side: player for side in (Color.BLACK, Color.WHITE) if side not in people},
        adviser=player,
        ask=input,
        say=typer.echo,
        limit=limit,
    )
    try:
        player.new_game(start.rules)
        game.play()
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        player.close()
        if save is not None:
            game.write(save)
            typer.echo(f"Written to {save}.")


def _start(load: Path | None, rules: str, size: int, komi: float | None, handicap: int) -> Position:
    """The position the game begins with."""
    from tengen.errors import ConfigError
    from tengen.go.coords import Color
    from tengen.go.handicap import fixed_handicap
    from tengen.go.position import Position
    from tengen.go.rules import Rules
    from tengen.go.sgf import load_sgf, record_of

    if load is not None:
        collection = load_sgf(load)
        if not collection.games:
            raise ConfigError(f"--load {load}: no game in it")
        return record_of(collection.games[0]).final_position()
    chosen = Rules.named(rules, size, komi if komi is not None or handicap < 2 else 0.5)
    if handicap < 2:
        return Position.start(chosen)
    try:
        stones = fixed_handicap(handicap, size, size)
    except ValueError as error:
        raise ConfigError(f"--handicap {handicap}: {error}") from None
    return Position.setup(chosen, black=stones, to_move=Color.WHITE, handicap=handicap)


def _player(
    engine: str, threads: int, seed: int | None, level: str | None, net: str | None, graph: str | None
) -> Player:
    if engine.startswith("cmd:"):
        from tengen.front.gtp.client import ProgramPlayer

        program = ProgramPlayer(engine[4:])
        program.start()
        return program
    from tengen.systems import Resources, make_player

    resources = Resources(threads=threads, level=level, net=net, graph=graph)
    if seed is not None:
        resources = Resources(threads=threads, level=level, net=net, graph=graph, seed=seed)
    return make_player(engine, resources)
