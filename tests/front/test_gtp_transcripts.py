"""What each front end sends at start and later, and what it needs back."""

from pathlib import Path

import pytest
from scripted import RandomPlayer, ScriptedAnalyst
from transcript import FOLDER, abilities_needed, replay

ALL = sorted(FOLDER.glob("*.gtp"))
PLAIN = [path for path in ALL if not abilities_needed(path)]


def test_every_front_end_has_a_transcript() -> None:
    assert {"sabaki", "gogui", "lizzie", "lizzieyzy", "q5go", "katrain", "kgsgtp"} <= {
        path.stem for path in ALL
    }


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_with_an_engine_that_analyses(path: Path, served) -> None:
    wire = served(ScriptedAnalyst())
    replay(path, wire)
    assert wire.line() is None


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_with_an_engine_that_only_plays(path: Path, served) -> None:
    wire = served(RandomPlayer())
    replay(path, wire)
    assert wire.line() is None


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_with_the_program_itself(path: Path, process) -> None:
    pytest.importorskip("tengen.systems.baselines")
    program = process("--engine", "random", "--seed", "1")
    replay(path, program)
    assert program.line() is None
    assert program.end() == 0


def test_a_transcript_can_fail(served, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gtp"
    wrong.write_text("> protocol_version\n< = 3\n")
    with pytest.raises(AssertionError, match="expected '= 3', got '= 2'"):
        replay(wrong, served(RandomPlayer()))
