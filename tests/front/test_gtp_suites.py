"""GNU Go's regression scripts, run where they lie: every game of theirs loads, every question has an answer."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.program import interpreter_for
from tengen.front.gtp.settings import EngineSettings
from tengen.go.rules import Rules
from tengen.systems import Resources, make_player


def commands(script: Path) -> Iterator[str]:
    """The commands of a .tst file, with their numbers, without what GNU Go alone knows."""
    known = {"loadsgf", "boardsize", "clear_board", "play", "undo", "komi", "reg_genmove"}
    for line in script.read_text("latin-1").splitlines():
        words = line.partition("#")[0].split()
        if words and words[words[0].isdigit()] in known:
            yield " ".join(words)


@pytest.mark.parametrize("name", ["tiny", "seki", "endgame", "blunder"])
def test_gnugo_scripts_are_followed(shared_data: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    suite = shared_data / "suites" / "gnugo"
    if not (suite / f"{name}.tst").is_file():
        pytest.skip(f"GNU Go's {name}.tst is not in {suite}")
    monkeypatch.chdir(suite)
    settings = EngineSettings(
        build=lambda repeatable: make_player("random", Resources(seed=1)),
        rules=lambda: Rules.named("japanese"),
    )
    gtp = interpreter_for(Engine(settings))
    asked = 0
    for line in commands(Path(f"{name}.tst")):
        answer = gtp.answer(line.encode()).decode()
        if line == "boardsize 1":
            assert answer == "? unacceptable size\n\n"
        elif line.startswith("loadsgf"):
            assert os.path.isfile(line.split()[1]), line
            assert answer == "=\n\n", line
        elif "reg_genmove" in line:
            number, _, color = line.split()
            before = gtp.answer(b"list_stones b"), gtp.answer(b"list_stones w")
            vertex = re.fullmatch(rf"={number} (\w+)\n\n", answer)
            assert vertex, (line, answer)
            assert gtp.answer(f"is_legal {color} {vertex[1]}".encode()) == b"= 1\n\n"
            assert before == (gtp.answer(b"list_stones b"), gtp.answer(b"list_stones w"))
            asked += 1
        else:
            assert answer.startswith("="), (line, answer)
    assert asked > 15
