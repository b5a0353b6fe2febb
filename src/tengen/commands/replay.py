"""``tengen bench replay``: how fast games of a collection go from text to their final boards, and are they
legal.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.go.board import Board
from tengen.go.game_lines import game_texts
from tengen.go.replay import replay_into

__all__ = ["bench_replay"]


def bench_replay(paths: Sequence[str | Path], limit: int | None = None) -> dict[str, Any]:
    """Replay the games of whole files (of each the first ``limit``) on one core.

    ``games_per_second`` counts from a game's letters to its final board; ``games_per_second_with_reading``
    adds reading and unpacking the files. ``illegal`` counts games with a move that is not legal. Raises
    DataError.
    """
    began = time.perf_counter()
    replaying = 0.0
    games = moves = illegal = 0
    board = Board(19, 19)
    for path in paths:
        texts = [
            text for _, text in zip(range(limit or 1 << 60), (m for _, m in game_texts(path)), strict=False)
        ]
        start = time.perf_counter()
        for text in texts:
            played = replay_into(board, text)
            moves += played
            illegal += 2 * played != len(text)
        replaying += time.perf_counter() - start
        games += len(texts)
    with_reading = time.perf_counter() - began
    return {
        "games": games,
        "moves": moves,
        "illegal": illegal,
        "seconds": round(replaying, 3),
        "games_per_second": round(games / replaying, 1) if replaying else 0.0,
        "games_per_second_with_reading": round(games / with_reading, 1) if with_reading else 0.0,
    }
