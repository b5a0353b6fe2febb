"""Training positions drawn from built data directories: batches of planes and targets as numpy arrays.

A batch is a dict of fresh arrays, B positions of one board size N (for the side to move throughout):

===================  =====================  ==================================================================
``planes``           uint8 [B, C, N, N]     0 or 1, the feature set's planes
``globals``          float32 [B, G]
``policy_index``     int16 [B, 16]          flat points, pass = N*N; an unused entry has probability 0
``policy_prob``      float32 [B, 16]        sums to 1; a played move is one entry of probability 1
``policy_weight``    float32 [B]            0 where there is no policy target; likewise the weights below
``value``            float32 [B]            -1..1
``value_weight``     float32 [B]
``score``            float32 [B]            points
``score_weight``     float32 [B]
``ownership``        int8 [B, N, N]         x 8
``ownership_weight`` float32 [B]
``source``           int16 [B]              which of the sampler's sources
``played``           int16 [B]              policy index of the move played there, -1 unknown
===================  =====================  ==================================================================
"""

from __future__ import annotations

import fnmatch
import queue
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError
from tengen.learn.builder import GAME, TRAIN, UNKNOWN_RESULT, VALIDATION, label_dtype, read_meta
from tengen.learn.gamefiles import SUICIDE, SUPERKO, TERRITORY
from tengen.learn.labelfiles import LABEL_MOVES
from tengen.learn.sampling import Replayer
from tengen.nets.feature_sets import KOMI_UNIT, FeatureSpec, feature_spec
from tengen.nets.symmetries import source_tables, symmetry_tables

__all__ = ["Batch", "Sampler", "Source", "epoch"]

Batch = dict[str, NDArray[Any]]

_NUMBERS = ("policy_weight", "value", "value_weight", "score", "score_weight", "ownership_weight")
_SPLITS = {"train": TRAIN, "validation": VALIDATION, "all": None}


class Source:
    """The positions of one data directory that one purpose may use: a split, its games or its labels.

    ``targets`` "moves" learns the moves played and the games' results, "labels" the judgments; None takes
    labels where there are any. ``names`` keeps the games of the source files that match one of the patterns.
    """

    def __init__(
        self,
        directory: Path | str,
        split: str = "train",
        targets: str | None = None,
        names: Sequence[str] | None = None,
        sizes: Collection[int] | None = None,
    ) -> None:
        self.directory = Path(directory)
        self.split = split
        self.meta = read_meta(self.directory)
        if split not in _SPLITS:
            raise DataError(f"split {split!r}: one of {', '.join(_SPLITS)} expected")
        if targets not in (None, "labels", "moves"):
            raise DataError(f"targets {targets!r}: labels or moves expected")
        self.targets = targets or ("labels" if self.meta["labels"] else "moves")
        self.name = f"{self.directory.name}:{split}:{self.targets}"
        self.names = [str(source["name"]) for source in self.meta["sources"]]
        self.games = self._load("games.npy", GAME)
        self.moves = self._load("moves.npy", np.dtype("<u2"))
        chosen = np.ones(len(self.games), dtype=bool)
        if _SPLITS[split] is not None:
            chosen &= self.games["split"] == _SPLITS[split]
        if names is not None:
            wanted = [i for i, n in enumerate(self.names) if any(fnmatch.fnmatch(n, p) for p in names)]
            chosen &= np.isin(self.games["source"], wanted)
        chosen &= self.games["width"] == self.games["height"]
        if sizes is not None:
            chosen &= np.isin(self.games["width"], list(sizes))
        self._chosen = chosen
        self._pools: dict[int, _Pool] = {}

    def _load(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        path = self.directory / name
        try:
            array: NDArray[Any] = np.load(path, mmap_mode="r")
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: {error}") from None
        if array.dtype != dtype:
            raise DataError(f"{path}: fields {array.dtype} are not those of this version")
        return array

    @property
    def sizes(self) -> set[int]:
        """Board sizes with at least one position."""
        return {size for size in map(int, np.unique(self.games["width"][self._chosen])) if self.count(size)}

    def count(self, board: int) -> int:
        """How many positions of that board size there are."""
        return self.pool(board).count

    def pool(self, board: int) -> _Pool:
        if board not in self._pools:
            self._pools[board] = _Pool(self, board)
        return self._pools[board]

    def names_of(self, games: NDArray[np.int64]) -> list[str]:
        """The source file each of these games came from."""
        return [self.names[i] for i in self.games["source"][games]]


class _Pool:
    """The positions of one board size of a source, numbered from 0."""

    def __init__(self, source: Source, board: int) -> None:
        self.source = source
        chosen = source._chosen & (source.games["width"] == board)
        self.labels: NDArray[np.void] | None = None
        if source.targets == "labels":
            path = source.directory / f"labels-{board}.npy"
            if not path.exists():
                self.count = 0
                return
            self.labels = source._load(path.name, label_dtype(board))
            self.records = np.flatnonzero(chosen[self.labels["game"]])
            self.count = len(self.records)
        else:
            self.which = np.flatnonzero(chosen)
            lengths = source.games["entries"][self.which].astype(np.int64) - source.games["setup"][self.which]
            self.ends = np.cumsum(lengths)
            self.count = int(self.ends[-1]) if len(self.ends) else 0

    def locate(
        self, items: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Of each position its game, the moves made before it, and its label record (or -1)."""
        if self.labels is not None:
            records = self.records[items]
            return (
                self.labels["game"][records].astype(np.int64),
                self.labels["ply"][records].astype(np.int32),
                records,
            )
        index = np.searchsorted(self.ends, items, side="right")
        before = np.where(index > 0, self.ends[index - 1], 0)
        return self.which[index], (items - before).astype(np.int32), np.full(len(items), -1, dtype=np.int64)


class _Assembler:
    """Turns chosen positions into a batch, with the replaying shared out among threads."""

    def __init__(self, feature_set: str, board: int, threads: int) -> None:
        self.spec: FeatureSpec = feature_spec(feature_set)
        self.board = board
        self.replayers = [Replayer(board, board) for _ in range(max(1, threads))]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        tables = symmetry_tables(board, board)
        self.turn = tables
        area = board * board
        self.turn_index = np.concatenate([tables, np.full((8, 1), area, dtype=np.int16)], axis=1)
        self.turn_back = source_tables(board, board)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def empty(self, batch: int) -> Batch:
        n = self.board
        out: Batch = {
            "planes": np.empty((batch, self.spec.planes, n, n), dtype=np.uint8),
            "globals": np.zeros((batch, self.spec.globals), dtype=np.float32),
            "policy_index": np.zeros((batch, LABEL_MOVES), dtype=np.int16),
            "policy_prob": np.zeros((batch, LABEL_MOVES), dtype=np.float32),
            "ownership": np.zeros((batch, n, n), dtype=np.int8),
            "source": np.zeros(batch, dtype=np.int16),
            "played": np.full(batch, -1, dtype=np.int16),
        }
        for name in _NUMBERS:
            out[name] = np.zeros(batch, dtype=np.float32)
        return out

    def fill(
        self,
        out: Batch,
        rows: slice,
        number: int,
        source: Source,
        items: NDArray[np.int64],
        symmetries: NDArray[np.int32],
        played_value: bool,
    ) -> None:
        """Write the positions ``items`` of a source into the rows of a batch."""
        part = {name: array[rows] for name, array in out.items()}
        games, plies, records = source.pool(self.board).locate(items)
        header = source.games[games]
        movers, passes, played = self.replay(source, header, plies, symmetries, part["planes"])
        black = movers == 1
        part["source"][:] = number
        part["played"][:] = played
        if self.spec.globals:
            self.write_globals(part["globals"], header, black, passes)
        if records[0] >= 0:
            self.write_labels(part, source.pool(self.board), records, symmetries)
        else:
            self.write_played(part, header, black, played, played_value)

    def replay(
        self,
        source: Source,
        header: NDArray[np.void],
        plies: NDArray[np.int32],
        symmetries: NDArray[np.int32],
        planes: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        count = len(plies)
        movers, passes, played = (np.empty(count, dtype=np.int32) for _ in range(3))
        arguments = (
            source.moves,
            header["start"].astype(np.int64),
            header["setup"].astype(np.int32),
            plies,
            (header["entries"] - header["setup"]).astype(np.int32),
            symmetries,
            self.turn,
            self.spec.kind,
            planes.reshape(count, -1),
            movers,
            passes,
            played,
        )
        if self.pool is None:
            self.replayers[0].fill(*arguments, 0, count)
            return movers, passes, played
        bounds = np.linspace(0, count, len(self.replayers) + 1).astype(int)
        jobs = [
            self.pool.submit(replayer.fill, *arguments, int(first), int(last))
            for replayer, first, last in zip(self.replayers, bounds[:-1], bounds[1:], strict=True)
        ]
        for job in jobs:
            job.result()
        return movers, passes, played

    @staticmethod
    def write_globals(
        out: NDArray[np.float32],
        header: NDArray[np.void],
        black: NDArray[np.bool_],
        passes: NDArray[np.int32],
    ) -> None:
        """The numbers ``nets.views.globals_of`` gives, for a batch."""
        komi = header["komi"]
        unknown = np.isnan(komi)
        out[:, 0] = np.where(unknown, 0, np.where(black, -komi, komi)) / KOMI_UNIT
        out[:, 1] = unknown
        out[:, 2] = passes & 1
        out[:, 3] = passes >> 1
        out[:, 4] = (header["rules"] & TERRITORY) != 0
        out[:, 5] = (header["rules"] & SUICIDE) != 0
        out[:, 6] = (header["rules"] & SUPERKO) != 0
        out[:, 7] = black

    def write_labels(
        self, part: Batch, pool: _Pool, records: NDArray[np.int64], symmetries: NDArray[np.int32]
    ) -> None:
        assert pool.labels is not None
        labels = pool.labels[records]
        part["policy_index"][:] = self.turn_index[symmetries[:, None], labels["moves"]]
        prob = labels["probs"].astype(np.float32)
        total = prob.sum(axis=1, keepdims=True)
        part["policy_prob"][:] = prob / np.maximum(total, 1)
        part["policy_weight"][:] = total[:, 0] > 0
        part["value"][:] = 2 * labels["winrate"].astype(np.float32) - 1
        part["value_weight"][:] = 1
        part["score"][:] = labels["score"]
        part["score_weight"][:] = 1
        turned = np.take_along_axis(labels["ownership"], self.turn_back[symmetries], axis=1)
        part["ownership"][:] = turned.reshape(part["ownership"].shape)
        part["ownership_weight"][:] = 1

    @staticmethod
    def write_played(
        part: Batch,
        header: NDArray[np.void],
        black: NDArray[np.bool_],
        played: NDArray[np.int32],
        value: bool,
    ) -> None:
        part["policy_index"][:, 0] = np.maximum(played, 0)
        part["policy_prob"][:, 0] = played >= 0
        part["policy_weight"][:] = played >= 0
        sign = np.where(black, 1, -1)
        known = header["result"] != UNKNOWN_RESULT
        part["value"][:] = np.where(known, sign * header["result"], 0)
        part["value_weight"][:] = known & value
        margin = ~np.isnan(header["margin"])
        part["score"][:] = np.where(margin, sign * header["margin"], 0)
        part["score_weight"][:] = margin & value


class Sampler:
    """An endless stream of random batches, each position drawn uniformly from a source drawn by weight.

    Batch k depends only on the arguments and k, not on ``threads``: ``state`` and ``restore`` resume exactly.
    ``prefetch`` batches are made ahead in the background; 0 makes each when asked. ``played_value`` says
    whether the result of a game whose moves are learned is a value target. Close it, or use it in a ``with``.
    """

    def __init__(
        self,
        sources: Sequence[tuple[Source, float]],
        feature_set: str,
        batch: int,
        board: int,
        seed: int = 0,
        threads: int = 1,
        *,
        symmetries: bool = True,
        played_value: bool = True,
        prefetch: int = 2,
    ) -> None:
        self.sources = [source for source, _ in sources]
        weights = np.array([weight for _, weight in sources], dtype=np.float64)
        if not len(weights) or (weights < 0).any() or weights.sum() <= 0:
            raise DataError(f"source weights {weights.tolist()}: none negative, and not all zero")
        for source, weight in sources:
            if weight > 0 and source.count(board) == 0:
                raise DataError(f"{source.name}: no positions on {board}x{board}")
        self.weights = weights / weights.sum()
        self.batch, self.board, self.seed = batch, board, seed
        self.symmetries, self.played_value, self.prefetch = symmetries, played_value, prefetch
        self._assembler = _Assembler(feature_set, board, threads)
        self._next = 0
        self._start()

    def __enter__(self) -> Sampler:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Batch]:
        while True:
            yield self.next_batch()

    def next_batch(self) -> Batch:
        if self._thread is None:
            made: Batch | BaseException = self.make(self._next)
        else:
            made = self._queue.get()
        if isinstance(made, BaseException):
            raise made
        self._next += 1
        return made

    def make(self, number: int) -> Batch:
        """Batch ``number`` of the stream. Not for several threads at once."""
        rng = np.random.default_rng((self.seed, number))
        counts = rng.multinomial(self.batch, self.weights)
        out = self._assembler.empty(self.batch)
        row = 0
        for index, (source, count) in enumerate(zip(self.sources, counts, strict=True)):
            if count:
                items = rng.integers(0, source.count(self.board), size=count)
                turns = rng.integers(0, 8 if self.symmetries else 1, size=count).astype(np.int32)
                rows = slice(row, row + int(count))
                self._assembler.fill(out, rows, index, source, items, turns, self.played_value)
                row += int(count)
        return out

    def state(self) -> dict[str, Any]:
        """What ``restore`` needs, as JSON has it: how many batches went out, and what they depend on."""
        return {"next": self._next, **self._signature()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where the sampler that gave ``state`` stood; DataError if it drew from something else."""
        for key, value in self._signature().items():
            if state.get(key) != value:
                raise DataError(f"sampler state: {key} was {state.get(key)!r}, is {value!r}")
        self._stop()
        self._next = int(state["next"])
        self._start()

    def close(self) -> None:
        self._stop()
        self._assembler.close()

    def _signature(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "batch": self.batch,
            "board": self.board,
            "features": self._assembler.spec.name,
            "symmetries": self.symmetries,
            "weights": self.weights.tolist(),
            "positions": [source.count(self.board) for source in self.sources],
        }

    def _start(self) -> None:
        self._halt = threading.Event()
        self._thread: threading.Thread | None = None
        if self.prefetch > 0:
            self._queue: queue.Queue[Batch | BaseException] = queue.Queue(self.prefetch)
            arguments = (self._next, self._queue, self._halt)
            self._thread = threading.Thread(target=self._produce, args=arguments, daemon=True, name="sampler")
            self._thread.start()

    def _produce(self, number: int, out: queue.Queue[Batch | BaseException], halt: threading.Event) -> None:
        while not halt.is_set():
            try:
                made: Batch | BaseException = self.make(number)
            except BaseException as error:
                made = error
            number += 1
            while not halt.is_set():
                try:
                    out.put(made, timeout=0.1)
                    break
                except queue.Full:
                    continue

    def _stop(self) -> None:
        self._halt.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def epoch(
    source: Source,
    feature_set: str,
    batch: int,
    board: int,
    *,
    limit: int | None = None,
    seed: int = 0,
    threads: int = 1,
) -> Iterator[Batch]:
    """Every position of a source once, shuffled by the seed, unturned; the last batch may be short.

    ``limit`` takes that many positions, chosen at random but the same for the same seed and source.
    """
    count = source.count(board)
    order = np.random.default_rng(seed).permutation(count)[: count if limit is None else limit]
    assembler = _Assembler(feature_set, board, threads)
    try:
        for first in range(0, len(order), batch):
            items = order[first : first + batch].astype(np.int64)
            out = assembler.empty(len(items))
            still = np.zeros(len(items), dtype=np.int32)
            assembler.fill(out, slice(0, len(items)), 0, source, items, still, True)
            yield out
    finally:
        assembler.close()
