"""``tengen patterns``: learn what moves are worth from game records, and look at what was learned."""

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.errors import DataError

if TYPE_CHECKING:
    from tengen.knowledge.fitting import GameMoves

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the family ``patterns`` with fit and show."""
    family = typer.Typer(help="Learn move patterns from game records.", no_args_is_help=True)
    family.command("fit")(fit_command)
    family.command("show")(show_command)
    app.add_typer(family, name="patterns")


def fit_command(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Records (.sgf, .tsv, .tsv.xz, archives, folders) or judged games (.tsv.xz, .bin.xz)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File the weights go to (.npz).")],
    games: Annotated[int, typer.Option(min=1, help="Games learned from, spread over the sources.")] = 4000,
    held_out: Annotated[int, typer.Option(min=1, help="Further games kept for measuring.")] = 200,
    validation: Annotated[
        list[Path] | None, typer.Option(help="Measure on these records instead of held-out games.")
    ] = None,
    positions: Annotated[int, typer.Option(min=1, help="Positions a game compared move by move.")] = 8,
    least: Annotated[int, typer.Option(min=2, help="A shape is learned if it was played this often.")] = 20,
    most: Annotated[int, typer.Option(min=100, help="Shapes kept at most.")] = 60000,
    sweeps: Annotated[int, typer.Option(min=1, help="Sweeps of minorization-maximization.")] = 15,
    seed: Annotated[int, typer.Option(help="Draws the positions.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Learn the weights of patterns and tactics from games strong players played."""
    from tengen.knowledge.fitting import FitSettings, collect, common_diamonds, fit_weights, measure
    from tengen.knowledge.patterns import Diamonds

    settings = FitSettings(positions, least, most, sweeps, seed=seed)
    began = time.monotonic()

    def told(text: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {text}", file=sys.stderr)

    records = list(_spread(sources, games + (0 if validation else held_out)))
    if validation:
        learned, kept = records, list(_spread(validation, held_out))
    else:
        share = max(1, len(records) * held_out // (games + held_out))
        kept, learned = records[:share], records[share:]
    if not learned:
        raise DataError(f"patterns fit: {len(records)} games are too few")
    told(f"{len(learned)} games to learn from, {len(kept)} to measure on")
    keys, seen = common_diamonds(learned, settings.least, settings.most, told)
    told(f"{len(keys)} shapes were played {settings.least} times or more in {seen} moves")
    table = Diamonds(keys.tolist(), [1.0] * len(keys))
    sampled = collect(learned, table, settings.positions_per_game, settings.seed, told)
    told(f"{len(sampled)} positions, {len(sampled.rows)} candidates")
    weights = fit_weights(sampled, keys, settings, told)
    report = measure(collect(kept, table, 30, settings.seed + 1), weights)
    weights.meta.update(
        command=" ".join(
            [
                "tengen patterns fit",
                *(path.name for path in sources),
                f"--games {games} --held-out {held_out}",
                *(f"--validation {path.name}" for path in validation or ()),
                f"--positions {positions} --least {least} --most {most} --sweeps {sweeps} --seed {seed}",
            ]
        ),
        games=len(learned),
        moves=seen,
        compared=len(sampled),
        candidates=len(sampled.rows),
        shapes=len(keys),
        held_out={"games": len(kept), **report.as_dict()},
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    weights.save(out)
    result: dict[str, Any] = {"out": str(out), "bytes": out.stat().st_size, **weights.meta}
    result["seconds"] = round(time.monotonic() - began, 1)
    if as_json:
        print(json.dumps(result))
        return
    print(f"{out}: {len(keys)} shapes, {result['bytes']} bytes, {result['seconds']} s")
    print(f"held out: {report.positions} positions of {len(kept)} games")
    print(
        f"top-1 {report.top1:.3f}  top-5 {report.top5:.3f}  top-10 {report.top10:.3f}  "
        f"top-20 {report.top20:.3f}  mean log-evidence {report.log_evidence:.3f}"
    )


def show_command(
    weights: Annotated[Path | None, typer.Argument(help="A file of weights; none: the one shipped.")] = None,
    size: Annotated[int, typer.Option(help="Of the shipped ones: for boards of this size.")] = 19,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Print where weights come from and what they say of tactics."""
    from tengen.knowledge.fitting import VALUES
    from tengen.knowledge.moves import GROUP_NAMES, value_name
    from tengen.knowledge.weights import load_weights, shipped_weights

    chosen = load_weights(weights) if weights else shipped_weights(size)
    tactics = chosen.tactics.reshape(len(GROUP_NAMES), VALUES)
    strengths = {
        group: {
            value_name(group, value): round(float(tactics[row, value]), 3)
            for value in range(1, VALUES)
            if value_name(group, value)
        }
        for row, group in enumerate(GROUP_NAMES)
    }
    if as_json:
        print(json.dumps({**chosen.meta, "tactics": strengths, "near": list(chosen.near)}))
        return
    for key, value in chosen.meta.items():
        print(f"{key}: {value}")
    for group, values in strengths.items():
        print(f"\n{group}")
        for name, strength in values.items():
            print(f"  {strength:9.3f}  {name}")


def _spread(sources: list[Path], count: int) -> Iterator["GameMoves"]:
    """Up to ``count`` games, taken in turn from the sources."""
    from tengen.learn.gamefiles import read_games

    streams = [_judged(path) if _labels_of(path) else _kept(read_games(path)) for path in sources]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*streams))
    return itertools.islice((game for game in turns if game is not None), count)


def _labels_of(path: Path) -> Path | None:
    """The judgements beside a table of self-made games, if it is one: NAME.bin.xz of NAME.tsv.xz."""
    name = path.name
    beside = path.with_name(name.removesuffix(".tsv.xz") + ".bin.xz")
    return beside if name.endswith(".tsv.xz") and beside.is_file() else None


def _judged(path: Path) -> Iterator["GameMoves"]:
    """Self-made games all of whose positions a network judged; its likeliest move is the one to learn.

    A line: identity, size, komi, moves as letter pairs, number of records. A record starts with the sixteen
    likeliest moves as uint16, size * size for a pass.
    """
    import lzma
    import struct

    from tengen.knowledge.fitting import GameMoves

    labels = _labels_of(path)
    assert labels is not None
    with lzma.open(path, "rt", encoding="utf-8") as lines, lzma.open(labels, "rb") as records:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5:
                raise DataError(f"{path.name}, line {number}: {len(fields)} columns, 5 expected")
            size, letters, count = int(fields[1]), fields[3], int(fields[4])
            length = 68 + size * size
            data = records.read(count * length)
            if len(data) != count * length:
                raise DataError(f"{labels.name}: ends within the game of line {number}")
            moves = [
                -1 if pair == "tt" else (ord(pair[1]) - 97) * size + ord(pair[0]) - 97
                for pair in (letters[i : i + 2] for i in range(0, len(letters), 2))
            ]
            best = [
                struct.unpack_from("<H", data, record * length)[0] for record in range(min(count, len(moves)))
            ]
            best = [-1 if move == size * size else move for move in best]
            played = tuple((1 + i % 2, move) for i, move in enumerate(moves[:count]))
            yield GameMoves(size, size, (), played, tuple(best))


def _kept(games: Iterator[Any]) -> Iterator["GameMoves"]:
    from tengen.knowledge.fitting import GameMoves
    from tengen.learn.gamefiles import PASS_POINT, POINT_MASK, WHITE

    for game in games:
        entries = [
            (2 if entry & WHITE else 1, -1 if entry & POINT_MASK == PASS_POINT else int(entry & POINT_MASK))
            for entry in game.entries.tolist()
        ]
        if len(entries) - game.setup >= 20:
            yield GameMoves(
                game.width, game.height, tuple(entries[: game.setup]), tuple(entries[game.setup :])
            )
