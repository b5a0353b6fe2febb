"""``tengen gtp`` as a process: start, streams, signals, the end."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from scripted import RandomPlayer, ScriptedAnalyst, SlowPlayer
from transcript import FOLDER, abilities_needed, replay

from tengen.front.gtp.fuzz import FuzzFailure, fuzz_gtp, fuzz_lines
from tengen.go.rules import Rules

ANALYSES = sorted(path for path in FOLDER.glob("*.gtp") if abilities_needed(path))


def run(text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tengen.front.gtp", *arguments]
    return subprocess.run(command, input=text, capture_output=True, timeout=60, check=False)


def test_name_is_answered_without_a_board_or_a_search() -> None:
    command = """if True:
        import sys
        from tengen.front.gtp import main
        status = main(["--engine", "rave"])
        print([name for name in sys.modules if name.startswith(("tengen.", "numpy", "typer"))],
        file=sys.stderr)
    """
    done = subprocess.run(
        [sys.executable, "-c", command],
        input=b"name\nversion\nquit\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith(b"= tengen\n\n= ")
    for heavy in (b"numpy", b"typer", b"tengen.go.board", b"tengen.search", b"tengen.systems"):
        assert b"'" + heavy not in done.stderr


def test_the_end_of_input_is_the_end() -> None:
    done = run(b"boardsize 9\nplay b e5\nlist_stones b", "--engine", "random")
    assert done.returncode == 0
    assert done.stdout == b"=\n\n=\n\n= E5\n\n", "a last line without its newline counts"
    assert run(b"", "--engine", "random").returncode == 0


def test_nothing_is_read_after_quit() -> None:
    assert run(b"quit\nname\n", "--engine", "random").stdout == b"=\n\n"


def test_carriage_returns_tabs_noughts_and_long_lines() -> None:
    text = (
        b"1\tname\r\n\0\0version\0\r\n2 play b " + b"x" * 10_000_000 + b"\n# hm\n\n3 known_command play\r\n"
    )
    done = run(text, "--engine", "random")
    answers = done.stdout.decode().split("\n\n")
    assert answers[0] == "=1 tengen"
    assert answers[2:] == ["?2 line too long", "=3 true", ""]
    assert b"\r" not in done.stdout


def test_an_engine_that_cannot_start_is_said_in_one_line() -> None:
    done = run(b"name\ngenmove b\nname\n", "--engine", "nosuch")
    assert done.returncode == 1
    assert done.stdout.startswith(b"= tengen\n\n? cannot start the engine: engine 'nosuch'")
    assert done.stderr.startswith(b"tengen: cannot start the engine: engine 'nosuch'")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "nosuch"], "rules 'nosuch'"),
        (["--komi", "5000"], "komi 5000.0"),
        (["--param", "x"], "--param x: KEY=VALUE expected"),
        (["--log", "/no/such/folder/log"], "/no/such/folder/log"),
    ],
)
def test_options_that_make_no_sense(arguments: list[str], says: str) -> None:
    done = run(b"name\n", *arguments)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().startswith("tengen: ")
    assert says in done.stderr.decode()


@pytest.mark.parametrize("words", ["--size 26", "--playouts 0", "--time-per-move x", "--nosuch"])
def test_options_that_are_none(words: str) -> None:
    done = run(b"name\n", *words.split())
    assert (done.returncode, done.stdout) == (2, b"")


def test_help_shows_every_option() -> None:
    text = run(b"", "--help").stdout.decode()
    options = "engine size komi rules threads memory time-per-move playouts visits level seed net graph param"
    for option in f"{options} log compat ponder".split():
        assert f"--{option}" in text


def test_options_set_the_first_game() -> None:
    text = b"query_boardsize\nget_komi\nkata-get-rules\nquit\n"
    lines = run(
        text, "--engine", "random", "--size", "13x7", "--komi", "-2.5", "--rules", "aga"
    ).stdout.decode()
    assert "= 13 7\n" in lines
    assert "= -2.5\n" in lines
    assert '"whiteHandicapBonus":"N-1"' in lines


def test_the_same_seed_plays_the_same_game() -> None:
    text = b"boardsize 9\n" + b"genmove b\ngenmove w\n" * 20
    first = run(text, "--engine", "random", "--seed", "7").stdout
    assert first == run(text, "--engine", "random", "--seed", "7").stdout
    assert first != run(text, "--engine", "random", "--seed", "8").stdout


def test_lizzie_gets_the_name_it_insists_on(process) -> None:
    program = process("--engine", "random", "--compat", "lizzie")
    program.send("1 name")
    program.send("2 version")
    [name] = program.answer()
    [version] = program.answer()
    assert name.startswith("=1 KataGo")
    assert int(version.removeprefix("=2 ").split(".")[1]) >= 15
    assert program.end() == 0


def test_the_log_has_both_sides(tmp_path: Path) -> None:
    log = tmp_path / "wire.log"
    for _ in range(2):
        run(b"5 name\nquit\n", "--engine", "random", "--log", str(log))
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    assert lines == ["> 5 name", "> quit", "< =5 tengen", "< ="] * 2 or lines.count("< =5 tengen") == 2


def test_nobody_reads_our_answers() -> None:
    reader, writer = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-m", "tengen.front.gtp", "--engine", "random"],
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    os.close(reader)
    _, errors = child.communicate(b"name\nversion\n", timeout=30)
    assert child.returncode == 1
    assert errors == b""


def test_an_interrupt_signal_does_not_end_it(process) -> None:
    program = process("--engine", "random", "--size", "9")
    program.send("gogui-sigint")
    [answer] = program.answer()
    assert answer == f"= {program.process.pid}"
    program.process.send_signal(signal.SIGINT)
    program.send("name")
    assert program.answer() == ["= tengen"]
    assert program.end() == 0


def test_a_long_thought_is_cut_short_by_a_signal_or_a_comment(process) -> None:
    program = process("--engine", "rave", "--size", "9", "--time-per-move", "30")
    for interrupt in (
        lambda: program.process.send_signal(signal.SIGINT),
        lambda: program.send_bytes(b"# interrupt\n"),
        lambda: program.send_bytes(b"stop\n"),
    ):
        program.send("genmove b")
        time.sleep(1.0)
        began = time.monotonic()
        interrupt()
        [answer] = program.answer()
        assert re.fullmatch(r"= ([A-HJ]\d|pass)", answer)
        assert time.monotonic() - began < 3
    assert program.answer() == ["="]
    program.send("quit")
    assert program.answer() == ["="]


def test_it_can_be_terminated_while_it_thinks(process) -> None:
    program = process("--engine", "rave", "--time-per-move", "30")
    program.send("name")
    program.answer()
    program.send("genmove b")
    time.sleep(0.7)
    program.process.terminate()
    assert program.process.wait(10) == 128 + signal.SIGTERM


@pytest.mark.parametrize("path", ANALYSES, ids=lambda path: path.stem)
def test_analysis_transcripts_with_a_search(path: Path, process) -> None:
    program = process("--engine", "rave", "--time-per-move", "0.3")
    replay(path, program)
    assert program.line() is None
    assert program.end() == 0


def test_answers_come_at_once_while_it_analyses(process) -> None:
    program = process("--engine", "rave", "--size", "9")
    program.send("lz-analyze 5")
    assert program.line() == "="
    for _ in range(3):
        line = program.line()
        assert line is not None
        assert line.startswith("info move ")
        assert re.search(r"winrate \d+ prior \d+ lcb \d+ order 0 pv [A-J]\d", line)
    began = time.monotonic()
    program.send("name")
    program.answer()
    assert program.answer() == ["= tengen"]
    assert time.monotonic() - began < 1.0
    program.send("kata-analyze b 5 ownership true rootInfo true maxmoves 2")
    assert program.line() == "="
    line = program.line()
    assert line is not None
    ownership = line.split(" ownership ")[1].split()
    assert len(ownership) == 81
    assert all(re.fullmatch(r"-?\d\.\d+", word) for word in ownership)
    assert line.count("info move") <= 2
    assert " rootInfo visits " in line
    program.send("quit")


# ---- in this process
# ----------------------------------------------------------------------------------------


def test_interrupts_reach_a_player_that_can_be_stopped(served) -> None:
    wire = served(SlowPlayer())
    for word in ("# interrupt", "stop"):
        wire.send("genmove b")
        time.sleep(0.2)
        wire.send(word)
        assert re.fullmatch(r"= .+", wire.answer()[0])
    assert wire.answer() == ["="]
    wire.send("quit")


def test_what_is_asked_while_it_thinks_waits_its_turn(served) -> None:
    wire = served(SlowPlayer())
    wire.send("1 genmove b")
    wire.send("2 name")
    time.sleep(0.2)
    wire.send("# interrupt")
    assert wire.answer()[0].startswith("=1 ")
    assert wire.answer() == ["=2 tengen"]


def test_an_empty_line_ends_an_analysis(served) -> None:
    wire = served(ScriptedAnalyst())
    wire.send("lz-analyze 5")
    assert wire.line() == "="
    assert wire.line().startswith("info move")
    wire.send("")
    wire.answer()
    wire.send("name")
    assert wire.answer() == ["= tengen"]


def test_pondering_begins_after_a_move_and_ends_with_the_next(served) -> None:
    analyst = ScriptedAnalyst([40])
    wire = served(analyst, ponder=True)
    wire.send("play w a1")
    wire.answer()
    time.sleep(0.2)
    assert analyst.pondered == []
    wire.send("genmove b")
    assert wire.answer() == ["= E5"]
    for _ in range(100):
        if analyst.pondered:
            break
        time.sleep(0.02)
    assert analyst.pondered[0].color_at(40) == 1
    wire.send("time_left b 10 0")
    wire.answer()
    wire.send("play w a2")
    assert wire.answer() == ["="]
    assert wire.engine._pondering is None
    assert len(analyst.pondered) == 1


def test_a_fuzz_answers_everything() -> None:
    result = fuzz_gtp(5000, seed=3)
    assert result["answers"] == result["commands"] > 4000
    assert result["good"] > 1000
    assert result["refused"] > 1000
    assert result["commands_seen"] > 40


def test_a_fuzz_is_the_same_for_the_same_seed() -> None:
    assert list(fuzz_lines(500, 4)) == list(fuzz_lines(500, 4))
    assert list(fuzz_lines(500, 4)) != list(fuzz_lines(500, 5))


def test_a_fuzz_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.front.gtp.session import Session

    def fall(self: Session, *arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Session, "undo", fall)
    with pytest.raises(FuzzFailure, match=r"seed 1, line .*internal error: ZeroDivisionError"):
        fuzz_gtp(2000, seed=1)


def test_a_player_without_analysis_has_no_such_commands(served) -> None:
    wire = served(RandomPlayer())
    wire.send("lz-analyze 5")
    assert wire.answer() == ["? unknown command"]


class ThreadBoundPlayer(RandomPlayer):
    """Like a database connection: only the thread that made it may close it."""

    def __init__(self) -> None:
        super().__init__()
        self.closed_by: list[int] = []
        self.used_by: set[int] = set()

    def new_game(self, rules: Rules) -> None:
        self.used_by.add(threading.get_ident())

    def close(self) -> None:
        self.closed_by.append(threading.get_ident())


@pytest.mark.parametrize("ending", ["quit", None])
def test_a_player_is_closed_once_and_by_the_thread_that_used_it(served, ending: str | None) -> None:
    player = ThreadBoundPlayer()
    wire = served(player)
    wire.send("genmove b")
    wire.answer()
    if ending:
        wire.send(ending)
        wire.answer()
    else:
        wire.close_input()
    assert wire.line() is None
    assert player.closed_by == list(player.used_by)


def test_the_typer_command_is_the_same_program() -> None:
    command = """if True:
        import typer
        from tengen.commands.gtp import register
        app = typer.Typer()
        register(app)
        app.command("other")(lambda: None)
        app()
    """
    arguments = [sys.executable, "-c", command, "gtp", "--engine", "random", "--size", "7"]
    done = subprocess.run(arguments, input=b"query_boardsize\n", capture_output=True, timeout=60, check=True)
    assert done.stdout == b"= 7\n\n"
    done = subprocess.run([*arguments[:4], "--help"], capture_output=True, timeout=60, check=True)
    assert b"--time-per-move" in done.stdout
