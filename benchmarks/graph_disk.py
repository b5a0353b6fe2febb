"""What the game graph on disk costs: write-back and warm-up of 100,000 states, bytes a state over a million.

    python benchmarks/graph_disk.py sqlite:////tmp/bench.db
    python benchmarks/graph_disk.py postgresql://user@host/empty_database

Fills an empty graph with random states in searches of 100,000, then searches states it knows again with
n = 0.9, as Eq. 3 has it. Prints one JSON object: of each kind of work the median and the worst seconds, and
median processor time of this process (with SQLite that is all there is but the disk, and it tells more
than the clock on a busy machine). Refuses a graph that holds anything.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from tengen.systems.graph_disk import GraphDisk


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor."""
    begun = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def said(times: list[tuple[float, float]]) -> dict[str, float]:
    clock, processor = zip(*times, strict=True)
    return {
        "median": round(statistics.median(clock), 3),
        "worst": round(max(clock), 3),
        "processor": round(statistics.median(processor), 3),
    }


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("url")
    arguments.add_argument("--states", type=int, default=1_000_000)
    arguments.add_argument(
        "--search", type=int, default=100_000, help="states a search writes back and warms"
    )
    options = arguments.parse_args()
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**64, options.states, dtype=np.uint64)
    new, again, warm, by_key = [], [], [], []
    with GraphDisk.open(options.url) as disk:
        if disk.count():
            print(f"{options.url} is not empty", file=sys.stderr)
            return 1

        def write(part: np.ndarray) -> None:
            visits = np.ceil(rng.exponential(20, len(part)))
            disk.write_back(part, visits, visits * rng.random(len(part)), n=0.9)

        for begin in range(0, options.states, options.search):
            part = keys[begin : begin + options.search]
            new.append(timed(lambda part=part: write(part)))
        for _ in range(5):
            part = rng.choice(keys, options.search, replace=False)
            again.append(timed(lambda part=part: write(part)))
            warm.append(timed(lambda: disk.warm(options.search, 60.0)))
            by_key.append(timed(lambda part=part: disk.read_keys(part)))
        verifying = timed(disk.verify)
        clean, info = disk.verify().clean, disk.info()
    print(
        json.dumps(
            {
                "url": info.url,
                "states": info.states,
                "search": options.search,
                "write_back_new_s": said(new),
                "write_back_known_s": said(again),
                "warm_s": said(warm),
                "read_keys_s": said(by_key),
                "verify_s": said([verifying]),
                "clean": clean,
                "bytes_per_state": round(info.bytes_per_state, 2),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
