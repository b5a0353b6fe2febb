"""A network named by ``--net`` in every tree system: its policy and value are what the search goes by."""

import sys
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.nets.runtime import Net
from tengen.nets.views import planes_of
from tengen.players import Limit
from tengen.search.interfaces import AnalysisReport
from tengen.search_player import SearchPlayer
from tengen.systems import Resources, make_player

pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).parent.parent / "nets"))
from tiny_net import write_tiny_net

TREES = ("uct", "rave", "mucgo", "graph")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_net(tmp_path_factory.mktemp("net") / "tiny.onnx")


@pytest.fixture(scope="module")
def net(path: Path) -> Net:
    return Net(path)


def start(*moves: int, size: int = 9) -> Position:
    position = Position.start(Rules(size, size))
    for move in moves:
        position = position.play(move)
    return position


def player_of(spec: str, path: Path | None, **also: object) -> SearchPlayer:
    resources = Resources(net=None if path is None else str(path), **also)  # type: ignore[arg-type]
    player = make_player(spec, resources)
    assert isinstance(player, SearchPlayer)
    return player


def searched(player: SearchPlayer, position: Position, playouts: int) -> AnalysisReport:
    return player._searcher(position).run(position, Limit(playouts=playouts)).report


def raw(net: Net, position: Position) -> dict[str, np.ndarray]:
    """The heads for this orientation alone, as a search asks for them."""
    planes, numbers = planes_of(position, net.spec.name)
    return {name: head[0] for name, head in net.run(planes[None], numbers[None]).items()}


@pytest.mark.parametrize("system", TREES)
def test_the_policy_is_the_prior(system: str, path: Path, net: Net) -> None:
    position = start(20, 60, 24)
    player = player_of(system, path)
    moves = searched(player, position, 60).moves
    player.close()
    logits = raw(net, position)["policy"]
    first, second = sorted(moves, key=lambda info: -info.prior)[:2]
    assert np.log(first.prior / second.prior) == pytest.approx(
        float(logits[first.move] - logits[second.move]), abs=1e-4
    )
    empty = [move for move in range(81) if position.is_legal(move)]
    assert first.move == max(empty, key=lambda move: logits[move])


@pytest.mark.parametrize("system", TREES)
def test_the_value_is_the_leafs(system: str, path: Path, net: Net) -> None:
    position = start(20, 60, 24)
    player = player_of(f"{system}:mix=0", path)
    moves = searched(player, position, 1).moves
    player.close()
    (tried,) = (info for info in moves if info.visits == 1)
    value = float(raw(net, position.play(tried.move))["value"])
    assert tried.winrate == pytest.approx(0.5 - value / 2, abs=1e-5)


@pytest.mark.parametrize("system", TREES)
def test_playouts_have_their_share(system: str, path: Path, net: Net) -> None:
    position = start(20, 60, 24)
    player = player_of(f"{system}:mix=1", path)
    moves = searched(player, position, 1).moves
    player.close()
    (tried,) = (info for info in moves if info.visits == 1)
    value = float(raw(net, position.play(tried.move))["value"])
    assert abs(tried.winrate - (0.5 - value / 2)) > 0.05, "a playout ends near 0 or 1"


@pytest.mark.parametrize("system", TREES)
def test_a_spec_may_name_the_net_and_threads_share_it(system: str, path: Path) -> None:
    player = make_player(f"{system}:net={path}", Resources(threads=2))
    player.new_game(Rules(9, 9))
    decision = player.choose(start(), Limit(playouts=40))
    player.close()
    assert decision.move in range(81)


def test_a_busy_net_is_asked_of_busy_leaves_only(path: Path) -> None:
    eager, thrifty = (player_of(f"uct:judge={judge}", path) for judge in (0, 20))
    nodes = [player.choose(start(), Limit(playouts=200)).info["nodes"] for player in (eager, thrifty)]
    assert nodes[0] > 100
    assert nodes[1] < 12


def test_mucgo_matches_the_policy_before_the_middle_game(path: Path, net: Net) -> None:
    position = start(72, size=19)
    player = player_of("mucgo:candidates=1", path)
    player.new_game(position.rules)
    policy = net.evaluate([position])[0].policy
    assert player.choose(position).move == int(np.argmax(policy[:-1]))


@pytest.mark.parametrize("system", TREES)
def test_what_the_net_does_not_know_is_refused(system: str, path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Capture Go"):
        player_of(system, path).choose(Position.start(Rules(9, 9, goal=Goal.FIRST_CAPTURE)))
    only_19 = write_tiny_net(tmp_path / "19.onnx", boards="19", any_board="0")
    with pytest.raises(ConfigError, match="9x9"):
        player_of(system, only_19).choose(start())
    with pytest.raises(DataError, match="neither a file"):
        player_of(system, Path("nothing"))
    with pytest.raises(ConfigError, match="mix=2"):
        player_of(f"{system}:mix=2", None)
