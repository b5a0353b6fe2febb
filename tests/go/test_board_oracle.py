"""The board against a slow, obvious one after every random move, capture and restore; compiled and not."""

import os
import subprocess
import sys
from pathlib import Path

import oracle
import pytest

import tengen
from tengen.go.board import Board

SMALL = [(1, 1), (1, 2), (2, 2), (1, 7), (3, 2), (3, 3), (4, 3), (4, 4), (2, 9), (5, 5), (6, 5)]
USUAL = [(7, 7), (9, 9), (13, 13), (19, 19), (19, 7)]
LARGE = [(25, 25), (25, 1), (1, 25), (21, 23), (24, 25)]


@pytest.mark.parametrize(("width", "height"), SMALL)
def test_small_boards_agree_in_everything_after_every_move(width: int, height: int) -> None:
    captured = oracle.walk(Board, width, height, 1200, seed=width * 100 + height)
    assert captured > 100 or width * height < 3


@pytest.mark.parametrize(("width", "height"), USUAL)
def test_usual_boards_agree(width: int, height: int) -> None:
    assert oracle.walk(Board, width, height, 12_000, seed=width + height, whole_every=400) > 300


@pytest.mark.parametrize(("width", "height"), LARGE)
def test_large_boards_and_strips_agree(width: int, height: int) -> None:
    oracle.walk(Board, width, height, 4_000, seed=7 * width + height, whole_every=1000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_million_moves(seed: int) -> None:
    for width, height in (*SMALL[2:], *USUAL):
        oracle.walk(Board, width, height, 6_700, seed=1000 + seed, whole_every=1)


def uncompiled(folder: Path) -> dict[str, str]:
    """An environment in which the package's lower half is plain Python; its test modules too."""
    package = Path(tengen.__file__).parent
    for source in (*package.glob("*.py"), *(package / "go").glob("*.py")):
        target = folder / "tengen" / source.relative_to(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    path = os.pathsep.join((str(folder), str(Path(oracle.__file__).parent)))
    return {"PYTHONPATH": path, "PATH": os.environ.get("PATH", "")}


def test_uncompiled_it_agrees_too(tmp_path: Path) -> None:
    script = """
import oracle, tengen.go.board as board, tengen.go.scoring as scoring, tengen.go.perft as perft
from tengen.go.position import Position
from tengen.go.rules import Rules
print(board.__file__, scoring.__file__, perft.__file__)
for width, height, moves in ((2, 2, 400), (3, 3, 400), (5, 4, 400), (9, 9, 300), (25, 25, 30)):
    oracle.walk(board.Board, width, height, moves, seed=5, whole_every=3)
print(board.Board(5, 5).random_playout(1, 3), board.bench_playouts(5, 5, 20, 3))
print(perft.count_legal_positions(2, 3), perft.count_tree(Rules.named("tromp-taylor", 2), 5))
position = Position.setup(Rules(5, 5), black=[6, 7, 8, 11, 13, 16, 17, 18], white=[0, 4])
print(sorted(scoring.find_dead(position, 20)), scoring.ownership(position, 4, 9))
"""
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, env=uncompiled(tmp_path), capture_output=True, text=True, check=True)
    files, playouts, counts, judged = found.stdout.splitlines()
    assert all(Path(name).suffix == ".py" and Path(name).is_relative_to(tmp_path) for name in files.split())
    from tengen.go import board, perft, scoring
    from tengen.go.position import Position
    from tengen.go.rules import Rules

    assert playouts == f"{board.Board(5, 5).random_playout(1, 3)} {board.bench_playouts(5, 5, 20, 3)}"
    trees = perft.count_tree(Rules.named("tromp-taylor", 2), 5)
    assert counts == f"{perft.count_legal_positions(2, 3)} {trees}"
    position = Position.setup(Rules(5, 5), black=[6, 7, 8, 11, 13, 16, 17, 18], white=[0, 4])
    assert judged == f"{sorted(scoring.find_dead(position, 20))} {scoring.ownership(position, 4, 9)}"
