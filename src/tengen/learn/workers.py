"""Executors by name: this process, several processes, or a dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, ParamSpec, TypeVar

from tengen.errors import ConfigError

__all__ = ["InPlace", "executor_by_name"]

P = ParamSpec("P")
T = TypeVar("T")


class InPlace(Executor):
    """Does every task at once in the calling thread."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _attend() -> None:
    """Begin a worker: Ctrl-C is its parent's affair, and it does not outlive its parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """Spawned, not forked: the parent may hold threads. Left by an error, they give up what they are at."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_attend)
    try:
        yield pool
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def executor_by_name(name: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """(executor, workers) for ``processes``, ``serial``, ``dask`` (a cluster of this machine) or
    ``dask:ADDRESS``.

    workers 0 takes every core. Raises ConfigError for another name or a negative number, or when dask is not
    installed.
    """
    if workers < 0:
        raise ConfigError(f"workers {workers}: 0 (one a core) or more expected")
    count = workers or os.cpu_count() or 1
    if name == "serial" or (name == "processes" and count == 1):
        yield InPlace(), 1
    elif name == "processes":
        with _processes(count) as pool:
            yield pool, count
    elif name == "dask" or name.startswith("dask:"):
        try:
            import distributed
        except ImportError:
            raise ConfigError("executor dask: the extra 'cluster' is not installed") from None
        address = name.removeprefix("dask").removeprefix(":")
        dask: Any = distributed
        cluster: Any = address or dask.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=None
        )
        try:
            with dask.Client(cluster) as client:
                total = sum(client.nthreads().values())
                yield client.get_executor(), max(1, total)
        finally:
            if not address:
                cluster.close()
    else:
        raise ConfigError(f"executor {name!r}: processes, serial, dask or dask:ADDRESS expected")
