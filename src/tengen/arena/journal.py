"""The list of played games on disk: one line a game, appended and flushed to the disk before it counts.

A kill at any moment leaves whole lines and at most one torn one at the end, which is cut off at the next
start (that game is played again, with the same seed). The first line names what was played under what
conditions, so that games of another match are not mixed in. A lock keeps two processes from writing one
journal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tengen.arena.results import GameKey, GameResult, derive_seed
from tengen.errors import ConfigError, DataError

__all__ = ["Journal", "sgf_name", "write_atomically"]

_FORMAT = 1


class Journal:
    """The games of one match or tournament in a folder: ``games.jsonl``, and one SGF each in ``sgf/``.

    Opening it reads what is there. ``resume=False`` refuses a folder that already holds games. ``identity``
    is compared with the one stored: ConfigError when it differs, DataError when the file is no journal.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any], *, resume: bool) -> None:
        self.folder = folder
        self.path = folder / "games.jsonl"
        self.results: dict[GameKey, GameResult] = {}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sgf").mkdir(exist_ok=True)
        self._file: IO[bytes] = open(self.path, "a+b")  # noqa: SIM115
        try:
            self._lock()
            self._load(json.loads(json.dumps(identity)), resume)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def _lock(self) -> None:
        try:
            _lock_file(self._file)
        except OSError:
            raise ConfigError(f"{self.path}: another process is writing these games") from None

    def _load(self, identity: Any, resume: bool) -> None:
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        stored = self._parse(lines[0], 1) if lines else {"tengen_games": _FORMAT}
        if stored.get("tengen_games") != _FORMAT:
            raise DataError(f"{self.path}: not a list of games (format {_FORMAT} expected)")
        if len(lines) <= 1:
            # Nothing was played: whatever stopped it (a misspelt player), the folder is free for any match.
            self._cut(0)
            self._append([{"tengen_games": _FORMAT, "identity": identity}])
            return
        if stored.get("identity") != identity:
            difference = _first_difference(stored.get("identity"), identity)
            raise ConfigError(
                f"{self.folder} holds games of another match ({difference}); use another folder"
            )
        for number, line in enumerate(lines[1:], 2):
            game = GameResult.from_json(self._parse(line, number))
            self.results[game.key] = game
        if self.results and not resume:
            raise ConfigError(
                f"{self.folder} already holds {len(self.results)} games; --resume goes on with them"
            )
        if whole != len(data):
            self._cut(whole)

    def _parse(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise DataError(f"{self.path}, line {number}: {error}") from None
        if not isinstance(fields, dict):
            raise DataError(f"{self.path}, line {number}: an object expected")
        return fields

    def _cut(self, length: int) -> None:
        self._file.truncate(length)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def add(self, games: Sequence[GameResult]) -> list[GameResult]:
        """Book games: records first, then lines, then one flush. Returns those not booked before."""
        fresh = [game for game in games if game.key not in self.results]
        for game in fresh:
            if game.sgf is not None:
                write_atomically(self.sgf_path(game), game.sgf)
        if fresh:
            self._append([game.to_json() for game in fresh])
        for game in fresh:
            self.results[game.key] = game
        return fresh

    def sgf_path(self, game: GameResult) -> Path:
        return self.folder / "sgf" / sgf_name(game)


def _lock_file(file: IO[bytes]) -> None:
    """The file is this process's until it is closed, or the process dies. OSError when it is another's."""
    if sys.platform == "win32":
        import msvcrt

        # Windows keeps others from reading what is locked, so it is a byte no journal reaches.
        file.seek(1 << 40)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sgf_name(game: GameResult) -> str:
    """A file name any system takes; the key's digest tells players apart whose names look alike."""
    players = f"{_plain(game.key.a)}-{_plain(game.key.b)}"
    mark = f"{derive_seed(game.key.a, game.key.b) & 0xFFFF:04x}"
    return f"{players}-{mark}-{game.key.number + 1:05d}.sgf"


def _plain(name: str) -> str:
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return kept[:40] or "player"


def _first_difference(stored: Any, wanted: Any, path: str = "") -> str:
    if isinstance(stored, dict) and isinstance(wanted, dict):
        for key in sorted({*stored, *wanted}):
            if stored.get(key) != wanted.get(key):
                return _first_difference(
                    stored.get(key), wanted.get(key), f"{path}.{key}" if path else str(key)
                )
    return f"{path or 'identity'}: {stored!r} there, {wanted!r} now"


def write_atomically(path: Path, content: bytes | str) -> None:
    """The file has the old content or the new one, never a part. Text is written as UTF-8."""
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(content.encode() if isinstance(content, str) else content)
    os.replace(partial, path)
