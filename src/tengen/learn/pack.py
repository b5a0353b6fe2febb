"""A data directory made small enough to carry: a few compressed files, and back.

Games are kept exactly (without their ids); labels lose what training does not miss: ownership keeps five
levels of its seventeen, a probability eight bits of its square root.
"""

from __future__ import annotations

import io
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError
from tengen.learn.builder import GAME, label_dtype, read_meta
from tengen.learn.gamefiles import PASS_POINT, POINT_MASK, SETUP, WHITE

__all__ = ["pack", "unpack"]

OWNERSHIP_STEP = 4
"""Ownership x 8 is kept to multiples of this."""


def _write(path: Path, preset: int, **arrays: NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(lzma.compress(buffer.getvalue(), preset=preset))
    partial.replace(path)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise DataError(f"{path}: not a packed data file ({error})") from None


def pack(directory: Path, out: Path, *, part: int = 500_000, preset: int = 6) -> list[Path]:
    """Write ``games.tgp`` and ``labels-N-K.tgp`` (``part`` records each) of a data directory into ``out``."""
    meta = read_meta(directory)
    out.mkdir(parents=True, exist_ok=True)
    written = [out / "games.tgp"]
    games = np.load(directory / "games.npy")
    entries = np.load(directory / "moves.npy")
    _write(
        written[0],
        preset,
        meta=np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8),
        games=games,
        **_pack_entries(games, entries),
    )
    for path in sorted(directory.glob("labels-*.npy")):
        size = int(path.stem.split("-")[1])
        labels = np.load(path, mmap_mode="r")
        for number, first in enumerate(range(0, len(labels), part), 1):
            written.append(out / f"labels-{size}-{number}.tgp")
            _write(written[-1], preset, **_pack_labels(labels[first : first + part]))
    return written


def unpack(packed: Path, out: Path) -> None:
    """Make a data directory of the ``.tgp`` files in ``packed``; label parts that are absent are left out."""
    games = _read(packed / "games.tgp")
    meta = json.loads(games["meta"].tobytes())
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "games.npy", games["games"].astype(GAME))
    np.save(out / "moves.npy", _unpack_entries(games))
    counts: dict[str, int] = {}
    for size in sorted(map(int, meta["labels"])):
        parts = [_unpack_labels(_read(path), size) for path in sorted(packed.glob(f"labels-{size}-*.tgp"))]
        if parts:
            table = np.concatenate(parts)
            np.save(out / f"labels-{size}.npy", table)
            counts[str(size)] = len(table)
    (out / "meta.json").write_text(json.dumps(meta | {"labels": counts}, indent=1, ensure_ascii=False))


def _place_in_game(games: NDArray[np.void], total: int) -> NDArray[np.int64]:
    """Of every entry its number within its game (set-up stones count)."""
    lengths = games["entries"].astype(np.int64)
    place: NDArray[np.int64] = np.arange(total) - np.repeat(games["start"], lengths)
    return place


def _widths(games: NDArray[np.void]) -> NDArray[np.int64]:
    widths: NDArray[np.int64] = np.repeat(games["width"].astype(np.int64), games["entries"].astype(np.int64))
    return widths


def _pack_entries(games: NDArray[np.void], entries: NDArray[np.uint16]) -> dict[str, NDArray[Any]]:
    points = (entries & POINT_MASK).astype(np.int64)
    passes = points == PASS_POINT
    width = _widths(games)
    places = np.stack([points % width, points // width], axis=1).astype(np.uint8)
    places[passes] = 255
    # Colours usually alternate: what is stored is where they do not, which is next to nothing.
    odd = ((entries & WHITE) != 0) ^ (_place_in_game(games, len(entries)) % 2 == 1)
    return {"places": places, "odd": np.packbits(odd), "setup": np.packbits((entries & SETUP) != 0)}


def _unpack_entries(stored: dict[str, NDArray[Any]]) -> NDArray[np.uint16]:
    games, places = stored["games"], stored["places"].astype(np.int64)
    count = len(places)
    entries = np.where(places[:, 0] == 255, PASS_POINT, places[:, 1] * _widths(games) + places[:, 0])
    odd = np.unpackbits(stored["odd"], count=count).astype(bool)
    white = odd ^ (_place_in_game(games, count) % 2 == 1)
    setup = np.unpackbits(stored["setup"], count=count).astype(bool)
    return (entries | np.where(white, WHITE, 0) | np.where(setup, SETUP, 0)).astype(np.uint16)


def _pack_labels(labels: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    moves = labels["moves"]
    return {
        "game": labels["game"],
        "ply": labels["ply"],
        "low": (moves & 255).astype(np.uint8),
        "high": (moves >> 8).astype(np.uint8),
        "root": np.round(np.sqrt(labels["probs"] / 65535.0) * 255).astype(np.uint8),
        "winrate": labels["winrate"],
        "score": labels["score"],
        "ownership": np.round(labels["ownership"] / OWNERSHIP_STEP).astype(np.int8),
    }


def _unpack_labels(stored: dict[str, NDArray[Any]], size: int) -> NDArray[np.void]:
    table = np.zeros(len(stored["game"]), dtype=label_dtype(size))
    for name in ("game", "ply", "winrate", "score"):
        table[name] = stored[name]
    table["moves"] = stored["low"].astype(np.uint16) | (stored["high"].astype(np.uint16) << 8)
    table["probs"] = np.round((stored["root"] / 255.0) ** 2 * 65535).astype(np.uint16)
    table["ownership"] = stored["ownership"] * OWNERSHIP_STEP
    return table
