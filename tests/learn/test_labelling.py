"""Having positions judged: what is asked, what is written, and going on after a death."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import DataError, EngineError
from tengen.learn.builder import build
from tengen.learn.dataset import Source
from tengen.learn.gamefiles import RawGame, decode_letters
from tengen.learn.labelfiles import read_label_set, record_dtype
from tengen.learn.labelling import AnalysisEngine, label_games, record_of_answer

ENGINE = Path(__file__).with_name("fake_analysis_engine.py")
LETTERS = ["ccgggccgee", "ddeettff", "eecdhhbb", "aabbcc"]


def command(*options: str) -> str:
    return " ".join([sys.executable, str(ENGINE), *options])


def games(size: int = 9) -> list[RawGame]:
    return [
        RawGame(f"game{i}", decode_letters(letters, size), width=size, height=size, komi=5.5)
        for i, letters in enumerate(LETTERS)
    ]


@pytest.mark.parametrize("side", ["black", "white", "mover"])
@pytest.mark.parametrize("extra", ["", "--shuffle --chatter"])
def test_records_are_for_the_side_to_move_whatever_the_engine_reports(
    tmp_path: Path, side: str, extra: str
) -> None:
    report = label_games(games(), tmp_path / "set", command("--side", side, extra))
    assert (report.games, report.records, report.finished) == (4, 6 + 5 + 5 + 4, True)
    labels = read_label_set(tmp_path / "set.bin")
    assert labels.size == 9
    for game, ply, record in zip(labels.game, labels.ply, labels.records, strict=True):
        assert game in range(4)
        black = ply % 2 == 0
        score = 8.1 + ply % 5 - 5.5
        assert record["score"] == pytest.approx(score if black else -score, abs=0.01)
        assert record["winrate"] == pytest.approx(0.5 + (score if black else -score) / 100, abs=1e-3)
        owner = np.array([((point + ply) % 9 - 4) * 2 for point in range(81)])
        assert np.array_equal(record["ownership"], owner if black else -owner)
        assert record["moves"][:3].tolist() == [ply % 81, (ply + 7) % 81, 81]
        assert record["probs"][:4].tolist() == [32768, 16384, 8192, 0]


def test_what_was_labelled_can_be_learned_from(tmp_path: Path) -> None:
    label_games(games(), tmp_path / "set", command())
    build([tmp_path / "set.bin"], tmp_path / "data", validation=0.0)
    source = Source(tmp_path / "data")
    assert (source.targets, source.count(9)) == ("labels", 20)


def test_some_positions_of_each_game(tmp_path: Path) -> None:
    report = label_games(games(), tmp_path / "some", command(), per_game=2)
    assert report.records == 8
    lines = (tmp_path / "some.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"game{i // 2}" for i in range(8)]
    for line in lines:
        identity, ply, komi, played = line.split("\t")
        letters = LETTERS[int(identity[-1])]
        assert komi == "5.5"
        assert played == letters[2 * int(ply) : 2 * int(ply) + 2]
    again = label_games(games(), tmp_path / "again", command(), per_game=2)
    assert again.records == 8
    assert (tmp_path / "again.tsv").read_text() == (tmp_path / "some.tsv").read_text()
    assert read_label_set(tmp_path / "some.bin").size == 9


@pytest.mark.parametrize("answers", [3, 8, 14, 17])
def test_an_engine_that_dies_costs_only_the_game_under_way(tmp_path: Path, answers: int) -> None:
    label_games(games(), tmp_path / "whole", command())
    with pytest.raises(EngineError, match=r"status 3.*out of luck"):
        label_games(games(), tmp_path / "set", command("--die-after", str(answers)), in_flight=1)
    before = (tmp_path / "set.bin").stat().st_size
    assert before < (tmp_path / "whole.bin").stat().st_size
    # A crash of ours may leave half a record and half a line too.
    with (tmp_path / "set.bin").open("ab") as stream:
        stream.write(b"half")
    with (tmp_path / "set.tsv").open("ab") as stream:
        stream.write(b"game3\t9\t5.5")
    report = label_games(games(), tmp_path / "set", command(), in_flight=1)
    assert (report.games, report.records) == (4, 20)
    for suffix in (".bin", ".tsv"):
        whole = (tmp_path / f"whole{suffix}").read_bytes()
        assert (tmp_path / f"set{suffix}").read_bytes() == whole


def test_a_table_that_got_ahead_of_its_records_is_cut_back(tmp_path: Path) -> None:
    label_games(games(), tmp_path / "whole", command())
    label_games(games(), tmp_path / "set", command())
    data = (tmp_path / "set.bin").read_bytes()
    (tmp_path / "set.bin").write_bytes(data[: 7 * record_dtype(9).itemsize])
    report = label_games(games(), tmp_path / "set", command())
    assert report.records == 20
    assert (tmp_path / "set.bin").read_bytes() == (tmp_path / "whole.bin").read_bytes()


def test_games_that_cannot_be_written_are_skipped_and_counted(tmp_path: Path) -> None:
    odd = RawGame("turn", np.array([1, 2, 3], dtype=np.uint16), width=9, height=9)
    large = RawGame("large", decode_letters("pd", 19))
    report = label_games([*games(), odd, large], tmp_path / "set", command("--refuse", "E5"))
    assert (report.games, report.skipped) == (3, 3)
    assert any("Illegal move" in reason for reason in report.reasons)
    limited = label_games(games(), tmp_path / "two", command(), limit=2)
    assert limited.games == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{sys.executable} -c pass", "ended"),
        ("/no/such/program", "No such file"),
        (f"{sys.executable} -c 'input(); print(42); input()'", "no JSON object: '42'"),
        (f"{sys.executable} -c 'print(input()); input()'", "no answer of KataGo's analysis protocol"),
        (f"{sys.executable} -c 'import time; time.sleep(9)'", "no answer in 1 s"),
        (f"{sys.executable} -c 'import sys; sys.exit(\"no config\")'", "no config"),
    ],
)
def test_programs_that_are_no_engine(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        label_games(games(), tmp_path / "set", line, timeout=1.0)
    assert "\n" not in str(caught.value)


def test_answers_of_another_board_are_refused() -> None:
    answer = {
        "id": "1",
        "policy": [0.5] * 10,
        "ownership": [0.0] * 9,
        "rootInfo": {"winrate": 1, "scoreLead": 2},
    }
    assert record_of_answer(answer, 3, "mover", False)["winrate"] == 1
    with pytest.raises(EngineError, match="policy of 10"):
        record_of_answer(answer, 5, "mover", False)
    with pytest.raises(EngineError, match="ownership"):
        record_of_answer({name: answer[name] for name in ("id", "policy", "rootInfo")}, 3, "mover", True)


def test_a_turn_nobody_asked_about_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="turn 999 was not asked about"):
        label_games(games(), tmp_path / "set", command("--other-turn"), timeout=5.0)


def test_the_perspective_is_found_out() -> None:
    for side in ("black", "white", "mover"):
        with AnalysisEngine(command("--side", side)) as engine:
            assert engine.perspective("tromp-taylor", 9) == side


def tengen(*words: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from tengen.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=60)


def test_the_commands(tmp_path: Path) -> None:
    sgf = tmp_path / "games"
    sgf.mkdir()
    for number in range(3):
        (sgf / f"{number}.sgf").write_text(f"(;SZ[9]KM[6.5]RE[B+R];B[e{'efg'[number]}];W[cc];B[gg])")
    done = tengen(
        "data", "label", str(sgf), "--engine", command(), "--out", str(tmp_path / "judged"), "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] == 12
    assert (tmp_path / "judged.bin.xz").exists()
    assert not (tmp_path / "judged.bin").exists()
    again = tengen("data", "label", str(sgf), "--engine", command(), "--out", str(tmp_path / "judged"))
    assert (again.returncode, again.stdout) == (1, "")
    assert "finished" in again.stderr
    data = str(tmp_path / "data")
    built = tengen(
        *("data", "build", str(sgf), str(tmp_path / "judged.bin.xz"), "--out", data),
        *("--validation", "0", "--size", "9", "--json"),
    )
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)["labels"] == {"9": 12}
    told = tengen("data", "info", data, "--json")
    assert json.loads(told.stdout)["positions"]["train"] == {"moves": {"9": 9}, "labels": {"9": 12}}
    assert "12 on 9x9" in tengen("data", "info", data).stdout
    packed = tengen("data", "pack", data, "--out", str(tmp_path / "packed"), "--json")
    assert set(json.loads(packed.stdout)["files"]) == {"games.tgp", "labels-9-1.tgp"}
    assert tengen("data", "unpack", str(tmp_path / "packed"), "--out", str(tmp_path / "back")).returncode == 0
    for wrong, message in {
        ("build", str(sgf), "--out", data): "overwrite",
        ("build", str(sgf), "--out", data + "2", "--min-rank", "strong"): "min-rank",
        ("info", str(tmp_path)): "no data directory",
    }.items():
        failed = tengen("data", *wrong)
        assert failed.returncode == 1
        assert message in failed.stderr
        assert failed.stderr.count("\n") == 1


def test_a_finished_set_is_not_added_to(tmp_path: Path) -> None:
    (tmp_path / "set.bin.xz").write_bytes(b"")
    with pytest.raises(DataError, match="finished"):
        label_games(games(), tmp_path / "set", command())
