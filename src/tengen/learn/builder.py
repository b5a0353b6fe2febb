"""A built data directory: many game and label files become a few arrays that can be mapped into memory.

========================  ==============================================================================
``meta.json``             format, version, counts, source names, the filter used, what was refused and why
``games.npy``             one ``GAME`` record a game
``moves.npy``             uint16 entries of all games end to end (see gamefiles: point, colour, setup)
``ids.txt``               the games' ids, one a line, in order
``labels-N.npy``          judged positions of NxN games: game, ply, and the label record
========================  ==============================================================================

Nothing here is a picture of the board: planes are computed when a position is drawn.
"""

from __future__ import annotations

import json
import math
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError
from tengen.learn.gamefiles import (
    PASS_POINT,
    POINT_MASK,
    WHITE,
    GameFilter,
    RawGame,
    Refusals,
    parse_result,
    read_games,
    stem_of,
)
from tengen.learn.labelfiles import LabelSet, find_label_sets, read_label_set, record_dtype
from tengen.learn.sampling import first_illegal
from tengen.nets.symmetries import symmetry_tables

__all__ = ["FORMAT", "GAME", "VERSION", "BuildReport", "build", "label_dtype", "read_meta", "split_of"]

FORMAT = "tengen-data"
VERSION = 1
TRAIN, VALIDATION = 0, 1
UNKNOWN_RESULT = 2
SAME_OPENING = 50

GAME = np.dtype(
    [
        ("start", "<i8"),  # first entry in moves.npy
        ("entries", "<u4"),
        ("setup", "<u2"),  # how many of the entries are stones set up
        ("width", "u1"),
        ("height", "u1"),
        ("handicap", "u1"),
        ("rules", "u1"),  # gamefiles.TERRITORY | SUICIDE | SUPERKO
        ("result", "i1"),  # 1 Black, -1 White, 0 drawn, 2 unknown
        ("split", "u1"),
        ("source", "<u2"),
        ("komi", "<f4"),  # nan: unknown
        ("margin", "<f4"),  # Black's points; nan: unknown
    ]
)


def label_dtype(size: int) -> np.dtype[np.void]:
    """A record of ``labels-N.npy``."""
    fields = record_dtype(size)
    assert fields.names is not None
    return np.dtype([("game", "<u4"), ("ply", "<u2"), *((n, fields[n]) for n in fields.names)])


def split_of(identity: str, validation: float) -> int:
    """TRAIN or VALIDATION, by a hash of the game's id: the same in every build."""
    return VALIDATION if zlib.crc32(identity.encode()) < validation * 2**32 else TRAIN


@dataclass
class BuildReport:
    """What a build kept and left out."""

    games: int = 0
    moves: int = 0
    labels: dict[int, int] = field(default_factory=dict)
    validation_games: int = 0
    unreadable: int = 0
    examples: list[str] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    illegal: int = 0
    labels_without_game: int = 0
    sources: list[dict[str, Any]] = field(default_factory=list)


class _Builder:
    def __init__(self, keep: GameFilter, validation: float, progress: Callable[[str, int], None]) -> None:
        self.keep = keep
        self.validation = validation
        self.progress = progress
        self.report = BuildReport()
        self.refused: Counter[str] = Counter()
        self.headers: list[tuple[Any, ...]] = []
        self.entries: list[NDArray[np.uint16]] = []
        self.ids: list[str] = []
        self.labels: dict[int, list[NDArray[np.void]]] = {}
        self.start = 0
        self.seen: dict[int, int] = {}
        self.number: dict[str, int] = {}

    def source(self, name: str) -> int:
        self.report.sources.append({"name": name, "games": 0, "labels": 0})
        return len(self.report.sources) - 1

    def add_games(self, games: Iterable[RawGame], source: int, *, held_out: bool) -> None:
        name = self.report.sources[source]["name"]
        for count, game in enumerate(games):
            if count % 1000 == 0:
                self.progress(name, count)
            reason = self.keep.refusal(game)
            if reason is not None:
                self.refused[reason] += 1
                continue
            key = opening_key(game)
            if key in self.seen:
                self.report.duplicates += 1
                continue
            if first_illegal(game.entries, game.setup, game.width, game.height, game.rules) >= 0:
                self.report.illegal += 1
                continue
            split = VALIDATION if held_out else split_of(game.id, self.validation)
            self.seen[key] = self.append(game, source, split)

    def append(self, game: RawGame, source: int, split: int) -> int:
        number = len(self.headers)
        result, margin = parse_result(game.result)
        self.headers.append(
            (
                self.start,
                len(game.entries),
                game.setup,
                game.width,
                game.height,
                min(game.handicap, 255),
                game.rules,
                result,
                split,
                source,
                math.nan if game.komi is None else game.komi,
                margin,
            )
        )
        self.entries.append(game.entries)
        self.start += len(game.entries)
        self.ids.append(" ".join(game.id.split()))
        self.number.setdefault(game.id, number)
        self.report.sources[source]["games"] += 1
        return number

    def add_labels(self, labels: LabelSet, source: int, *, held_out: bool) -> None:
        """Label records, with the games the set brings; those of unknown or illegal games are left out."""
        self.progress(labels.name, len(labels.records))
        numbers = np.full(len(labels.games) + len(labels.ids), -1, dtype=np.int64)
        for index, game in enumerate(labels.games):
            if first_illegal(game.entries, game.setup, game.width, game.height, game.rules) >= 0:
                self.report.illegal += 1
                continue
            numbers[index] = self.twin(game)
            if numbers[index] < 0:
                split = VALIDATION if held_out else split_of(game.id, self.validation)
                numbers[index] = self.append(game, source, split)
        for index, identity in enumerate(labels.ids):
            numbers[index] = self.number.get(identity, -1)
        game_of = numbers[labels.game]
        lengths = np.array([header[1] - header[2] for header in self.headers] or [0])
        known = (game_of >= 0) & (labels.ply <= lengths[np.maximum(game_of, 0)])
        self.report.labels_without_game += int((~known).sum())
        table = np.zeros(int(known.sum()), dtype=label_dtype(labels.size))
        table["game"] = game_of[known]
        table["ply"] = labels.ply[known]
        for name in labels.records.dtype.names or ():
            table[name] = labels.records[name][known]
        self.labels.setdefault(labels.size, []).append(table)
        self.report.sources[source]["labels"] += len(table)

    def twin(self, game: RawGame) -> int:
        """The number of a game with the same moves and komi that is here already, or -1."""
        number = self.seen.get(opening_key(game), -1)
        if number >= 0 and np.array_equal(self.entries[number], game.entries):
            return number if self.headers[number][-2] == game.komi else -1
        return -1

    def write(self, out: Path) -> BuildReport:
        report = self.report
        games = np.array(self.headers, dtype=GAME)
        np.save(out / "games.npy", games)
        moves = np.concatenate(self.entries) if self.entries else np.zeros(0, dtype=np.uint16)
        np.save(out / "moves.npy", moves)
        (out / "ids.txt").write_text("".join(f"{identity}\n" for identity in self.ids), encoding="utf-8")
        for size, tables in sorted(self.labels.items()):
            table = np.concatenate(tables)
            np.save(out / f"labels-{size}.npy", table)
            report.labels[size] = len(table)
        report.games, report.moves = len(games), len(moves)
        report.validation_games = int((games["split"] == VALIDATION).sum())
        report.refused = dict(self.refused)
        keep = {k: sorted(v) if isinstance(v, frozenset) else v for k, v in asdict(self.keep).items()}
        meta = {"format": FORMAT, "version": VERSION, "validation": self.validation, "filter": keep}
        (out / "meta.json").write_text(json.dumps(meta | asdict(report), indent=1, ensure_ascii=False))
        return report


def opening_key(game: RawGame) -> int:
    """Equal for games whose first 50 stones are the same set under a symmetry of the board."""
    first = game.entries[: SAME_OPENING + game.setup]
    points = (first & POINT_MASK).astype(np.int64)
    white = ((first & WHITE) != 0).astype(np.int64)
    on_board = points != PASS_POINT
    tables = symmetry_tables(game.width, game.height)[:, points[on_board]].astype(np.int64)
    keys = _mix(tables * 2 + white[on_board] + (np.int64(game.width) << 40) + (np.int64(game.height) << 48))
    with np.errstate(over="ignore"):
        return int(keys.sum(axis=1, dtype=np.uint64).min())


def _mix(values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A 64-bit hash of every value (the finalizer of splitmix)."""
    with np.errstate(over="ignore"):
        z = (values.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def build(
    sources: Sequence[Path],
    out: Path,
    *,
    validation_sources: Sequence[Path] = (),
    validation: float = 0.02,
    keep: GameFilter | None = None,
    overwrite: bool = False,
    progress: Callable[[str, int], None] = lambda name, count: None,
) -> BuildReport:
    """Read games and labels from ``sources`` and write a data directory at ``out``.

    Games come first, labels after them, so that a label set may judge positions of games in another source.
    Of the games a part ``validation`` is held out by a hash of the id, and ``validation_sources`` wholly. A
    game whose opening another has, or that breaks the rules, is left out and counted. An ``out`` that holds
    anything is refused unless ``overwrite``; it appears only when complete.
    """
    if out.exists() and any(out.iterdir()) and not overwrite:
        raise DataError(f"{out} is not empty (give --overwrite to replace it)")
    if not 0 <= validation < 1:
        raise DataError(f"validation {validation}: a share of the games from 0 to below 1 expected")
    builder = _Builder(keep or GameFilter(), validation, progress)
    unreadable = Refusals()
    for path in (*sources, *validation_sources):
        if not path.exists():
            raise DataError(f"{path}: no such file or folder")
    # Validation games first: of two games with one opening the one held out stays held out.
    label_paths: list[tuple[Path, bool]] = []
    for path, held_out in [(p, True) for p in validation_sources] + [(p, False) for p in sources]:
        labels = find_label_sets(path)
        label_paths += [(p, held_out) for p in labels]
        if labels:
            continue
        builder.add_games(read_games(path, unreadable), builder.source(stem_of(path)), held_out=held_out)
    for path, held_out in label_paths:
        labels_read = read_label_set(path)
        builder.add_labels(labels_read, builder.source(labels_read.name), held_out=held_out)
    builder.report.unreadable = unreadable.count
    builder.report.examples = unreadable.examples
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    report = builder.write(partial)
    if out.exists():
        shutil.rmtree(out)
    partial.rename(out)
    return report


def read_meta(directory: Path) -> dict[str, Any]:
    """The ``meta.json`` of a data directory; DataError if it is none, or of another version."""
    try:
        meta: dict[str, Any] = json.loads((directory / "meta.json").read_text(encoding="utf-8"))
    except OSError:
        raise DataError(
            f"{directory}: no data directory (no meta.json; make one with tengen data build)"
        ) from None
    except json.JSONDecodeError as error:
        raise DataError(f"{directory}/meta.json: {error}") from None
    if meta.get("format") != FORMAT or meta.get("version") != VERSION:
        raise DataError(
            f"{directory}: format {meta.get('format')!r} version {meta.get('version')!r} is not ours"
        )
    return meta
