"""Where games are played: in this process, in processes of this machine, or on a dask cluster.

All three are a ``concurrent.futures.Executor`` to the runner, with one more ability: to be dropped at once.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Protocol

from tengen.arena.worker import close_players, initialise
from tengen.errors import ConfigError

__all__ = ["ClusterPool", "InlinePool", "Pool", "ProcessPool", "open_pool"]


class Pool(Protocol):
    """An executor with a life."""

    workers: int

    @property
    def executor(self) -> Executor: ...

    def renew(self) -> None:
        """Get a fresh executor after the old one broke."""
        ...

    def close(self, *, now: bool = False) -> None:
        """End it; ``now`` gives up the games under way."""
        ...


class _InlineExecutor(Executor):
    """Runs a call when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class InlinePool:
    """Games in this very process: no start-up, and a debugger sees them."""

    workers = 1

    def __init__(self) -> None:
        self.executor: Executor = _InlineExecutor()

    def renew(self) -> None:
        close_players()

    def close(self, *, now: bool = False) -> None:
        close_players()


class ProcessPool:
    """Worker processes of this machine, started afresh (never forked: players may have threads)."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._before: set[int] = set()
        self._executor: ProcessPoolExecutor | None = None

    @property
    def executor(self) -> Executor:
        if self._executor is None:
            self._before = {child.pid for child in multiprocessing.active_children() if child.pid}
            self._executor = ProcessPoolExecutor(
                self.workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=initialise,
            )
        return self._executor

    def renew(self) -> None:
        self.close(now=True)

    def close(self, *, now: bool = False) -> None:
        executor, self._executor = self._executor, None
        if executor is None:
            return
        if now:
            children = [child for child in multiprocessing.active_children() if child.pid not in self._before]
            executor.shutdown(wait=False, cancel_futures=True)
            for child in children:
                child.terminate()
            until = time.monotonic() + 5.0
            for child in children:
                child.join(max(0.0, until - time.monotonic()))
                if child.is_alive():
                    child.kill()
        executor.shutdown(wait=True, cancel_futures=True)


class ClusterPool:
    """Workers of a dask cluster: ``local:2`` starts one of two processes here, an address joins a running
    one.
    """

    def __init__(self, where: str) -> None:
        try:
            import distributed
        except ImportError:
            raise ConfigError("a cluster needs dask.distributed: pip install 'tengen[cluster]'") from None
        dask: Any = distributed
        self._cluster: Any = None
        address: Any = where
        if where.startswith("local"):
            count = where.partition(":")[2] or "2"
            if not count.isdigit() or int(count) < 1:
                raise ConfigError(f"cluster {where!r}: local:N or a scheduler's address expected")
            self._cluster = address = dask.LocalCluster(
                n_workers=int(count), threads_per_worker=1, processes=True, dashboard_address=None
            )
        try:
            self._client: Any = dask.Client(address, timeout="20s")
        except (OSError, ValueError) as error:
            raise ConfigError(f"cluster {where!r}: {error}") from None
        self.workers = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
        self._executor: Any = self._client.get_executor(pure=False)

    @property
    def executor(self) -> Executor:
        executor: Executor = self._executor
        return executor

    def renew(self) -> None:
        self._client.restart()
        self._executor = self._client.get_executor(pure=False)

    def close(self, *, now: bool = False) -> None:
        self._executor.shutdown(wait=not now)
        if not now:
            self._client.run(close_players)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def open_pool(workers: int, cluster: str | None = None) -> Pool:
    """A cluster where one is named; processes for two workers or more; else this process."""
    if cluster is not None:
        return ClusterPool(cluster)
    if workers < 1:
        raise ConfigError(f"{workers} workers: one at least")
    return ProcessPool(workers) if workers > 1 else InlinePool()
