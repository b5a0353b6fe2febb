"""What the commands ask of a player, and what they make of its answers."""

import re
from pathlib import Path

import numpy as np
from asking import at, tell
from scripted import BrokenPlayer, RandomPlayer, ScriptedAnalyst, ScriptedPlayer

from tengen.errors import ConfigError
from tengen.front.gtp.client import ProgramPlayer
from tengen.front.gtp.program import commands
from tengen.go.coords import PASS, RESIGN, Color, format_gtp
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.runtime import Evaluation
from tengen.players import Player


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


class NinePlayer(RandomPlayer):
    """Plays on 9x9 and on nothing else."""

    def new_game(self, rules: Rules) -> None:
        if rules.size != 9:
            raise ConfigError(f"plays on 9x9, not on {rules.width}x{rules.height}")


class NineAnalyst(NinePlayer, ScriptedAnalyst):
    """The same, and it analyses."""


def test_a_size_the_player_does_not_play_is_unacceptable(ask) -> None:
    gtp = ask(NinePlayer())
    tell(gtp, "play b e5")
    assert gtp("boardsize 13") == "? unacceptable size"
    assert gtp("list_stones b") == "E5", "the game stands"
    assert gtp("genmove w") != "? plays on 9x9, not on 13x13"
    other = ask(NinePlayer(), start_rules=Rules.named("chinese", 19))
    assert other("genmove b") == "? plays on 9x9, not on 19x19"
    assert "lz-analyze" in ask(NineAnalyst(), start_rules=Rules.named("chinese", 19))("list_commands")
    tell(other, "boardsize 9")
    assert not other("genmove b").startswith("?")


class NetPlayer(RandomPlayer):
    """Has a network that likes the first point and thinks the side to move is ahead."""

    class net:
        @staticmethod
        def evaluate(positions: list[Position]) -> list[Evaluation]:
            area = positions[0].rules.area
            policy = np.zeros(area + 1, dtype=np.float32)
            policy[0], policy[-1] = 0.75, 0.25
            return [Evaluation(policy, 0.5, 3.0, np.full((1, area), 0.5, dtype=np.float32))]


def test_what_a_network_says_is_told_from_whites_side(ask) -> None:
    gtp = ask(NetPlayer())
    tell(gtp, "boardsize 2")
    assert gtp("kata-raw-nn 0").splitlines() == [
        "symmetry 0",
        "whiteWin 0.250000",
        "whiteLoss 0.750000",
        "noResult 0.000000",
        "whiteLead -3.000",
        "policy",
        "0.750000 NAN",
        "NAN NAN",
        "policyPass 0.250000",
        "whiteOwnership",
        "-0.5000000 -0.5000000",
        "-0.5000000 -0.5000000",
    ]
    tell(gtp, "play b a1")
    assert "whiteWin 0.750000" in gtp("kata-raw-nn all")
    assert "kata-raw-nn" not in ask(RandomPlayer())("list_commands")


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
    assert request.barred == {Color.WHITE: dict.fromkeys(at("a9", "b9"), 5)}
    gtp("kata-analyze b 20 allow b pass,e5 4 avoid w pass 2")
    barred = analyst.requests[1].barred
    assert barred[Color.WHITE] == {PASS: 2}
    assert barred[Color.BLACK] == {move: 4 for move in range(81) if move not in at("e5")}
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


def test_reasons_in_words_for_any_engine(ask) -> None:
    gtp = ask(RandomPlayer())
    # Black's two stones in the corner have one liberty left, at C9.
    tell(gtp, "play b a9\nplay w a8\nplay b b9\nplay w b8")
    assert re.search(r"A9.*; number \d+ of 77 moves by patterns", gtp("tengen-explain c9"))
    assert re.search(r"number \d+ of 77 moves by patterns", gtp("tengen-explain e5"))
    assert gtp("tengen-explain a8") == "B A8 is occupied"
    assert gtp("tengen-explain pass") == "a pass: nothing on the board changes"
    tell(gtp, "play b pass")
    assert "captures 2 stones" in gtp("tengen-explain c9")


def test_genmove_analyze_ends_with_the_move_it_plays(ask) -> None:
    analyst = ScriptedAnalyst([*at("e5"), PASS, RESIGN], reports=1)
    gtp = ask(analyst)
    assert gtp("lz-genmove_analyze b 10").splitlines()[-1] == "play E5"
    assert gtp("color e5") == "black"
    assert gtp("kata-genmove_analyze w").splitlines()[-1] == "play pass"
    assert gtp("genmove_analyze b").splitlines()[-1] == "play resign"
    assert "win" in gtp("gomill-explain_last_move")


def test_the_documentation_names_every_command() -> None:
    text = (Path(__file__).parents[2] / "docs" / "gtp.md").read_text()
    section = text.split("## Commands")[1].split("## ")[0]
    named = set(re.findall(r"[a-z0-9]+(?:[-_][a-z_]+)*", re.sub(r"\*[^*]*\*:|`[^`]*`.*", "", section)))
    assert named == set(commands()._commands)
