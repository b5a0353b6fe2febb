"""The board's Python face by diagram, its playouts by their known statistics, its two builds held equal."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tengen
from tengen.errors import CoordinateError, IllegalMove
from tengen.go import pure
from tengen.go.board import Board, bench_playouts
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.go.diagram import parse_diagram, parse_stones

BLACK, WHITE = Color.BLACK, Color.WHITE


def test_constants_of_the_two_builds_are_equal() -> None:
    text = (Path(tengen.__file__).parent / "go" / "board.pxd").read_text()
    block = text[text.index("cdef enum:") : text.index("cdef uint64_t _KEYS")]
    declared = {name: int(value) for name, value in re.findall(r"^\s+(\w+) = (\d+)", block, re.M)}
    assert declared
    assert declared == {name: getattr(pure, name) for name in declared}


def test_chains_and_liberties() -> None:
    drawn = parse_stones("""
        . X X .
        a O X .
        . O b .
        . . . .
    """)
    board = parse_diagram("""
        . X X .
        . O X .
        . O . .
        . . . .
    """).board
    assert board.chain(1) == [1, 2, 6]
    assert board.liberties(1) == 4
    assert board.chain_liberties(5) == [drawn.marks["a"], 8, drawn.marks["b"], 13]
    assert board.chain(0) == []
    assert board.liberties(0) == 0
    assert not board.in_atari(0)


def test_a_liberty_seen_from_two_stones_counts_once() -> None:
    board = parse_diagram("""
        X X .
        X . O
        O O .
    """).board
    assert board.liberties(0) == 2
    assert not board.in_atari(0)
    board.place(2, WHITE)
    assert board.liberties(0) == 1
    assert board.in_atari(0)
    assert board.place(4, WHITE) == 3


@pytest.mark.parametrize(("width", "height"), [(0, 5), (26, 26), (5, 26), (-1, -1), (5, -3)])
def test_absurd_sizes_are_refused(width: int, height: int) -> None:
    with pytest.raises(CoordinateError, match="sides go from"):
        Board(width, height)


def test_points_off_the_board_are_refused() -> None:
    board = Board(9, 9)
    for move in (81, -3, 10_000):
        for asked in (board.color_at, board.chain, board.liberties, board.in_atari):
            with pytest.raises(IllegalMove, match="off the 9x9 board"):
                asked(move)
        with pytest.raises(IllegalMove):
            board.place(move, BLACK)
    with pytest.raises(IllegalMove, match=r"1 .black. or 2 .white. expected"):
        board.place(0, 3)


def test_why_a_place_is_refused_is_said() -> None:
    board = parse_diagram("""
        . X O .
        X O . O
        . X O .
        . . . .
    """).board
    board.place(6, BLACK)
    assert board.ko_point == 5
    with pytest.raises(IllegalMove, match="B3 retakes the ko"):
        board.place(5, WHITE)
    with pytest.raises(IllegalMove, match="B4 is occupied"):
        board.place(1, WHITE)
    with pytest.raises(IllegalMove, match="A4 is suicide"):
        board.place(0, WHITE)
    assert board.place(5, WHITE, ko=False) == 1
    assert board.captures == (1, 1)


def test_a_copy_is_its_own() -> None:
    board = Board(5, 3)
    other = board.copy()
    other.place(7, BLACK)
    assert board.stones_list() == [0] * 15
    assert (other.width, other.height, other.color_at(7)) == (5, 3, BLACK)
    assert board.hash != other.hash


def test_a_stone_hashes_alike_on_every_board_of_the_same_rows_and_columns() -> None:
    small, large = Board(9, 9), Board(19, 19)
    small.place(4 * 9 + 3, BLACK)
    large.place(4 * 19 + 3, BLACK)
    # Graphs on disk are kept under such keys: they may never change.
    assert small.hash == large.hash == 18358420470245393940


def test_eyes() -> None:
    position = parse_diagram("""
        . X . X O
        X X X X .
        . X . X O
        O . X . .
        . . . . .
    """)
    eyes = [move for move in range(25) if position.board.is_eye(move, BLACK)]
    assert eyes == [0, 2, 12]
    assert not position.board.is_eye(12, WHITE)


def test_a_snapback_is_no_ko() -> None:
    board = parse_diagram("""
        . . X O .
        X X X O .
        O O O O .
        . . . . .
    """).board
    assert board.place(1, WHITE) == 0
    assert board.place(0, BLACK) == 1
    assert board.ko_point == PASS
    assert board.place(1, WHITE) == 5


def test_put_makes_no_capture() -> None:
    board = Board(3, 3)
    assert board.put(0, WHITE)
    assert board.put(1, BLACK)
    assert not board.put(3, BLACK)
    assert not board.put(0, BLACK)
    assert board.captures == (0, 0)
    assert board.stones_list() == [2, 1, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(("komi", "black"), [(7.5, 0.418), (6.5, 0.446)])
def test_playouts_on_9x9_have_the_known_length_and_winner(komi: float, black: float) -> None:
    playouts = 20_000
    moves, wins = bench_playouts(9, 9, playouts, 12345, komi)
    assert moves / playouts == pytest.approx(111.1, abs=0.3)
    error = (black * (1 - black) / playouts) ** 0.5
    assert wins / playouts == pytest.approx(black, abs=3 * error + 0.0005)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (1, 9), (13, 7), (19, 19), (25, 25)])
def test_one_seed_one_game(width: int, height: int) -> None:
    board = Board(width, height)
    games = []
    for seed in (1, 1, 2):
        other = board.copy()
        games.append((other.random_playout(BLACK, seed), other.hash))
    assert games[0] == games[1]
    assert games[0] != games[2] or width * height < 10
    assert 2 <= games[0][0][0] < 2048


def test_a_playout_ends_with_nothing_left_to_play() -> None:
    for seed in range(30):
        board = Board(7, 7)
        board.random_playout(WHITE, seed)
        for color in (BLACK, WHITE):
            left = [move for move in board.legal_moves(color) if not board.is_eye(move, color)]
            assert left == []
        owned = [board.color_at(move) for move in range(49)]
        area = owned.count(BLACK) - owned.count(WHITE)
        area += sum(board.is_eye(move, BLACK) - board.is_eye(move, WHITE) for move in board.empty_points())
        again = Board(7, 7)
        assert again.random_playout(WHITE, seed)[1] == area


def test_a_playout_stops_at_its_bound() -> None:
    assert Board(9, 9).random_playout(BLACK, 1, 10)[0] == 10


def test_threads_do_not_disturb_each_other() -> None:
    alone = [bench_playouts(9, 9, 2000, seed) for seed in range(4)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda seed: bench_playouts(9, 9, 2000, seed), range(4)))
    assert together == alone


def test_moves_in_words() -> None:
    board = Board(9, 9)
    board.place(parse_gtp("E5", 9, 9), BLACK)
    assert board.stones_list()[40] == BLACK
    assert board.empty_points() == [move for move in range(81) if move != 40]
