"""``tengen evolve`` as a user types it, wrong options and broken-off runs among them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen.cli import main
from tengen.systems.capture_champions import read_champion

SMALL = ["--size", "5", "--population", "4", "--opponents", "2", "--generations", "3", "--workers", "1"]


def evolve(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = main(["evolve", *options])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_a_run_leaves_champion_diary_and_curves(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    status, out, err = evolve(capsys, *SMALL, "--seed", "3", "--out", str(tmp_path), "--json")
    assert status == 0
    told = json.loads(out)
    assert told["games"] == 24
    assert read_champion(Path(told["champion"])).about["bred"]["seed"] == 3
    assert [line.split(":")[0] for line in err.splitlines()] == [f"generation {n}" for n in (1, 2, 3)]
    rows = [json.loads(line) for line in (tmp_path / "generations.jsonl").read_text().splitlines()]
    assert [row["generation"] for row in rows] == [1, 2, 3]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_diary_of_a_run_taken_up_again_is_whole(tmp_path, capsys):
    evolve(capsys, *SMALL, "--out", str(tmp_path))
    diary = tmp_path / "generations.jsonl"
    whole = diary.read_text()
    diary.write_text("")  # as a kill between checkpoint and diary leaves it, and worse
    status, _, err = evolve(capsys, *SMALL, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert diary.read_text() == whole


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--depth", "0"], "depth 0: 1 to 20 expected"),
        (["--depth", "99"], "depth 99: 1 to 20 expected"),
        (["--reading", "-1"], "reading -1: 0 to 200 expected"),
        (["--slope", "nan"], "slope nan: a positive number expected"),
        (["--slope", "0", "--method", "td"], "slope 0.0: a positive number expected"),
        (["--seed", "-1"], "seed -1: 0 or more expected"),
        (["--seed", "-1", "--method", "hdp"], "seed -1: 0 or more expected"),
        (["--workers", "-2"], "workers -2: 0 (one a core) or more expected"),
        (["--method", "genetic"], "method 'genetic': one of hybrid, pso, ea, hc"),
        (["--rate", "nan", "--method", "td"], "rate nan: a positive number expected"),
        (["--rate", "0.5"], "--rate 0.5: it is for the learners td and hdp alone, not for hybrid"),
        (["--start", "influence", "--method", "td"], "--start influence: it is for the breeders alone"),
        (["--finals", "5", "--method", "hdp"], "--finals 5: it is for the breeders alone, not for hdp"),
        (["--start", "nobody"], "champion 'nobody'"),
    ],
)
def test_wrong_options_are_refused_in_a_line_and_nothing_is_left(tmp_path, capsys, options, said):
    status, out, err = evolve(capsys, *SMALL, *options, "--out", str(tmp_path / "run"))
    assert status == 1
    assert out == ""
    assert err.startswith(f"tengen: {said}")
    assert err.count("\n") == 1
    assert not (tmp_path / "run" / "checkpoint.npz").exists()


def test_another_runs_directory_is_refused_by_what_differs(tmp_path, capsys):
    evolve(capsys, *SMALL, "--out", str(tmp_path))
    _, _, err = evolve(capsys, *SMALL, "--depth", "2", "--opponents", "3", "--out", str(tmp_path))
    assert "opponents 2 there, 3 here; depth=1 there, depth=2 here" in err


def alive(process: int) -> bool:
    """Not gone, and not a corpse that nobody has buried either."""
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def workers_of(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            above = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if above == parent and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_broken_off_run_leaves_no_process_behind(tmp_path, ending):
    command = [sys.executable, "-m", "tengen", "evolve", *SMALL, "--workers", "2", "--generations", "1000"]
    source = str(Path(__file__).resolve().parents[2] / "src")
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("generation 1:")
    workers = workers_of(process.pid)
    assert len(workers) == 2
    if ending is signal.SIGINT:
        os.killpg(process.pid, ending)  # as a terminal does: to everybody
    else:
        process.send_signal(ending)
    last = process.communicate(timeout=60)[1].splitlines()
    if ending is signal.SIGINT:
        assert process.returncode == 130
        assert [line for line in last if not line.startswith("generation")] == [
            f"evolve: stopped; {tmp_path} is kept, the same command goes on"
        ]
    deadline = time.monotonic() + 30
    while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(worker) for worker in workers)
