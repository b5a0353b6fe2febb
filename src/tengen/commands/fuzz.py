"""``tengen fuzz``: random bad input, seeded, to the record reader, the GTP engine and the board."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.commands.progress import Ticker

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Adds the family ``fuzz`` with sgf, gtp and board."""
    family = typer.Typer(help="Feed seeded bad input to a part; fails if anything but a clear answer comes.")
    family.command("sgf")(sgf)
    family.command("gtp")(gtp)
    family.command("board")(board)
    app.add_typer(family, name="fuzz")


Count = Annotated[int, typer.Option(help="How many inputs.", min=1)]
Seed = Annotated[int, typer.Option(help="Same seed, same inputs.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout and nothing else.")]


def sgf(
    count: Count = 100_000,
    seed: Seed = 1,
    seeds: Annotated[
        Path | None, typer.Option(help="Folder of records to mutate instead of the built-in ones.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Mutated game records: each is read, or refused with an SgfError, and reads the same when written."""
    from tengen.go.fuzz import SGF_SEEDS, fuzz_sgf

    files = SGF_SEEDS if seeds is None else _small_files(seeds)
    ticker = Ticker("records")
    _report(fuzz_sgf(count, seed, files, lambda done, _: ticker.tick(done)), as_json)


def gtp(count: Count = 1_000_000, seed: Seed = 1, as_json: Json = False) -> None:
    """Malformed GTP lines: each is answered."""
    from tengen.front.gtp.fuzz import fuzz_gtp

    _report(fuzz_gtp(count, seed), as_json)


def board(count: Count = 1_000_000, seed: Seed = 1, as_json: Json = False) -> None:
    """Random moves, illegal ones among them, on boards of many sizes; what the board keeps is held to its
    stones.
    """
    from tengen.go.fuzz import fuzz_board

    ticker = Ticker("moves")
    _report(fuzz_board(count, seed, lambda done, _: ticker.tick(done)), as_json)


def _small_files(folder: Path) -> tuple[bytes, ...]:
    from tengen.errors import ConfigError

    files = [
        path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.stat().st_size < 1 << 16
    ]
    texts = tuple(data for data in files if data)
    if not texts:
        raise ConfigError(f"--seeds {folder}: no files of less than 64 KiB")
    return texts


def _report(result: dict[str, Any], as_json: bool) -> None:
    """Print the result; leave with status 1 if there were failures."""
    if as_json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            if key != "failures":
                print(f"{key.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{key}: {value}")
        for failure in result.get("failures") or []:
            print(f"failure: {failure}")
    if result.get("failures"):
        raise typer.Exit(1)
