"""The long fuzzers in short, and that they find what they are for."""

import json
import random

import pytest
import typer
from typer.testing import CliRunner

from tengen.commands import fuzz
from tengen.go.board import Board
from tengen.go.fuzz import SGF_SEEDS, check_board, check_sgf, fuzz_board, fuzz_sgf, mutate


def test_the_seeds_are_read() -> None:
    assert [check_sgf(seed) for seed in SGF_SEEDS].count("refused") == 0


def test_mutated_records_are_read_or_refused() -> None:
    found = fuzz_sgf(1500, seed=7)
    assert found["failures"] == []
    assert found["count"] == 1500 == found["clean"] + found["salvaged"] + found["refused"]
    assert min(found["clean"], found["salvaged"], found["refused"]) > 0
    assert found["slowest_ms"] < 5000


def test_the_same_seed_gives_the_same_records() -> None:
    one, two = random.Random(3), random.Random(3)
    assert [mutate(SGF_SEEDS[0], one) for _ in range(50)] == [mutate(SGF_SEEDS[0], two) for _ in range(50)]


def test_a_reader_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(collection: object) -> bytes:
        return b"(;B[aa])"

    monkeypatch.setattr("tengen.go.fuzz.format_sgf", broken)
    found = fuzz_sgf(20, seed=1)
    assert found["failed"] > 10
    assert "reads differently" in found["failures"][0]["error"]
    assert bytes.fromhex(found["failures"][0]["data"])


def test_random_moves_leave_boards_whole() -> None:
    found = fuzz_board(6000, seed=5)
    assert found["failures"] == []
    assert found["captures"] > 50
    assert found["checks"] > 50


def test_a_board_with_false_stones_is_found() -> None:
    class Liar:
        """A board that forgets to list an empty point."""

        def __init__(self) -> None:
            self.true = Board(5, 5)

        def __getattr__(self, name: str) -> object:
            return (lambda: [0]) if name == "empty_points" else getattr(self.true, name)

    with pytest.raises(AssertionError, match="empty points"):
        check_board(Liar())  # type: ignore[arg-type]


def test_the_command_prints_one_json_object() -> None:
    app = typer.Typer()
    fuzz.register(app)
    result = CliRunner().invoke(app, ["fuzz", "sgf", "--count", "200", "--seed", "2", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["count"] == 200
    result = CliRunner().invoke(app, ["fuzz", "board", "--count", "500"])
    assert result.exit_code == 0
    assert "captures" in result.stdout
