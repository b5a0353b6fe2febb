"""Files of judged positions: ``NAME.bin.xz`` beside ``NAME.tsv.xz`` (either may be uncompressed).

One record of the ``.bin``, little-endian, no header: 16 x uint16 most probable moves (flat, pass = N*N),
16 x uint16 their probabilities x 65535, float16 winrate and score lead for the side to move, N*N x int8
ownership x 8 (positive: side to move). A line of the ``.tsv`` either names one position of a game found
elsewhere (game id, moves played before it, komi, the move played there) or a whole game with all its records
in order (id, N, komi, moves as SGF letters, number of records).
"""

from __future__ import annotations

import lzma
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError
from tengen.learn.gamefiles import SUICIDE, SUPERKO, RawGame, decode_letters, open_text

__all__ = ["LABEL_MOVES", "LabelSet", "find_label_sets", "read_label_set", "record_dtype"]

LABEL_MOVES = 16


def record_dtype(size: int) -> np.dtype[np.void]:
    """The layout of one record on a board of that side."""
    return np.dtype(
        [
            ("moves", "<u2", LABEL_MOVES),
            ("probs", "<u2", LABEL_MOVES),
            ("winrate", "<f2"),
            ("score", "<f2"),
            ("ownership", "i1", size * size),
        ]
    )


@dataclass(frozen=True)
class LabelSet:
    """One file pair. ``game`` and ``ply`` say of each record which position it judges."""

    name: str
    size: int
    records: NDArray[np.void]
    games: list[RawGame]  # the games told by the file itself, or none
    game: NDArray[np.int64]  # index into games, or into ids
    ply: NDArray[np.int64]
    ids: list[str]  # games found elsewhere
    komi: NDArray[np.float32]  # of each record


def find_label_sets(path: Path) -> list[Path]:
    """The ``.bin``/``.bin.xz`` files a path stands for: itself, its partner's, or those of a folder."""
    if path.is_dir():
        return sorted(p for p in path.iterdir() if p.name.endswith((".bin", ".bin.xz")))
    if path.name.endswith((".bin", ".bin.xz")):
        return [path]
    return []


def _partner(path: Path) -> Path:
    stem = path.name.removesuffix(".xz").removesuffix(".bin")
    for suffix in (".tsv.xz", ".tsv"):
        candidate = path.with_name(stem + suffix)
        if candidate.exists():
            return candidate
    raise DataError(f"{path}: no {stem}.tsv or {stem}.tsv.xz beside it")


def _read_bytes(path: Path) -> bytes:
    try:
        if path.suffix == ".xz":
            with lzma.open(path) as stream:
                return stream.read()
        return path.read_bytes()
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise DataError(f"{path}: {error}") from None


def read_label_set(path: Path) -> LabelSet:
    """Both files of a set; DataError if they do not fit each other."""
    table = _partner(path)
    with open_text(table) as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines]
    name = path.name.removesuffix(".xz").removesuffix(".bin")
    if not rows:
        raise DataError(f"{table}: no lines")
    widths = {len(row) for row in rows}
    try:
        if widths == {4}:
            return _scattered(name, path, rows)
        if widths == {5}:
            return _sequences(name, path, rows)
    except ValueError as error:
        raise DataError(f"{table}: {error}") from None
    raise DataError(f"{table}: {sorted(widths)} columns, 4 or 5 on every line expected")


def _records(path: Path, size: int | None, count: int) -> NDArray[np.void]:
    """All records of a file; ``size`` None finds the board size by how long they are."""
    raw = _read_bytes(path)
    if size is None:
        fits = [n for n in range(2, 26) if record_dtype(n).itemsize * count == len(raw)]
        if not fits:
            raise DataError(f"{path}: {len(raw)} bytes are not {count} records of any board size")
        size = fits[0]
    dtype = record_dtype(size)
    if len(raw) != count * dtype.itemsize:
        raise DataError(
            f"{path}: {len(raw)} bytes are not {count} records of {dtype.itemsize} ({size}x{size} board)"
        )
    return np.frombuffer(raw, dtype=dtype)


def _scattered(name: str, path: Path, rows: list[list[str]]) -> LabelSet:
    ids: dict[str, int] = {}
    game = np.array([ids.setdefault(row[0], len(ids)) for row in rows], dtype=np.int64)
    records = _records(path, None, len(rows))
    return LabelSet(
        name=name,
        size=math.isqrt(records.dtype["ownership"].shape[0]),
        records=records,
        games=[],
        game=game,
        ply=np.array([int(row[1]) for row in rows], dtype=np.int64),
        ids=list(ids),
        komi=np.array([float(row[2]) for row in rows], dtype=np.float32),
    )


def _sequences(name: str, path: Path, rows: list[list[str]]) -> LabelSet:
    sizes = {int(row[1]) for row in rows}
    if len(sizes) != 1:
        raise DataError(f"{path}: sizes {sorted(sizes)} in one file, one expected")
    size = sizes.pop()
    games = [
        RawGame(
            id=f"{name}/{row[0]}",
            entries=decode_letters(row[3], size, f"{name} {row[0]}"),
            width=size,
            height=size,
            komi=float(row[2]),
            rules=SUICIDE | SUPERKO,
        )
        for row in rows
    ]
    counts = np.array([int(row[4]) for row in rows], dtype=np.int64)
    for row, told, count in zip(rows, games, counts, strict=True):
        if count > told.moves + 1:
            raise DataError(f"{path}: game {row[0]} has {told.moves} moves but {count} records")
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    total = int(counts.sum())
    return LabelSet(
        name=name,
        size=size,
        records=_records(path, size, total),
        games=games,
        game=np.repeat(np.arange(len(games)), counts),
        ply=np.arange(total) - starts,
        ids=[],
        komi=np.repeat(np.array([float(row[2]) for row in rows], dtype=np.float32), counts),
    )
