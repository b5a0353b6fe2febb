"""The move predictor as a player: what it will not play, and when it passes."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.go.coords import PASS, Color
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.scoring import find_dead, score_position
from tengen.nets.runtime import Evaluation, Net
from tengen.players import Judge, Player
from tengen.systems import Resources, make_player
from tengen.systems.dann import DannPlayer, Parameters, build

pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).parent.parent / "nets"))
from tiny_net import write_tiny_net


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_net(tmp_path_factory.mktemp("net") / "tiny.onnx", "dann")


class FixedNet(Net):
    """Prefers the points given, in order; all others are alike. Has no other head."""

    def __init__(self, path: Path, *wished: int) -> None:
        super().__init__(path)
        self.heads = ("policy",)
        self._wished = wished

    def evaluate(self, positions: list[Position], *, head: str | None = None) -> list[Evaluation]:  # type: ignore[override]
        found = []
        for position in positions:
            policy = np.full(position.rules.area + 1, 1.0, dtype=np.float32)
            for rank, move in enumerate(self._wished):
                policy[move] = 1000.0 / 2**rank
            found.append(Evaluation(policy / policy.sum()))
        return found


def test_it_is_a_player_and_a_judge(path: Path) -> None:
    player = DannPlayer(Net(path))
    assert isinstance(player, Player)
    assert isinstance(player, Judge)
    player.new_game(Rules(9, 9))
    decision = player.choose(Position.start(Rules(9, 9)))
    assert decision.move in range(81)
    assert decision.winrate is not None
    assert 0 < decision.info["probability"] < 1
    player.close()


def test_the_most_probable_sensible_move_is_played(path: Path) -> None:
    position = parse_diagram(
        """
        . X . . . . .
        X X . . O . .
        . . . . . . .
        . . O O . . .
        . . O . O . .
        . . . O . . .
        . . . . . X .
        """
    )
    # A7 is an own eye, D3 suicide, B7 taken; the fourth wish is the first that makes sense.
    player = DannPlayer(FixedNet(path, 0, 4 * 7 + 3, 1, 2 * 7 + 2, 3))
    assert player.choose(position).move == 2 * 7 + 2


def test_no_hopeless_self_atari(path: Path) -> None:
    position = parse_diagram(
        """
        . O . . .
        . O . . .
        O O . X .
        . . . X .
        . . . . .
        """
    )
    player = DannPlayer(FixedNet(path, 0, 5, 22))
    assert player.choose(position).move == 22


SETTLED = """
    . X X O O . O
    X X . X O O .
    . X X X O O O
    X . X O O . O
    X X X O . O O
    . X X X O O .
    X X . X X O O
    """


@pytest.mark.parametrize("color", [Color.BLACK, Color.WHITE])
def test_it_passes_when_everything_is_settled(path: Path, color: Color) -> None:
    position = parse_diagram(SETTLED, Rules(7, 7, komi=0.5), to_move=color)
    player = DannPlayer(FixedNet(path, 4 * 7 + 4), Parameters(late=0.0))
    assert player.choose(position).move == PASS


def test_it_passes_after_a_pass_if_it_leads_and_plays_on_if_not(path: Path) -> None:
    text = """
        . . X O . . .
        . . X O . . .
        . . X O . . .
        . . X O . . .
        . . X O . . .
        . . X O . . .
        . . X O . . .
        """
    for komi, passes in ((-9.5, True), (9.5, False)):
        start = parse_diagram(text, Rules(7, 7, komi=komi), to_move=Color.WHITE)
        player = DannPlayer(FixedNet(path, 7 * 3 + 5), Parameters(settled=1.0))
        assert (player.choose(start.play(PASS)).move == PASS) is passes


def test_dead_stones_count_only_where_the_rules_let_them(path: Path) -> None:
    # Black's stone at E6 is dead: taken off, White wins by 1.5; as the board stands he loses by 1.5.
    text = """
        . X X O O . O
        X . X O X O O
        X X X O . O .
        . X X O O O O
        X X X O O . O
        . X X O O O O
        X . X O O O .
        """
    for rules, expected in (("chinese", PASS), ("tromp-taylor", 2 * 7 + 4)):
        start = parse_diagram(text, Rules.named(rules, 7, -5.5), to_move=Color.BLACK)
        position = start.play(PASS)
        assert score_position(position, find_dead(position)) == -1.5
        assert score_position(position, frozenset()) == 1.5
        player = DannPlayer(FixedNet(path, 6 * 7 + 6), Parameters(late=0.0))
        assert player.choose(position).move == expected


def test_a_game_against_itself_ends(path: Path) -> None:
    player = DannPlayer(Net(path), Parameters(temperature=0.5), seed=3)
    position = Position.start(Rules.named("chinese", 9))
    while not position.is_over and position.move_number < 400:
        position = position.play(player.choose(position).move)
    assert position.is_over
    assert position.move_number > 20
    assert isinstance(score_position(position, player.dead_stones(position)), float)


def test_the_same_seed_plays_the_same_game(path: Path) -> None:
    games = []
    for _ in range(2):
        player = DannPlayer(Net(path), Parameters(temperature=0.7), seed=5)
        position = Position.start(Rules(9, 9))
        for _ in range(20):
            position = position.play(player.choose(position).move)
        games.append(position.moves)
    assert games[0] == games[1]


def test_capture_go_is_never_passed(path: Path) -> None:
    position = Position.start(Rules.named("capture", 5))
    player = DannPlayer(Net(path))
    while not position.is_over:
        move = player.choose(position).move
        assert move != PASS
        position = position.play(move)


def test_it_is_built_by_name(path: Path) -> None:
    player = make_player(f"dann:net={path},symmetries=8,temperature=0.1")
    assert isinstance(player, DannPlayer)
    assert player.net.symmetries == 8
    with pytest.raises(ConfigError, match="temperature"):
        make_player("dann:temperature=9", Resources(net=str(path)))
    with pytest.raises(DataError, match=r"nowhere\.onnx"):
        build(Parameters(), Resources(net="nowhere.onnx"))
    with pytest.raises(DataError, match="neither a file nor a shipped net"):
        build(Parameters(), Resources(net="grandmaster"))


def test_a_move_takes_milliseconds(path: Path) -> None:
    player = DannPlayer(Net(path))
    position = Position.start(Rules.named("chinese", 19))
    spent = []
    for _ in range(200):
        begun = time.process_time()
        move = player.choose(position).move
        spent.append(time.process_time() - begun)
        position = position.play(move)
    # The net is tiny: this is drawing, legality and, from move 144 on, ownership.
    assert np.median(spent[150:]) < 0.05
