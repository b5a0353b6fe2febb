"""``tengen bench replay``: how fast games of a collection go from text to their final boards, and are they
legal.
"""

import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tengen.go.board import Board
from tengen.go.game_lines import sized_texts
from tengen.go.replay import replay_into

__all__ = ["bench_replay"]


def bench_replay(paths: Sequence[str | Path], limit: int | None = None) -> dict[str, Any]:
    """Replay the games of whole files (of each the first ``limit``) on one core.

    ``games_per_second`` counts from a game's letters to its final board, in wall and in processor time;
    ``games_per_second_with_reading`` adds reading and unpacking the files. ``illegal`` counts games with a move
    that is not legal: on 19x19 without suicide, on other sizes (self-made games by Tromp-Taylor rules) with it. Lines
    that only name a position of a game told elsewhere are none. Raises DataError.
    """
    began = time.perf_counter()
    replaying = cpu = 0.0
    games = moves = illegal = 0
    boards: dict[int, Board] = {}
    for path in paths:
        texts = list(islice(sized_texts(path), limit or None))
        for size in {size for size, _ in texts}:
            boards.setdefault(size, Board(size, size))
        start, cpu_start = time.perf_counter(), time.process_time()
        for size, text in texts:
            played = replay_into(boards[size], text, 1, size != 19)
            moves += played
            illegal += 2 * played != len(text)
        replaying += time.perf_counter() - start
        cpu += time.process_time() - cpu_start
        games += len(texts)
    with_reading = time.perf_counter() - began
    return {
        "games": games,
        "moves": moves,
        "illegal": illegal,
        "seconds": round(replaying, 3),
        "games_per_second": round(games / replaying, 1) if replaying else 0.0,
        "games_per_cpu_second": round(games / cpu, 1) if cpu else 0.0,
        "games_per_second_with_reading": round(games / with_reading, 1) if with_reading else 0.0,
    }
