"""Zobrist's influence and Ryder's two phases, with numbers worked out by hand."""

from drawing import drawn

from tengen.go.coords import Color
from tengen.knowledge.influence import (
    InfluenceParameters,
    areas,
    influence,
    ryder_choice,
    ryder_filter,
    territory_balance,
)


def values_of(text: str, **changes: int) -> tuple[list[int], int, int]:
    board, _ = drawn(text)
    values = influence(board.stones_list(), board.width, board.height, InfluenceParameters(**changes))
    return values, board.width, board.height


def test_one_round_gives_a_lone_stones_neighbours_one() -> None:
    values, _, _ = values_of(". . .\n. X .\n. . .", rounds=1)
    assert values == [0, 1, 0, 1, 50, 1, 0, 1, 0]


def test_two_rounds_reach_two_lines_and_feed_back() -> None:
    values, _, _ = values_of(". . . . .\n. . . . .\n. . X . .\n. . . . .\n. . . . .", rounds=2)
    # The stone gets its four neighbours' influence back; a diagonal point has two lit neighbours.
    assert values[12] == 54
    assert values[7] == 2
    assert values[6] == 2
    assert values[2] == 1
    assert values[1] == 0


def test_influence_fades_with_distance_and_ends_after_four_lines() -> None:
    values, _, _ = values_of("X . . . . . .")
    assert values[0] > values[1] > values[2] > values[3] > values[4] > 0
    assert values[5] == 0


def test_colours_are_mirror_images() -> None:
    black, width, height = values_of("X . . .\n. . . .\n. . O .\n. . . .")
    white, _, _ = values_of("O . . .\n. . . .\n. . X .\n. . . .")
    assert black == [-value for value in white]
    assert territory_balance(black) == -territory_balance(white)
    assert width == height == 4


def test_areas_are_the_two_sides_of_a_wall() -> None:
    values, width, height = values_of(
        """
        . . X . O . .
        . . X . O . .
        . . X . O . .
        """
    )
    found = areas(values, width, height)
    assert [(color, len(points)) for color, points in found] == [(Color.BLACK, 9), (Color.WHITE, 9)]
    assert found[0][1][:3] == [0, 1, 2]
    assert territory_balance(values) == 0


def test_ryder_keeps_the_best_and_reads_only_those() -> None:
    quick = {move: float(move % 20) for move in range(60)}
    kept = ryder_filter(quick)
    assert len(kept) == 15
    assert kept[:3] == [19, 39, 59]
    read: list[int] = []

    def reading(move: int) -> float:
        read.append(move)
        return 1.0 if move == 58 else 0.0

    chosen = ryder_choice(quick, reading)
    assert chosen is not None
    assert chosen[0] == 58
    assert sorted(read) == sorted(kept)
    assert set(chosen[1]) == set(kept)


def test_ryder_with_nothing_to_play() -> None:
    assert ryder_choice({}, lambda move: 0.0) is None
