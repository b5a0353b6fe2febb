"""Positions as text, with coordinates, frames and marks, as programs draw them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import CoordinateError, IllegalMove
from tengen.go.coords import Color
from tengen.go.diagram import format_diagram, parse_diagram, parse_stones
from tengen.go.position import Position
from tengen.go.rules import Rules

PLAIN = """
    . X O
    X . O
    . O .
"""


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        ".XO\nX.O\n.O.",
        "   A B C\n 3 . X O 3\n 2 X . O 2\n 1 . O . 1\n   A B C",
        "+-------+\n| . X O |\n| X . O |\n| . O . |\n+-------+",
        " A B C\n3|. X O|3\n2|X . O|2\n1|. O .|1",
        "   A B C\n 3 . X O 3     WHITE (O) has captured 0 stones\n 2 X + O 2\n 1 . O . 1\n   A B C",
    ],
    ids=["plain", "tight", "coordinates", "frame", "both", "gnugo"],
)
def test_drawings_of_one_position(text: str) -> None:
    drawn = parse_stones(text)
    assert (drawn.width, drawn.height) == (3, 3)
    assert drawn.black == (1, 3)
    assert drawn.white == (2, 5, 7)


def test_marks_are_empty_points_with_a_name() -> None:
    drawn = parse_stones("a X .\n. 1 b")
    assert drawn.marks == {"a": 0, "1": 4, "b": 5}
    assert drawn.black == (1,)


def test_a_position() -> None:
    position = parse_diagram(PLAIN, to_move=Color.WHITE)
    assert position.to_move is Color.WHITE
    assert position.color_at(2) is Color.WHITE
    assert (position.rules.width, position.rules.height) == (3, 3)
    assert parse_diagram(". .", Rules.named("japanese", 19)).rules == Rules.named("japanese", (2, 1))


def test_drawing_with_marks() -> None:
    position = parse_diagram(PLAIN)
    assert format_diagram(position, {0: "a", 1: "1"}, coordinates=False) == "a 1 O\nX . O\n. O ."


def test_coordinates_stand_round_a_large_board() -> None:
    lines = format_diagram(Position.start(Rules.named("chinese", 19))).splitlines()
    assert lines[0] == "   A B C D E F G H J K L M N O P Q R S T"
    assert lines[1].startswith("19 . . ")
    assert lines[1].endswith(" . 19")
    assert lines[-2].startswith(" 1 . ")


@pytest.mark.parametrize(
    ("text", "quoted"), [(". X\n.", "'.'"), (". X\n. ?", "'?'"), ("", "no rows"), ("   ", "no rows")]
)
def test_what_is_no_drawing(text: str, quoted: str) -> None:
    with pytest.raises(CoordinateError, match=quoted.replace("?", r"\?").replace(".", r"\.")):
        parse_stones(text)


def test_a_chain_without_liberties_cannot_be_set_up() -> None:
    with pytest.raises(IllegalMove):
        parse_diagram("O X .\nX . .\n. . .")


@given(st.integers(1, 25), st.integers(1, 25), st.data())
def test_round_trip(width: int, height: int, data: st.DataObject) -> None:
    stones = data.draw(
        st.dictionaries(st.integers(0, width * height - 1), st.sampled_from([1, 2]), max_size=12)
    )
    black, white = ([move for move, color in sorted(stones.items()) if color == side] for side in (1, 2))
    try:
        position = Position.setup(Rules(width=width, height=height), black, white)
    except IllegalMove:
        return
    for coordinates in (True, False):
        again = parse_diagram(format_diagram(position, coordinates=coordinates))
        assert again.board.stones_list() == position.board.stones_list()
        assert (again.width, again.height) == (width, height)
