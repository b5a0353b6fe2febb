"""Tactics, one diagram and one expectation at a time."""

import re
from pathlib import Path

import pytest
from drawing import BLACK, WHITE, at, drawn

from tengen.errors import IllegalMove
from tengen.go.board import Board
from tengen.go.coords import parse_gtp
from tengen.knowledge.tactics import Tactics

# ---- liberties, atari, self-atari ------------------------------------------------------------------------


def test_liberties_after_an_extension_count_each_point_once() -> None:
    board, marks = drawn(
        """
        . . . .
        . X a .
        . . . .
        """
    )
    assert Tactics(board).liberties_if(marks["a"], BLACK) == 6


def test_liberties_after_joining_two_chains() -> None:
    board, marks = drawn(
        """
        O O . O O
        X X a X X
        O O . O O
        """
    )
    assert Tactics(board).liberties_if(marks["a"], BLACK) == 2


def test_liberties_after_a_capture_are_the_stones_taken() -> None:
    board, marks = drawn(
        """
        X O O a
        X O O X
        X X X X
        """
    )
    # The four stones leave; those beside Black's new chain are its liberties.
    assert Tactics(board).stones_taken(marks["a"], BLACK) == 4
    assert Tactics(board).liberties_if(marks["a"], BLACK) == 4


def test_liberties_agree_with_the_board_after_the_move() -> None:
    """A law, on boards of random games: what is foretold is what playing it shows."""
    checked = 0
    for seed in range(12):
        board = Board(7)
        color = BLACK
        for move in board_game(seed):
            for point in board.empty_points():
                if not board.is_legal(point, color):
                    continue
                after = board.copy()
                after.place(point, color)
                tactics = Tactics(board)
                liberties = after.liberties(point)
                assert tactics.liberties_if(point, color) == liberties
                stones = len(after.chain(point))
                assert tactics.self_atari_size(point, color) == (stones if liberties < 2 else 0)
                assert tactics.stones_taken(point, color) == after.last_captured
                checked += 1
            board.place(move, color)
            color = 3 - color
    assert checked > 2000


def board_game(seed: int) -> list[int]:
    from tengen.knowledge.playout import UniformPlayout, play_out

    moves, _ = play_out(UniformPlayout(), Board(7), BLACK, seed)
    return moves[:60]


def test_gives_atari() -> None:
    board, marks = drawn(
        """
        . O a
        . X b
        . . .
        """
    )
    assert Tactics(board).gives_atari(marks["a"], BLACK)
    assert not Tactics(board).gives_atari(marks["b"], WHITE)


def test_self_atari_of_three_stones_in_line_inside_an_eye_is_a_dead_shape() -> None:
    board, marks = drawn(
        """
        O O O O O O
        O X X a . O
        O O O O O O
        """
    )
    assert Tactics(board).self_atari_size(marks["a"], BLACK) == 3
    assert not Tactics(board).is_bad_self_atari(marks["a"], BLACK)


def test_self_atari_of_a_straight_four_gives_a_living_shape() -> None:
    board, marks = drawn(
        """
        O O O O O O O
        O X X X a . O
        O O O O O O O
        """
    )
    assert Tactics(board).is_bad_self_atari(marks["a"], BLACK)


def test_self_atari_that_takes_is_not_bad() -> None:
    board, marks = drawn(
        """
        a O X
        O X .
        X . .
        """
    )
    assert not Tactics(board).is_bad_self_atari(marks["a"], BLACK)


def test_self_atari_beside_strong_enemies_is_bad() -> None:
    board, marks = drawn(
        """
        . a O . .
        O O . . .
        . . . . .
        . . . . .
        """
    )
    assert Tactics(board).self_atari_size(marks["a"], BLACK) == 1
    assert Tactics(board).is_bad_self_atari(marks["a"], BLACK)


# ---- captures read to the end ----------------------------------------------------------------------------


def test_ladder_on_an_empty_board_catches() -> None:
    board, marks = drawn(
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . O . . . .
        . O X a . . .
        . O b . . . .
        . . . . . . .
        """
    )
    tactics = Tactics(board)
    stone = at(board, 4, 2)
    assert tactics.capture_point(stone) in (marks["a"], marks["b"])
    assert tactics.ladder_capture(marks["a"], WHITE) or tactics.ladder_capture(marks["b"], WHITE)


def test_ladder_breaker_saves() -> None:
    board, marks = drawn(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O O . . . . .
        . O X a . . . . .
        . O O . . . . . .
        . . . . . X . . .
        . . . . . . . . .
        """
    )
    # In atari at a: runs towards its own stone in the lower right.
    tactics = Tactics(board)
    assert tactics.ladder_escape(marks["a"], BLACK)
    assert tactics.save_point(at(board, 5, 2)) == marks["a"]


def test_ladder_without_a_breaker_does_not_save() -> None:
    board, marks = drawn(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O O . . . . .
        . O X a . . . . .
        . O O . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    tactics = Tactics(board)
    assert not tactics.ladder_escape(marks["a"], BLACK)
    assert tactics.save_point(at(board, 5, 2)) is None


def test_a_chaser_in_atari_is_taken_and_the_chain_is_safe() -> None:
    board, marks = drawn(
        """
        . . a . . .
        . X O X . .
        . O X O . .
        . O b O . .
        . . . . . .
        """
    )
    # Running to b leads nowhere; taking the white stone at a does.
    tactics = Tactics(board)
    assert tactics.save_point(at(board, 2, 2)) == marks["a"]
    assert tactics.ladder_escape(marks["a"], BLACK)
    assert not tactics.ladder_escape(marks["b"], BLACK)


def test_three_liberties_count_as_safe() -> None:
    board, _ = drawn(
        """
        . . . .
        . X O .
        . . . .
        """
    )
    assert Tactics(board).capture_point(at(board, 1, 1)) is None


def test_a_stone_on_the_edge_is_caught_by_driving_it_along() -> None:
    board, marks = drawn(
        """
        . X a . .
        . O b . .
        . . . . .
        . . . . .
        . . . . .
        """
    )
    assert Tactics(board).capture_point(at(board, 0, 1)) is not None
    assert Tactics(board).ladder_capture(marks["a"], WHITE)


def test_reading_leaves_the_board_as_it_was() -> None:
    board, marks = drawn(
        """
        . . . . .
        . . O . .
        . O X a .
        . . O O .
        . . . . .
        """
    )
    tactics = Tactics(board)
    before = tactics.board.hash
    tactics.save_point(at(board, 2, 2))
    tactics.ladder_escape(marks["a"], BLACK)
    assert tactics.board.hash == before == board.hash


def test_the_node_limit_counts_a_chain_as_safe() -> None:
    board, _ = drawn(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . O X . . . . . .
        . . O O . . . . .
        . . . . . . . . .
        """
    )
    stone = at(board, 6, 2)
    assert Tactics(board, limit=400).capture_point(stone) is not None
    assert Tactics(board, limit=2).capture_point(stone) is None


# ---- eyes, nakade, races, connections --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drawing", "vital"),
    [
        ("O O O O O\nO . a . O\nO O O O O", True),
        ("O O O O\nO a . O\nO . O O\nO O O O", True),
        ("O O O O O\nO . a . O\nO O . O O\nO O O O O", True),
        ("O O O O O\nO O . O O\nO . a . O\nO O . O O\nO O O O O", True),
        ("O O O O O\nO . a . O\nO . . O O\nO O O O O", True),
        ("O O O O O\nO . . O O\nO . a . O\nO O . O O\nO O O O O", True),
        ("O O O O O O\nO . . . . O\nO O O O O O", False),
        ("O O O O\nO . . O\nO . . O\nO O O O", False),
        ("O O O\nO . O\nO O O", False),
        ("O O O O\nO . . O\nO O O O", False),
    ],
)
def test_vital_points_of_eyes(drawing: str, vital: bool) -> None:
    board, marks = drawn(drawing)
    start = board.empty_points()[0]
    assert Tactics(board).nakade(start, WHITE) == (marks["a"] if vital else None)


def test_a_taken_vital_point_is_no_nakade_point() -> None:
    board, _ = drawn("O O O O O\nO . X . O\nO O O O O")
    assert Tactics(board).nakade(at(board, 1, 1), WHITE) is None


def test_an_open_region_has_no_vital_point() -> None:
    board, _ = drawn("O O O O .\nO . . . .\nO O O O .\n. . . . .")
    assert Tactics(board).nakade(at(board, 1, 1), WHITE) is None


def test_false_eye() -> None:
    board, marks = drawn(
        """
        . X O .
        X a X .
        O X . .
        . . . .
        """
    )
    assert Tactics(board).is_false_eye(marks["a"], BLACK)
    board, marks = drawn(
        """
        . X X .
        X a X .
        O X . .
        . . . .
        """
    )
    assert not Tactics(board).is_false_eye(marks["a"], BLACK)


def test_a_race_with_two_shared_liberties_and_none_outside_is_seki() -> None:
    board, _ = drawn(
        """
        O X . O X
        O X . O X
        O O X X X
        . . . . .
        """
    )
    assert Tactics(board).race_result(at(board, 0, 1), at(board, 0, 3)) == 0
    assert Tactics(board).race_result(at(board, 0, 3), at(board, 0, 1)) == 0


def test_one_shared_liberty_belongs_to_who_moves() -> None:
    board, _ = drawn(
        """
        O X . O X
        O O X X X
        . . . . .
        """
    )
    assert Tactics(board).race_result(at(board, 0, 1), at(board, 0, 3)) == 1
    assert Tactics(board).race_result(at(board, 0, 3), at(board, 0, 1)) == 1


def race_of(mine: int, theirs: int) -> int:
    """A race in a strip: Black's chain above White's, with so many liberties each."""
    width = 12
    rows = [["X"] * width for _ in range(4)]
    # A White wall, Black's chain, White's chain, a Black wall; gaps in the walls are liberties.
    rows[0] = ["O"] * width
    rows[2] = ["O"] * width
    for column in range(mine):
        rows[0][2 * column] = "."
    for column in range(theirs):
        rows[3][2 * column] = "."
    board = Board(width, 4)
    for row in range(4):
        for column in range(width):
            stone = rows[row][column]
            if stone != ".":
                board.put(row * width + column, 1 if stone == "X" else 2)
    return Tactics(board).race_result(at(board, 1, 0), at(board, 2, 0))


@pytest.mark.parametrize(
    ("mine", "theirs", "result"),
    [(2, 2, 1), (3, 2, 1), (2, 3, -1), (1, 1, 1), (1, 4, -1)],
)
def test_race_without_shared_liberties(mine: int, theirs: int, result: int) -> None:
    assert race_of(mine, theirs) == result


def test_connection_and_cut() -> None:
    board, marks = drawn(
        """
        . O .
        X a X
        . O .
        """
    )
    assert Tactics(board).touches(marks["a"], BLACK) == 2
    assert Tactics(board).touches(marks["a"], WHITE) == 2


def test_questions_about_no_stone_or_no_empty_point_are_refused() -> None:
    board, _ = drawn(". X\n. .")
    with pytest.raises(IllegalMove):
        Tactics(board).capture_point(0)
    with pytest.raises(IllegalMove):
        Tactics(board).liberties_if(1, BLACK)
    with pytest.raises(IllegalMove):
        Tactics(board).touches(99, BLACK)


# ---- another program's positions (read where they lie) ---------------------------------------------------


def assertions(path: Path, command: str) -> list[tuple[Board, list[str]]]:
    """The boards and assertions of one kind in a file of Pachi's unit tests."""
    found = []
    size, rows = 0, []
    for raw in path.read_text().splitlines():
        line = raw.split("#")[0].rstrip()
        if line.startswith("boardsize"):
            size, rows = int(line.split()[1]), []
        elif size and len(rows) < size and re.fullmatch(r"[ .XO*()]+", line):
            rows.append(re.findall(r"[.XO]", line))
        elif line.startswith(command + " ") and len(rows) == size > 0:
            board = Board(size)
            for move, stone in enumerate(stone for row in rows for stone in row):
                if stone != ".":
                    board.put(move, BLACK if stone == "X" else WHITE)
            found.append((board, line.split()[1:]))
    return found


@pytest.mark.parametrize(("name", "command"), [("ladder.t", "ladder"), ("ladder_any.t", "ladder_any")])
def test_ladders_agree_with_pachi(shared_data: Path, name: str, command: str) -> None:
    cases = assertions(shared_data / "suites" / "pachi-t-unit" / name, command)
    assert len(cases) >= 20
    for board, (_, point, caught) in cases:
        stone = parse_gtp(point, board.width, board.height)
        assert (Tactics(board).save_point(stone) is None) == bool(int(caught)), (point, board.stones_list())


def test_bad_self_atari_mostly_agrees_with_pachi(shared_data: Path) -> None:
    """Pachi's notion is finer (it asks who may connect out, bent four, seki); most of its cases are ours
    too."""
    cases = assertions(shared_data / "suites" / "pachi-t-unit" / "selfatari.t", "bad_selfatari")
    agreed = 0
    for board, (color, point, bad) in cases:
        side = BLACK if color == "b" else WHITE
        move = parse_gtp(point, board.width, board.height)
        ours = not board.is_legal(move, side) or Tactics(board).is_bad_self_atari(move, side)
        agreed += ours == bool(int(bad))
    assert len(cases) > 250
    assert agreed >= 0.7 * len(cases)
