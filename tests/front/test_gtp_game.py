"""What the commands do to a game: set-up, handicap, rules, records."""

import json
from pathlib import Path

import pytest
from asking import tell
from scripted import RandomPlayer, ScriptedPlayer

from tengen.go.coords import PASS, Color, format_gtp, parse_gtp
from tengen.go.handicap import fixed_handicap, free_handicap, largest_fixed_handicap


def test_ko_suicide_and_occupied_points_are_refused(ask) -> None:
    gtp = ask(RandomPlayer())
    tell(
        gtp,
        "boardsize 5\nplay b b3\nplay w c3\nplay b a2\nplay w d2\nplay b b1\nplay w c1\nplay b c2\nplay w b2",
    )
    assert gtp("play b c2") == "? illegal move"
    assert gtp("play b b2") == "? illegal move"
    tell(gtp, "clear_board\nplay w a2\nplay w b1")
    assert gtp("play b a1") == "? illegal move"
    assert gtp("play w a1") == ""


def test_undo_goes_back_to_the_start_and_keeps_komi_and_rules(ask) -> None:
    gtp = ask(RandomPlayer())
    for _ in range(30):
        gtp("genmove b")
        gtp("genmove w")
    tell(gtp, "komi 3.5\nkata-set-rules japanese")
    for _ in range(10):
        assert gtp("undo") == ""
    assert gtp("gg-undo 49") == ""
    assert gtp("gg-undo 2") == "? cannot undo"
    assert gtp("undo") == ""
    assert gtp("undo") == "? cannot undo"
    assert gtp("gg-undo -1") == "? cannot undo"
    assert gtp("list_stones b") == gtp("list_stones w") == ""
    assert gtp("get_komi") == "3.5"
    assert json.loads(gtp("kata-get-rules"))["scoring"] == "TERRITORY"


def test_several_opening_black_plays_are_a_handicap(ask) -> None:
    player = ScriptedPlayer([PASS] * 9)
    gtp = ask(player)
    tell(gtp, "play b c3\nplay b g7\nplay b c7")
    assert gtp("get_handicap") == "3"
    gtp("genmove w")
    assert player.asked[0][0].handicap == 3
    assert player.asked[0][0].to_move is Color.WHITE
    tell(gtp, "clear_board\nplay b c3\nplay w g7")
    assert gtp("get_handicap") == "0"
    tell(gtp, "clear_board\nplay b c3")
    assert gtp("get_handicap") == "0"
    tell(gtp, "clear_board\nfixed_handicap 4")
    assert gtp("get_handicap") == "4"
    gtp("genmove w")
    assert player.asked[1][0].handicap == 4


def test_compensation_for_a_handicap_is_in_the_score(ask) -> None:
    gtp = ask(ScriptedPlayer())
    tell(gtp, "boardsize 5\nkomi 0\nkata-set-rules chinese\nplay b c3\nplay b c2\nplay w pass\nplay b pass")
    assert gtp("final_score") == "B+23.0"
    tell(gtp, "kata-set-rules aga")
    assert gtp("final_score") == "B+24.0"


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (19, 2, "Q16 D4"),
        (19, 5, "D16 Q16 K10 D4 Q4"),
        (19, 8, "D16 K16 Q16 D10 Q10 D4 K4 Q4"),
        (13, 7, "D10 K10 D7 G7 K7 D4 K4"),
        (9, 9, "C7 E7 G7 C5 E5 G5 C3 E3 G3"),
        (8, 4, "C6 F6 C3 F3"),
        (7, 3, "C5 E5 C3"),
        (25, 2, "W22 D4"),
    ],
)
def test_fixed_handicap_by_the_standard(ask, size: int, stones: int, points: str) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, f"boardsize {size}")
    assert gtp(f"fixed_handicap {stones}") == points
    assert gtp("list_stones b") == points
    assert gtp("fixed_handicap 2") == "? board not empty"
    assert gtp("undo") == "? cannot undo"


def test_fixed_handicap_has_its_limits(ask) -> None:
    largest = {5: 0, 6: 0, 7: 4, 8: 4, 9: 9, 10: 4, 18: 4, 19: 9, 25: 9}
    assert {size: largest_fixed_handicap(size, size) for size in largest} == largest
    assert largest_fixed_handicap(9, 13) == 9
    assert largest_fixed_handicap(9, 12) == 4
    gtp = ask(RandomPlayer())
    for size, stones in ((5, 2), (7, 5), (12, 5), (9, 10), (9, 1), (9, 0), (9, -3)):
        tell(gtp, f"boardsize {size}")
        assert gtp(f"fixed_handicap {stones}") == "? invalid number of stones"
    with pytest.raises(ValueError, match="no fixed handicap of 2 stones on 5x5"):
        fixed_handicap(2, 5, 5)


@pytest.mark.parametrize(("width", "height"), [(2, 2), (5, 5), (9, 9), (19, 19), (25, 7)])
def test_free_handicap_of_any_number(width: int, height: int) -> None:
    for stones in (2, 3, 4, 5, 9, 10, 13, 39):
        points = free_handicap(stones, width, height)
        assert len(set(points)) == len(points) == min(stones, max(2, width * height // 2))
        assert all(0 <= point < width * height for point in points)


def test_set_free_handicap_takes_two_and_more(ask) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, "set_free_handicap a1 C5 e5 g7 j9 h1")
    assert gtp("list_stones b") == "J9 G7 C5 E5 A1 H1"
    assert gtp("last_move") == "? no previous move known"
    # 24 stones; no more than the board bears.
    tell(gtp, "boardsize 5")
    letters = [f"{letter}{row}" for letter in "ABCDE" for row in range(1, 6)]
    assert gtp("set_free_handicap " + " ".join(letters)) == "? bad vertex list"
    assert gtp("set_free_handicap " + " ".join(letters[:-1])) == ""


def test_a_board_is_two_to_twenty_five_either_way(ask) -> None:
    gtp = ask(RandomPlayer())
    for line in (
        "boardsize 1",
        "boardsize 26",
        "boardsize -9",
        "boardsize 9 26",
        "rectangular_boardsize 0 5",
    ):
        assert gtp(line) == "? unacceptable size", line
    assert gtp("query_boardsize") == "9"
    for line in (
        "boardsize 2",
        "boardsize 25",
        "boardsize 7.0",
        "boardsize 3 25",
        "rectangular_boardsize 25 2",
    ):
        assert gtp(line) == "", line
    assert gtp("query_boardsize") == "25 2"
    assert gtp("play b z2") == ""
    assert gtp("play w a3") == "? syntax error"


def test_set_position_and_setup(ask) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, "play b a1\nset_position b d4 w e5 b d5")
    assert (gtp("list_stones b"), gtp("list_stones w")) == ("D5 D4", "E5")
    assert gtp("undo") == "? cannot undo"
    assert gtp("set_position b d4 w d4") == "? syntax error"
    tell(gtp, "set_position")
    assert gtp("list_stones b") == ""
    # Three black stones round a white one with no liberty left.
    assert gtp("set_position w a1 b a2 b b1") == "? illegal position"
    tell(gtp, "gogui-setup w a1 b c3\ngogui-setup_player w")
    assert gtp("showboard").splitlines()[-1].startswith("White to play")
    assert gtp("gogui-play_sequence b a2 w b1 b a2") == "? illegal move"
    assert gtp("list_stones b") == "C3"


def test_rules_by_name_field_and_object(ask) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, 'kata-set-rules {"ko": "SITUATIONAL", "suicide": true}')
    rules = json.loads(gtp("kata-get-rules"))
    assert (rules["ko"], rules["suicide"], rules["scoring"]) == ("SITUATIONAL", True, "AREA")
    tell(gtp, "kata-set-rule tax ALL\nkgs-rules new_zealand")
    assert json.loads(gtp("kata-get-rules"))["tax"] == "NONE"
    assert gtp("kata-set-rules nonsense").startswith("? rules 'nonsense': one of aga,")
    assert gtp("kata-set-rule ko SOMETIMES") == "? rule field 'ko': 'SOMETIMES' is not one of its values"
    assert gtp("kata-set-rules [1]").startswith("? rules '[1]'")
    assert gtp('kata-set-rules {"x": 1}').startswith("? rule field 'x'")
    # Suicide of several stones, now that the rules allow it.
    tell(
        gtp, "kata-set-rules tromp-taylor\nboardsize 3\nplay w c3\nplay w b2\nplay w a2\nplay b b3\nplay b a3"
    )
    assert gtp("list_stones b") == ""


def test_capture_go_is_over_with_the_first_capture(ask) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, "boardsize 5\nkata-set-rules capture\nplay b a1\nplay w a2")
    assert gtp("final_score") == "? cannot score"
    tell(gtp, "play w b1")
    assert gtp("final_score") == "W+"


def test_records_are_written_and_read(ask, tmp_path: Path) -> None:
    gtp = ask(RandomPlayer())
    tell(gtp, "komi 5.5\nset_free_handicap c3 g7\nplay w e5\nplay b e6\nplay w pass\nplay b d5")
    before = gtp("showboard")
    path = tmp_path / "a game (1).sgf"
    tell(gtp, f"printsgf {path}")
    assert path.read_bytes().startswith(b"(;")
    assert gtp("printsgf").replace("\n", "") == path.read_text().replace("\n", "").strip()
    tell(gtp, f"boardsize 19\nloadsgf {path}")
    assert gtp("showboard") == before
    assert (gtp("get_komi"), gtp("get_handicap"), gtp("last_move")) == ("5.5", "2", "black D5")
    tell(gtp, f"loadsgf {path} 3")
    assert gtp("move_history") == "black E6\nwhite E5"
    tell(gtp, f"loadsgf {path} 1")
    assert gtp("list_stones w") == ""
    tell(gtp, f"loadsgf {path} 99")
    assert gtp("last_move") == "black D5"
    assert gtp("printsgf /no/such/folder/x.sgf").startswith("? cannot write file")


PICTURE = bytes(range(256)) * 20 + b"(;SZ[9]" + bytes(range(256)) * 20


@pytest.mark.parametrize(
    "data",
    [b"", b"(;", b"no record at all", bytes(range(256)), b"(;SZ[99])", b"(;SZ[1];B[aa])", PICTURE],
)
def test_files_that_are_no_records_leave_the_game_alone(ask, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "broken.sgf"
    path.write_bytes(data)
    gtp = ask(RandomPlayer())
    tell(gtp, "play b e5")
    answer = gtp(f"loadsgf {path}")
    assert answer or data != PICTURE
    if answer:
        assert answer == "? cannot load file"
        assert gtp("list_stones b") == "E5"
    assert gtp(f"loadsgf {tmp_path}") == "? cannot load file"


def test_points_read_back(ask) -> None:
    gtp = ask(RandomPlayer())
    for size in (9, 19, 25):
        tell(gtp, f"boardsize {size}")
        everywhere = gtp("all_legal b").split()
        assert everywhere == [format_gtp(move, size, size) for move in range(size * size)]
        assert [parse_gtp(word.lower(), size, size) for word in everywhere] == list(range(size * size))
