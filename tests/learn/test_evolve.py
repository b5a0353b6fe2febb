"""The generation loop on a game that takes no time: the greater number wins."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.learn.evolve import (
    HOUSE,
    EvolveSettings,
    GameReport,
    draw_pairings,
    evolve,
    fitness_of,
)
from tengen.learn.run_file import read_checkpoint, write_checkpoint
from tengen.learn.workers import InPlace, executor_by_name
from tengen.systems.capture_breeding import CaptureContest


class Sums:
    """Whose weights' sum is greater wins; the house's is 1."""

    dimension = 6

    def play(self, genomes, pairings, seeds):
        def total(row):
            return 1.0 if row == HOUSE else genomes[row].sum()

        return [
            GameReport(int(np.sign(total(black) - total(white))), seed % 50)
            for (black, white), seed in zip(pairings, seeds, strict=True)
        ]


def test_everybody_is_black_against_different_others():
    pairings = draw_pairings(EvolveSettings(population=10, opponents=4), 3)
    assert len(pairings) == 40
    for black in range(10):
        whites = [white for one, white in pairings if one == black]
        assert len(set(whites)) == 4
        assert black not in whites
    assert pairings != draw_pairings(EvolveSettings(population=10, opponents=4), 4)
    assert pairings == draw_pairings(EvolveSettings(population=10, opponents=4), 3)


def test_house_games_come_in_both_colours():
    pairings = draw_pairings(EvolveSettings(population=4, opponents=1, house_games=2), 0)
    assert pairings.count((2, HOUSE)) == pairings.count((HOUSE, 2)) == 1


def test_scores_are_minus_two_nought_and_one_for_both():
    settings = EvolveSettings(population=4, opponents=1)
    games = [GameReport(1, 9), GameReport(0, 9), GameReport(-1, 9), GameReport(-1, 9)]
    pairings = [(0, 1), (1, 2), (2, 3), (3, HOUSE)]
    assert fitness_of(settings, pairings, games).tolist() == [1.0, -2.0, -2.0, -1.0]
    alone = EvolveSettings(population=4, opponents=1, white_scores=False)
    assert fitness_of(alone, pairings, games).tolist() == [1.0, 0.0, -2.0, -2.0]


@pytest.mark.parametrize("method", ["hybrid", "pso", "ea", "hc"])
def test_breeding_makes_the_sums_greater(method):
    settings = EvolveSettings(method, population=20, generations=30, seed=4)
    first, _ = evolve(EvolveSettings(method, population=20, generations=1, seed=4), Sums(), InPlace())
    last, history = evolve(settings, Sums(), InPlace())
    assert last.sum() > first.sum()
    assert len(history) == 30
    assert history[-1].games == 160
    assert "games/s" in history[-1].line()


def test_finals_choose_who_wins_most_against_the_house():
    settings = EvolveSettings(
        "ea", population=12, generations=12, finals=2, opponents=2, house_games=2, seed=2
    )
    champion, _ = evolve(settings, Sums(), InPlace())
    assert champion.sum() > 1.0


def test_the_number_of_workers_changes_nothing():
    settings = EvolveSettings("hybrid", population=10, generations=4, opponents=3, house_games=2)
    one, _ = evolve(settings, Sums(), InPlace(), workers=1)
    many, _ = evolve(settings, Sums(), InPlace(), workers=7)
    assert (one == many).all()


def test_processes_play_the_same_games():
    settings = EvolveSettings("ea", population=6, generations=2, opponents=2)
    alone, _ = evolve(settings, Sums(), InPlace())
    with executor_by_name("processes", 2) as (pool, workers):
        together, _ = evolve(settings, Sums(), pool, workers=workers)
    assert (alone == together).all()


def test_a_dask_cluster_breeds_the_same_champion():
    pytest.importorskip("distributed")
    settings = EvolveSettings("hybrid", population=6, generations=2, opponents=2)
    alone, _ = evolve(settings, CaptureContest(5), InPlace())
    with executor_by_name("dask", 2) as (pool, workers):
        together, _ = evolve(settings, CaptureContest(5), pool, workers=workers)
    assert (alone == together).all()


def test_resumed_run_ends_where_an_unbroken_one_does(tmp_path):
    whole, history = evolve(
        EvolveSettings("hybrid", population=8, generations=9, opponents=3), Sums(), InPlace()
    )
    breeding = None
    for generations in (3, 4, 9):
        part = EvolveSettings("hybrid", population=8, generations=generations, opponents=3)
        from tengen.learn.population import BreedingSettings

        breeding = BreedingSettings(population=8, horizon=9)
        resumed, again = evolve(part, Sums(), InPlace(), breeding=breeding, directory=tmp_path)
    assert (resumed == whole).all()
    assert [(row.best, row.mean, row.diversity) for row in again] == [
        (row.best, row.mean, row.diversity) for row in history
    ]


def test_another_runs_checkpoint_is_refused(tmp_path):
    settings = EvolveSettings("ea", population=8, generations=2, opponents=3)
    evolve(settings, Sums(), InPlace(), directory=tmp_path, label="sums")
    with pytest.raises(DataError, match="contest 'sums' there, 'products' here"):
        evolve(settings, Sums(), InPlace(), directory=tmp_path, label="products")
    with pytest.raises(DataError, match="opponents 3 there, 2 here"):
        evolve(
            EvolveSettings("ea", population=8, generations=2, opponents=2),
            Sums(),
            InPlace(),
            directory=tmp_path,
            label="sums",
        )


def test_damaged_checkpoints_are_named(tmp_path):
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(path, {"a": 1}, {"weights": np.arange(3.0)})
    described, arrays = read_checkpoint(path)
    assert described == {"a": 1}
    assert arrays["weights"].tolist() == [0.0, 1.0, 2.0]
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match=r"checkpoint\.npz: no readable checkpoint"):
        read_checkpoint(path)
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.npz"]


def test_wrong_settings_are_refused():
    with pytest.raises(ConfigError, match="opponents 40"):
        EvolveSettings(opponents=40)
    with pytest.raises(ConfigError, match="'threads'"), executor_by_name("threads", 1):
        pass


def test_a_killed_run_resumes_exactly(tmp_path):
    """kill -9 in the middle of Capture Go on 5x5, then on to the end: the same champion as without the
    kill.
    """
    script = tmp_path / "breed.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        from pathlib import Path
        from tengen.learn.evolve import EvolveSettings, evolve
        from tengen.learn.workers import InPlace
        from tengen.systems.capture_breeding import CaptureContest
        count = int(sys.argv[2])
        settings = EvolveSettings("hybrid", population=8, generations=count, opponents=4, house_games=2)
        genome, _ = evolve(settings, CaptureContest(5), InPlace(), directory=Path(sys.argv[1]))
        print(genome.sum().hex())
        """)
    )
    source = Path(__file__).resolve().parents[2] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    generations = "40"

    def start(folder):
        command = [sys.executable, str(script), str(tmp_path / folder), generations]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    whole = start("whole").communicate(timeout=60)[0]
    broken = start("broken")
    checkpoint = tmp_path / "broken" / "checkpoint.npz"
    deadline = time.monotonic() + 30
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(0.02)
    broken.send_signal(signal.SIGKILL)
    broken.communicate()
    assert broken.returncode == -signal.SIGKILL
    assert 0 < int(read_checkpoint(checkpoint)[1]["generation"]) < 40
    resumed = start("broken").communicate(timeout=60)[0]
    assert resumed == whole
    assert whole.strip()
