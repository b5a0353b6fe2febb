"""``tengen data``: game records into training data, positions into labels, what a directory holds."""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.errors import ConfigError, DataError

if TYPE_CHECKING:
    from tengen.learn.gamefiles import GameFilter, RawGame

__all__ = ["register"]

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Sizes = Annotated[str | None, typer.Option("--size", help="Board sizes kept: 19, or 9,13.")]
Since = Annotated[str | None, typer.Option(help="First date kept: 1950 or 2015-06-01.")]
Until = Annotated[str | None, typer.Option(help="Last date kept.")]
Komi = Annotated[str | None, typer.Option(help="Komi kept: 5.5,6.5,7.5.")]
MaxHandicap = Annotated[int | None, typer.Option(help="Handicap stones at most.")]
MinRank = Annotated[str | None, typer.Option(help="Both players at least: 6d, 1p.")]
MinMoves = Annotated[int, typer.Option(help="Moves at least.")]


def register(app: typer.Typer) -> None:
    """Adds the family ``data`` with build, label, info, pack and unpack."""
    family = typer.Typer(help="Game records and judged positions to learn from.", no_args_is_help=True)
    for command in (build, label, info, pack, unpack):
        family.command(command.__name__)(command)
    app.add_typer(family, name="data")


def build(
    sources: Annotated[list[Path], typer.Argument(help="SGF files or folders, .zip, .tar.*, .tsv, labels.")],
    out: Annotated[Path, typer.Option(help="The directory to make.")],
    validation: Annotated[float, typer.Option(help="Share of the games held out, by id.")] = 0.02,
    validation_source: Annotated[
        list[Path] | None, typer.Option(help="Games held out wholly; may be given several times.")
    ] = None,
    size: Sizes = None,
    since: Since = None,
    until: Until = None,
    komi: Komi = None,
    max_handicap: MaxHandicap = None,
    min_rank: MinRank = None,
    min_moves: MinMoves = 1,
    known_result: Annotated[bool, typer.Option("--known-result", help="A winner must be told.")] = False,
    paper: Annotated[
        bool, typer.Option("--paper", help="The DANN paper's choice: 19x19, 1950 on, komi 5.5-7.5, even.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read games and labels, leave out doubles and what the filters refuse, and write a data directory."""
    from tengen.commands.progress import Ticker
    from tengen.learn import builder

    keep = _filter(paper, size, since, until, komi, max_handicap, min_rank, min_moves, known_result)
    ticker = Ticker("games")
    report = builder.build(
        sources,
        out,
        validation_sources=validation_source or [],
        validation=validation,
        keep=keep,
        overwrite=overwrite,
        progress=lambda name, count: ticker.tick(count, name),
    )
    ticker.done()
    if as_json:
        print(json.dumps({"out": str(out), **asdict(report)}, ensure_ascii=False))
        return
    print(f"{out}: {report.games:,} games ({report.validation_games:,} held out), {report.moves:,} moves")
    for board, count in report.labels.items():
        print(f"  {count:,} judged positions on {board}x{board}")
    for what, number in {
        "unreadable": report.unreadable,
        "doubles": report.duplicates,
        "illegal": report.illegal,
        "labels without their game": report.labels_without_game,
        **{f"refused by {name}": count for name, count in report.refused.items()},
    }.items():
        if number:
            print(f"  left out: {number:,} {what}")
    for example in report.examples:
        print(f"    {example}", file=sys.stderr)


def _filter(
    paper: bool,
    size: str | None,
    since: str | None,
    until: str | None,
    komi: str | None,
    max_handicap: int | None,
    min_rank: str | None,
    min_moves: int,
    known_result: bool,
) -> GameFilter:
    """The paper's choice or none, changed by what was asked for; ConfigError for what cannot be read."""
    from dataclasses import replace

    from tengen.learn.gamefiles import GameFilter, parse_rank

    changes: dict[str, Any] = {"min_moves": min_moves, "known_result": known_result}
    try:
        if size:
            changes["sizes"] = frozenset(int(part) for part in size.split(","))
        if komi:
            changes["komi"] = frozenset(float(part) for part in komi.split(","))
    except ValueError:
        raise ConfigError(f"--size {size} --komi {komi}: numbers with commas between expected") from None
    if min_rank is not None and parse_rank(min_rank) is None:
        raise ConfigError(f"--min-rank {min_rank!r}: such as 6d, 3k or 1p expected")
    named = {"since": since, "until": until, "max_handicap": max_handicap, "min_rank": min_rank}
    changes |= {name: value for name, value in named.items() if value is not None}
    return replace(GameFilter.paper() if paper else GameFilter(), **changes)


def label(
    sources: Annotated[list[Path], typer.Argument(help="Games: SGF, archives, .tsv.")],
    engine: Annotated[str, typer.Option(help="A command that speaks KataGo's analysis protocol.")],
    out: Annotated[Path, typer.Option(help="NAME of the set: NAME.bin.xz and NAME.tsv.xz are made.")],
    per_game: Annotated[
        int | None, typer.Option(help="Random positions a game; by default every position is judged.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option(help="Rules told to the engine (tromp-taylor; with --per-game chinese).")
    ] = None,
    visits: Annotated[int, typer.Option(help="Visits a position.")] = 1,
    in_flight: Annotated[int, typer.Option(help="Games the engine is given at a time.")] = 8,
    games: Annotated[int | None, typer.Option(help="Games at most.")] = None,
    seed: Annotated[int, typer.Option(help="Of the positions drawn.")] = 1,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for an answer.")] = 120.0,
    plain: Annotated[bool, typer.Option("--plain", help="Leave the files uncompressed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Have positions judged by an engine. Stopped in the middle, the same command goes on where it was."""
    from tengen.commands.progress import Ticker
    from tengen.learn.labelling import label_games

    if visits < 1 or in_flight < 1 or (per_game is not None and per_game < 1):
        raise ConfigError("--visits, --in-flight and --per-game: at least 1 expected")
    ticker = Ticker("positions")
    report = label_games(
        _all_games(sources),
        out,
        engine,
        per_game=per_game,
        rules=rules,
        visits=visits,
        in_flight=in_flight,
        seed=seed,
        limit=games,
        timeout=timeout,
        progress=ticker.tick,
    )
    ticker.done()
    if not plain and report.records:
        for suffix in (".bin", ".tsv"):
            _compress(out.with_name(out.name + suffix))
    if as_json:
        print(json.dumps({"out": str(out), **asdict(report)}, ensure_ascii=False))
    else:
        print(f"{out}: {report.records:,} positions of {report.games:,} games")
        for reason in report.reasons:
            print(f"  skipped, {reason}", file=sys.stderr)


def _all_games(sources: list[Path]) -> Iterator[RawGame]:
    from tengen.learn.gamefiles import read_games

    for path in sources:
        if not path.exists():
            raise DataError(f"{path}: no such file or folder")
    for path in sources:
        yield from read_games(path)


def _compress(path: Path) -> None:
    packed = path.with_name(path.name + ".xz")
    partial = path.with_name(path.name + ".partial")
    with path.open("rb") as plain, lzma.open(partial, "wb") as stream:
        while block := plain.read(1 << 20):
            stream.write(block)
    partial.replace(packed)
    path.unlink()


def info(
    directory: Annotated[Path, typer.Argument(help="A data directory.")],
    as_json: AsJson = False,
) -> None:
    """What a data directory holds: games and positions by source, split and board size."""
    import numpy as np

    from tengen.learn.builder import read_meta
    from tengen.learn.dataset import Source

    meta = read_meta(directory)
    table: dict[str, Any] = {"directory": str(directory), "games": meta["games"], "sources": meta["sources"]}
    table["positions"] = {}
    for split in ("train", "validation"):
        kinds = ("moves", "labels") if meta["labels"] else ("moves",)
        found = {kind: Source(directory, split, kind) for kind in kinds}
        table["positions"][split] = {
            kind: {str(size): source.count(size) for size in sorted(source.sizes)}
            for kind, source in found.items()
        }
    games = Source(directory, "all", "moves").games
    komi, counts = np.unique(games["komi"][~np.isnan(games["komi"])], return_counts=True)
    table["komi"] = {f"{value:g}": int(count) for value, count in zip(komi, counts, strict=True)}
    table["komi_unknown"] = int(np.isnan(games["komi"]).sum())
    if as_json:
        print(json.dumps(table, ensure_ascii=False))
        return
    print(f"{directory}: {meta['games']:,} games")
    for source in meta["sources"]:
        print(f"  {source['name']:<24} {source['games']:>9,} games {source['labels']:>9,} labels")
    for split, by_kind in table["positions"].items():
        for kind, by_size in by_kind.items():
            text = ", ".join(f"{count:,} on {size}x{size}" for size, count in by_size.items())
            print(f"  {split:<10} {kind:<6} {text or 'none'}")


def pack(
    directory: Annotated[Path, typer.Argument(help="A data directory.")],
    out: Annotated[Path, typer.Option(help="Folder for the packed files.")],
    part: Annotated[int, typer.Option(help="Labels a file at most.")] = 500_000,
    as_json: AsJson = False,
) -> None:
    """Make a data directory small enough to carry: games exactly, labels a little coarser."""
    from tengen.learn.pack import pack as write

    sizes = {path.name: path.stat().st_size for path in write(directory, out, part=part)}
    if as_json:
        print(json.dumps({"out": str(out), "files": sizes}))
    else:
        for name, count in sizes.items():
            print(f"{out / name}: {count:,} bytes")


def unpack(
    packed: Annotated[Path, typer.Argument(help="The folder of packed files.")],
    out: Annotated[Path, typer.Option(help="The data directory to make.")],
) -> None:
    """Make a data directory of packed files again."""
    from tengen.learn.pack import unpack as read

    read(packed, out)
    print(f"{out}: unpacked")
