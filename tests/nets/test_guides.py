"""A network as the search's Pruner and Evaluator."""

from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError
from tengen.go.coords import PASS
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.guides import NetEvaluator, NetPruner
from tengen.nets.runtime import Net
from tengen.nets.views import planes_of
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.interfaces import Limit
from tengen.search.search import Search
from tengen.search.selectors import Puct

pytest.importorskip("onnx")
from tiny_net import write_tiny_net

MOVES = [20, 60, 24, 56, 30, 31, 40, 22]


class Spy:
    """A net that keeps what it was shown."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self.spec, self.heads, self.name = net.spec, net.heads, net.name
        self.shown: list[tuple[np.ndarray, np.ndarray]] = []

    def plays_on(self, width: int, height: int) -> bool:
        return self._net.plays_on(width, height)

    def run(self, planes: np.ndarray, numbers: np.ndarray) -> dict[str, np.ndarray]:
        self.shown.append((planes[0].copy(), numbers[0].copy()))
        return self._net.run(planes, numbers)


def position_after(moves: list[int], komi: float = 7.5) -> Position:
    position = Position.start(Rules(9, 9, komi=komi))
    for move in moves:
        position = position.play(move)
    return position


def search_with(
    net: object, *, threads: int = 1, weight: float = 0.0, expand: int = 0, mass: float = 1.0
) -> Search:
    return Search(
        Puct(1.0),
        NetPruner(net, 9, 9, mass),
        NetEvaluator(PlayoutEvaluator(), weight),
        threads=threads,
        memory_mb=16,
        expand_after=expand,
    )


@pytest.fixture(params=["pocket", "dann", "tactics"])
def spy(request: pytest.FixtureRequest, tmp_path: Path) -> Spy:
    return Spy(Net(write_tiny_net(tmp_path / "tiny.onnx", request.param)))


def test_the_net_sees_what_it_would_be_shown_of_the_position(spy: Spy) -> None:
    root = position_after([*MOVES, PASS, 50])
    search_with(spy).run(root, Limit(playouts=60))
    assert len(spy.shown) > 30
    planes, _ = planes_of(root, spy.spec.name)
    assert np.array_equal(spy.shown[0][0], planes)
    # Every later input must be, bit for bit, that of a child of a position shown before.
    children: dict[bytes, Position] = {}

    def add(position: Position) -> None:
        for move in [*position.legal_moves(), PASS]:
            child = position.play(move)
            children.setdefault(planes_of(child, spy.spec.name)[0].tobytes(), child)

    add(root)
    for shown, told in spy.shown[1:]:
        leaf = children.get(shown.tobytes())
        assert leaf is not None
        np.testing.assert_allclose(told, planes_of(leaf, spy.spec.name)[1], atol=1e-6)
        if not leaf.is_over:
            add(leaf)


def test_priors_are_the_policy_over_sensible_moves(spy: Spy) -> None:
    root = position_after(MOVES)
    search = search_with(spy)
    result = search.run(root, Limit(playouts=400))
    judged = spy._net.evaluate([root])[0]
    planes, numbers = planes_of(root, spy.spec.name)
    logits = spy._net.run(planes[None], numbers[None])["policy"][0]
    logits[:81][judged.policy[:81] == 0] = -np.inf
    expected = np.exp(logits - logits.max())
    expected /= expected.sum()
    for info in result.report.moves:
        assert info.prior == pytest.approx(expected[info.move if info.move >= 0 else 81], abs=1e-5)


def test_the_value_is_backed_up_with_its_sign(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"))
    root = position_after(MOVES)
    result = search_with(net).run(root, Limit(playouts=1))
    best = next(info for info in result.report.moves if info.visits == 1)
    leaf = root.play(best.move)
    planes, numbers = planes_of(leaf, "pocket")
    value = float(net.run(planes[None], numbers[None])["value"][0])
    assert best.winrate == pytest.approx(0.5 - value / 2, abs=1e-5)


def test_playouts_are_mixed_in(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"))
    root = position_after(MOVES)
    pure = search_with(net).run(root, Limit(playouts=100)).report.root_winrate
    mixed = search_with(net, weight=0.5).run(root, Limit(playouts=100)).report.root_winrate
    played = search_with(net, weight=1.0).run(root, Limit(playouts=100)).report.root_winrate
    assert len({round(pure, 4), round(mixed, 4), round(played, 4)}) == 3


def test_a_slow_net_is_asked_of_busy_leaves_only(spy: Spy) -> None:
    search_with(spy, expand=20, weight=0.5).run(position_after(MOVES), Limit(playouts=400))
    assert 1 < len(spy.shown) < 40


def test_rare_moves_are_left_out(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"))
    root = position_after(MOVES)
    full = NetPruner(net, 9, 9)
    few = NetPruner(net, 9, 9, 0.3, 3)
    counts = []
    for pruner in (full, few):
        search = Search(
            Puct(1.0), pruner, NetEvaluator(PlayoutEvaluator(), 0.0), memory_mb=16, expand_after=1
        )
        result = search.run(root, Limit(playouts=1500))
        counts.append(len(result.report.moves))
    assert 3 < counts[1] < counts[0]


def test_threads_share_a_net(spy: Spy) -> None:
    result = search_with(spy, threads=3, weight=0.3).run(position_after(MOVES), Limit(playouts=300))
    assert result.simulations > 100
    assert result.choice in position_after(MOVES).legal_moves()


def test_ownership_and_score_come_from_the_net(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx"))
    root = position_after([])
    search = search_with(net)
    result = search.run(root, Limit(playouts=300))
    owner = search.ownership()
    assert all(-1 <= value <= 1 for value in owner)
    assert np.std(owner) > 0.05
    assert result.report.root_score != 0


def test_a_net_that_fails_is_no_catastrophe(spy: Spy) -> None:
    def broken(planes: np.ndarray, numbers: np.ndarray) -> dict[str, np.ndarray]:
        raise RuntimeError("out of paper")

    spy.run = broken  # type: ignore[method-assign]
    pruner = NetPruner(spy, 9, 9)
    search = Search(Puct(1.0), pruner, NetEvaluator(PlayoutEvaluator(), 0.0), memory_mb=16, expand_after=0)
    result = search.run(position_after(MOVES), Limit(playouts=50))
    assert result.choice in position_after(MOVES).legal_moves()
    assert "out of paper" in str(pruner.error)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    net = Net(write_tiny_net(tmp_path / "tiny.onnx", boards="19", any_board="0"))
    with pytest.raises(ConfigError, match="9x9"):
        NetPruner(net, 9, 9)
    with pytest.raises(ConfigError, match="playout weight"):
        NetEvaluator(PlayoutEvaluator(), 1.5)
