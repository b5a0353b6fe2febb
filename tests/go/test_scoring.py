"""Who has won, by diagram: area and territory, the dead, seki, taxes, button, compensation; life by Benson."""

import pytest

from tengen.go.coords import PASS, Color
from tengen.go.diagram import parse_diagram, parse_stones
from tengen.go.rules import Rules, Tax
from tengen.go.scoring import (
    alive_for_sure,
    dead_by_ownership,
    fill_neutral,
    find_dead,
    format_result,
    ownership,
    score_position,
    territory,
)

AREA = Rules.named("chinese", komi=0)
LAND = Rules.named("japanese", komi=0)
STONES = Rules.named("stone-scoring", komi=0)

WALLS = """
    . X O . .
    . X O . .
    . X O . .
    . X O . .
    . X O . .
"""
# White's stone at A3 is dead; so is Black's at E1.
WITH_DEAD = """
    . X O . .
    . X O . .
    O X O . .
    . X O . .
    . X O . X
"""


def test_area_and_territory_of_a_divided_board() -> None:
    assert score_position(parse_diagram(WALLS, AREA)) == 10 - 15
    assert score_position(parse_diagram(WALLS, LAND)) == 5 - 10
    assert score_position(parse_diagram(WALLS, AREA.replace(komi=7.5))) == -12.5
    owners = territory(parse_diagram(WALLS, AREA))
    assert owners == [1, 1, 2, 2, 2] * 5


def test_the_dead_count_as_area_and_twice_as_territory() -> None:
    dead = frozenset({10, 24})
    assert score_position(parse_diagram(WITH_DEAD, AREA), dead) == 10 - 15
    assert score_position(parse_diagram(WITH_DEAD, LAND), dead) == (5 + 1) - (10 + 1)
    # Left on the board they make what they touch nobody's.
    assert score_position(parse_diagram(WITH_DEAD, AREA)) == (5 + 1) - (5 + 1)


def test_prisoners_count_as_territory_only() -> None:
    taken = parse_diagram("O X .\n. . .\n. . .", LAND).play(3)
    assert taken.captures == (1, 0)
    assert score_position(taken) == 9 - 2 + 1
    assert score_position(taken.with_rules(AREA.replace(width=3, height=3))) == 9


def test_neutral_points_are_nobodys() -> None:
    position = parse_diagram(
        """
        . X . O .
        . X . O .
        . X . O .
        """,
        AREA,
    )
    assert territory(position) == [1, 1, 0, 2, 2] * 3
    assert score_position(position) == 0


def test_a_lone_eye_beside_neutral_points_counts_as_area_but_not_as_territory() -> None:
    text = """
        . X . O . O X
        X X . O O O X
        O O O X X X X
        . O . O X . X
        O O O O X X .
    """
    area, land = parse_diagram(text, AREA), parse_diagram(text, LAND)
    owners = territory(area)
    assert (owners[2], owners[9]) == (0, 0)
    assert (owners[0], owners[4]) == (1, 2)
    assert score_position(area) == owners.count(1) - owners.count(2)
    # A5 is Black's only eye there; White's E5 belongs to a group that has A2 and C2 as well.
    untaxed = parse_diagram(text, LAND.replace(tax=Tax.NONE))
    assert score_position(untaxed) - score_position(land) == 1


def test_an_eye_beside_an_unfilled_neutral_point_is_no_seki() -> None:
    alone = parse_diagram(
        """
        . X . X . .
        X X O X . .
        O O O X X X
        . . O X . X
        O O O X X .
        O . O X X X
        """,
        LAND,
    )
    # A6 would be an eye in seki, were it not that C6 joins the two black chains.
    assert territory(alone)[2] == 0
    free = alone.with_rules(alone.rules.replace(tax=Tax.NONE))
    assert score_position(alone) == score_position(free)


def test_stone_scoring_takes_two_points_of_every_group() -> None:
    assert score_position(parse_diagram(WALLS, STONES)) == (10 - 2) - (15 - 2)
    split = """
        . X O . O X .
        . X O . O X .
        . X O . O X .
    """
    assert score_position(parse_diagram(split, STONES)) == (12 - 2 - 2) - (9 - 2)
    # A stone at C1 would join Black's two sides: they are one group. White has no eye, and pays nothing.
    joined = """
        . X O X .
        . X O X .
        . X . X .
    """
    assert score_position(parse_diagram(joined, STONES)) == (12 - 2) - 2


def test_territory_that_must_be_filled_in_the_end_is_not_counted() -> None:
    open_ = parse_diagram(
        """
        . X O O . .
        X . X . O .
        . X O O . .
        """,
        LAND,
    )
    # White takes D2, and C2 is in atari: Black connects at B2, a point of his own.
    assert score_position(open_) == (3 - 1) - 5
    closed = open_.play(9, Color.WHITE).play(7, Color.BLACK)
    assert score_position(closed) == score_position(open_)
    assert score_position(open_.with_rules(AREA.replace(width=6, height=3))) == (4 + 3) - (5 + 5)


def test_an_atari_that_neutral_points_answer_costs_nothing() -> None:
    position = parse_diagram(
        """
        . X O O . .
        X . X . O .
        X X . O . .
        X . X O . .
        """,
        LAND,
    )
    # White at D3 leaves C3 the neutral point C2, which joins it to the rest.
    assert territory(position)[9] == territory(position)[14] == 0
    assert score_position(position) == 3 - 6


def test_both_sides_take_the_neutral_points_in_turn() -> None:
    position = parse_diagram(
        """
        . X . O .
        . X . O .
        . X . O .
        """,
        AREA,
    )
    filled = fill_neutral(position)
    # Black begins and takes two of the three.
    assert score_position(filled) == 1
    assert filled.is_over
    assert score_position(fill_neutral(position.with_to_move(Color.WHITE))) == -1


def test_filling_connects_what_it_puts_in_atari() -> None:
    open_ = parse_diagram(
        """
        . X O O . .
        X . X . O .
        . X O O . .
        """,
        AREA,
    ).with_to_move(Color.WHITE)
    filled = fill_neutral(open_)
    assert [move for _, move in filled.moves] == [9, 7, PASS, PASS]


def test_filling_leaves_a_seki_as_it_is() -> None:
    position = parse_diagram(
        """
        . O . O .
        O O O O O
        X X X X X
        . X O O .
        O O O O O
        X X X X X
        . X . X .
        """,
        AREA,
    )
    assert [move for _, move in fill_neutral(position).moves] == [PASS, PASS]


def test_the_button_is_for_who_passes_first() -> None:
    rules = Rules.named("aga-button", komi=0)
    position = parse_diagram(WALLS, rules)
    assert score_position(position) == -5
    assert score_position(position.play(PASS).play(PASS)) == -4.5
    assert score_position(position.play(0).play(PASS).play(PASS)) == -5.5


@pytest.mark.parametrize(
    ("name", "paid"),
    [("chinese", 3), ("aga", 2), ("tromp-taylor", 0), ("japanese", 0), ("new-zealand", 0)],
)
def test_compensation_for_a_handicap(name: str, paid: int) -> None:
    rules = Rules.named(name, komi=0.5)
    position = parse_diagram(WALLS, rules)
    assert score_position(position) - score_position(position.with_handicap(3)) == paid
    assert score_position(position) == score_position(position.with_handicap(1))


def test_results_in_words() -> None:
    assert [format_result(margin) for margin in (3.5, -0.5, 0, 120)] == ["B+3.5", "W+0.5", "0", "B+120.0"]


# ---- life --------------------------------------------------------------------------------------------------


ALIVE = """
    . X . X . . .
    X X X X . . .
    . . . . . O O
    . . . . . O .
    . X X . . O O
    . X . X . O .
    . X X . . O O
"""


def test_unconditional_life() -> None:
    position = parse_diagram(ALIVE)
    drawn = parse_stones(ALIVE)
    black = frozenset(move for move in drawn.black if move < 14)
    assert alive_for_sure(position, Color.BLACK) == black
    assert alive_for_sure(position, Color.WHITE) == frozenset(drawn.white)


def test_two_chains_that_share_two_eyes_live() -> None:
    position = parse_diagram(
        """
        . X O O .
        X . X O .
        X X O O .
        O O O . .
        . . . . .
        """
    )
    # A5 and B4 are both vital to every black chain but C4, which has only one of them.
    assert alive_for_sure(position, Color.BLACK) == frozenset()
    position = parse_diagram(
        """
        . X O O .
        X . X O .
        . X X O .
        X X O O .
        O O O . .
        """
    )
    assert alive_for_sure(position, Color.BLACK) == frozenset(position.stones(Color.BLACK))


def test_one_big_eye_is_not_sure_life() -> None:
    position = parse_diagram(
        """
        . . . X O
        X X X X O
        O O O O O
        . . . . .
        . . . . .
        """
    )
    assert alive_for_sure(position, Color.BLACK) == frozenset()


def test_sure_life_is_never_dead_whatever_ownership_says() -> None:
    position = parse_diagram(ALIVE)
    sure = alive_for_sure(position, Color.BLACK)
    dead = dead_by_ownership(position, [-1.0] * 49)
    assert dead == frozenset(position.stones(Color.BLACK)) - sure
    assert dead_by_ownership(position, [0.1] * 49, threshold=0.2) == frozenset()
    assert dead_by_ownership(position, [0.3] * 49, threshold=0.2) == frozenset()


def test_dead_stones_are_found_by_playouts() -> None:
    text = """
        . X . . X O . . O
        X X . X X O . O .
        . . X . X O . . .
        . O . X X O . . .
        . . . X O O . X .
        X X X X O . . . .
        . . . X O O O O O
        . O . X X O . . .
        . . . X . X O . .
    """
    position = parse_diagram(text, AREA)
    assert find_dead(position) == {28, 43, 64}
    assert find_dead(position, 200, seed=5) == find_dead(position, 200, seed=5)
    owner = ownership(position, 200)
    assert len(owner) == 81
    assert all(-1 <= value <= 1 for value in owner)
    assert owner[0] > 0.9
    assert owner[8] < -0.5
    assert ownership(position, 200) == owner
    assert ownership(position, 200, seed=2) != owner
    assert ownership(position, 0) == [0.0] * 81


def test_nothing_is_dead_on_an_empty_board_or_in_a_quiet_seki() -> None:
    assert find_dead(parse_diagram(". . .\n. . .\n. . .")) == frozenset()
