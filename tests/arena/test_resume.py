"""Killed at any moment, a tournament ends with the games of one that was not: each once, each the same."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from simple_players import SimpleBuilder
from tournament_child import config

from tengen.arena.session import Session

HERE = Path(__file__).parent
Fingerprint = dict[tuple[str, str, int], tuple[int, str, str, str, str]]


def fingerprint(folder: Path) -> Fingerprint:
    """Every game of a journal by identity: seed, colours, result and moves; a game booked twice fails."""
    games: Fingerprint = {}
    for line in (folder / "games.jsonl").read_text().splitlines()[1:]:
        game = json.loads(line)
        a, b, number = game["key"]
        assert (a, b, number) not in games, "a game was played twice"
        games[a, b, number] = (game["seed"], game["black"], game["white"], game["result"], game["digest"])
    return games


def undisturbed(folder: Path, games: int) -> Fingerprint:
    session = Session(config(games), SimpleBuilder(), folder=folder)
    session.play(session.schedule())
    return fingerprint(folder)


def start(folder: Path, games: int, workers: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(HERE / "tournament_child.py"), str(folder), str(games), str(workers)]
    path = os.pathsep.join([str(HERE), str(HERE.parents[1] / "src")])
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, start_new_session=True)


def kill_again_and_again(folder: Path, games: int, workers: int, kills: int) -> int:
    """Start, kill -9 a random moment after some new bytes were written, start again ...; how often it was
    killed.
    """
    rng = random.Random(9)
    journal = folder / "games.jsonl"
    killed = 0
    while killed < kills:
        child = start(folder, games, workers)
        before = journal.stat().st_size if journal.exists() else 0
        until = time.monotonic() + 60
        while child.poll() is None and time.monotonic() < until:
            if journal.exists() and journal.stat().st_size > before + rng.randrange(200, 4000):
                break
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        if child.poll() is not None:
            break
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        killed += 1
    child = start(folder, games, workers)
    assert child.wait(timeout=120) == 0
    return killed


def check(tmp_path: Path, games: int, workers: int, kills: int) -> None:
    expected = undisturbed(tmp_path / "calm", games)
    assert len(expected) == 3 * games
    killed = kill_again_and_again(tmp_path / "killed", games, workers, kills)
    assert killed == kills, "the tournament ended before it was killed often enough"
    assert fingerprint(tmp_path / "killed") == expected
    records = {path.name for path in (tmp_path / "killed" / "sgf").glob("*.sgf")}
    assert len(records) == 3 * games
    assert records == {path.name for path in (tmp_path / "calm" / "sgf").glob("*.sgf")}


def test_killed_and_taken_up_again(tmp_path: Path) -> None:
    check(tmp_path, games=40, workers=1, kills=3)


@pytest.mark.slow
def test_killed_at_twenty_random_moments_with_two_workers(tmp_path: Path) -> None:
    check(tmp_path, games=250, workers=2, kills=20)


def test_a_torn_last_line_is_played_again(tmp_path: Path) -> None:
    expected = undisturbed(tmp_path, 4)
    journal = tmp_path / "games.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    session = Session(config(4), SimpleBuilder(), folder=tmp_path, resume=True)
    session.play(session.schedule())
    assert fingerprint(tmp_path) == expected


def test_more_games_can_be_added_later(tmp_path: Path) -> None:
    few = undisturbed(tmp_path, 2)
    session = Session(config(6), SimpleBuilder(), folder=tmp_path, resume=True)
    session.play(session.schedule())
    many = fingerprint(tmp_path)
    assert len(many) == 18
    assert few.items() <= many.items()
