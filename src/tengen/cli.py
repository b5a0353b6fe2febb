"""The command ``tengen``. Each family of commands is a module of ``tengen.commands``, imported when it is used."""

import sys
from collections.abc import Sequence
from importlib import import_module

from tengen.errors import TengenError

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("play", "play a game in the terminal"),
    "gtp": ("", "be an engine for Sabaki, GoGui, Lizzie, KGS ..: Go Text Protocol on standard streams"),
    "match": ("match", "games between two players, with an interval"),
    "tournament": ("tournament", "round robin, gauntlet or ladder from a TOML file"),
    "experiment": ("experiment", "the tables and figures of the papers, measured again"),
    "tune": ("tune", "search for better parameters of a system"),
    "bench": ("bench", "how fast the parts are on this computer"),
    "perft": ("perft", "count legal positions and game trees"),
    "data": ("data", "build training data from game records; have positions judged"),
    "train": ("train", "train a network"),
    "patterns": ("patterns", "learn move patterns from game records"),
    "stages": ("stages", "fit the stage thresholds of mucgo to a collection"),
    "graph": ("graph", "look after a game graph on disk"),
    "evolve": ("evolve", "breed a Capture Go player"),
    "fuzz": ("fuzz", "throw random input at the readers"),
}
"""Command -> (module of tengen.commands, what it is for)."""


def _usage() -> str:
    from tengen import __version__

    width = max(map(len, COMMANDS))
    lines = [f"tengen {__version__}: Go for the computer you have", "", "usage: tengen COMMAND ...", ""]
    lines += [f"  {name:<{width}}  {text}" for name, (_, text) in COMMANDS.items()]
    lines += ["", "tengen COMMAND --help tells more; --debug before it shows where an error came from."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status, 0 only on success."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    if words[:1] == ["--debug"]:
        words = words[1:]
    if not words or words[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if words[0] in ("-V", "--version", "version"):
        from tengen import __version__

        print(f"tengen {__version__}")
        return 0
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        print(f"tengen: no command {name!r}; one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    if name == "gtp":
        from tengen.front.gtp import main as gtp

        return gtp(rest)
    return _typer(name, [word for word in rest if word != "--debug"], debug)


def _typer(name: str, words: list[str], debug: bool) -> int:
    import typer

    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    import_module(f"tengen.commands.{COMMANDS[name][0]}").register(app)
    # Typer runs a lone command without its name; a second, hidden one keeps every name where users type it.
    app.command("--", hidden=True)(lambda: None)
    try:
        result = app([name, *words], prog_name="tengen", standalone_mode=False)
    except TengenError as error:
        if debug:
            raise
        print(f"tengen: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tengen: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        return _usage_error(error, debug)
    return result if isinstance(result, int) else 0


def _usage_error(error: Exception, debug: bool) -> int:
    # Newer versions of typer bring their own copy of click: its errors are known by what they can do.
    status = getattr(error, "exit_code", None)
    if isinstance(status, int):
        if show := getattr(error, "show", None):
            show()
        return status
    if type(error).__name__ == "Abort":
        print("tengen: interrupted", file=sys.stderr)
        return 130
    if debug or not isinstance(error, (OSError, MemoryError, ModuleNotFoundError)):
        raise error
    print(f"tengen: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
