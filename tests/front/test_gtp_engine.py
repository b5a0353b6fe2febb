"""What the commands do to a game and ask of a player."""

import json
from pathlib import Path

import pytest
from scripted import BrokenPlayer, RandomPlayer, ScriptedAnalyst, ScriptedPlayer

from tengen.front.gtp.client import ProgramPlayer
from tengen.go.coords import PASS, RESIGN, Color, format_gtp, parse_gtp
from tengen.go.diagram import parse_diagram
from tengen.go.handicap import fixed_handicap, free_handicap, largest_fixed_handicap
from tengen.players import Player


def at(*words: str, size: int = 9) -> list[int]:
    return [parse_gtp(word, size, size) for word in words]


def tell(ask, lines: str) -> str:
    """Several commands that must succeed; the answer to the last."""
    answer = ""
    for line in lines.strip().splitlines():
        answer = ask(line.strip())
        assert not answer.startswith("?"), (line, answer)
    return answer


def test_genmove_plays_what_the_player_chooses(ask) -> None:
    player = ScriptedPlayer([*at("e5", "c3"), PASS, RESIGN])
    gtp = ask(player)
    assert gtp("genmove b") == "E5"
    assert gtp("genmove w") == "C3"
    assert gtp("genmove b") == "pass"
    assert gtp("genmove w") == "resign"
    assert gtp("move_history") == "black pass\nwhite C3\nblack E5"
    # Two moves running by one colour are that colour's.
    player.moves = at("a1", "b1")
    assert gtp("genmove b") == "A1"
    assert gtp("genmove b") == "B1"
    assert [position.to_move.name for position, _, _ in player.asked[-2:]] == ["BLACK", "BLACK"]


def test_genmove_is_strict_on_superko_where_play_is_lenient(ask) -> None:
    player = ScriptedPlayer()
    gtp = ask(player)
    # White takes the stone at B2 by C2, Black the one at C2 by B2: under superko the position would be
    # repeated once a ko threat's answer is left out, as here by two passes.
    tell(
        gtp,
        """
        boardsize 5
        kata-set-rules tromp-taylor
        play b b3
        play w c3
        play b a2
        play w d2
        play b b1
        play w c1
        play b c2
        play w b2
        play b pass
        play w pass
        """,
    )
    assert gtp("color c2") == "empty"
    assert gtp("is_legal b c2") == "0"
    player.moves = at("c2", size=5)
    assert gtp("genmove b").startswith("? internal error: RuntimeError: scripted chose C2, which is illegal")
    assert gtp("play b c2") == ""
    assert gtp("color b2") == "empty"


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
    for stones in range(2, 40):
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


def test_time_settings_reach_the_player(ask) -> None:
    player = ScriptedPlayer([PASS] * 20)
    gtp = ask(player)

    def clock_after(lines: str):
        tell(gtp, lines)
        gtp("genmove b")
        return player.asked[-1][2]

    assert clock_after("clear_board") is None, "no time command, no clock"
    assert clock_after("time_settings 1 1 0") is None, "0 stones in a period: no limit"
    clock = clock_after("time_settings 300 0 0")
    assert (clock.system, clock.left, clock.main) == ("absolute", 300, 300)
    clock = clock_after("time_left b 12.5 0")
    assert (clock.system, clock.left, clock.stones) == ("absolute", 12.5, 0)
    clock = clock_after("time_settings 0 30 5")
    assert (clock.system, clock.left, clock.stones, clock.byo, clock.byo_stones) == ("canadian", 30, 5, 30, 5)
    clock = clock_after("time_left b 20 3")
    assert (clock.left, clock.stones) == (20, 3)
    clock = clock_after("kgs-time_settings byoyomi 0 10 4")
    assert (clock.system, clock.left, clock.stones) == ("byoyomi", 10, 4)
    clock = clock_after("kata-time_settings fischer 60 5")
    assert (clock.system, clock.left, clock.byo) == ("fischer", 60, 5)
    assert clock_after("kgs-time_settings none") is None
    clock = clock_after("time_settings 100 0 0\ntime_left w 7 0")
    assert clock.left == 100, "that was White's"
    tell(gtp, "clear_board")
    gtp("genmove w")
    assert player.asked[-1][2].left == 100, "a new game starts with all its time"


def test_limits_of_the_command_line_reach_the_player(ask) -> None:
    player = ScriptedPlayer()
    ask(player, seconds=1.5, playouts=100)("genmove b")
    limit = player.asked[0][1]
    assert (limit.seconds, limit.playouts, limit.visits) == (1.5, 100, None)
    other = ScriptedPlayer()
    gtp = ask(other)
    gtp("genmove b")
    assert other.asked[0][1] is None
    tell(gtp, "tengen-param playouts 7\ntengen-param ponder 1")
    gtp("genmove b")
    assert other.asked[1][1].playouts == 7
    assert gtp("tengen-param").splitlines()[1] == "[string] playouts 7"
    tell(gtp, "tengen-param playouts default")
    assert gtp("tengen-param playouts -1") == "? syntax error"
    assert gtp("tengen-param nonsense 1") == "? unknown parameter 'nonsense'"


def test_reg_genmove_asks_a_fresh_player_and_plays_nothing(ask) -> None:
    built: list[bool] = []

    def build(repeatable: bool) -> Player:
        built.append(repeatable)
        return RandomPlayer(seed=5)

    gtp = ask(None)
    gtp.engine.settings.build = build
    first = gtp("reg_genmove b")
    assert [gtp("reg_genmove b") for _ in range(3)] == [first] * 3
    assert built == [True] * 4
    assert gtp("list_stones b") == ""


def test_a_player_that_cannot_be_built_is_an_answer_each_time(ask) -> None:
    gtp = ask(None)
    gtp.engine.settings.build = lambda repeatable: ProgramPlayer("no/such/engine").start()  # type: ignore[func-returns-value]
    for _ in range(2):
        assert gtp("genmove b").startswith("? cannot start the engine: no/such/engine: cannot be started")
    assert gtp.engine.failed
    assert gtp("play b e5") == ""
    assert "lz-analyze" not in gtp("list_commands")


def test_a_player_that_raises_is_an_answer(ask) -> None:
    gtp = ask(BrokenPlayer())
    assert gtp("7 genmove b") == "?7 internal error: ZeroDivisionError: nought is nought"
    assert any("Traceback" in line for line in gtp.engine.logged)
    assert gtp("play b e5") == ""


def test_everything_listed_is_known_and_helped(ask) -> None:
    for player in (RandomPlayer(), ScriptedAnalyst()):
        gtp = ask(player)
        names = gtp("list_commands").split()
        assert names == sorted(set(names))
        assert {gtp(f"known_command {name}") for name in names} == {"true"}
        assert gtp("known_command genMove") == gtp("known_command") == "false"
        assert [line.split()[0] for line in gtp("help").splitlines()] == names
        assert gtp("help play") == "play COLOR VERTEX - a move of either colour"
        menu = gtp("gogui-analyze_commands").splitlines()
        assert all(line.split("/")[2].split()[0] in names for line in menu)
        assert ("tengen-gfx" in names) == isinstance(player, ScriptedAnalyst)


def test_draft_two_is_complete(ask) -> None:
    names = set(ask(RandomPlayer())("list_commands").split())
    assert names >= {
        "protocol_version",
        "name",
        "version",
        "known_command",
        "list_commands",
        "quit",
        "boardsize",
        "clear_board",
        "komi",
        "play",
        "genmove",
        "fixed_handicap",
        "place_free_handicap",
        "set_free_handicap",
        "time_settings",
        "time_left",
        "final_score",
        "final_status_list",
        "undo",
        "loadsgf",
        "reg_genmove",
        "showboard",
        "get_komi",
        "printsgf",
        "clear_cache",
        "gg-undo",
        "cputime",
        "all_legal",
        "is_legal",
        "list_stones",
        "rectangular_boardsize",
        "set_position",
        "kgs-time_settings",
        "kgs-genmove_cleanup",
        "kgs-game_over",
        "kgs-rules",
        "kgs-chat",
        "kata-set-rules",
        "kata-get-rules",
        "kata-time_settings",
        "gogui-analyze_commands",
        "gogui-interrupt",
        "gogui-play_sequence",
        "gogui-setup",
        "gogui-setup_player",
        "gomill-explain_last_move",
        "gomill-cpu_time",
        "gomill-describe_engine",
        "help",
    }


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


@pytest.mark.parametrize(
    "data", [b"", b"(;", b"no record at all", bytes(range(256)), b"(;SZ[99])", b"(;SZ[1];B[aa])"]
)
def test_files_that_are_no_records_leave_the_game_alone(ask, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "broken.sgf"
    path.write_bytes(data)
    gtp = ask(RandomPlayer())
    tell(gtp, "play b e5")
    answer = gtp(f"loadsgf {path}")
    if answer:
        assert answer == "? cannot load file"
        assert gtp("list_stones b") == "E5"
    assert gtp(f"loadsgf {tmp_path}") == "? cannot load file"


def test_dead_stones_come_from_the_player_if_it_judges(ask) -> None:
    gtp = ask(ScriptedAnalyst())
    tell(gtp, "boardsize 7\nplay b c3\nplay w a7\nplay w a6\nplay w g1")
    # The scripted judge holds White's first stone dead, and only that.
    assert gtp("final_status_list dead") == "A7 A6"
    assert gtp("final_status_list alive") == "C3\nG1"
    assert gtp("tengen-ownership").splitlines()[0] == " ".join(["0.500"] * 7)


def test_seki_is_neither_dead_nor_alive(ask) -> None:
    gtp = ask(RandomPlayer())
    position = parse_diagram(
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        O O O O O O O
        O O O O O O O
        X X X X X O O
        . O O O . O O
        """
    )
    tell(gtp, "boardsize 7")
    words = [
        f"{letter} {format_gtp(move, 7, 7)}"
        for letter, color in (("b", 1), ("w", 2))
        for move in position.stones(color)
    ]
    tell(gtp, "set_position " + " ".join(words))
    gtp.engine._dead = frozenset()
    assert gtp("final_status_list seki") == "A2 B2 C2 D2 E2\nB1 C1 D1"
    assert gtp("final_status_list alive").startswith("A4 B4")
    gtp.engine._dead = frozenset(at("B1", "C1", "D1", size=7))
    assert gtp("final_status_list seki") == ""


def test_cleanup_takes_dead_stones_before_it_passes(ask) -> None:
    player = ScriptedPlayer([PASS] * 9)
    gtp = ask(player)
    tell(gtp, "boardsize 5\nplay b c1\nplay b c2\nplay b c3\nplay b c4\nplay b c5\nplay b a2\nplay w a1")
    gtp.engine._dead = frozenset(at("a1", size=5))
    assert gtp("kgs-genmove_cleanup b") == "B1"
    assert gtp("color a1") == "empty"
    gtp.engine._dead = frozenset()
    assert gtp("kgs-genmove_cleanup b") == "pass"
    player.moves = [RESIGN]
    gtp.engine._dead = frozenset()
    assert gtp("kgs-genmove_cleanup b") == "pass", "nobody resigns while the dead are taken off"


def test_analysis_restrictions_reach_the_player(ask) -> None:
    analyst = ScriptedAnalyst(reports=1)
    gtp = ask(analyst)
    text = gtp("kata-analyze w 20 avoid w A9,b9 5 allow w c9,d9 1 minmoves 3 maxmoves 2 ownership false")
    request = analyst.requests[0]
    assert request.interval == 0.2
    assert request.avoid == {Color.WHITE: frozenset(at("a9", "b9"))}
    assert request.allow == {Color.WHITE: frozenset(at("c9", "d9"))}
    assert (request.min_moves, request.max_moves, request.ownership) == (3, 2, False)
    assert "info move C9" in text
    assert "ownership" not in text
    assert gtp("lz-analyze interval 5 maxmoves 1").count("info move") == 1
    for wrong in (
        "avoid",
        "avoid b",
        "avoid b i5 3",
        "avoid b d4 0",
        "interval",
        "interval -1",
        "ownership maybe",
        "x 1",
    ):
        assert gtp(f"kata-analyze {wrong}") == "? syntax error", wrong


def test_gogui_pictures(ask) -> None:
    gtp = ask(ScriptedAnalyst(reports=1))
    tell(gtp, "boardsize 3 2")
    assert gtp("tengen-visits") == '90 10 ""\n"" "" ""'
    assert gtp("tengen-policy_colors").splitlines()[1] == '"" "" ""'
    assert gtp("tengen-winrates") == "A2 50\nB2 25"
    assert gtp("tengen-pv w") == "A2 B2"
    assert gtp("tengen-gfx").splitlines()[:2] == ["LABEL A2 50", "LABEL B2 25"]
    assert "INFLUENCE A2 1.00 B2 -0.25" in gtp("tengen-gfx")
    assert gtp("tengen-explain b2") == "takes the corner"
    gtp("genmove b")
    assert gtp("gomill-explain_last_move") == "Black pass"


def test_genmove_analyze_ends_with_the_move_it_plays(ask) -> None:
    analyst = ScriptedAnalyst([*at("e5"), PASS, RESIGN], reports=1)
    gtp = ask(analyst)
    assert gtp("lz-genmove_analyze b 10").splitlines()[-1] == "play E5"
    assert gtp("color e5") == "black"
    assert gtp("kata-genmove_analyze w").splitlines()[-1] == "play pass"
    assert gtp("genmove_analyze b").splitlines()[-1] == "play resign"
    assert "win" in gtp("gomill-explain_last_move")


def test_points_read_back(ask) -> None:
    gtp = ask(RandomPlayer())
    for size in (9, 19, 25):
        tell(gtp, f"boardsize {size}")
        everywhere = gtp("all_legal b").split()
        assert everywhere == [format_gtp(move, size, size) for move in range(size * size)]
        assert [parse_gtp(word.lower(), size, size) for word in everywhere] == list(range(size * size))
