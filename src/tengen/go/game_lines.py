"""Files of games, one a line: how large collections are kept for training and measuring.

Seven columns parted by tabs, UTF-8, packed with xz or not: id, date, Black, White, result, komi (empty: not
recorded), moves as joined SGF letter pairs. 19x19, Black first, strictly alternating, no handicap.
"""

import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tengen.errors import DataError
from tengen.go.board import Board
from tengen.go.coords import MAX_SIZE, PASS, Color, Move
from tengen.go.replay import replay_into

__all__ = ["GameLine", "ReplayCheck", "check_games", "game_texts", "read_games", "sized_texts"]

_CHUNK = 1 << 20


@dataclass(frozen=True)
class GameLine:
    """One game of such a file. ``moves`` are letter pairs, unchecked: ``replay`` checks them."""

    id: str
    date: str
    black: str
    white: str
    result: str
    komi: float | None
    moves: bytes

    def sequence(self, width: int = 19) -> list[tuple[Color, Move]]:
        """The moves as a GameRecord has them."""
        text = self.moves
        return [
            (
                Color(1 + index // 2 % 2),
                PASS
                if text[index : index + 2] == b"tt"
                else (text[index + 1] - 97) * width + text[index] - 97,
            )
            for index in range(0, len(text) - 1, 2)
        ]


def read_games(path: str | Path) -> Iterator[GameLine]:
    """The games of a file. Raises DataError for one that cannot be read, and at a line that is no game."""
    for number, line in enumerate(_lines(path), 1):
        columns = line.split(b"\t")
        if len(columns) != 7:
            raise DataError(f"{path}, line {number}: {len(columns)} columns, 7 expected")
        name, date, black, white, result, komi = (column.decode("utf-8", "replace") for column in columns[:6])
        try:
            points = float(komi) if komi else None
        except ValueError:
            raise DataError(f"{path}, line {number}: komi {komi!r} is no number") from None
        yield GameLine(name, date, black, white, result, points, columns[6])


def game_texts(path: str | Path) -> Iterator[tuple[bytes, bytes]]:
    """Id and moves of each game, without looking at the rest. Raises DataError for a file that cannot be
    read.
    """
    for line in _lines(path):
        yield line.partition(b"\t")[0], line.rpartition(b"\t")[2]


def sized_texts(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Board size and moves of each game: of seven columns 19x19, of five (as games with judged positions have
    them: id, size, komi, moves, positions) what the second says. Lines of four (id, moves played, komi, next move)
    name a position of a game told in another file and are passed over. Raises DataError for other lines.
    """
    for number, line in enumerate(_lines(path), 1):
        columns = line.split(b"\t")
        if len(columns) == 7:
            yield 19, columns[6]
        elif len(columns) == 5 and columns[1].isdigit() and 1 <= int(columns[1]) <= MAX_SIZE:
            yield int(columns[1]), columns[3]
        elif len(columns) != 4 or not columns[1].isdigit():
            raise DataError(f"{path}, line {number}: no game: {line[:40].decode('utf-8', 'replace')!r}")


def _lines(path: str | Path) -> Iterator[bytes]:
    """The lines without their ends. Reads by the megabyte: twice as fast as by the line."""
    try:
        with lzma.open(path, "rb") if str(path).endswith(".xz") else Path(path).open("rb") as file:
            rest = b""
            while chunk := file.read(_CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield line.rstrip(b"\r")
            if rest:
                yield rest
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise DataError(f"{path}: {error}") from None


@dataclass
class ReplayCheck:
    """What replaying a file showed. ``illegal`` names games with the number of the first illegal move, from
    1.
    """

    games: int = 0
    moves: int = 0
    illegal: list[tuple[str, int]] = field(default_factory=list)


def check_games(path: str | Path, limit: int | None = None) -> ReplayCheck:
    """Replay the games of a file, or the first ``limit``, from text to final board. Raises DataError."""
    check = ReplayCheck()
    board = Board(19, 19)
    for name, moves in game_texts(path):
        if limit is not None and check.games >= limit:
            break
        played = replay_into(board, moves)
        check.games += 1
        check.moves += played
        if 2 * played != len(moves):
            check.illegal.append((name.decode("utf-8", "replace"), played + 1))
    return check
