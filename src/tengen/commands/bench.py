"""``tengen bench``: how fast the parts are here, with an answer that shows they were right."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer

from tengen.errors import ConfigError
from tengen.go.board import Board, bench_playouts
from tengen.knowledge.guided import GuidedPlayout
from tengen.knowledge.playout import UniformPlayout, bench

__all__ = ["bench_playouts_for", "register"]

Size = Annotated[int, typer.Option(help="Board size, 2 to 25.")]
Threads = Annotated[int, typer.Option(help="Threads; each has its own board.")]
Seconds = Annotated[float, typer.Option(help="About how long to measure.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Seed = Annotated[int, typer.Option(help="Same seed, same playouts.")]


def _tell(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result))
        return
    width = max(map(len, result))
    for key, value in result.items():
        said = f"{value:,}" if isinstance(value, int) else value
        typer.echo(f"{key.replace('_', ' '):<{width}}  {said}")


def _timed(work: Any, threads: int, seconds: float, batch: int) -> tuple[list[Any], float]:
    """Run work(batch, index) on every thread until the time is up; all results, and the wall time they took."""
    with ThreadPoolExecutor(threads) as pool:
        work(max(batch // 20, 1), 0)
        started = time.perf_counter()
        deadline = started + seconds

        def loop(thread: int) -> list[Any]:
            found: list[Any] = []
            turn = 0
            while not found or time.perf_counter() < deadline:
                found.append(work(batch, thread + threads * turn + 1))
                turn += 1
            return found

        rows = list(pool.map(loop, range(threads)))
        wall = time.perf_counter() - started
    return [item for row in rows for item in row], wall


def bench_playouts_for(
    size: int, threads: int, seconds: float, komi: float, guided: bool, seed: int
) -> dict[str, Any]:
    """Playouts from the empty board for a while: how many a second, how long they were, how many Black won."""
    playout = GuidedPlayout() if guided else UniformPlayout()
    batch = max(200, int((40_000 if guided else 300_000) / (size * size)))

    def work(count: int, index: int) -> tuple[int, int, int]:
        if guided:
            moves, _, wins = bench(playout.clone(), Board(size), count, seed * 1_000_003 + index, 1, komi)
        else:
            moves, wins = bench_playouts(size, size, count, seed * 1_000_003 + index, komi)
        return count, moves, wins

    cpu = time.process_time()
    rows, wall = _timed(work, threads, seconds, batch)
    cpu = time.process_time() - cpu
    count, moves, wins = (sum(column) for column in zip(*rows, strict=True))
    return {
        "size": size,
        "threads": threads,
        "policy": "guided" if guided else "uniform",
        "playouts": count,
        "seconds": round(wall, 3),
        "playouts_per_second": round(count / wall),
        "playouts_per_cpu_second": round(count / cpu) if cpu else 0,
        "moves_per_playout": round(moves / count, 2),
        "komi": komi,
        "black_wins": round(wins / count, 4),
    }


def register(app: typer.Typer) -> None:
    bench = typer.Typer(no_args_is_help=True, help="How fast the parts are on this computer.")
    app.add_typer(bench, name="bench")

    @bench.command()
    def playouts(
        size: Size = 9,
        threads: Threads = 1,
        seconds: Seconds = 3.0,
        komi: Annotated[float, typer.Option(help="For the share of games Black wins.")] = 7.5,
        guided: Annotated[bool, typer.Option("--guided", help="Playouts guided by knowledge.")] = False,
        seed: Seed = 1,
        as_json: AsJson = False,
    ) -> None:
        """Playouts from the empty board."""
        _tell(bench_playouts_for(size, threads, seconds, komi, guided, seed), as_json)

    @bench.command()
    def search(
        size: Size = 9,
        threads: Threads = 1,
        seconds: Seconds = 3.0,
        engine: Annotated[str, typer.Option(help="An engine of ours that searches, with parameters.")] = (
            "rave:playout=uniform,knowledge=false,score=0"
        ),
        memory: Annotated[float, typer.Option(help="Megabytes for the tree.")] = 512,
        seed: Seed = 1,
        as_json: AsJson = False,
    ) -> None:
        """Simulations a second of a search from the empty board, beside the bare playouts of the same policy."""
        from tengen.go.position import Position
        from tengen.go.rules import Rules
        from tengen.knowledge.guided import GuidedPlayout
        from tengen.search.interfaces import Limit
        from tengen.search_player import SearchPlayer
        from tengen.systems import Resources, make_player

        player = make_player(engine, Resources(threads=threads, memory_mb=memory, seed=seed))
        if not isinstance(player, SearchPlayer):
            raise ConfigError(f"bench search: {engine} does not search")
        found = player.measure(Position.start(Rules.named("chinese", size)), Limit(seconds=seconds))
        guided = isinstance(getattr(player.evaluator, "playout", None), GuidedPlayout)
        bare = bench_playouts_for(size, 1, min(seconds, 2.0), 7.5, guided, seed)
        per_second = found["simulations"] / found["seconds"]
        _tell(
            {
                "size": size,
                "threads": threads,
                "engine": engine,
                **found,
                "simulations_per_second": round(per_second),
                "bare_playouts_per_cpu_second": bare["playouts_per_cpu_second"],
                "ratio_per_cpu_second": round(
                    found["simulations"] / found["cpu_seconds"] / bare["playouts_per_cpu_second"], 3
                ),
            },
            as_json,
        )

    @bench.command()
    def features(
        size: Size = 19,
        seconds: Seconds = 3.0,
        feature_set: Annotated[
            str, typer.Option("--set", help="dann, dann-noladder, pocket, tactics.")
        ] = "dann",
        as_json: AsJson = False,
    ) -> None:
        """Input planes a second, for positions drawn from random games."""
        from tengen.nets.bench import bench_features

        _tell(bench_features(size, seconds, feature_set), as_json)

    @bench.command()
    def net(
        net: Annotated[str, typer.Option(help="A net file, or the name of a shipped one.")] = "default",
        size: Size = 19,
        threads: Threads = 1,
        seconds: Seconds = 3.0,
        as_json: AsJson = False,
    ) -> None:
        """Evaluations a second of a network, one position at a time."""
        from tengen.nets.bench import bench_net

        _tell(bench_net(net, size, threads, seconds), as_json)

    @bench.command()
    def replay(
        paths: Annotated[list[Path], typer.Argument(help="Tab-separated game files, .xz or not.")],
        limit: Annotated[int, typer.Option(help="Games at most, 0 for all.")] = 0,
        as_json: AsJson = False,
    ) -> None:
        """Game records a second from text to final position, and whether each was legal."""
        from tengen.commands.replay import bench_replay

        for path in paths:
            if not os.path.exists(path):
                raise ConfigError(f"bench replay: no file {path}")
        _tell(bench_replay(paths, limit), as_json)
