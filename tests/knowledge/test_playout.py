"""Playouts: legal, ended by passes, replayable, and each rule seen at work in a diagram."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from drawing import BLACK, WHITE, drawn

import tengen
from tengen.errors import ConfigError
from tengen.go.board import Board
from tengen.go.coords import PASS, neighbours
from tengen.knowledge.guided import GuidedParameters, GuidedPlayout
from tengen.knowledge.patterns import Shapes
from tengen.knowledge.playout import (
    CapturePlayout,
    Playout,
    UniformPlayout,
    bench,
    play_out,
)
from tengen.knowledge.tactics import Tactics

OFF = {"capture": 0.0, "save": 0.0, "attack": 0.0, "nakade": 0.0, "local_factor": 0.0, "diagonal_factor": 0.0}
"""Every rule that answers the last move switched off."""


def first_moves(board: Board, color: int, count: int = 200, **changes: float) -> Counter[int]:
    """How often each point is the playout's first move."""
    playout = GuidedPlayout(GuidedParameters(**changes))
    return Counter(play_out(playout, board, color, seed, 1)[0][0] for seed in range(count))


def after(text: str, last: str, color: int) -> tuple[Board, dict[str, int]]:
    """The board of a drawing after ``color`` played at the mark ``last``."""
    board, marks = drawn(text)
    board.place(marks[last], color)
    return board, dict(marks)


@pytest.mark.parametrize("size", [5, 9, 13])
@pytest.mark.parametrize("kind", [UniformPlayout, GuidedPlayout])
def test_playouts_are_legal_fill_no_eye_and_end_with_two_passes(kind: type[Playout], size: int) -> None:
    for seed in range(8):
        board = Board(size)
        moves, end = play_out(kind(), board, BLACK, seed)
        assert moves[-2:] == [PASS, PASS]
        color = BLACK
        for move in moves:
            assert board.is_legal(move, color)
            assert move == PASS or not board.is_eye(move, color) or joins_a_weak_chain(board, move, color)
            board.place(move, color)
            color = 3 - color
        assert board.hash == end.hash


def joins_a_weak_chain(board: Board, move: int, color: int) -> bool:
    """The one good reason to fill an own eye: a chain beside it has two liberties at most."""
    width = board.width
    around = {move - 1, move + 1, move - width, move + width} & set(range(width * board.height))
    return any(board.color_at(point) == color and board.liberties(point) <= 2 for point in around)


def test_the_same_seed_gives_the_same_playout_and_a_clone_plays_alike() -> None:
    guided = GuidedPlayout()
    moves, _ = play_out(guided, Board(9), BLACK, 5)
    assert moves == play_out(guided, Board(9), BLACK, 5)[0]
    assert moves == play_out(guided.clone(), Board(9), BLACK, 5)[0]
    assert moves != play_out(guided, Board(9), BLACK, 6)[0]


def test_a_limit_cuts_a_playout_short() -> None:
    assert len(play_out(GuidedPlayout(), Board(9), BLACK, 1, 10)[0]) == 10


def test_the_last_moves_chain_is_taken_when_it_is_in_atari() -> None:
    board, marks = after(". . . .\n. X b .\nX O a X\n. X X .", "a", WHITE)
    assert board.in_atari(marks["a"])
    assert first_moves(board, BLACK, capture=1.0)[marks["b"]] == 200


def test_a_chain_put_in_atari_is_saved() -> None:
    board, marks = after(". . . . .\n. a . . .\nO X b . .\n. O . . .\n. . . . .", "a", WHITE)
    played = first_moves(board, BLACK, **OFF | {"save": 1.0})
    assert played[marks["b"]] == 200


def test_a_chain_is_saved_by_taking_a_chain_beside_it() -> None:
    text = """
        . . b . . .
        . X O X . .
        . O X a . .
        . O . O . .
        . . . . . .
    """
    board, marks = after(text, "a", WHITE)
    assert first_moves(board, BLACK, **OFF | {"save": 1.0})[marks["b"]] == 200


def test_a_chain_of_two_liberties_is_caught_where_it_cannot_run() -> None:
    board, marks = after(
        """
        . . X X . .
        . X O a X .
        . X c b . .
        . . . . . .
        . . . . . .
        """,
        "a",
        WHITE,
    )
    # White has b and c. From b Black leaves it c, a dead end; from c it would run through b.
    assert board.liberties(marks["a"]) == 2
    assert set(first_moves(board, BLACK, **OFF | {"attack": 1.0})) == {marks["b"]}


def test_the_vital_point_of_an_eye_is_played() -> None:
    board, marks = after(
        """
        . . . . . . .
        . O O O O O .
        . O . b . O .
        . O O a O O .
        . . . . . . .
        """,
        "a",
        WHITE,
    )
    played = first_moves(board, BLACK, **OFF | {"nakade": 1.0})
    assert played[marks["b"]] == 200


@pytest.mark.parametrize("size", [5, 7, 9])
def test_the_vital_point_is_the_one_a_walk_of_the_eye_finds(size: int) -> None:
    """Where the rule asks: from an end or a bend of the eye that the last move touches."""
    found = 0
    for seed in range(800):
        moves, board = play_out(UniformPlayout(), Board(size), BLACK, seed, size * size + seed % size)
        if moves[-1] == PASS:
            continue
        owner = board.color_at(moves[-1])
        tactics = Tactics(board)
        vital = 0
        for point in neighbours(moves[-1], size, size):
            around = [board.color_at(each) for each in neighbours(point, size, size)]
            if board.color_at(point) or 3 - owner in around or around.count(0) not in (1, 2):
                continue
            answer = tactics.nakade(point, owner)
            if answer is not None and board.is_legal(answer, 3 - owner):
                found += 1
                vital = 1 + answer
                break
        only = OFF | {"nakade": 1.0}
        if vital:
            assert set(first_moves(board, 3 - owner, 3, **only)) == {vital - 1}
        else:
            assert first_moves(board, 3 - owner, 3, **only) == first_moves(board, 3 - owner, 3, **OFF)
    assert found > 20


def test_shapes_pull_moves_towards_them() -> None:
    board, marks = drawn(". . . . .\n. . . . .\n. . X a .\n. . . . .\n. . . . .")
    board.place(marks["a"], WHITE)
    near = sum(
        first_moves(board, BLACK, 400, **OFF | {"local_factor": 50.0, "diagonal_factor": 50.0}).values()
    )
    assert near == 400
    beside = {marks["a"] + step for step in (-6, -5, -4, -1, 1, 4, 5, 6)}
    strong = first_moves(board, BLACK, 400, local_factor=50.0, diagonal_factor=50.0)
    weak = first_moves(board, BLACK, 400, **OFF)
    assert sum(strong[move] for move in beside) > 1.5 * sum(weak[move] for move in beside)


@pytest.mark.parametrize(("width", "height"), [(5, 5), (25, 2)])
def test_own_shapes_are_used(width: int, height: int) -> None:
    """With shapes that make every point but the corners hopeless, corners are played, all four of them."""
    from tengen.knowledge.patterns import canonical_codes

    corner = 3 | 3 << 2 | 3 << 4 | 3 << 6 | 3 << 10
    weights = dict.fromkeys(canonical_codes(), 1e-6)
    weights[canonical_codes()[corner]] = 1.0
    playout = GuidedPlayout(GuidedParameters(candidates=16, **OFF), Shapes(weights))
    board = Board(width, height)
    played = Counter(play_out(playout, board, BLACK, seed, 1)[0][0] for seed in range(200))
    last = width * height - 1
    corners = [played[point] for point in (0, width - 1, last - width + 1, last)]
    assert sum(corners) > 140
    assert min(corners) > 20


def test_bad_self_atari_is_refused_while_there_is_another_move() -> None:
    text = """
        . . . . .
        O O O O O
        O X a b O
        O O O O O
        . . . . .
    """
    board, marks = drawn(text)
    played = first_moves(board, BLACK, 300, throw_in=0.0)
    assert sum(played.values()) == 300
    # The two stones it would make stand in atari inside a living group: never drawn on purpose.
    assert played[marks["a"]] == 0


def test_capture_playouts_stop_at_the_first_capture() -> None:
    for seed in range(30):
        board = Board(7)
        moves, end = play_out(CapturePlayout(), board, BLACK, seed)
        color = BLACK
        for number, move in enumerate(moves):
            assert board.is_legal(move, color)
            taken = board.place(move, color)
            assert (taken > 0) == (number == len(moves) - 1 and end.last_captured > 0)
            color = 3 - color
        assert end.last_captured > 0 or moves[-2:] == [PASS, PASS]


def test_capture_playouts_take_at_once_and_save_what_is_in_atari() -> None:
    board, marks = drawn(". a .\nX O X\n. X .")
    assert all(play_out(CapturePlayout(), board, BLACK, seed)[0] == [marks["a"]] for seed in range(20))
    board, marks = drawn(". . . . .\n. . a . .\n. O X O .\n. . O . .\n. . . . .")
    assert all(play_out(CapturePlayout(), board, BLACK, seed)[0][0] == marks["a"] for seed in range(20))


def test_benchmark_asserts_what_playouts_say() -> None:
    """From the empty 5x5 board Black, who moves first, does better than even; the same figures every time."""
    first = bench(GuidedPlayout(), Board(5), 300, 7, komi=0.5)
    assert first == bench(GuidedPlayout(), Board(5), 300, 7, komi=0.5)
    moves, mean, wins = first
    assert 300 * 10 < moves < 300 * 200
    assert mean > 0
    assert wins > 150


@pytest.mark.parametrize(
    "changes",
    [{"capture": 1.5}, {"save": -0.1}, {"candidates": 0}, {"candidates": 17}, {"elsewhere": -1.0}],
)
def test_parameters_out_of_range_are_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(changes))):
        GuidedParameters(**changes)


UNCOMPILED = """
import cython
from tengen.go.board import Board
from tengen.knowledge.moves import MoveKnowledge
from tengen.knowledge.guided import GuidedPlayout
from tengen.knowledge.playout import CapturePlayout, play_out
from tengen.knowledge.tactics import Tactics
assert cython.compiled == {compiled}, "the wrong build"
for kind in (GuidedPlayout, CapturePlayout):
    for seed in range(3):
        moves, end = play_out(kind(), Board(7), 1, seed)
        print(kind.__name__, moves, end.hash)
board = Board(7)
for move in play_out(GuidedPlayout(), Board(7), 1, 3, 24)[0]:
    board.place(move, 1 + board.last_captured * 0 + (len(board.empty_points()) % 2 == 0))
tactics = Tactics(board)
for move, stone in enumerate(board.stones_list()):
    if stone:
        print(move, tactics.capture_point(move), tactics.save_point(move))
print([(move, f"{{value:.4g}}") for move, value in MoveKnowledge().values(board, 1).items()])
"""


def test_uncompiled_modules_play_the_same_moves(tmp_path: Path) -> None:
    """The same Python lines without the compiler: same playouts, same readings, same values."""
    package = Path(tengen.__file__).parent
    for folder in ("go", "knowledge", "data/patterns"):
        shutil.copytree(
            package / folder,
            tmp_path / "tengen" / folder,
            ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"),
        )
    for name in ("__init__.py", "errors.py"):
        shutil.copy(package / name, tmp_path / "tengen" / name)

    def run(path: Path, script: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(path)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # cython.compiled is False in any plain script; what tells the builds apart is the module's file.
    check = "import tengen.knowledge.playout as p; assert p.__file__.endswith('.py') == {plain}\n"
    script = UNCOMPILED.format(compiled=False)
    slow = run(tmp_path, check.format(plain=True) + script)
    fast = run(package.parent, check.format(plain=False) + script)
    assert slow == fast
