"""3x3 codes and diamonds: symmetry, colours, growth; and what the fit learns of them."""

import random
from pathlib import Path

import pytest
from drawing import BLACK, WHITE, at, drawn

from tengen.errors import DataError, IllegalMove
from tengen.go.board import Board
from tengen.go.symmetry import transform_move
from tengen.knowledge.patterns import (
    CODES_3X3,
    DIAMOND_SIZES,
    Diamonds,
    Shapes,
    canonical_codes,
    swapped_code,
)
from tengen.knowledge.weights import MoveWeights, load_weights, shipped_weights


def code(shape: str) -> int:
    """A 3x3 drawing, the middle ignored, as a code."""
    letters = [letter for letter in shape if letter in ".XO#*"]
    del letters[4]
    return sum(".XO#".index(letter) << 2 * place for place, letter in enumerate(letters))


def test_symmetric_shapes_share_a_canonical_code() -> None:
    canonical = canonical_codes()
    forms = {
        canonical[code(shape)]
        for shape in (
            "X O . / . * . / . . .",
            ". O X / . * . / . . .",
            "X . . / O * . / . . .",
            ". . . / . * . / . O X",
        )
    }
    assert len(forms) == 1
    assert canonical[code("X O . / . * . / . . .")] != canonical[code("O X . / . * . / . . .")]


def test_there_are_as_many_canonical_codes_as_orbits() -> None:
    """Burnside, over four values on eight points: 8 rotations and mirrors fix 4^8, 4^2, 4^4, 4^2, 4 x 4^5
    codes."""
    fixed = 4**8 + 4**2 + 4**4 + 4**2 + 4 * 4**5
    assert len(set(canonical_codes())) == fixed // 8


def test_exchanging_colours_twice_is_nothing() -> None:
    assert all(swapped_code(swapped_code(number)) == number for number in range(0, CODES_3X3, 77))


def test_a_weight_holds_for_all_symmetries_and_for_the_other_colour() -> None:
    canonical = canonical_codes()
    hane = code("X O X / . * . / . . .")
    shapes = Shapes({canonical[hane]: 7.0})
    assert shapes.weight(code(". . . / . * . / X O X"), BLACK) == 7.0
    assert shapes.weight(swapped_code(hane), WHITE) == 7.0
    assert shapes.weight(swapped_code(hane), BLACK) == 1.0
    assert Shapes().weight(hane, BLACK) == 1.0


def test_diamond_keys_are_the_same_under_all_symmetries() -> None:
    random.seed(5)
    board = Board(13)
    for move in random.sample(range(169), 60):
        board.put(move, random.choice((BLACK, WHITE)))
    hasher = Diamonds()
    points = board.empty_points()[:20]
    for symmetry in range(8):
        turned = Board(13)
        for move, stone in enumerate(board.stones_list()):
            if stone:
                turned.put(transform_move(move, symmetry, 13, 13), stone)
        for move in points:
            there = transform_move(move, symmetry, 13, 13)
            assert hasher.keys_at(turned, there, BLACK) == hasher.keys_at(board, move, BLACK)


def test_diamond_keys_see_own_and_enemy_not_black_and_white() -> None:
    black, marks = drawn(". . . . .\n. X a O .\n. . . . .\n. . . . .\n. . . . .")
    white, _ = drawn(". . . . .\n. O a X .\n. . . . .\n. . . . .\n. . . . .")
    hasher = Diamonds()
    assert hasher.keys_at(black, marks["a"], BLACK) == hasher.keys_at(white, marks["a"], WHITE)
    stone, marks = drawn(". . . . .\n. X a . .\n. . . . .\n. . . . .\n. . . . .")
    assert hasher.keys_at(stone, marks["a"], BLACK) != hasher.keys_at(stone, marks["a"], WHITE)


def test_a_far_stone_changes_only_the_large_diamonds() -> None:
    near, _ = drawn("\n".join([". . . . . . . . . . . . ."] * 13))
    far = near.copy()
    far.put(at(far, 6, 9), BLACK)
    hasher = Diamonds()
    before, after = hasher.keys_at(near, at(near, 6, 6), BLACK), hasher.keys_at(far, at(far, 6, 6), BLACK)
    # Three points to the right is distance 6.
    same = [a == b for a, b in zip(before, after, strict=True)]
    assert same == [size < 6 for size in DIAMOND_SIZES]


def test_the_edge_is_part_of_the_shape() -> None:
    board = Board(19)
    hasher = Diamonds()
    assert hasher.keys_at(board, at(board, 9, 9), BLACK) == hasher.keys_at(board, at(board, 9, 8), BLACK)
    assert hasher.keys_at(board, at(board, 0, 9), BLACK) != hasher.keys_at(board, at(board, 1, 9), BLACK)


def test_the_largest_known_diamond_speaks() -> None:
    board = Board(19)
    keys = Diamonds().keys_at(board, 180, BLACK)
    assert Diamonds().gamma_at(board, 180, BLACK) is None
    table = Diamonds(keys[:3], [1.0, 2.0, 3.0])
    assert table.gamma_at(board, 180, BLACK) == 3.0
    with pytest.raises(IllegalMove):
        table.gamma_at(board, 361, BLACK)


def test_weights_survive_the_file(tmp_path: Path) -> None:
    shipped = shipped_weights()
    path = tmp_path / "w.npz"
    shipped.save(path)
    again = load_weights(path)
    assert again.meta == shipped.meta
    assert again.diamond_keys.tolist() == shipped.diamond_keys.tolist()
    assert abs(again.diamond_gammas - shipped.diamond_gammas).max() < 0.01 * shipped.diamond_gammas.max()
    assert path.stat().st_size < 1_000_000


def test_what_is_no_file_of_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    path.write_bytes(b"PK not really")
    with pytest.raises(DataError, match=r"w\.npz"):
        load_weights(path)
    with pytest.raises(DataError):
        load_weights(tmp_path / "absent.npz")
    MoveWeights(meta={"format": 99}).save(path)
    with pytest.raises(DataError, match="format"):
        load_weights(path)


@pytest.mark.parametrize("size", [9, 13, 19])
def test_the_shipped_weights_say_how_they_were_made(size: int) -> None:
    meta = shipped_weights(size).meta
    assert meta["command"].startswith("tengen patterns fit ")
    assert meta["held_out"]["top1"] > 0.25
    assert meta["games"] >= 1000
