"""Table 1's experiment in small: the means and intervals, and that all pairings are played."""

import pytest

from tengen.arena.experiment import find_experiment, load_experiment, resolve_call
from tengen.systems.capture_table import interval_of_means, table1


def test_interval_of_means_is_students():
    """Three means 0.5, 0.6, 0.7: 0.6 +- 4.303 * 0.1 / sqrt(3)."""
    mean, low, high = interval_of_means([0.5, 0.6, 0.7])
    assert (mean, low, high) == pytest.approx((0.6, 0.6 - 0.24843, 0.6 + 0.24843), abs=1e-4)
    assert interval_of_means([0.4]) == (0.4, None, None)


def test_all_pairings_are_played_from_several_seeds():
    rows = table1(seeds=2, generations=2, population=6, opponents=2, games=4, size=5, workers=1)
    assert len(rows) == 16
    assert {row["label"] for row in rows} >= {"hybrid PSO-EA (B) - HC (W)", "HC (B) - random (W)"}
    for row in rows:
        assert 0.0 <= row["low"] <= row["value"] <= row["high"] <= 1.0
        assert row["games"] == 8


def test_the_experiment_names_rows_that_exist():
    experiment = load_experiment(find_experiment("capture-table1"))
    assert resolve_call(experiment.call) is table1
    names = ("hybrid PSO-EA", "PSO", "EA", "HC", "random")
    labels = {f"{black} (B) - {white} (W)" for black in names for white in names if black != white}
    assert len(experiment.value) == 12
    assert {value.label for value in experiment.value} <= labels


def test_a_table_taken_up_again_is_the_same_table(tmp_path, capsys):
    """The second run finds every breeding done, and one that was cut off half way is finished alike."""
    small = {"seeds": 2, "generations": 3, "population": 6, "opponents": 2, "games": 4, "size": 5}
    whole = table1(**small)
    assert table1(**small, out=str(tmp_path)) == whole
    (tmp_path / "ea-2" / "checkpoint.npz").unlink()
    assert table1(**small, out=str(tmp_path)) == whole
    assert sorted(kept.name for kept in tmp_path.iterdir()) == sorted(
        f"{method}-{seed}" for method in ("hybrid", "pso", "ea", "hc") for seed in (1, 2)
    )
