"""One board, four ways to name its points: flat, GTP, SGF, vertex."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import CoordinateError
from tengen.go.coords import (
    PASS,
    RESIGN,
    STRIDE,
    Color,
    check_size,
    format_color,
    format_gtp,
    format_sgf,
    move_at,
    move_of_vertex,
    neighbours,
    opponent,
    parse_color,
    parse_gtp,
    parse_sgf,
    point_of,
    vertex_of,
)

sides = st.integers(1, 25)


@pytest.mark.parametrize(
    ("move", "gtp", "sgf", "vertex"),
    [
        (0, "A19", "aa", 27),
        (18, "T19", "sa", 27 + 18),
        (72, "Q16", "pd", 4 * STRIDE + 16),
        (180, "K10", "jj", 10 * STRIDE + 10),
        (342, "A1", "as", 19 * STRIDE + 1),
        (360, "T1", "ss", 19 * STRIDE + 19),
        (7, "H19", "ha", 27 + 7),
        (8, "J19", "ia", 27 + 8),
    ],
)
def test_points_of_a_19x19_board(move: int, gtp: str, sgf: str, vertex: int) -> None:
    assert parse_gtp(gtp, 19, 19) == parse_gtp(gtp.lower(), 19, 19) == move
    assert parse_sgf(sgf, 19, 19) == move
    assert format_gtp(move, 19, 19) == gtp
    assert format_sgf(move, 19, 19) == sgf
    assert vertex_of(move, 19) == vertex
    assert move_of_vertex(vertex, 19) == move
    assert move_at(*point_of(move, 19), 19, 19) == move


def test_corners_of_a_rectangle() -> None:
    assert [format_gtp(move, 7, 5) for move in (0, 6, 28, 34)] == ["A5", "G5", "A1", "G1"]
    assert [format_sgf(move, 7, 5) for move in (0, 6, 28, 34)] == ["aa", "ga", "ae", "ge"]


@given(sides, sides, st.data())
def test_every_notation_is_read_as_it_was_written(width: int, height: int, data: st.DataObject) -> None:
    move = data.draw(st.integers(0, width * height - 1))
    assert parse_gtp(format_gtp(move, width, height), width, height) == move
    assert move_of_vertex(vertex_of(move, width), width) == move
    sgf = format_sgf(move, width, height)
    assert parse_sgf(sgf, width, height) == move
    assert sgf != "tt" or max(width, height) > 19


@given(sides, sides, st.text(max_size=5))
def test_no_text_is_read_as_a_point_off_the_board(width: int, height: int, text: str) -> None:
    for parse in (parse_gtp, parse_sgf):
        try:
            move = parse(text, width, height)
        except CoordinateError as error:
            assert repr(text) in str(error)  # noqa: PT017
        else:
            assert RESIGN <= move < width * height


def test_pass_and_resign() -> None:
    for text in ("pass", "PASS", "Pass"):
        assert parse_gtp(text, 9, 9) == PASS
    assert parse_gtp("resign", 9, 9) == RESIGN
    assert (format_gtp(PASS, 9, 9), format_gtp(RESIGN, 9, 9)) == ("pass", "resign")
    assert parse_sgf("", 9, 9) == parse_sgf("tt", 19, 19) == PASS
    assert parse_sgf("tt", 20, 20) == 19 * 20 + 19
    assert format_sgf(PASS, 9, 9) == ""
    assert vertex_of(PASS, 9) == 0
    assert move_of_vertex(0, 9) == PASS


@pytest.mark.parametrize(
    "text", ["", "I5", "i5", "A0", "A10", "K1", "5A", "A", "A1x", "A-1", "A+1", "A 1", "A٣", "AA1", "Z1"]
)
def test_what_gtp_does_not_name(text: str) -> None:
    with pytest.raises(CoordinateError, match="vertex"):
        parse_gtp(text, 9, 9)


@pytest.mark.parametrize("text", ["a", "aaa", "ja", "aj", "AA", "a1", "[]", "  ", "éa"])
def test_what_sgf_does_not_name(text: str) -> None:
    with pytest.raises(CoordinateError, match="SGF point"):
        parse_sgf(text, 9, 9)


@pytest.mark.parametrize("move", [81, 1000, -3])
def test_moves_off_the_board_have_no_name(move: int) -> None:
    with pytest.raises(CoordinateError):
        format_sgf(move, 9, 9)
    with pytest.raises(CoordinateError):
        format_gtp(move, 9, 9)


def test_rows_and_columns_off_the_board() -> None:
    for row, column in ((-1, 0), (0, -1), (9, 0), (0, 9)):
        with pytest.raises(CoordinateError):
            move_at(row, column, 9, 9)


@pytest.mark.parametrize("size", [(0, 9), (9, 0), (26, 9), (9, 26), (-1, -1), (10**9, 1)])
def test_boards_that_cannot_be(size: tuple[int, int]) -> None:
    with pytest.raises(CoordinateError, match="board size"):
        check_size(*size)


def test_colors() -> None:
    assert [parse_color(text) for text in ("b", "B", "black", "BLACK")] == [Color.BLACK] * 4
    assert [parse_color(text) for text in ("w", "White")] == [Color.WHITE] * 2
    assert [format_color(color) for color in (Color.BLACK, Color.WHITE)] == ["B", "W"]
    assert opponent(Color.BLACK) is Color.WHITE.opponent.opponent is Color.WHITE
    assert Color.EMPTY.opponent is Color.EMPTY
    for text in ("", "blue", "bl", "1", "e"):
        with pytest.raises(CoordinateError, match="color"):
            parse_color(text)


@given(sides, sides, st.data())
def test_neighbours_are_one_step_away(width: int, height: int, data: st.DataObject) -> None:
    move = data.draw(st.integers(0, width * height - 1))
    row, column = point_of(move, width)
    beside = [
        other
        for other in range(width * height)
        if abs(other // width - row) + abs(other % width - column) == 1
    ]
    assert neighbours(move, width, height) == beside
