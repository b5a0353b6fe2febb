"""``tengen gtp``: the engine for front ends."""

from __future__ import annotations

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds ``gtp``, whose options argparse reads: a front end must not wait for anything it does not need.

    ``tengen.cli`` hands ``gtp`` to ``tengen.front.gtp.main`` before typer is imported; this entry is what
    ``tengen --help`` lists, and does the same.
    """
    app.command(
        "gtp",
        help="Speak the Go Text Protocol: an engine for Sabaki, GoGui, Lizzie, q5Go, kgsGtp and others.",
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(gtp)


def gtp(context: typer.Context) -> None:
    from tengen.front.gtp import main

    raise typer.Exit(main(context.args))
