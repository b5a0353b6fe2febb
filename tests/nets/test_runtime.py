"""Loading nets, judging positions, turning and remembering them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.go.coords import PASS
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.symmetry import transform_move
from tengen.nets.runtime import Net
from tengen.nets.views import globals_of, planes_of

pytest.importorskip("onnx")
from tiny_net import write_tiny_net

MOVES = [20, 60, 24, 56, 30, PASS, 31, 40]


def position_after(moves: list[int], size: int = 9, symmetry: int = 0, komi: float = 7.5) -> Position:
    position = Position.start(Rules(size, size, komi=komi))
    for move in moves:
        position = position.play(transform_move(move, symmetry, size, size))
    return position


@pytest.fixture(params=["pocket", "dann"])
def net(request: pytest.FixtureRequest, tmp_path: Path) -> Net:
    return Net(write_tiny_net(tmp_path / "tiny.onnx", request.param))


def test_a_judgment_is_a_distribution_over_legal_moves(net: Net) -> None:
    position = position_after(MOVES)
    judged = net.evaluate([position])[0]
    assert judged.policy.shape == (82,)
    assert judged.policy.sum() == pytest.approx(1, abs=1e-5)
    legal = set(position.legal_moves())
    assert {move for move in range(81) if judged.policy[move] > 0} == legal
    assert judged.value is not None
    assert -1 <= judged.value <= 1
    assert judged.winrate == pytest.approx((judged.value + 1) / 2)
    assert judged.ownership is not None
    assert judged.ownership.shape == (9, 9)


def test_it_is_what_the_file_computes_on_one_of_the_images(net: Net) -> None:
    position = position_after(MOVES)
    judged = net.evaluate([position])[0]
    values = []
    for symmetry in range(8):
        turned = position_after(MOVES, symmetry=symmetry)
        planes, numbers = planes_of(turned, net.spec.name)
        assert np.array_equal(numbers, globals_of(position, net.spec.name))
        values.append(float(net.run(planes[None], numbers[None])["value"][0]))
    assert min(abs(judged.value - value) for value in values) < 1e-6


def test_all_images_are_judged_alike_and_remembered_once(net: Net) -> None:
    first = net.evaluate([position_after(MOVES)])[0]
    assert (net.hits, net.misses) == (0, 1)
    for symmetry in range(1, 8):
        turned = net.evaluate([position_after(MOVES, symmetry=symmetry)])[0]
        assert turned.value == first.value
        assert turned.score == first.score
        for move in range(81):
            image = transform_move(move, symmetry, 9, 9)
            assert turned.policy[image] == pytest.approx(first.policy[move], abs=1e-6)
            assert turned.ownership.reshape(-1)[image] == first.ownership.reshape(-1)[move]
        assert turned.policy[81] == pytest.approx(first.policy[81], abs=1e-6)
    assert (net.hits, net.misses) == (7, 1)


def test_what_a_net_can_see_is_not_confused(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"))
    net.evaluate([position_after(MOVES)])
    for other in (
        position_after(MOVES, komi=6.5),
        position_after([*MOVES[:-2], MOVES[-1], MOVES[-2]]),
        position_after([MOVES[2], *MOVES[1:2], MOVES[0], *MOVES[3:4], MOVES[6], PASS, MOVES[4], MOVES[7]]),
        position_after([*MOVES, PASS]),
    ):
        before = net.misses
        net.evaluate([other])
        assert net.misses == before + 1


def test_a_batch_gives_what_single_judgments_give(net: Net) -> None:
    positions = [position_after(MOVES[:count]) for count in range(len(MOVES) + 1)]
    together = net.evaluate([*positions, positions[0]])
    assert net.misses <= len(positions)
    fresh = Net(net.path, cache=0)
    for position, judged in zip(positions, together, strict=False):
        alone = fresh.evaluate([position])[0]
        np.testing.assert_allclose(judged.policy, alone.policy, atol=1e-5)
        assert judged.value == pytest.approx(alone.value, abs=1e-5)


def test_the_mean_of_eight_images(tmp_path: Path) -> None:
    path = write_tiny_net(tmp_path / "tiny.onnx")
    position = position_after(MOVES)
    judged = Net(path, symmetries=8).evaluate([position])[0]
    plain = Net(path)
    values = []
    for symmetry in range(8):
        planes, numbers = planes_of(position_after(MOVES, symmetry=symmetry), "pocket")
        values.append(float(plain.run(planes[None], numbers[None])["value"][0]))
    assert judged.value == pytest.approx(np.mean(values), abs=1e-5)
    assert np.ptp(values) > 1e-3


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"), cache=3)
    for count in range(8):
        net.evaluate([position_after(MOVES[:count])])
    assert len(net._cache) == 3
    assert Net(net.path, cache=0).evaluate([position_after(MOVES)])[0].policy.shape == (82,)


def test_two_sizes_and_many_threads(net: Net) -> None:
    positions = [position_after(MOVES[:count]) for count in range(9)] + [position_after([], 19)]
    expected = [net.evaluate([position])[0].value for position in positions]
    fresh = Net(net.path, cache=4)
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda p: fresh.evaluate([p])[0].value, positions * 5))
    assert got == pytest.approx(expected * 5, abs=1e-5)


def test_bad_files_are_named_in_one_line(tmp_path: Path) -> None:
    good = write_tiny_net(tmp_path / "good.onnx").read_bytes()
    cases = {
        "absent": None,
        "empty": b"",
        "text": b"this is no net",
        "cut": good[: len(good) // 2],
        "noise": bytes(np.random.default_rng(3).integers(0, 256, 5000, dtype=np.uint8)),
    }
    for name, content in cases.items():
        path = tmp_path / f"{name}.onnx"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(DataError, match=rf"{name}\.onnx") as caught:
            Net(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": ""}, "not a net of tengen"),
        ({"feature_set": "alpha"}, "feature set 'alpha'"),
        ({"planes": "17"}, "made for 17 planes"),
    ],
)
def test_foreign_nets_are_refused(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    path = write_tiny_net(tmp_path / "foreign.onnx", **changes)
    with pytest.raises(DataError, match=message):
        Net(path)


def test_a_board_the_net_was_not_made_for(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx", boards="19", any_board="0"))
    assert net.plays_on(19, 19)
    with pytest.raises(ConfigError, match="9x9"):
        net.evaluate([position_after(MOVES)])
    with pytest.raises(ConfigError, match="played"):
        net.evaluate([position_after([], 19)], head="played")
