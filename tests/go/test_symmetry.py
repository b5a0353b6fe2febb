"""Symmetries as laws: a group, on moves and on arrays alike."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import CoordinateError
from tengen.go.coords import PASS, RESIGN
from tengen.go.diagram import parse_stones
from tengen.go.symmetry import (
    IDENTITY,
    canonical,
    compose,
    inverse,
    source_points,
    symmetries,
    transform_array,
    transform_move,
    transform_moves,
)

BOARD = """
    a b .
    . c .
    . . .
"""
IMAGES = """
    a b .    . b a    . . .    . . .    a . .    . . a    . . .    . . .
    . c .    . c .    . c .    . c .    b c .    . c b    . c b    b c .
    . . .    . . .    a b .    . b a    . . .    . . .    . . a    a . .
"""


def drawings() -> list[str]:
    rows = [line.strip().split("    ") for line in IMAGES.strip().splitlines()]
    return ["\n".join(row[i] for row in rows) for i in range(8)]


def test_the_eight_images_of_a_corner() -> None:
    marks = parse_stones(BOARD).marks
    images = {tuple(transform_move(marks[m], s, 3, 3) for m in "abc") for s in range(8)}
    drawn = {tuple(parse_stones(image).marks[m] for m in "abc") for image in drawings()}
    assert images == drawn
    assert len(images) == 8


@pytest.mark.parametrize(("width", "height"), [(3, 3), (5, 5), (4, 6), (1, 7), (19, 19)])
def test_they_are_a_group(width: int, height: int) -> None:
    group = symmetries(width, height)
    assert len(group) == (8 if width == height else 4)
    area = width * height
    images = {s: transform_moves(range(area), s, width, height) for s in group}
    for s in group:
        assert sorted(images[s]) == list(range(area))
        assert compose(s, inverse(s)) == compose(inverse(s), s) == IDENTITY
    for first, then in itertools.product(group, group):
        assert [images[then][move] for move in images[first]] == images[compose(first, then)]


@given(st.integers(0, 7), st.integers(1, 9))
def test_arrays_go_as_their_points_do(symmetry: int, size: int) -> None:
    area = size * size
    values = list(range(100, 100 + area + 1))
    moved = transform_array(values, symmetry, size, size)
    assert all(moved[transform_move(m, symmetry, size, size)] == values[m] for m in range(area))
    assert moved[area] == values[area]  # the pass of a policy stays
    assert list(np.array(values)[list(source_points(symmetry, size, size))]) == moved[:area]


def test_pass_and_resign_stay() -> None:
    assert [transform_move(move, 5, 9, 9) for move in (PASS, RESIGN)] == [PASS, RESIGN]


@given(st.lists(st.integers(0, 2), min_size=16, max_size=16), st.integers(0, 7))
def test_the_canonical_image_is_the_same_for_all(stones: list[int], symmetry: int) -> None:
    image, by = canonical(stones, 4, 4)
    assert list(image) == transform_array(stones, by, 4, 4)
    assert canonical(transform_array(stones, symmetry, 4, 4), 4, 4)[0] == image


def test_a_rectangle_is_not_turned() -> None:
    with pytest.raises(CoordinateError, match="symmetry 4"):
        transform_move(0, 4, 3, 5)
    with pytest.raises(CoordinateError):
        transform_move(15, 1, 3, 5)
    with pytest.raises(CoordinateError):
        transform_array([0] * 3, 1, 3, 5)
