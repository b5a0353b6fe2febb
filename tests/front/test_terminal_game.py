"""A game in the terminal, as a person types it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted import ScriptedAnalyst, ScriptedPlayer

from tengen.front.terminal import TerminalGame
from tengen.go.coords import PASS, RESIGN, Color, parse_gtp
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.sgf import load_sgf, record_of
from tengen.players import Player


def points(*words: str, size: int = 9) -> list[int]:
    return [parse_gtp(word, size, size) for word in words]


class Table:
    """A game and everything that was said at it."""

    def __init__(self, typed: str, player: Player, people: str = "black", rules: Rules | None = None) -> None:
        self.said: list[str] = []
        self.prompts: list[str] = []
        lines = iter(typed.split("/"))

        def ask(prompt: str) -> str:
            self.prompts.append(prompt)
            return self._next(lines)

        colors = {
            "black": [Color.WHITE],
            "white": [Color.BLACK],
            "both": [],
            "none": [Color.BLACK, Color.WHITE],
        }
        self.game = TerminalGame(
            start=Position.start(rules or Rules.named("chinese", 9)),
            players=dict.fromkeys(colors[people], player),
            adviser=player,
            ask=ask,
            say=self.said.append,
        )
        self.result = self.game.play()

    @staticmethod
    def _next(lines: Iterator[str]) -> str:
        for line in lines:
            return line.strip()
        raise EOFError

    @property
    def text(self) -> str:
        return "\n".join(self.said)


def test_a_move_is_answered_and_both_are_shown() -> None:
    table = Table("e5", ScriptedPlayer(points("c3")))
    assert table.prompts == ["Black to play> ", "Black to play> "]
    assert "White (scripted) plays C3." in table.text
    assert " 5 . . . . x . . . . 5" in table.said[1]
    assert " 3 . . o . . . . . . 3" in table.said[3]
    assert " 5 . . . . X . . . . 5" in table.said[3]
    assert table.result is None


def test_undo_takes_back_the_answer_too() -> None:
    table = Table("e5/e4/undo/undo/undo", ScriptedPlayer(points("c3", "c4")))
    assert table.said[-1] == "There is nothing to take back."
    assert table.game.position.move_number == 0
    alone = Table("e5/e4/u", ScriptedPlayer(), people="both")
    assert alone.game.position.move_number == 1


def test_two_passes_count_the_board() -> None:
    rules = Rules.named("chinese", 5, komi=0.5)
    table = Table("c1/c2/c3/c4/c5/pass", ScriptedPlayer([PASS] * 9), rules=rules)
    assert table.result == "B+24.5"
    assert table.said[-1] == "The game is over: B+24.5."


def test_dead_stones_are_shown_before_the_result() -> None:
    table = Table("e5/pass", ScriptedAnalyst([*points("c3"), PASS]))
    assert "Dead stones are in lower case." in table.text
    assert table.result == "B+73.5"


@pytest.mark.parametrize(("typed", "result"), [("e5/resign", "W+R"), ("E5/Resign", "W+R")])
def test_a_person_may_resign(typed: str, result: str) -> None:
    assert Table(typed, ScriptedPlayer(points("c3"))).result == result


def test_a_program_may_resign() -> None:
    table = Table("e5", ScriptedPlayer([RESIGN]))
    assert table.result == "B+R"
    assert "White (scripted) resigns." in table.text


def test_mistakes_are_explained_and_nothing_is_lost() -> None:
    table = Table("k5/hello/e5/e5//save/nonsense 5", ScriptedPlayer(), people="both")
    assert "'k5' is neither a point from A1 to J9 nor a command; try help." in table.said
    assert "illegal move: W E5 is occupied." in table.said
    assert "save FILE: a name for the file is needed." in table.said
    assert table.game.position.move_number == 1


def test_hint_score_and_help() -> None:
    table = Table("hint/score/?/board/quit/e5", ScriptedAnalyst(points("e5")))
    assert "scripted would play E5." in table.said
    assert "Why: takes the corner." in table.said
    assert "As it stands: W+7.5." in table.text
    assert "take your last move back" in table.text
    assert table.game.position.move_number == 0, "nothing is asked after quit"


def test_the_game_is_saved_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = Table("e5/save my game.sgf/save \0", ScriptedPlayer(points("c3")))
    assert table.said[-2:] == ["Written to my game.sgf.", "embedded null byte"]
    record = record_of(load_sgf(tmp_path / "my game.sgf").games[0])
    assert record.moves == [(Color.BLACK, 40), (Color.WHITE, 56)]
    assert record.moves == table.game.record().moves
    assert (record.black, record.white) == ("", "scripted")


def test_capture_go_ends_with_the_first_capture() -> None:
    table = Table("a2/b1", ScriptedPlayer(points("a1", size=5)), rules=Rules.named("capture", 5))
    assert table.result == "B+"
    assert table.said[-1] == "Black has captured first and wins."


def test_two_programs_are_watched_to_the_end() -> None:
    table = Table("", ScriptedPlayer(), people="none")
    assert table.prompts == []
    assert table.result == "W+7.5"


def run(typed: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tengen", "play", "--engine", "random", "--seed", "1", *options]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_plays_and_saves(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    done = run("c3\npass\nquit\n", "--size", "5", "--save", str(path))
    assert done.returncode == 0, done.stderr
    assert "White (random) plays" in done.stdout
    record = record_of(load_sgf(path).games[0])
    assert len(record.moves) == 4
    assert record.rules.width == 5
    again = run("resign\n", "--load", str(path), "--color", "both")
    assert again.returncode == 0
    assert "White wins by resignation." in again.stdout


def test_the_command_gives_handicaps_and_clear_errors() -> None:
    done = run("q\n", "--handicap", "4", "--color", "white")
    assert done.stdout.count("X") == 4
    for options, says in (
        (["--color", "green"], "--color green"),
        (["--rules", "nosuch"], "rules 'nosuch'"),
        (["--load", "/no/such.sgf"], "/no/such.sgf"),
        (["--size", "5", "--handicap", "3"], "--handicap 3"),
    ):
        done = run("", *options)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith("tengen: ")
        assert says in last
