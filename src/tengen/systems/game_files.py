"""Whatever a person has games in - SGF files, folders of them, files of one game a line - as game records."""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from tengen.errors import DataError
from tengen.go.coords import PASS, Color, Move
from tengen.go.game_lines import read_games
from tengen.go.record import GameRecord
from tengen.go.rules import Rules
from tengen.go.sgf import load_sgf, record_of

__all__ = ["file_digest", "game_files", "games_of"]

_LINE_SUFFIXES = (".tsv", ".tsv.xz")


def game_files(sources: Iterable[str | Path]) -> list[Path]:
    """The files meant: each file named, and of each folder its ``.sgf``, ``.tsv`` and ``.tsv.xz`` at any
    depth, in the order of their names. Raises DataError for a source that is not there, or a folder without
    any."""
    found: list[Path] = []
    for source in map(Path, sources):
        if source.is_dir():
            within = sorted(path for path in source.rglob("*") if path.is_file() and _is_game_file(path))
            if not within:
                raise DataError(f"{source}: no .sgf, .tsv or .tsv.xz file in this folder")
            found += within
        elif source.is_file():
            found.append(source)
        else:
            raise DataError(f"{source}: no such file or folder")
    return found


def games_of(path: Path, rules: Rules | None = None) -> Iterator[GameRecord]:
    """The games of one file, their main lines, in its order.

    ``.tsv`` and ``.tsv.xz`` hold a game a line: seven columns as ``game_lines`` has them, or five (id,
    size, komi, moves, number of positions: self-made games, without a result). What such a line leaves open
    is taken from ``rules``, Chinese with a komi of 7.5 if none are given. Anything else is SGF, with its
    own rules. Raises DataError for a file or a line that is no game and SgfError for a broken SGF file.
    """
    if not path.name.lower().endswith(_LINE_SUFFIXES):
        for game in load_sgf(path).games:
            yield record_of(game)
        return
    usual = rules or Rules.named("chinese")
    if _columns(path) == 5:
        yield from _self_made(path, usual)
        return
    for line in read_games(path):
        under = usual.replace(width=19, height=19)
        if line.komi is not None:
            under = under.replace(komi=line.komi)
        yield GameRecord(
            rules=under,
            moves=line.sequence(),
            result=line.result,
            black=line.black,
            white=line.white,
            date=line.date,
            name=line.id,
        )


def file_digest(path: Path, *more: str) -> str:
    """Names a file's contents together with what else decides how it is read."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    digest.update("\0".join(more).encode())
    return digest.hexdigest()


def _is_game_file(path: Path) -> bool:
    """By its name; other tables may lie in a folder, too, so a ``.tsv`` also by its number of columns."""
    name = path.name.lower()
    return name.endswith(".sgf") or (name.endswith(_LINE_SUFFIXES) and _columns(path) in (5, 7))


def _columns(path: Path) -> int:
    return len(next(_lines(path), "").split("\t"))


def _lines(path: Path) -> Iterator[str]:
    try:
        opened = lzma.open if path.name.lower().endswith(".xz") else open
        with opened(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\r\n")
    except (OSError, lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}") from None


def _self_made(path: Path, usual: Rules) -> Iterator[GameRecord]:
    for number, line in enumerate(_lines(path), 1):
        columns = line.split("\t")
        try:
            name, size, komi, letters, _ = columns
            side = int(size)
            under = usual.replace(width=side, height=side, komi=float(komi))
            moves = list(_alternating(letters, side))
        except ValueError as error:
            raise DataError(f"{path}, line {number}: {error}") from None
        yield GameRecord(rules=under, moves=moves, name=name)


def _alternating(letters: str, side: int) -> Iterator[tuple[Color, Move]]:
    for index in range(0, len(letters) - 1, 2):
        column, row = ord(letters[index]) - 97, ord(letters[index + 1]) - 97
        color = Color.BLACK if index % 4 == 0 else Color.WHITE
        if (column, row) == (19, 19) and side <= 19:
            yield color, PASS
        elif 0 <= column < side and 0 <= row < side:
            yield color, row * side + column
        else:
            raise ValueError(f"{letters[index : index + 2]!r} is off the {side}x{side} board")
