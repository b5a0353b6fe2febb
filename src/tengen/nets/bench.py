"""How fast planes are drawn and networks evaluated on this computer."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.go.board import Board
from tengen.go.coords import vertex_of
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.feature_sets import feature_spec
from tengen.nets.features import PlaneWriter, draw_games

__all__ = ["bench_features", "bench_net", "random_games"]

GAMES = 64


def random_games(size: int, count: int, seed: int = 1) -> list[list[int]]:
    """Moves of random games without passes, of every length up to 0.6 of the board; no own eye is filled.

    Half of the moves are near the last one. There are more weak chains and ladders here than in real games.
    """
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        board = Board(size, size)
        moves: list[int] = []
        for ply in range(rng.randrange(size * size * 6 // 10)):
            color = 1 + ply % 2
            legal = [m for m in board.legal_moves(color) if not board.is_eye(m, color)]
            near = [m for m in legal if moves and _distance(m, moves[-1], size) <= 2]
            if not legal:
                break
            moves.append(rng.choice(near if near and rng.random() < 0.5 else legal))
            board.place(moves[-1], color)
        games.append(moves)
    return games


def _distance(a: int, b: int, size: int) -> int:
    return abs(a // size - b // size) + abs(a % size - b % size)


def bench_features(size: int, seconds: float, feature_set: str) -> dict[str, Any]:
    """Positions a second on one core, each replayed from the empty board and drawn."""
    spec = feature_spec(feature_set)
    games = random_games(size, GAMES)
    lengths = np.array([len(game) for game in games], dtype=np.int32)
    vertices = np.zeros((GAMES, max(1, int(lengths.max()))), dtype=np.int32)
    for row, game in zip(vertices, games, strict=True):
        row[: len(game)] = [vertex_of(move, size) for move in game]
    planes = np.zeros((GAMES, spec.planes * size * size), dtype=np.uint8)
    writer, board = PlaneWriter(size, size), Board(size, size)
    drawn = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < seconds:
        drawn += draw_games(writer, board, vertices, lengths, spec.kind, planes, 4)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "size": size,
        "feature_set": feature_set,
        "planes": spec.planes,
        "moves_per_position": round(float(lengths.mean()), 1),
        "positions": drawn,
        "seconds": round(wall, 3),
        "positions_per_second": round(drawn / wall),
        "positions_per_cpu_second": round(drawn / cpu),
        "planes_set": int(planes.sum()),
    }


def bench_net(net: str, size: int, threads: int, seconds: float) -> dict[str, Any]:
    """Milliseconds a position, one at a time and eight at a time, nothing remembered."""
    from tengen.nets.runtime import Net
    from tengen.nets.shipped import net_path

    loaded = Net(net_path(net), threads=threads, cache=0)
    positions = [_position(game, size) for game in random_games(size, 16)]
    single = _median_ms(lambda i: loaded.evaluate([positions[i % 16]]), seconds / 3)
    batch = _median_ms(lambda i: loaded.evaluate(positions[:8]), seconds / 3) / 8
    planes = np.zeros((1, loaded.spec.planes, size, size), dtype=np.uint8)
    numbers: NDArray[np.float32] = np.zeros((1, loaded.spec.globals), dtype=np.float32)
    bare = _median_ms(lambda i: loaded.run(planes, numbers), seconds / 3)
    return {
        "net": loaded.name,
        "size": size,
        "threads": threads,
        "milliseconds": round(single, 3),
        "milliseconds_in_a_batch_of_8": round(batch, 3),
        "milliseconds_in_the_runtime": round(bare, 3),
        "evaluations_per_second": round(1000 / single, 1),
    }


def _position(moves: list[int], size: int) -> Position:
    position = Position.start(Rules(size, size))
    for move in moves:
        position = position.play(move, superko=False)
    return position


def _median_ms(work: Any, seconds: float) -> float:
    taken: list[float] = []
    begun = time.perf_counter()
    while len(taken) < 5 or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        work(len(taken))
        taken.append(time.perf_counter() - start)
    return 1000 * float(np.median(taken[1:]))
