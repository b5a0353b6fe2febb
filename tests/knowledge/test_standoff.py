"""Seki and its like, read, by diagram."""

from tengen.go.diagram import parse_diagram
from tengen.knowledge.judging import find_dead
from tengen.knowledge.standoff import stands

# Black has an eye at G4. Whoever plays at F2 or G1 is taken, White with three stones, Black with all of his.
CORNER = """
    . O O O O O O
    . O . O X X O
    . O . O O X X
    . O . O O X .
    . O O O X X X
    . O O X X . O
    . O O O X O .
"""
# The same corner, but Black has a second eye at F5.
EYED = """
    . O O O O O O O
    . O . O X X X O
    . O . O X . X X
    . O . O O X X .
    . O O O X X X X
    . O O X X . O X
    . O O O X O . X
"""
WHITE_STONES = (41, 47)


def test_two_stones_in_a_corner_stand_if_taking_them_costs_the_eye_beside() -> None:
    position = parse_diagram(CORNER)
    assert all(stands(position.board, stone) for stone in WHITE_STONES)
    assert find_dead(position) == frozenset()


def test_they_fall_where_the_attacker_has_air_enough() -> None:
    position = parse_diagram(EYED)
    assert not stands(position.board, 46)
    assert not stands(position.board, 53)
    assert find_dead(position) == {46, 53}


def test_a_false_eye_each_and_two_liberties_shared() -> None:
    # White at D6 or F6 leaves a chain of his own in atari at a false eye, D4 or F4; Black has no eye at all.
    position = parse_diagram(
        """
        X O O . X .
        X X O O X O
        X X O . O .
        X X X O O O
        . . X O X X
        . . X X X .
        """
    )
    assert stands(position.board, 4)


def test_a_stone_in_a_living_groups_eye_does_not_stand() -> None:
    position = parse_diagram(
        """
        . O . X .
        O O X X X
        X X X . .
        . . . . .
        """
    )
    assert not stands(position.board, 1)
    inside = parse_diagram(
        """
        . . X . O
        . O X . .
        X X X . .
        . . . . .
        """
    )
    assert not stands(inside.board, 6)


def test_nothing_is_proved_when_the_nodes_do_not_suffice() -> None:
    assert not stands(parse_diagram(CORNER).board, WHITE_STONES[0], nodes=3)
