"""From game records to weights: which diamonds are common, what was there to choose, what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError, IllegalMove
from tengen.go.board import Board
from tengen.go.coords import PASS
from tengen.knowledge.mm import Competitions, evidence, fit, strengths
from tengen.knowledge.moves import GROUP_NAMES, Features, candidate_rows
from tengen.knowledge.patterns import DIAMOND_SIZES, Diamonds, canonical_codes, swapped_code
from tengen.knowledge.weights import MoveWeights

__all__ = [
    "FitSettings",
    "GameMoves",
    "Report",
    "Sampled",
    "collect",
    "common_diamonds",
    "fit_weights",
    "measure",
]

VALUES = 24
"""Values a group of tactical features may have, as in moves.pxd (a test holds them equal)."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class GameMoves:
    """One game: the board's size, stones set up and moves, as (colour, move)."""

    width: int
    height: int
    setup: tuple[tuple[int, int], ...]
    moves: tuple[tuple[int, int], ...]
    best: tuple[int, ...] = ()
    """Where somebody stronger judged the positions: the move he would have played instead of each."""

    def decisions(self) -> Iterator[tuple[Board, int, int]]:
        """The board before every move, the colour and the move to learn; the board changes under the
        caller's feet.

        Ends at the first illegal move.
        """
        board = Board(self.width, self.height)
        for color, move in self.setup:
            board.place(move, color)
        if self.setup:
            board.pass_move()
            board.pass_move()
        for index, (color, move) in enumerate(self.moves):
            yield board, color, self.best[index] if self.best else move
            try:
                board.place(move, color)
            except IllegalMove:
                return


@dataclass(frozen=True)
class FitSettings:
    """How much to learn from, and how carefully."""

    positions_per_game: int = 8
    """Positions of each game whose candidates are compared, drawn at random."""
    least: int = 20
    """A diamond is known if strong players played it this often."""
    most: int = 60000
    """Diamonds kept at most; the commonest."""
    sweeps: int = 15
    prior: float = 1.0
    seed: int = 1


@dataclass(frozen=True)
class Sampled:
    """Candidates of many positions: groups of tactical features, diamonds and 3x3 codes, and what was
    played."""

    rows: NDArray[np.uint8]
    slots: NDArray[np.int32]
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    winners: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True)
class Report:
    """How well weights foretell the moves of games they were not learned from."""

    positions: int
    top1: float
    top5: float
    top10: float
    top20: float
    log_evidence: float

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def common_diamonds(
    games: Iterable[GameMoves], least: int, most: int, progress: Progress | None = None
) -> tuple[NDArray[np.uint64], int]:
    """Keys of the diamonds that were played at least that often; and the moves looked at.

    A diamond's smaller ones are always among them: they are at least as common.
    """
    hasher = Diamonds()
    seen: list[list[int]] = []
    for number, game in enumerate(games, 1):
        seen.extend(
            hasher.keys_at(board, move, color)
            for board, color, move in game.decisions()
            if move != PASS and board.color_at(move) == 0
        )
        if progress and number % 200 == 0:
            progress(f"shapes of {number} games, {len(seen)} moves")
    if not seen:
        raise DataError("patterns: no move in the games given")
    table = np.array(seen, dtype=np.uint64)
    keys, counts = [], []
    for level in range(len(DIAMOND_SIZES)):
        found, number_of = np.unique(table[:, level], return_counts=True)
        keep = number_of >= least
        keys.append(found[keep])
        counts.append(number_of[keep])
    all_keys, all_counts = np.concatenate(keys), np.concatenate(counts)
    # Stable, so that of equally common ones the smaller diamond comes first and its larger ones may go.
    order = np.argsort(-all_counts, kind="stable")[:most]
    return all_keys[order], len(table)


def collect(
    games: Iterable[GameMoves],
    diamonds: Diamonds,
    per_game: int,
    seed: int,
    progress: Progress | None = None,
) -> Sampled:
    """The candidates of positions drawn from every game, with what was played there."""
    random = np.random.default_rng(seed)
    features = Features()
    rows, slots, codes = [], [], []
    starts, winners = [], []
    total = 0
    buffers = np.zeros((625, len(GROUP_NAMES)), np.uint8), np.zeros(625, np.int32), np.zeros(625, np.int32)
    for number, game in enumerate(games, 1):
        count = len(game.moves)
        chosen = (
            set(random.choice(count, size=min(per_game, count), replace=False).tolist()) if count else set()
        )
        for index, (board, color, move) in enumerate(game.decisions()):
            if index not in chosen or move == PASS:
                continue
            moves = candidate_rows(features, diamonds, board, color, *buffers)
            if move not in moves:
                continue
            n = len(moves)
            rows.append(buffers[0][:n].copy())
            slots.append(buffers[1][:n].copy())
            codes.append(_for_black(buffers[2][:n], color))
            starts.append(total)
            winners.append(total + moves.index(move))
            total += n
        if progress and number % 200 == 0:
            progress(f"candidates of {number} games, {len(starts)} positions")
    if not starts:
        raise DataError("patterns: no position in the games given")
    return Sampled(
        np.concatenate(rows),
        np.concatenate(slots),
        np.concatenate(codes),
        np.array(starts, np.int64),
        np.array(winners, np.int64),
    )


_CANONICAL = np.zeros(0, np.int32)
_SWAPPED = np.zeros(0, np.int32)


def _for_black(codes: NDArray[np.int32], color: int) -> NDArray[np.int32]:
    """Canonical codes with Black to play."""
    global _CANONICAL, _SWAPPED
    if len(_CANONICAL) == 0:
        _CANONICAL = np.array(canonical_codes(), np.int32)
        _SWAPPED = np.array([swapped_code(code) for code in range(65536)], np.int32)
    return _CANONICAL[codes if color == 1 else _SWAPPED[codes]]


def _tactics(sampled: Sampled) -> list[NDArray[np.integer]]:
    return [sampled.rows[:, group] for group in range(len(GROUP_NAMES))]


def fit_weights(
    sampled: Sampled,
    diamond_keys: NDArray[np.uint64],
    settings: FitSettings,
    progress: Progress | None = None,
) -> MoveWeights:
    """Two fits: every move's strength (diamonds and tactics), and 3x3 shapes for playouts."""

    def told(what: str) -> Callable[[int, float], None] | None:
        return (
            (lambda sweep, value: progress(f"{what}: sweep {sweep}, log-evidence {value:.4f}"))
            if progress
            else None
        )

    groups = len(GROUP_NAMES)
    full = Competitions(sampled.starts, sampled.winners, (sampled.slots + 1, *_tactics(sampled)))
    moves = fit(
        full,
        [len(diamond_keys) + 1] + [VALUES] * groups,
        settings.sweeps,
        settings.prior,
        progress=told("moves"),
    )
    # The playout's own model: a 3x3 shape, whether it touches the last move, and the tactics its rules see
    # to.
    near = GROUP_NAMES.index("near last")
    touching = np.where(sampled.rows[:, near] <= 3, sampled.rows[:, near], 0)
    known, code_ids = np.unique(sampled.codes, return_inverse=True)
    ruled = [sampled.rows[:, GROUP_NAMES.index(name)] for name in _RULED]
    small = Competitions(sampled.starts, sampled.winners, ((code_ids + 1).astype(np.int32), touching, *ruled))
    shapes = fit(
        small,
        [len(known) + 1, 4] + [VALUES] * len(ruled),
        settings.sweeps,
        settings.prior,
        progress=told("3x3"),
    )
    counts = np.bincount(code_ids, minlength=len(known))
    often = counts >= settings.least
    return MoveWeights(
        diamond_keys=diamond_keys,
        diamond_gammas=moves.gammas[0][1:].astype(np.float32),
        tactics=np.concatenate(moves.gammas[1:]).astype(np.float32),
        codes=known[often].astype(np.uint16),
        code_gammas=shapes.gammas[0][1:][often].astype(np.float32),
        near=(float(shapes.gammas[1][2]), float(shapes.gammas[1][3])),
    )


_RULED: Sequence[str] = ("capture", "rescue", "self-atari", "atari", "guard", "nakade")


def measure(sampled: Sampled, weights: MoveWeights) -> Report:
    """How the weights rank what was played. Ties count against them."""
    groups = len(GROUP_NAMES)
    data = Competitions(sampled.starts, sampled.winners, (sampled.slots + 1, *_tactics(sampled)))
    gammas = [np.concatenate(([1.0], weights.diamond_gammas)), *weights.tactics.reshape(groups, VALUES)]
    product = strengths(data, gammas)
    owner = np.repeat(np.arange(len(data.starts)), data.sizes())
    played = product[sampled.winners]
    ahead = np.add.reduceat((product >= played[owner]).astype(np.int64), sampled.starts)

    def within(n: int) -> float:
        return float(np.mean(ahead <= n))

    return Report(len(sampled), within(1), within(5), within(10), within(20), evidence(data, product))
