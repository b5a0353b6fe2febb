"""A teacher of Capture Go at the terminal and over GTP: hints, chains in atari, the end in words."""

from asking import tell

from tengen.front.gtp.program import build_parser, commands
from tengen.front.teaching import threat_lines
from tengen.front.terminal import TerminalGame
from tengen.go.coords import Color
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Teacher
from tengen.systems.capture import CapturePlayer, Parameters
from tengen.systems.capture_teacher import threats

RULES = Rules.named("capture", 5)

ATARI = """
    . X . . .
    X O . . .
    . X . . .
    X . . . .
    X O . . .
"""


def teacher(level: str = "champion") -> CapturePlayer:
    return CapturePlayer(Parameters("hybrid", depth=2, reading=4, level=level))


def lesson(typed: str, level: str = "champion") -> tuple[TerminalGame, list[str]]:
    """Both colours typed by people."""
    said: list[str] = []
    lines = iter(typed.split("/"))

    def ask(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    game = TerminalGame(Position.start(RULES), {}, teacher(level), ask, said.append)
    game.play()
    return game, said


def test_chains_in_atari_are_named_with_where_they_are_taken_or_saved() -> None:
    position = parse_diagram(ATARI, RULES, Color.BLACK)
    assert threat_lines(position, threats(position)) == [
        "White's stone at B4 is in atari: C4 takes it.",
    ]
    position = parse_diagram(ATARI, RULES, Color.WHITE)
    assert threat_lines(position, threats(position)) == [
        "White's stone at B4 is in atari: C4 saves it.",
    ]


def test_a_person_is_shown_each_danger_once_and_told_how_it_ended() -> None:
    game, said = lesson("a1/b1/board/a2/a3/e5/b2")
    assert said.count("Black's stone at A1 is in atari: A2 saves it.") == 1
    assert "Black's 2 stones around A2 are in atari: B2 saves them." in said
    assert "Black's 2 stones around A2 are in atari: B2 takes them." in said
    assert said[-1] == "White captured 2 stones at B2 and wins, after 7 moves." or game.result == "W+"
    assert game.result == "W+"


def test_a_hint_is_the_champions_even_from_a_player_at_random() -> None:
    for level in ("random", "champion"):
        _, said = lesson("a1/b1/e5/hint", level)
        assert said[-1] == "Try A2. White A2 captures the stone at A1 and wins."


def test_two_passes_are_a_draw_and_no_count() -> None:
    game, said = lesson("pass/pass")
    assert (game.result, said[-1]) == ("0", "Both sides passed without a capture: a draw.")


def test_gtp_has_the_teachers_commands_for_a_teacher(ask) -> None:
    player = teacher()
    assert isinstance(player, Teacher)
    gtp = ask(player, start_rules=RULES)
    assert gtp("tengen-threats") == "TEXT No chain is in atari."
    tell(gtp, "play b a1\nplay w b1\nplay b e5")
    assert gtp("tengen-hint").splitlines() == [
        "A2. White A2 captures the stone at A1 and wins.",
        "Black's stone at A1 is in atari: A2 takes it.",
    ]
    assert gtp("tengen-threats").splitlines() == [
        "COLOR #ff0000 A1",
        "CIRCLE A2",
        "TEXT Black's stone at A1 is in atari: A2 takes it.",
    ]
    assert gtp("tengen-ending") == "The game goes on."
    assert "hstring/Hint/tengen-hint" in gtp("gogui-analyze_commands")
    tell(gtp, "play w a2")
    assert gtp("tengen-ending") == "White captured a stone at A1 and wins, after 4 moves." or gtp(
        "tengen-ending"
    ).startswith("White captured a stone")


def test_other_players_have_no_such_commands(ask) -> None:
    from scripted import ScriptedPlayer

    gtp = ask(ScriptedPlayer())
    assert "tengen-hint" not in gtp("list_commands").split()
    assert gtp("tengen-hint").startswith("?")
    assert commands().find("tengen-hint", gtp.engine) is None


def test_the_champion_has_an_option_of_its_own() -> None:
    from tengen.front.gtp.program import _spec

    given = build_parser().parse_args(["--engine", "capture", "--champion", "pso"])
    assert _spec(given) == "capture:champion=pso"
    given = build_parser().parse_args(["--engine", "capture:depth=2", "--champion", "a.json"])
    assert _spec(given) == "capture:depth=2,champion=a.json"
