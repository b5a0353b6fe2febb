"""d: legal and sensible moves only, tactics first, symmetric, and as good at foretelling as it says."""

import lzma
import random
from pathlib import Path

import pytest
from drawing import BLACK, WHITE, at, drawn

from tengen.go.board import Board
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.go.symmetry import transform_move
from tengen.knowledge.fitting import VALUES, GameMoves, collect, measure
from tengen.knowledge.moves import GROUP_NAMES, VALUE_NAMES, Features, MoveKnowledge, move_values, value_name
from tengen.knowledge.weights import MoveWeights, shipped_weights


def features_of(text: str, mark: str = "a", color: int = BLACK) -> dict[str, int]:
    board, marks = drawn(text)
    features = Features()
    features.read_board(board, color)
    return features.at(marks[mark], board.width)


def test_every_legal_move_but_own_eyes_has_a_value() -> None:
    random.seed(2)
    for _ in range(5):
        board = Board(9)
        for move in random.sample(range(81), 50):
            board.put(move, random.choice((BLACK, WHITE)))
        values = MoveKnowledge().values(board, BLACK)
        legal = set(board.legal_moves(BLACK))
        assert set(values) <= legal
        assert all(board.is_eye(move, BLACK) for move in legal - set(values))
        assert all(value > 0 for value in values.values())


def test_an_own_eye_beside_a_chain_in_atari_may_be_filled() -> None:
    board, marks = drawn("a X O .\nX O . .\n. . . .\n. . . .")
    assert board.in_atari(at(board, 0, 1))
    assert marks["a"] in MoveKnowledge().values(board, BLACK)


def test_values_turn_with_the_board() -> None:
    random.seed(4)
    played = random.sample(range(81), 30)
    turned = [Board(9) for _ in range(8)]
    color = BLACK
    for move in played:
        for symmetry, other in enumerate(turned):
            if other.is_legal(transform_move(move, symmetry, 9, 9), color):
                other.place(transform_move(move, symmetry, 9, 9), color)
        color = 3 - color
    plain = MoveKnowledge().values(turned[0], color)
    for symmetry, other in enumerate(turned):
        values = MoveKnowledge().values(other, color)
        assert {transform_move(move, symmetry, 9, 9) for move in plain} == set(values)
        for move, value in plain.items():
            assert values[transform_move(move, symmetry, 9, 9)] == pytest.approx(value, rel=1e-4)


def test_the_best_move_takes_or_saves() -> None:
    board, marks = drawn(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . X . . . O . .
        . . . . . . . . .
        . . . X X . . . .
        . . X O O a . . .
        . . X O O X . . .
        . . . X X . . . .
        . . . . . . . . .
        """
    )
    for color in (BLACK, WHITE):
        values = MoveKnowledge().values(board, color)
        assert max(values, key=values.__getitem__) == marks["a"]


def test_features_of_captures_and_ataris() -> None:
    caught = ". . . . . .\n. . O O . .\n. O X X a .\n. . O O . .\n. . . . . ."
    assert value_name("capture", features_of(caught, color=WHITE)["capture"]) == "takes stones that could run"
    assert value_name("rescue", features_of(caught)["rescue"]) == "saves stones"
    ladder = ". . O . . .\n. O X b . .\n. O a . . .\n. . . . . .\n. . . . . .\n. . . . . ."
    read = features_of(ladder, "b", WHITE), features_of(ladder, "a", WHITE)
    assert "atari that catches one stone" in {value_name("atari", found.get("atari", 0)) for found in read}
    guarded = features_of(ladder, "b"), features_of(ladder, "a")
    assert "saves one stone from being caught" in {
        value_name("guard", found.get("guard", 0)) for found in guarded
    }


def test_features_of_self_atari_eyes_and_distance() -> None:
    assert value_name("self-atari", features_of(". a O .\nO O . .\n. . . .\n. . . .")["self-atari"]) == (
        "self-atari of one stone"
    )
    eye = "O O O O O .\nO . a . O .\nO O O O O .\n. . . . . ."
    assert features_of(eye)["nakade"] == 1
    assert features_of(eye, color=WHITE)["nakade"] == 2
    board = Board(9)
    board.place(at(board, 4, 4), BLACK)
    board.place(at(board, 4, 6), WHITE)
    features = Features()
    features.read_board(board, BLACK)
    found = features.at(at(board, 5, 6), 9)
    assert found["near last"] == 2
    assert found["near before"] == 5
    assert value_name("line", found["line"]) == "line 3, opening"
    assert found["air"] == 3


def test_names_cover_the_values_that_weights_have() -> None:
    tactics = shipped_weights().tactics.reshape(len(GROUP_NAMES), VALUES)
    assert all(tactics[:, 0] == 1.0)
    for row, group in enumerate(GROUP_NAMES):
        for value in range(1, VALUES):
            if not value_name(group, value):
                assert tactics[row, value] == pytest.approx(1.0, abs=0.01), (group, value)
    assert set(VALUE_NAMES) < set(GROUP_NAMES)


def test_without_weights_all_moves_are_average() -> None:
    position = parse_diagram(". . .\n. X .\n. . .")
    values = MoveKnowledge(MoveWeights()).values(position.board, position.to_move)
    assert set(values.values()) == {1.0}


def test_move_values_of_a_position() -> None:
    position = Position.start(Rules.named("chinese", 9))
    values = move_values(position)
    assert len(values) == 81
    assert values[40] > values[0]


def test_a_clone_agrees() -> None:
    knowledge = MoveKnowledge()
    board, _ = drawn(". . . .\n. X O .\n. O X .\n. . . .")
    assert knowledge.clone().values(board, BLACK) == knowledge.values(board, BLACK)


def test_shipped_weights_foretell_strong_players_moves(shared_data: Path) -> None:
    """Games the weights were not learned from: the move played is first in more than a quarter, among five
    in most."""
    games = []
    with lzma.open(shared_data / "games19" / "validation-kgs.tsv.xz", "rt") as lines:
        for line, _ in zip(lines, range(25), strict=False):
            letters = line.rstrip().split("\t")[6]
            pairs = [letters[i : i + 2] for i in range(0, len(letters), 2)]
            moves = [-1 if pair == "tt" else (ord(pair[1]) - 97) * 19 + ord(pair[0]) - 97 for pair in pairs]
            games.append(GameMoves(19, 19, (), tuple((1 + i % 2, move) for i, move in enumerate(moves))))
    weights = shipped_weights()
    report = measure(collect(games, weights.diamonds(), 30, 1), weights)
    assert report.positions > 600
    assert report.top1 > 0.25
    assert report.top5 > 0.55
    assert report.log_evidence > -3.1
