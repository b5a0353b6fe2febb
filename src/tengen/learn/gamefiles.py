"""Files that hold games, read into one plain form: tab-separated collections, SGF, archives of either.

The tab-separated form is one game a line: id, date, black ``name/rank``, white, result, komi (empty: not
recorded), moves as SGF letter pairs joined, Black first and strictly alternating, a pass ``tt``.
"""

from __future__ import annotations

import lzma
import math
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError, TengenError

__all__ = [
    "PASS_POINT",
    "POINT_MASK",
    "SETUP",
    "WHITE",
    "GameFilter",
    "RawGame",
    "decode_letters",
    "encode_letters",
    "parse_rank",
    "parse_result",
    "read_games",
    "stem_of",
]

POINT_MASK = 0x03FF
PASS_POINT = 0x03FF
WHITE = 0x4000
SETUP = 0x8000
"""An entry of a game is 16 bits: the flat point (all ones: a pass), White's bit, a set-up stone's bit."""

TERRITORY, SUICIDE, SUPERKO = 1, 2, 4
"""What a network is told of the rules, as bits."""

COLUMNS = 7
"""Of a tab-separated collection."""

_RANK = re.compile(r"(\d+)\s*([a-zA-Z段级級]?)")
_RESULT = re.compile(r"\s*([BbWw])[A-Za-z]*\+?\s*([0-9.]*)")


@dataclass(frozen=True)
class RawGame:
    """One game as its file tells it. ``entries`` holds ``setup`` stones first, then the moves."""

    id: str
    entries: NDArray[np.uint16]
    setup: int = 0
    width: int = 19
    height: int = 19
    komi: float | None = None
    rules: int = 0
    handicap: int = 0
    result: str = ""
    date: str = ""
    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""

    @property
    def moves(self) -> int:
        return len(self.entries) - self.setup


@dataclass(frozen=True)
class GameFilter:
    """Which games are kept; None asks nothing. ``paper()`` is the DANN paper's choice."""

    sizes: frozenset[int] | None = None
    since: str | None = None  # first date kept, YYYY or YYYY-MM-DD
    until: str | None = None  # last date kept
    komi: frozenset[float] | None = None  # a game without a recorded komi passes only if this is None
    max_handicap: int | None = None
    min_rank: str | None = None  # both players, "6d"; an unknown rank fails
    min_moves: int = 1
    known_result: bool = False

    @staticmethod
    def paper() -> GameFilter:
        """19x19, after 1950, komi 5.5 to 7.5, no handicap."""
        return GameFilter(
            sizes=frozenset({19}), since="1950", komi=frozenset({5.5, 6.5, 7.5}), max_handicap=0
        )

    def refusal(self, game: RawGame) -> str | None:
        """The criterion a game fails, in a word, or None."""
        if self.sizes is not None and (game.width != game.height or game.width not in self.sizes):
            return "size"
        if self.since is not None and not game.date[: len(self.since)] >= self.since:
            return "date"
        if self.until is not None and not game.date[: len(self.until)] <= self.until:
            return "date"
        if self.komi is not None and game.komi not in self.komi:
            return "komi"
        if self.max_handicap is not None and game.handicap > self.max_handicap:
            return "handicap"
        if self.min_rank is not None:
            least = parse_rank(self.min_rank)
            if least is None:
                raise DataError(f"rank {self.min_rank!r}: such as 6d, 3k or 1p expected")
            ranks = parse_rank(game.black_rank), parse_rank(game.white_rank)
            if any(rank is None or rank < least for rank in ranks):
                return "rank"
        if game.moves < self.min_moves:
            return "moves"
        if self.known_result and parse_result(game.result)[0] == 2:
            return "result"
        return None


def parse_rank(text: str) -> float | None:
    """A rank as a number that grows with strength: 1k is 0, 1d is 1, a professional is above 9d."""
    match = _RANK.search(text)
    if match is None:
        return None
    number, letter = int(match[1]), match[2].lower()
    if letter == "p" or "(P)" in text:
        return 9.0 + number / 10
    if letter in ("k", "级", "級"):
        return 1.0 - number
    return float(number)


def parse_result(text: str) -> tuple[int, float]:
    """(1 Black, -1 White, 0 drawn, 2 unknown; Black's margin in points or nan)."""
    stripped = text.strip()
    if stripped in ("0", "Draw", "draw", "Jigo", "jigo"):
        return 0, 0.0
    match = _RESULT.match(stripped)
    if match is None or "+" not in stripped:
        return 2, math.nan
    sign = 1 if match[1] in "Bb" else -1
    try:
        margin = sign * float(match[2]) if match[2] else math.nan
    except ValueError:
        margin = math.nan
    return sign, margin


def decode_letters(text: str, size: int, where: str = "<moves>") -> NDArray[np.uint16]:
    """Joined SGF letter pairs, Black first, as entries; DataError names a pair that is off the board."""
    letters = np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)
    if len(letters) % 2:
        raise DataError(f"{where}: {len(letters)} letters are no whole number of moves")
    columns = letters[0::2].astype(np.int32) - 97
    rows = letters[1::2].astype(np.int32) - 97
    passes = (columns == 19) & (rows == 19)
    wrong = ~passes & ((columns < 0) | (columns >= size) | (rows < 0) | (rows >= size))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise DataError(f"{where}: move {first + 1}, {text[2 * first : 2 * first + 2]!r}, is off the board")
    entries = np.where(passes, PASS_POINT, rows * size + columns).astype(np.uint16)
    entries[1::2] |= WHITE
    return entries


def encode_letters(entries: NDArray[np.uint16], size: int) -> str:
    """The inverse of ``decode_letters``; colours are not written."""
    points = (entries & POINT_MASK).astype(np.int32)
    passes = points == PASS_POINT
    pairs = np.empty((len(points), 2), dtype=np.uint8)
    pairs[:, 0] = np.where(passes, 19, points % size) + 97
    pairs[:, 1] = np.where(passes, 19, points // size) + 97
    return pairs.tobytes().decode("ascii")


def stem_of(path: Path) -> str:
    """``train-kgs`` of ``/a/train-kgs.tsv.xz``."""
    return path.name.split(".")[0] if path.is_file() else path.name


def open_text(path: Path) -> IO[str]:
    """A text file, decompressed when its name ends in ``.xz``."""
    try:
        if path.suffix == ".xz":
            return lzma.open(path, "rt", encoding="utf-8", newline="\n")
        return path.open(encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None


@dataclass
class Refusals:
    """Games that could not be read: how many, and the first few reasons."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        self.count += 1
        if len(self.examples) < 5:
            self.examples.append(reason)


def read_games(path: Path, unreadable: Refusals | None = None) -> Iterator[RawGame]:
    """All games of a file, a folder (searched through) or an archive.

    What cannot be read, a game or in a folder a whole file, is noted in ``unreadable`` and skipped; a file
    given by its own name that is broken or of no known kind raises DataError.
    """
    notes = Refusals() if unreadable is None else unreadable
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            if inner.is_file() and _reader_of(inner) is not None:
                try:
                    yield from read_games(inner, notes)
                except DataError as error:
                    notes.add(str(error))
        return
    reader = _reader_of(path)
    if reader is None:
        raise DataError(f"{path}: neither .sgf, .tsv, .tsv.xz, .zip, .tar nor .tar.* (or not there)")
    try:
        yield from reader(path, notes)
    except (
        OSError,
        EOFError,
        lzma.LZMAError,
        zlib.error,
        zipfile.BadZipFile,
        RuntimeError,  # zipfile's for a member that wants a password
        tarfile.TarError,
        UnicodeDecodeError,
    ) as error:
        raise DataError(f"{path}: {error}") from None


def _reader_of(path: Path) -> Callable[[Path, Refusals], Iterator[RawGame]] | None:
    name = path.name.lower()
    if name.endswith((".tsv", ".tsv.xz")):
        return _read_tsv
    if name.endswith(".sgf"):
        return _read_sgf_file
    if name.endswith(".zip"):
        return _read_zip
    if name.endswith((".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")):
        return _read_tar
    return None


def _read_tsv(path: Path, notes: Refusals) -> Iterator[RawGame]:
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path.name}, line {number}"
            fields = line.rstrip("\r\n").split("\t")
            if number == 1 and len(fields) != COLUMNS:
                raise DataError(f"{where}: {len(fields)} columns, {COLUMNS} expected: no collection of games")
            try:
                yield _tsv_game(fields, where)
            except DataError as error:
                notes.add(str(error))


def _tsv_game(fields: list[str], where: str) -> RawGame:
    if len(fields) != COLUMNS:
        raise DataError(f"{where}: {len(fields)} columns, {COLUMNS} expected")
    identity, date, black, white, result, komi, moves = fields
    black_name, _, black_rank = black.rpartition("/")
    white_name, _, white_rank = white.rpartition("/")
    return RawGame(
        id=identity,
        entries=decode_letters(moves, 19, where),
        komi=_parse_komi(komi, where),
        result=result,
        date=date,
        black=black_name,
        white=white_name,
        black_rank=black_rank,
        white_rank=white_rank,
    )


def _parse_komi(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise DataError(f"{where}: komi {text!r} is no number") from None


def _read_sgf_file(path: Path, notes: Refusals) -> Iterator[RawGame]:
    yield from _sgf_games(path.read_bytes(), str(path), notes)


def _read_zip(path: Path, notes: Refusals) -> Iterator[RawGame]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.filename.lower().endswith(".sgf") and not info.is_dir():
                yield from _sgf_games(archive.read(info), f"{path.name}:{info.filename}", notes)


def _read_tar(path: Path, notes: Refusals) -> Iterator[RawGame]:
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None and member.name.lower().endswith(".sgf"):
                yield from _sgf_games(stream.read(), f"{path.name}:{member.name}", notes)


def _sgf_games(text: bytes, source: str, notes: Refusals) -> Iterator[RawGame]:
    from tengen.go.sgf import parse_sgf, record_of

    try:
        games = parse_sgf(text, source).games
    except TengenError as error:
        notes.add(str(error))
        return
    for index, tree in enumerate(games):
        where = source if len(games) == 1 else f"{source}#{index + 1}"
        try:
            yield game_of_record(record_of(tree), where)
        except TengenError as error:
            notes.add(str(error))


def game_of_record(record: Any, identity: str) -> RawGame:
    """A GameRecord in the plain form."""
    from tengen.go.rules import Ko, Scoring

    rules = record.rules
    bits = (TERRITORY if rules.scoring is Scoring.TERRITORY else 0) | (SUICIDE if rules.suicide else 0)
    if rules.ko in (Ko.POSITIONAL, Ko.SITUATIONAL):
        bits |= SUPERKO
    setup = [SETUP | point for point in record.setup_black]
    setup += [SETUP | WHITE | point for point in record.setup_white]
    moves = [
        (PASS_POINT if move < 0 else move) | (WHITE if color == 2 else 0) for color, move in record.moves
    ]
    return RawGame(
        id=identity,
        entries=np.array(setup + moves, dtype=np.uint16),
        setup=len(setup),
        width=rules.width,
        height=rules.height,
        komi=rules.komi + rules.handicap_bonus(record.handicap),
        rules=bits,
        handicap=record.handicap,
        result=record.result or "",
        date=record.date,
        black=record.black,
        white=record.white,
        black_rank=record.black_rank,
        white_rank=record.white_rank,
    )
