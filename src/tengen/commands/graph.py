"""``tengen graph``: what lies in a game graph on disk, games into it, lines out of it, and its upkeep."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator
from contextlib import closing, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tengen.systems.graph_disk import GraphInfo

__all__ = ["register"]

Url = Annotated[str, typer.Argument(help="sqlite:///FILE, postgresql://HOST/DATABASE, or a file's name.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def register(app: typer.Typer) -> None:
    """Adds the family ``graph`` with info, import, merge, prune, verify and export."""
    family = typer.Typer(help="The game graph on disk.", no_args_is_help=True)
    family.command("info")(info)
    family.command("import")(import_games)
    family.command("merge")(merge)
    family.command("prune")(prune)
    family.command("verify")(verify)
    family.command("export")(export)
    app.add_typer(family, name="graph")


def info(url: Url, as_json: Json = False) -> None:
    """How many states, visits and searches a graph holds, and its size."""
    from tengen.systems.graph_disk import GraphDisk

    with GraphDisk.open(url, create=False) as disk:
        said = disk.info()
    if as_json:
        print(json.dumps(asdict(said) | {"bytes_per_state": round(said.bytes_per_state, 2)}))
        return
    _print_info(said)


def _print_info(said: GraphInfo) -> None:
    last = "never" if said.last_write is None else _date(said.last_write)
    print(f"{said.url}, format {said.format}, since {_date(said.created)}")
    print(f"states      {said.states}")
    print(f"visits      {said.visits:.1f}  wins {said.wins:.1f}")
    print(f"writes      {said.writes}  of searches {said.searches}  last {last}")
    print(f"imported    {said.imported_games} games of {said.imported_files} files")
    print(f"size        {said.bytes} bytes, {said.bytes_per_state:.1f} a state")


def _date(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def import_games(
    url: Url,
    sources: Annotated[
        list[Path], typer.Argument(help="SGF files, .tsv(.xz) of a game a line, or folders of them.")
    ],
    rules: Annotated[str | None, typer.Option(help="File the games as if played under these rules.")] = None,
    komi: Annotated[float | None, typer.Option(help="... and with this komi.")] = None,
    moves: Annotated[int | None, typer.Option(help="Only the first so many moves of each.", min=0)] = None,
    symmetries: Annotated[
        bool, typer.Option("--symmetries", help="Each game turned and mirrored, too.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="File files once more that are in already.")] = False,
    as_json: Json = False,
) -> None:
    """File games with results: every state on a game's main line gets a visit, and a win if the side that
    moved into it won. A file that is in already is passed over; one that was cut off goes on where it
    stopped."""
    from tengen.commands.progress import Ticker
    from tengen.errors import DataError, SgfError
    from tengen.go.rules import Rules
    from tengen.systems.game_files import game_files
    from tengen.systems.graph_book import ImportOptions, ImportReport, import_file
    from tengen.systems.graph_disk import GraphDisk

    options = ImportOptions(rules, komi, moves, symmetries)
    options.applied(Rules())  # an unknown name is said before anything is read
    files = game_files(sources)
    totals = {"games": 0, "skipped": 0, "already": 0, "states": 0}
    ticker, broken = Ticker("games filed"), []
    with GraphDisk.open(url) as disk:
        for path in files:
            report = ImportReport()
            try:
                for report in import_file(disk, path, options, again=again):
                    ticker.tick(totals["games"] + report.games, path.name)
            except (DataError, SgfError) as error:
                broken.append(str(error))
            for name in totals:
                totals[name] += getattr(report, name)
        held = disk.count()
    ticker.done()
    for line in broken:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps({"files": len(files), "broken": broken, **totals, "held": held}))
    else:
        print(f"{totals['games']} games of {len(files)} files filed, {held} states held")
        print(f"{totals['already']} games were in already, {totals['skipped']} without a result or illegal")
    if broken:
        raise DataError(f"graph: {len(broken)} of {len(files)} files could not be read to their end")


def merge(
    url: Url,
    others: Annotated[list[str], typer.Argument(help="Graphs to take states from; they stay as they are.")],
    n: Annotated[float, typer.Option(help="Eq. 3: what stays of our figures where both know a state.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Add other graphs to this one, each in one transaction: V = V_other + n V_ours."""
    from tengen.systems.graph_disk import GraphDisk

    with GraphDisk.open(url) as disk:
        before = disk.count()
        for other_url in others:
            with GraphDisk.open(other_url, create=False) as other:
                disk.merge(other, n=n)
        held = disk.count()
    if as_json:
        print(json.dumps({"merged": len(others), "before": before, "held": held}))
    else:
        print(f"{held - before} states new, {held} held")


def prune(
    url: Url,
    min_visits: Annotated[float | None, typer.Option(help="Drop states with fewer visits.", min=0)] = None,
    max_states: Annotated[int | None, typer.Option(help="Keep the so many most visited.", min=0)] = None,
    unused_for: Annotated[
        int | None, typer.Option(help="Drop what no one of the last so many writes touched.", min=0)
    ] = None,
    as_json: Json = False,
) -> None:
    """Drop states that are worth least, and make the file smaller."""
    from tengen.errors import ConfigError
    from tengen.systems.graph_disk import GraphDisk

    if min_visits is None and max_states is None and unused_for is None:
        raise ConfigError("graph prune: say which: --min-visits, --max-states or --unused-for")
    with GraphDisk.open(url, create=False) as disk:
        gone = disk.prune(min_visits=min_visits, max_states=max_states, unused_for=unused_for)
        said = disk.info()
    if as_json:
        print(json.dumps({"dropped": gone, "held": said.states, "bytes": said.bytes}))
    else:
        print(f"{gone} states dropped, {said.states} held, {said.bytes} bytes")


def verify(url: Url, as_json: Json = False) -> None:
    """Check that every write is in whole or not at all; says what is wrong and exits with 1 if anything
    is."""
    from tengen.errors import DataError
    from tengen.systems.graph_disk import GraphDisk

    with GraphDisk.open(url, create=False) as disk:
        report = disk.verify()
    if as_json:
        print(json.dumps({"clean": report.clean, **asdict(report)}))
    else:
        print(f"{report.states} states of {report.writes} writes")
        for problem in report.problems:
            print(f"wrong: {problem}")
        print("clean" if report.clean else f"{len(report.problems)} problems")
    if not report.clean:
        raise DataError(f"graph {url}: {len(report.problems)} problems, the first: {report.problems[0]}")


def export(
    url: Url,
    out: Annotated[
        Path, typer.Argument(help="FILE.sgf: lines as a tree. FILE.jsonl: every state. - : states to stdout.")
    ],
    size: Annotated[str, typer.Option(help="Lines: of the game on this board.")] = "19",
    rules: Annotated[str, typer.Option(help="Lines: of the game under these rules.")] = "chinese",
    komi: Annotated[
        float | None, typer.Option(help="Lines: ... and with this komi; else the rules' usual one.")
    ] = None,
    depth: Annotated[int, typer.Option(help="Lines: at most so many moves deep.", min=1)] = 20,
    width: Annotated[int, typer.Option(help="Lines: at most so many moves at each position.", min=1)] = 4,
    min_visits: Annotated[float, typer.Option(help="Only states with at least so many visits.", min=0)] = 1.0,
    as_json: Json = False,
) -> None:
    """Write the states as JSON lines, or the most visited lines from the empty board as an SGF tree."""
    from tengen.errors import ConfigError, DataError
    from tengen.go.position import Position
    from tengen.go.rules import Rules
    from tengen.go.sgf import format_sgf
    from tengen.go.sgf_record import parse_size
    from tengen.systems.graph_disk import GraphDisk
    from tengen.systems.graph_export import book_tree, state_lines

    if out.suffix.lower() not in (".sgf", ".jsonl") and str(out) != "-":
        raise ConfigError(f"graph export: {out}: a name that ends in .sgf or .jsonl expected")
    if as_json and str(out) == "-":
        raise ConfigError("graph export: --json and states on stdout do not go together")
    with GraphDisk.open(url, create=False) as disk:
        try:
            if out.suffix.lower() == ".sgf":
                start = Position.start(Rules.named(rules, parse_size(size), komi))
                tree, written = book_tree(disk, start, depth=depth, width=width, min_visits=min_visits)
                out.write_bytes(format_sgf(tree))
            else:
                written = _write_lines(state_lines(disk, min_visits), out)
        except OSError as error:
            raise DataError(f"{out}: {error.strerror or error}") from None
    if as_json:
        print(json.dumps({"out": str(out), "written": written}))
    elif str(out) != "-":
        print(f"wrote {out}: {written} {'moves' if out.suffix.lower() == '.sgf' else 'states'}")


def _write_lines(lines: Generator[str, None, None], out: Path) -> int:
    written = 0
    to_stdout = str(out) == "-"
    with closing(lines), nullcontext(sys.stdout) if to_stdout else out.open("w", encoding="utf-8") as file:
        try:
            for line in lines:
                file.write(line + "\n")
                written += 1
            file.flush()
        except BrokenPipeError:
            if not to_stdout:
                raise
            # The reader (``head``) has seen enough. Python would complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return written
