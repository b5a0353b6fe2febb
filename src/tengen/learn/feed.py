"""Batches on their way to the net: board sizes by turns, computed ahead in a thread, with the place to
resume from.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tengen.errors import DataError
from tengen.learn.config import DataSource, TrainConfig

__all__ = [
    "BatchSource",
    "BoardTurns",
    "Feed",
    "ValidationSet",
    "open_samplers",
    "open_validation",
    "tensors",
]

Arrays = Mapping[str, npt.NDArray[Any]]


class BatchSource(Protocol):
    """What a feed needs of a sampler: batches for ever, and its place among them."""

    def next_batch(self) -> dict[str, npt.NDArray[Any]]: ...

    def state(self) -> dict[str, Any]: ...

    def restore(self, state: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


class BoardTurns:
    """Which board size each batch has: always the one furthest behind its share; ties go to the larger
    board.
    """

    def __init__(self, shares: Sequence[tuple[int, float]]) -> None:
        self.shares = tuple(shares)
        self.counts = [0] * len(self.shares)

    def __next__(self) -> int:
        drawn = sum(self.counts) + 1
        behind = [share * drawn - count for (_, share), count in zip(self.shares, self.counts, strict=True)]
        turn = behind.index(max(behind))
        self.counts[turn] += 1
        return self.shares[turn][0]


@dataclass(frozen=True)
class Fed:
    """One batch on the device's doorstep, and the feed's state once it is used."""

    board: int
    batch: dict[str, Tensor]
    state: dict[str, Any]


class Feed:
    """Batches from one sampler per board size, ``ahead`` of them made in advance by a thread, in pinned
    memory for CUDA.

    ``state`` (of the last batch handed out) given to a new Feed over like samplers continues with the batch
    after it. An error in the thread is raised where the next batch is asked for.
    """

    def __init__(
        self,
        samplers: Mapping[int, BatchSource],
        shares: Sequence[tuple[int, float]],
        *,
        state: dict[str, Any] | None = None,
        pin: bool = False,
        ahead: int = 4,
    ) -> None:
        self._samplers = samplers
        self._turns = BoardTurns(shares)
        self._pin = pin
        if state is not None:
            if [int(board) for board in state["boards"]] != [board for board, _ in shares]:
                raise DataError(f"checkpoint: board sizes {state['boards']}, not those of this run")
            self._turns.counts = [int(count) for count in state["counts"]]
            for board, sampler in samplers.items():
                sampler.restore(state["samplers"][str(board)])
        self.state: dict[str, Any] = self._snapshot()
        self._queue: queue.Queue[Fed | BaseException] = queue.Queue(maxsize=ahead)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="feed", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Tensor]]]:
        return self

    def __next__(self) -> tuple[int, dict[str, Tensor]]:
        fed = self._queue.get()
        if isinstance(fed, BaseException):
            raise fed
        self.state = fed.state
        return fed.board, fed.batch

    def close(self) -> None:
        """Stops the thread and the samplers. The state stays readable."""
        self._closing.set()
        while self._thread.is_alive():
            try:
                self._queue.get_nowait()
            except queue.Empty:
                self._thread.join(timeout=0.05)
        for sampler in self._samplers.values():
            sampler.close()

    def _snapshot(self) -> dict[str, Any]:
        return {
            "boards": [board for board, _ in self._turns.shares],
            "counts": list(self._turns.counts),
            "samplers": {str(board): sampler.state() for board, sampler in self._samplers.items()},
        }

    def _work(self) -> None:
        try:
            while not self._closing.is_set():
                board = next(self._turns)
                batch = tensors(self._samplers[board].next_batch(), pin=self._pin)
                self._put(Fed(board, batch, self._snapshot()))
        except BaseException as error:
            self._put(error)

    def _put(self, item: Fed | BaseException) -> None:
        while not self._closing.is_set():
            try:
                self._queue.put(item, timeout=0.1)
            except queue.Full:
                continue
            return


def tensors(arrays: Arrays, pin: bool = False) -> dict[str, Tensor]:
    """Host tensors of a sampler's arrays, pinned where asked. Float64 becomes float32."""
    out = {}
    for name, array in arrays.items():
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        out[name] = tensor.pin_memory() if pin else tensor
    return out


@dataclass(frozen=True)
class ValidationSet:
    """Held-out positions of one source and one board size."""

    title: str
    board: int
    batches: tuple[dict[str, Tensor], ...]


def open_samplers(
    config: TrainConfig, data: Path | None, threads: int, symmetries: bool = True
) -> dict[int, BatchSource]:
    """One sampler per board size over the config's sources. Raises DataError where no source has positions
    of a size.
    """
    from tengen.learn.dataset import Sampler, Source

    if not config.source:
        raise DataError(f"{config.name}: no [[source]] to learn from")
    sources = [
        (Source(located(item, data), split="train", targets=item.targets, names=item.names), item.weight)
        for item in config.source
    ]
    samplers: dict[int, BatchSource] = {}
    for board, _ in config.board_shares:
        at_board = [(source, weight if source.count(board) else 0.0) for source, weight in sources]
        if not any(weight for _, weight in at_board):
            raise DataError(f"{config.name}: no source has positions on {board}x{board}")
        samplers[board] = Sampler(
            at_board,
            config.feature_set,
            config.batch,
            board,
            seed=config.seed * 1000 + board,
            threads=threads,
            symmetries=symmetries,
        )
    return samplers


def open_validation(config: TrainConfig, data: Path | None, threads: int) -> list[ValidationSet]:
    """The held-out positions of every source and board size that has any, each the same whenever it is
    opened.
    """
    from tengen.learn.dataset import Source, epoch

    sets = []
    for item in config.validation.source or config.source:
        source = Source(located(item, data), split="validation", targets=item.targets, names=item.names)
        for board, _ in config.board_shares:
            if not source.count(board):
                continue
            batches = epoch(
                source,
                config.feature_set,
                min(config.batch, 512),
                board,
                limit=config.validation.positions,
                seed=20,
                threads=threads,
            )
            sets.append(ValidationSet(item.title, board, tuple(tensors(batch) for batch in batches)))
    return sets


def located(item: DataSource, data: Path | None) -> Path:
    """A source's directory, under ``data`` unless its path is absolute."""
    return data / item.path if data is not None else Path(item.path)
