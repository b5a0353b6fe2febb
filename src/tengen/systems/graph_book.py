"""Game records into a game graph and lines out of it: the graph as an opening book.

``graph_key`` says what a state is. Two positions are the same state if they have the same stones on a board
of the same size, the same side to move, the same point forbidden by simple ko, the same number of passes
just made, and are played under the same rules and komi. What a key does not hold is the history: under
superko a state may forbid a move in one game and allow it in another. The graph keeps what was found of the
state, the search keeps the history.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.errors import IllegalMove
from tengen.go.coords import PASS, Color, Move, vertex_of
from tengen.go.position import Position
from tengen.go.record import GameRecord
from tengen.go.rules import Rules
from tengen.go.symmetry import symmetries, transform_move
from tengen.systems.game_files import file_digest, games_of
from tengen.systems.graph_rows import GraphRows

if TYPE_CHECKING:
    from tengen.systems.graph_disk import GraphDisk

__all__ = [
    "ImportOptions",
    "ImportReport",
    "KnownMove",
    "Tally",
    "from_search",
    "graph_key",
    "import_file",
    "key_fingerprint",
    "known_moves",
    "rules_salt",
    "search_key",
    "to_search",
    "warm_around",
]

_MASK = 0xFFFFFFFFFFFFFFFF
_OVER_SALT = 0xC2B2AE3D27D4EB4F


def graph_key(position: Position) -> int:
    """The 64-bit key of a position's state: see the module's text for what it holds.

    It is the key the search itself keeps of a state (``search_key``) under XOR with a number of the rules,
    so that a search hands its states over, and finds them again, by one XOR with ``rules_salt``. Two passes
    end the game and are a state of their own, which no search looks at.
    """
    key = search_key(position) ^ rules_salt(position.rules, position.handicap)
    return key ^ _OVER_SALT if position.passes >= 2 else key


def search_key(position: Position) -> int:
    """What ``Simulation.key`` computes of the same position: stones, side to move, ko, whether a pass was
    just made."""
    ko = 0 if position.ko == PASS else vertex_of(position.ko, position.width)
    small = position.to_move + 2 * ko + 4096 * (position.passes & 1)
    key = position.hash ^ (small * 0x9E3779B97F4A7C15 & _MASK)
    key = (key ^ (key >> 29)) * 0xBF58476D1CE4E5B9 & _MASK
    return (key ^ (key >> 32)) | 1


@lru_cache(maxsize=64)
def rules_salt(rules: Rules, handicap: int = 0) -> int:
    """What the rules add to a key: every field that can change the worth of a position, komi with White's
    bonus for handicap stones included. A digest: the same in every run and on every machine."""
    said: dict[str, Any] = {}
    for field in fields(rules):
        value = getattr(rules, field.name)
        said[field.name] = value.value if isinstance(value, Enum) else value
    said["komi"] = rules.komi + rules.handicap_bonus(handicap)
    del said["white_bonus"]
    text = json.dumps(said, sort_keys=True)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def to_search(rows: GraphRows, rules: Rules, handicap: int = 0) -> GraphRows:
    """States as a search under these rules wants them: its own keys, ascending (for looking up by halving),
    and the wins of the side to *move*, as its nodes have them. States of other rules come along and are
    never met."""
    keys = rows.keys ^ np.uint64(rules_salt(rules, handicap))
    order = np.argsort(keys)
    return GraphRows(keys[order], rows.visits[order], (rows.visits - rows.wins)[order])


def from_search(rows: GraphRows, rules: Rules, handicap: int = 0) -> GraphRows:
    """What a search found, its keys and the wins of the side to move, as a graph keeps it."""
    return to_search(rows, rules, handicap)


@lru_cache(maxsize=1)
def key_fingerprint() -> str:
    """Names the numbers keys are made of: a graph written with others is refused, for nothing would be
    found in it.

    Taken from one position with stones of both colours and a ko.
    """
    position = Position.start(Rules(width=5, height=5, komi=7.5))
    for move in (1, 2, 5, 8, 11, 12, 7, 6):
        position = position.play(move)
    return f"{graph_key(position):016x}"


@dataclass(frozen=True)
class ImportOptions:
    """How games are filed. ``rules`` and ``komi`` None: under their own, else as if played under these (a
    key holds the rules, so a book is found only by games under the rules it was filed under). ``moves``:
    only the first so many. ``symmetries``: each game in all its turned and mirrored forms."""

    rules: str | None = None
    komi: float | None = None
    moves: int | None = None
    symmetries: bool = False

    def applied(self, rules: Rules) -> Rules:
        chosen = rules if self.rules is None else rules.with_named(self.rules)
        return chosen if self.komi is None else chosen.replace(komi=self.komi)


@dataclass
class ImportReport:
    """What one file gave. ``skipped``: games without a known winner or draw, or that could not be
    replayed."""

    games: int = 0
    skipped: int = 0
    states: int = 0
    writes: int = 0
    already: int = 0


class Tally:
    """Visits and wins of the states of games, collected before they are written."""

    def __init__(self) -> None:
        self._found: dict[int, list[float]] = {}

    def __len__(self) -> int:
        return len(self._found)

    def add(self, record: GameRecord, options: ImportOptions) -> bool:
        """Count a game: each state on its line once, as a visit, and as a win if the side that moved into
        it won the game (half of one for a draw). False, and nothing counted, if nobody knows who won or a
        move is illegal."""
        winner = record.winner
        if winner is None:
            return False
        rules = options.applied(record.rules)
        moves = record.moves[: options.moves]
        forms = symmetries(rules.width, rules.height) if options.symmetries else range(1)
        try:
            lines = [set(_states(record, rules, moves, form)) for form in forms]
        except IllegalMove:
            return False
        for key, mover in set().union(*lines):
            row = self._found.setdefault(key, [0.0, 0.0])
            row[0] += 1.0
            row[1] += 0.5 if winner is Color.EMPTY else float(winner is mover)
        return True

    def take(self) -> GraphRows:
        """What was collected, and begin anew."""
        keys = np.fromiter(self._found, np.uint64, len(self._found))
        numbers = np.array(list(self._found.values()), np.float64).reshape(-1, 2)
        self._found = {}
        return GraphRows(keys, numbers[:, 0], numbers[:, 1])


def _states(
    record: GameRecord, rules: Rules, moves: list[tuple[Color, Move]], form: int
) -> Iterator[tuple[int, Color]]:
    """Key of each state on the line and who moved into it, the board seen through a symmetry."""

    def turned(move: Move) -> Move:
        return transform_move(move, form, rules.width, rules.height)

    position = Position.setup(
        rules,
        black=[turned(move) for move in record.setup_black],
        white=[turned(move) for move in record.setup_white],
        to_move=record.first,
        handicap=record.handicap,
    )
    yield graph_key(position), position.to_move.opponent
    for color, move in moves:
        position = position.play(turned(move), color, superko=False)
        yield graph_key(position), color


FILE_AT = 200_000
"""States collected in memory before they are written: some 50 MB."""


def import_file(
    disk: GraphDisk, path: Path, options: ImportOptions, *, again: bool = False
) -> Iterator[ImportReport]:
    """File the games of one record file; yields the report so far after each write, the last one complete.

    Every write notes how far it came. A file that is in already under the same options gives nothing more,
    one that was cut off goes on where it stopped; ``again`` files it once more. Raises DataError and
    SgfError as ``games_of``.
    """
    digest = file_digest(path, repr(options), str(time.time_ns()) if again else "")
    done, complete = disk.filed_games(digest)
    report = ImportReport(already=done)
    if complete:
        yield report
        return
    tally, read = Tally(), 0
    usual = options.applied(Rules.named("chinese"))
    for record in games_of(path, usual):
        read += 1
        if read <= done:
            continue
        if tally.add(record, options):
            report.games += 1
        else:
            report.skipped += 1
        if len(tally) >= FILE_AT:
            _file(disk, digest, path, read, False, tally, report)
            yield report
    _file(disk, digest, path, read, True, tally, report)
    yield report


def _file(
    disk: GraphDisk, digest: str, path: Path, read: int, complete: bool, tally: Tally, report: ImportReport
) -> None:
    rows = tally.take()
    disk.file_games(digest, path.name, read, complete, rows)
    report.states += len(rows)
    report.writes += 1


@dataclass(frozen=True)
class KnownMove:
    """A move into a state the graph knows: its visits, and wins of the side that makes it."""

    move: Move
    position: Position
    key: int
    visits: float
    wins: float


def known_moves(disk: GraphDisk, position: Position, *, min_visits: float = 0.0) -> list[KnownMove]:
    """The legal moves (the pass among them) into known states, the most visited first."""
    if position.is_over:
        return []
    after = {move: position.play(move) for move in [*position.legal_moves(), PASS]}
    keys = {move: graph_key(child) for move, child in after.items()}
    rows = disk.read_keys(list(keys.values()))
    known = {int(key): (float(v), float(w)) for key, v, w in zip(*rows, strict=True) if v >= min_visits}
    found = [KnownMove(m, after[m], key, *known[key]) for m, key in keys.items() if key in known]
    return sorted(found, key=lambda one: (-one.visits, one.move))


def warm_around(disk: GraphDisk, position: Position, limit: int, seconds: float) -> GraphRows:
    """What the graph knows from this position on: its state, then those that moves lead to, the most
    visited first.

    For a graph too large for ``GraphDisk.warm``. Stops at ``limit`` states, after ``seconds``, or at the
    end of what is known; superko forbids moves as it does in this game.
    """
    deadline = time.monotonic() + seconds
    root = graph_key(position)
    own = disk.read_keys([root])
    rows = {root: (float(own.visits[0]), float(own.wins[0]))} if len(own) else {}
    frontier: list[tuple[float, int, Position]] = [(0.0, 0, position)]
    expanded, order = set(), 0
    while frontier and len(rows) < limit and time.monotonic() < deadline:
        _, _, place = heapq.heappop(frontier)
        if (key := graph_key(place)) in expanded:
            continue
        expanded.add(key)
        for one in known_moves(disk, place):
            if one.key not in rows:
                order += 1
                rows[one.key] = (one.visits, one.wins)
                heapq.heappush(frontier, (-one.visits, order, one.position))
    kept = list(rows.items())[:limit]
    keys = np.array([key for key, _ in kept], np.uint64)
    numbers = np.array([row for _, row in kept], np.float64).reshape(-1, 2)
    return GraphRows(keys, numbers[:, 0], numbers[:, 1])
