"""``tengen match``, ``tournament``, ``experiment`` and ``tune`` as a user or a script calls them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen.cli import main
from tengen.commands.arena_players import find_gnugo


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_match_prints_one_object(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "m"
    words = ["match", "random", "greedy", "--games", "6", "--size", "5", "--json", "--out", str(out)]
    status, text, _ = run(capsys, *words)
    assert status == 0
    fields = json.loads(text)
    assert (fields["a"], fields["b"], fields["games"]) == ("random", "greedy", 6)
    assert fields["wins_a"] + fields["wins_b"] + fields["draws"] == 6
    low, high = fields["interval"]
    assert 0 <= low <= fields["winrate_a"] <= high <= 1
    for name in ("elo", "elo_interval", "time_losses", "errors", "referee_disagreements"):
        assert name in fields
    for side in "ab":
        for name in ("seconds_per_move", "cpu_per_move", "peak_memory"):
            assert fields[f"{name}_{side}"] >= 0
    assert len(list((out / "sgf").glob("*.sgf"))) == 6
    assert (out / "report.html").exists()

    status, _, errors = run(capsys, *words)
    assert status == 1
    assert "--resume" in errors
    status, text, _ = run(capsys, *words, "--resume")
    again = json.loads(text)
    assert [again[key] for key in ("games", "wins_a")] == [fields[key] for key in ("games", "wins_a")]


def test_match_for_people_and_two_of_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "match", "random", "random", "--games", "2", "--size", "5")
    assert status == 0
    assert text.startswith("random - random#2: ")
    assert "Elo" in text


def test_match_stops_when_the_sequential_test_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "greedy", "random", "--games", "2000", "--size", "7", "--sprt", "0,200", "--json"]
    status, text, _ = run(capsys, *words)
    fields = json.loads(text)
    assert status == 0
    assert fields["sprt"]["verdict"] == "H1 accepted"
    assert fields["games"] == 2 * fields["sprt"]["pairs"] < 400


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["match", "nobody", "random"], "nobody"),
        (["match", "random", "greedy", "--clock", "soon"], "clock 'soon'"),
        (["match", "random", "greedy", "--sprt", "5"], "sprt"),
        (["match", "random", "greedy", "--resign", "x"], "--resign"),
        (["match", "random", "greedy", "--games", "0"], "games"),
        (["match", "random", "greedy", "--size", "9x99"], "sides go from 2 to 25"),
        (
            ["match", "random", "Z@cmd:/no/such/program --gtp"],
            "player 'Z' (cmd:/no/such/program --gtp): no program",
        ),
        (["experiment", "run", "baselines-9", "--size", "99"], "sides go from 2 to 25"),
        (["experiment", "run", "baselines-9", "--playouts", "0"], "playouts"),
        (["tournament", "/no/such.toml"], "/no/such.toml"),
        (["experiment", "run", "nonsense"], "nonsense"),
    ],
)
def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    status, text, errors = run(capsys, *words)
    assert status != 0
    assert text == ""
    assert message in errors
    assert errors.strip().count("\n") == 0


TOML = """
name = "three"
games = 4
conditions = { size = 5, opening_moves = 2, second_opinion = "never" }
players = [{ spec = "random" }, { spec = "greedy" }, { name = "other", spec = "random" }]
"""


def test_tournament_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    path.write_text(TOML)
    status, text, errors = run(capsys, "tournament", str(path), "--json")
    assert status == 0
    fields = json.loads(text)
    assert fields["games"] == 12
    assert fields["players"][0]["name"] == "greedy"
    assert str(tmp_path / "three" / "report.html") in errors
    status, text, _ = run(capsys, "tournament", str(path), "--resume")
    assert status == 0
    assert "greedy (B)" in text


def test_the_number_of_games_given_on_the_command_line_is_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "three.toml"
    path.write_text(TOML)
    status, _, errors = run(capsys, "tournament", str(path), "--games", "0")
    assert status == 1
    assert "games: " in errors


def test_a_match_on_a_rectangle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["match", "random", "greedy", "--games", "2", "--size", "7x5", "--out", str(tmp_path), "--json"]
    status, text, _ = run(capsys, *words)
    assert status == 0
    assert json.loads(text)["games"] == 2
    records = [path.read_text() for path in (tmp_path / "sgf").glob("*.sgf")]
    assert ["SZ[7:5]" in record for record in records] == [True, True]


def test_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    status, text, _ = run(capsys, "experiment", "list", "--json")
    names = {row["name"] for row in json.loads(text)["experiments"]}
    assert status == 0
    assert {"mucgo-schemas", "cygo-lambda", "capture-champions"} <= names


def test_an_experiment_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["experiment", "run", "baselines-9", "--scale", "0.01", "--playouts", "10", "--size", "5"]
    status, text, _ = run(capsys, *words, "--out", str(tmp_path), "--json")
    assert status == 0
    fields = json.loads(text)
    assert [row["label"] for row in fields["rows"]] == ["random", "greedy", "uct", "rave"]
    assert (tmp_path / "report.html").exists()


def test_systems_in_processes_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "random", "greedy", "--games", "2", "--size", "5", "--separate", "--playouts", "5"]
    status, text, _ = run(capsys, *words, "--memory", "64", "--json")
    fields = json.loads(text)
    assert status == 0
    assert fields["memory_shared"] is False
    assert fields["errors"] == 0
    assert fields["peak_memory_a"] > 5


@pytest.mark.skipif(find_gnugo() is None, reason="gnugo is not installed")
def test_gnu_go_plays_and_counts_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gnugo = "GNU Go@cmd:gnugo --mode gtp --level 1"
    words = ["match", gnugo, "random", "--games", "2", "--size", "5", "--second-opinion", "always"]
    status, text, _ = run(capsys, *words, "--clock", "60/30/10", "--out", str(tmp_path), "--json")
    assert status == 0
    fields = json.loads(text)
    assert fields["wins_a"] == 2
    assert fields["referee_checked"] == 2
    assert fields["peak_memory_a"] > 1
    assert fields["cpu_per_move_a"] > 0
    assert fields["memory_shared"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    words = ["match", "random", "greedy", "--games", "100000", "--size", "5", "--workers", "2", "--json"]
    child = subprocess.Popen(
        [sys.executable, "-m", "tengen", *words, "--out", str(tmp_path / "m")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    journal = tmp_path / "m" / "games.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (journal.exists() and journal.stat().st_size > 3000):
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"--resume" in errors
    fields = json.loads(out)
    assert fields["games"] == len(journal.read_bytes().splitlines()) - 1 > 0
    assert (tmp_path / "m" / "report.html").exists()


def running(mark: str) -> int:
    """How many processes have that in their environment."""
    count = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                count += mark.encode() in (folder / "environ").read_bytes()
    return count


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="/proc is looked at")
def test_workers_and_their_programs_end_when_the_match_is_killed(tmp_path: Path) -> None:
    mark = str(tmp_path / "m")
    program = f"cmd:{sys.executable} -m tengen gtp --engine random"
    words = ["match", "random", program, "--games", "10000", "--size", "5", "--workers", "2", "--out", mark]
    child = subprocess.Popen(
        [sys.executable, "-m", "tengen", *words],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src"), "MARK": mark},
    )
    journal = tmp_path / "m" / "games.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (journal.exists() and journal.stat().st_size > 3000):
        time.sleep(0.05)
    assert running(mark) >= 5
    child.kill()
    child.wait()
    until = time.monotonic() + 20
    while running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert running(mark) == 0
