"""Another program as a player: in step with the position, and never able to hang or fool us."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from tengen.errors import EngineError
from tengen.front.gtp.client import ProgramPlayer
from tengen.front.gtp.connection import ProgramConnection, Refusal
from tengen.go.coords import PASS, RESIGN, Color, format_gtp, parse_gtp
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Clock, Limit

ROGUE = str(Path(__file__).with_name("misbehaving.py"))
RULES = Rules.named("chinese", 9)


def rogue(how: str = "", where: str = "", **times: float) -> ProgramPlayer:
    return ProgramPlayer([sys.executable, ROGUE, how, where], **times)  # type: ignore[arg-type]


def gnugo() -> str:
    path = shutil.which("gnugo") or "/usr/games/gnugo"
    if not os.access(path, os.X_OK):
        pytest.skip("gnugo is not installed")
    return f"{path} --mode gtp --level 1 --seed 1"


def play(text: str, rules: Rules = RULES) -> Position:
    """A position from moves in GTP's words, Black first."""
    position = Position.start(rules)
    for word in text.split():
        position = position.play(parse_gtp(word, rules.width, rules.height))
    return position


class Spy(ProgramPlayer):
    """Remembers what it says to its program."""

    def __init__(self, *arguments: str) -> None:
        super().__init__([sys.executable, ROGUE, *arguments])
        self.said: list[str] = []

    def send(self, line: str, timeout: float | None = None) -> str:
        self.said.append(line)
        return super().send(line, timeout)

    def said_now(self) -> list[str]:
        said, self.said = self.said, []
        return said


def test_it_answers_with_a_move_and_knows_its_name() -> None:
    player = rogue()
    assert player.name == Path(sys.executable).name
    decision = player.choose(play("e5"))
    assert format_gtp(decision.move, 9, 9) == "C3"
    assert decision.seconds >= 0
    assert player.name == "Rogue 1"
    assert player.knows("undo")
    assert not player.knows("genmove_b")
    player.close()


def test_it_plays_on_and_steps_back_instead_of_starting_over() -> None:
    player = Spy()
    player.follow(play("e5 e3 g3"))
    assert player.said_now()[2:] == [
        "boardsize 9",
        "clear_board",
        "komi 7.5",
        "play b E5",
        "play w E3",
        "play b G3",
    ]
    player.follow(play("e5 e3 g3 pass"))
    assert player.said_now() == ["play w pass"]
    player.follow(play("e5 e3 c3"))
    assert player.said_now() == ["undo", "undo", "play b C3"]
    player.follow(play("e5"))
    assert player.said_now() == ["undo", "undo"]
    player.choose(play("e5 a1"))
    assert player.said_now() == ["play w A1", "genmove b"]
    # What it played itself it need not be told.
    player.follow(play("e5 a1 c3 a2"))
    assert player.said_now() == ["play w A2"]
    player.follow(play("e5", RULES.replace(komi=0.5)))
    assert player.said_now() == ["boardsize 9", "clear_board", "komi 0.5", "play b E5"]
    player.close()


def test_a_program_without_undo_starts_over() -> None:
    player = Spy("no-undo")
    player.follow(play("e5 e3"))
    player.said_now()
    player.follow(play("e5"))
    assert player.said_now() == ["boardsize 9", "clear_board", "komi 7.5", "play b E5"]
    player.close()


def test_stones_set_up_are_played_where_nothing_better_is_known() -> None:
    position = parse_diagram(
        """
        . . . . .
        . X . O .
        . . . . .
        . X . . .
        . . . . .
        """,
        RULES,
        to_move=Color.WHITE,
    )
    player = Spy()
    player.follow(position)
    assert player.said_now()[-3:] == ["play b B4", "play b B2", "play w D4"]
    player.close()


@pytest.mark.parametrize(
    ("how", "where", "says"),
    [
        ("dead", "", r"exit status 3\).*cannot find my weights"),
        ("hangs", "list_commands", r"no complete answer to 'list_commands' within 0\.5 s"),
        ("hangs", "genmove", r"no complete answer to 'genmove w' within 0\.5 s.*waking up"),
        ("crashes", "genmove", r"'genmove w' \(it ended, exit status 7\).*segmentation fault, more or less"),
        ("no-end", "genmove", r"within 0\.5 s, only '=\d+ C3'"),
        ("babbles", "genmove", r"writes what is no GTP: 'xxx"),
        ("floods", "genmove", r"more than 16 MB without the end of an answer"),
        ("other-id", "genmove", r"answer 99999 to question \d+"),
        ("occupied", "", r"it played E5, illegal here \(move 2\)"),
        ("nonsense", "", r"genmove answered 'Z99', which is no move"),
        ("refuses", "play", r"'play b E5' refused: not in the mood \(move 1\)"),
        ("refuses", "boardsize", r"'boardsize 9' refused: not in the mood"),
        ("refuses", "list_commands", r"must list its commands"),
    ],
)
def test_what_goes_wrong_is_said_with_its_last_words(how: str, where: str, says: str) -> None:
    player = rogue(how, where, startup_timeout=0.5 if where == "list_commands" else 10, move_timeout=0.5)
    began = time.monotonic()
    with pytest.raises(EngineError, match=says):
        player.choose(play("e5"))
    assert time.monotonic() - began < 8
    player.close()


@pytest.mark.parametrize("how", ["chatty", "no-ids", "binary"])
def test_small_oddities_are_borne(how: str) -> None:
    player = rogue(how, "genmove" if how == "binary" else "")
    assert format_gtp(player.choose(play("e5")).move, 9, 9) == "C3"
    player.close()


def test_pass_and_resign() -> None:
    for how, move in (("pass", PASS), ("resign", RESIGN)):
        player = rogue(how)
        assert player.choose(play("e5")).move == move
        player.close()


def test_after_a_failure_it_starts_anew(tmp_path: Path) -> None:
    player = rogue("occupied")
    with pytest.raises(EngineError):
        player.choose(play("e5"))
    assert player.choose(play("e4")).move == parse_gtp("e5", 9, 9)
    pid = player.pid
    player.restart()
    assert player.pid not in (None, pid)
    player.close()
    assert player.pid is None


def test_what_cannot_be_started_is_said() -> None:
    with pytest.raises(EngineError, match="no/such/program --gtp: cannot be started"):
        ProgramPlayer("no/such/program --gtp").start()
    with pytest.raises(EngineError, match="empty command"):
        ProgramPlayer("").start()


def test_closing_ends_everything_it_started(tmp_path: Path) -> None:
    script = f"sleep 1234 & echo $! > {tmp_path}/pid; exec {sys.executable} {ROGUE} stays"
    connection = ProgramConnection(["sh", "-c", script])
    assert connection.ask("name", 10) == "Rogue"
    child = int((tmp_path / "pid").read_text())
    connection.close(patience=0.1)
    connection.close()
    for _ in range(100):
        if not _alive(child):
            break
        time.sleep(0.02)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_refusal_leaves_the_program_alive() -> None:
    connection = ProgramConnection([sys.executable, ROGUE, "refuses", "komi"])
    with pytest.raises(Refusal, match="'komi 5' refused: not in the mood"):
        connection.ask("komi 5", 10)
    assert connection.alive
    connection.close()
    with pytest.raises(EngineError, match="it was closed"):
        connection.ask("name", 1)


def test_time_and_memory_are_counted_over_restarts() -> None:
    player = rogue()
    player.start()
    assert player.cpu_seconds() >= 0
    assert 4_000_000 < player.peak_memory() < 200_000_000
    player.restart()
    # While it runs the system counts in ticks; at its end it tells exactly.
    first = player.cpu_seconds()
    assert first > 0
    player.close()
    assert player.cpu_seconds() > first
    assert player.peak_memory() > 4_000_000


def test_clock_and_limit_are_told_to_gnugo() -> None:
    player = ProgramPlayer(gnugo())
    heard: list[str] = []
    send = player.send
    player.send = lambda line, timeout=None: (heard.append(line), send(line, timeout))[1]  # type: ignore[method-assign]
    player.choose(play("e5"), Limit(seconds=2))
    assert "time_settings 0 2 1" in heard
    player.choose(play("e5 c3"), clock=Clock("canadian", left=30, stones=5, main=60, byo=30, byo_stones=5))
    assert heard[-3:] == ["time_settings 60 30 5", "time_left b 30 5", "genmove b"]
    player.close()


def heard_by(player: ProgramPlayer) -> list[str]:
    """Every line it is sent from now on."""
    heard: list[str] = []
    send = player.send
    player.send = lambda line, timeout=None: (heard.append(line), send(line, timeout))[1]  # type: ignore[method-assign]
    return heard


@pytest.mark.parametrize(
    ("clock", "settings", "left"),
    [
        (Clock("byoyomi", 8, 2, 60, 10, 5), "kata-time_settings byoyomi 60 10 5", "time_left b 8 2"),
        (Clock("fischer", 12, 0, 60, 1.5), "kata-time_settings fischer 60 1.5", "time_left b 12 0"),
        (Clock("canadian", 30, 5, 60, 30, 5), "time_settings 60 30 5", "time_left b 30 5"),
    ],
)
def test_a_program_that_knows_the_time_system_is_told_it_as_it_is(
    clock: Clock, settings: str, left: str
) -> None:
    player = own("--engine", "random")
    heard = heard_by(player)
    player.choose(play("e5 c3"), clock=clock)
    assert heard[-4:] == [settings, left, "genmove b", "gomill-explain_last_move"]
    player.close()


def test_where_it_knows_no_byo_yomi_a_stone_a_period_stands_for_it() -> None:
    player = ProgramPlayer(gnugo())
    heard = heard_by(player)
    player.choose(play("e5 c3"), clock=Clock("byoyomi", left=8, stones=2, main=60, byo=10, byo_stones=5))
    assert heard[-3:] == ["time_settings 60 10 1", "time_left b 8 1", "genmove b"]
    player.close()


def test_what_a_program_says_of_its_move_is_taken_down() -> None:
    player = own("--engine", "uct", "--playouts", "60")
    decision = player.choose(play("e5 c3"))
    assert decision.winrate is not None
    assert 0 <= decision.winrate <= 1
    assert decision.visits >= 60
    player.close()


def test_a_game_between_two_gnugos_ends_and_is_scored() -> None:
    black, white = ProgramPlayer(gnugo(), name="black"), ProgramPlayer(gnugo())
    position = Position.start(Rules.named("chinese", 7))
    while not position.is_over and position.move_number < 150:
        player = black if position.to_move is Color.BLACK else white
        move = player.choose(position).move
        assert move != RESIGN
        position = position.play(move)
    assert position.is_over
    assert black.final_score(position) == white.final_score(position)
    dead = black.dead_stones(position)
    assert all(position.color_at(move) for move in dead)
    assert (black.name, white.name) == ("black", "GNU Go 3.8")
    black.close()
    white.close()


def test_rectangles_need_a_program_that_knows_them() -> None:
    player = ProgramPlayer(gnugo())
    with pytest.raises(EngineError, match="knows no board of 9x7"):
        player.new_game(RULES.replace(width=9, height=7))
    with pytest.raises(EngineError, match="'boardsize 25' refused"):
        player.new_game(Rules.named("chinese", 25))
    player.close()


def own(*options: str) -> ProgramPlayer:
    """tengen itself at the other end of the wire."""
    return ProgramPlayer(
        [sys.executable, "-m", "tengen.front.gtp", "--engine", "random", "--seed", "3", *options]
    )


def test_both_ends_of_the_wire_agree_on_any_position() -> None:
    """Set-up stones of both colours, rectangles, rules, handicaps, passes, undo: what one says the other
    has."""
    player = own()
    rules = Rules.named("aga", (7, 5), komi=3.5)
    drawn = parse_diagram(
        """
        . X . O . . .
        X . . O . . .
        . X . . O . .
        . . X O . . .
        . . . . . . .
        """,
        rules,
        to_move=Color.WHITE,
    )
    position = drawn
    for word in ("pass", "c5", "e5", "c4"):
        position = position.play(parse_gtp(word, 7, 5))
    for target in (drawn, position, position.previous, drawn.play(parse_gtp("e1", 7, 5))):
        assert target is not None
        player.follow(target)
        for color, letter in ((Color.BLACK, "b"), (Color.WHITE, "w")):
            stones = " ".join(format_gtp(move, 7, 5) for move in target.stones(color))
            assert player.send(f"list_stones {letter}") == stones
        assert player.send("get_komi") == "3.5"
        assert json.loads(player.send("kata-get-rules")) == rules.to_kata()
    handicap = Position.setup(Rules.named("chinese", 9), [20, 24, 56], to_move=Color.WHITE, handicap=3)
    player.follow(handicap)
    assert player.send("get_handicap") == "3"
    player.close()


def test_two_of_us_play_a_game_out() -> None:
    black, white = own("--size", "5"), own()
    position = Position.start(Rules.named("tromp-taylor", 5))
    while not position.is_over and position.move_number < 300:
        player = black if position.to_move is Color.BLACK else white
        position = position.play(player.choose(position).move)
    assert position.is_over
    assert black.final_score(position) == white.final_score(position)
    black.close()
    white.close()
