"""What the benchmarks report is what they did."""

from pathlib import Path

import numpy as np
import pytest

from tengen.nets.bench import bench_features, bench_net, random_games
from tengen.nets.feature_sets import feature_spec


def test_random_games_are_legal_and_repeatable() -> None:
    games = random_games(9, 5, seed=2)
    assert games == random_games(9, 5, seed=2)
    assert len({tuple(game) for game in games}) == 5


@pytest.mark.parametrize("name", ["dann", "pocket"])
def test_features(name: str) -> None:
    found = bench_features(9, 0.05, name)
    assert found["planes"] == feature_spec(name).planes
    assert found["positions"] > 0
    # The signature: the same games give the same planes on every machine.
    assert found["planes_set"] == bench_features(9, 0.05, name)["planes_set"]
    assert found["positions_per_second"] == pytest.approx(found["positions"] / found["seconds"], rel=0.05)


def test_net(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from tiny_net import write_tiny_net

    found = bench_net(str(write_tiny_net(tmp_path / "tiny.onnx")), 9, 1, 0.3)
    assert found["net"] == "tiny"
    assert 0 < found["milliseconds_in_the_runtime"] < found["milliseconds"] < 1000
    assert np.isclose(found["evaluations_per_second"], 1000 / found["milliseconds"], rtol=0.01)
