"""The default engine: a network at the root, but for Capture Go and boards it was not made for."""

import pytest

from tengen.errors import TengenError
from tengen.go.coords import PASS, Move
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.guides import NetPruner
from tengen.nets.runtime import Net
from tengen.nets.shipped import net_path
from tengen.players import Limit
from tengen.search.pruners import KnowledgePruner
from tengen.search.search import Search
from tengen.search.selectors import Puct, Rave
from tengen.search_player import SearchPlayer
from tengen.systems import Resources, make_player

FEW = Limit(playouts=60)


def default(spec: str = "tengen", **resources: object) -> SearchPlayer:
    player = make_player(spec, Resources(memory_mb=16, **resources))  # type: ignore[arg-type]
    assert isinstance(player, SearchPlayer)
    return player


def search_of(player: SearchPlayer, position: Position) -> Search:
    return player._searcher(position)


def test_the_root_has_the_networks_priors() -> None:
    position = Position.start(Rules.named("chinese", 9, 7.5)).play(40).play(30)
    player = default()
    player.choose(position, FEW)
    search = search_of(player, position)
    assert isinstance(search.selector, Puct)
    assert isinstance(search.pruner, NetPruner)
    policy = Net(net_path(None), threads=1).evaluate([position])[0].policy
    report = search._report(0.0, False, 81)
    priors: dict[Move, float] = {info.move: info.prior for info in report.moves}
    likeliest = sorted(range(81), key=lambda move: -policy[move])[:5]
    assert sum(priors.values()) == pytest.approx(1.0, abs=0.02)
    assert max(priors, key=priors.__getitem__) == likeliest[0]
    for move in likeliest:
        assert priors[move] == pytest.approx(float(policy[move]), abs=0.05)


def test_it_takes_and_saves_what_matters() -> None:
    text = """
        . . . . . . . . .
        . . . . . . . . .
        . . O O O . . . .
        . . O X X O . . .
        . . O X X . . . .
        . . . O O X . . .
        . . . . . X . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    position = parse_diagram(text, Rules.named("chinese", komi=7.5))
    for side in (position, position.with_to_move(position.to_move.opponent)):
        assert default().choose(side, Limit(playouts=150)).move == 41


def test_capture_go_is_searched_without_a_network() -> None:
    text = """
        . . . . .
        . X O . .
        X O . . .
        . X O . .
        . . . . .
    """
    position = parse_diagram(text, Rules.named("capture"))
    player = default()
    assert player.choose(position, Limit(playouts=400)).move == 12
    assert not isinstance(search_of(player, position).pruner, NetPruner)


def test_boards_no_network_was_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Net, "plays_on", lambda self, width, height: width == height == 9)
    player = default()
    for size in (5, 2, 21):
        position = Position.start(Rules.named("chinese", size, 0.5))
        decision = player.choose(position, Limit(playouts=40))
        assert decision.move == PASS or position.is_legal(decision.move)
        search = search_of(player, position)
        assert isinstance(search.selector, Rave)
        assert isinstance(search.pruner, KnowledgePruner)
    nine = Position.start(Rules.named("chinese", 9, 7.5))
    player.choose(nine, Limit(playouts=10))
    assert isinstance(search_of(player, nine).pruner, NetPruner)


@pytest.mark.parametrize("size", [2, 3, 13, 25])
def test_it_plays_on_boards_of_every_size(size: int) -> None:
    position = Position.start(Rules.named("chinese", size, 0.5))
    decision = default().choose(position, Limit(playouts=10))
    assert decision.move == PASS or position.is_legal(decision.move)


def test_one_player_goes_from_board_to_board_and_rules_to_rules() -> None:
    player = default(threads=2)
    for rules in (
        Rules.named("chinese", 9, 7.5),
        Rules.named("japanese", 13, 6.5),
        Rules.named("capture", 9),
        Rules.named("tromp-taylor", 19, 7.5),
        Rules.named("chinese", 9, 7.5),
    ):
        position = Position.start(rules)
        assert position.is_legal(player.choose(position, Limit(playouts=20)).move)


def test_a_share_of_playouts_is_an_option() -> None:
    player = default("tengen:playouts=0.5")
    position = Position.start(Rules.named("chinese", 9, 7.5))
    player.choose(position, FEW)
    assert any(search_of(player, position).ownership()), "playouts were made"


def test_a_net_that_is_not_there() -> None:
    with pytest.raises(TengenError, match="nowhere"):
        default(net="/nowhere/net.onnx")
