"""``tengen perft``: numbers that are right or wrong. Legal positions of a board, leaves of a game tree."""

import json
import time
from typing import Annotated

import typer

from tengen.errors import ConfigError
from tengen.go.perft import count_legal_positions, count_tree
from tengen.go.rules import Rules

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    @app.command()
    def perft(
        legal: Annotated[
            int | None, typer.Option(help="Count the legal positions of an NxN board, N to 4.")
        ] = None,
        size: Annotated[int, typer.Option(help="Board size of the game tree.")] = 3,
        depth: Annotated[
            int | None, typer.Option(help="Count the sequences of that many moves, passes too.")
        ] = None,
        rules: Annotated[str, typer.Option(help="Rule set of the game tree.")] = "tromp-taylor",
        as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    ) -> None:
        """Count legal positions, or the leaves of a game tree."""
        started = time.perf_counter()
        if (legal is None) == (depth is None):
            raise ConfigError("perft: either --legal N or --depth D expected")
        if legal is not None:
            if not 1 <= legal <= 4:
                raise ConfigError(f"perft: --legal {legal}: between 1 and 4 expected")
            count = count_legal_positions(legal, legal)
            what = {"legal": legal}
        else:
            assert depth is not None
            count = count_tree(Rules.named(rules, size), depth)
            what = {"size": size, "depth": depth}
        seconds = time.perf_counter() - started
        if as_json:
            typer.echo(json.dumps({**what, "rules": rules, "count": count, "seconds": round(seconds, 3)}))
        else:
            typer.echo(f"{count:,} in {seconds:.2f} s")
