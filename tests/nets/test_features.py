"""Every plane of every feature set, held by a diagram."""

import numpy as np
import pytest

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.feature_sets import FEATURE_SETS, feature_spec, move_of_policy_index, policy_index
from tengen.nets.views import globals_of, planes_of


def plane(position: Position, name: str, features: str = "dann") -> str:
    """One plane as text: ``#`` set, ``.`` not."""
    planes, _ = planes_of(position, features)
    chosen = planes[feature_spec(features).plane_names.index(name)]
    assert set(np.unique(chosen)) <= {0, 1}
    return "\n".join("".join(".#"[value] for value in row) for row in chosen)


def drawn(text: str) -> str:
    return "\n".join(line.replace(" ", "") for line in text.strip().splitlines())


def played(moves: list[tuple[int, int]], size: int = 5) -> Position:
    """Row, column pairs played from the empty board, Black first."""
    position = Position.start(Rules(size, size))
    for row, column in moves:
        position = position.play(row * size + column)
    return position


CORNER = parse_diagram(
    """
    . X O . .
    X . O . .
    O O O . X
    . . . . .
    . . X . .
    """
)


def test_the_sets_have_the_papers_and_our_counts() -> None:
    assert {name: (spec.planes, spec.globals) for name, spec in FEATURE_SETS.items()} == {
        "dann": (41, 0),
        "dann-noladder": (39, 0),
        "pocket": (16, 8),
        "tactics": (26, 8),
    }
    with pytest.raises(ConfigError, match="dann48"):
        feature_spec("dann48")


@pytest.mark.parametrize("features", ["dann", "pocket"])
def test_stones_are_own_opponent_and_empty_for_the_side_to_move(features: str) -> None:
    black = drawn(
        """
        . # . . .
        # . . . .
        . . . . #
        . . . . .
        . . # . .
        """
    )
    white = drawn(
        """
        . . # . .
        . . # . .
        # # # . .
        . . . . .
        . . . . .
        """
    )
    turned = CORNER.with_to_move(Color.WHITE)
    assert plane(CORNER, "own", features) == black == plane(turned, "opponent", features)
    assert plane(CORNER, "opponent", features) == white == plane(turned, "own", features)
    both = [a == "#" or b == "#" for a, b in zip(black, white, strict=True)]
    empty = plane(CORNER, "empty", features)
    assert all((mark == "#") != stone for mark, stone in zip(empty, both, strict=True) if mark != "\n")


def test_liberties_are_the_chains() -> None:
    position = parse_diagram(
        """
        X O . . .
        . O . X X
        O . . . .
        . X O . .
        . O . . .
        """
    )
    assert plane(position, "liberties 1") == drawn(
        """
        # . . . .
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        """
    )
    assert plane(position, "liberties 2") == drawn(
        """
        . . . . .
        . . . . .
        . . . . .
        . # . . .
        . # . . .
        """
    )
    assert plane(position, "liberties 3") == drawn(
        """
        . . . . .
        . . . . .
        # . . . .
        . . # . .
        . . . . .
        """
    )
    assert plane(position, "liberties 4+") == drawn(
        """
        . # . . .
        . # . # #
        . . . . .
        . . . . .
        . . . . .
        """
    )


def test_legality_knows_suicide_and_sense_spares_own_eyes() -> None:
    position = parse_diagram(
        """
        . X . . .
        X X O O .
        . . O . O
        O O O O .
        . O . . .
        """
    )
    white = position.with_to_move(Color.WHITE)
    # White may not play the corner (suicide), and should not fill D3 or A1 and C1.
    assert plane(white, "legal") == drawn(
        """
        . . # # #
        . . . . #
        # # . # .
        . . . . #
        # . # # #
        """
    )
    assert plane(white, "sensible") == drawn(
        """
        . . # # #
        . . . . #
        # # . . .
        . . . . #
        . . # # #
        """
    )
    assert plane(position, "legal") == drawn(
        """
        # . # # #
        . . . . #
        # # . . .
        . . . . #
        . . # # #
        """
    )


def test_ko_is_illegal_and_marked() -> None:
    position = played([(1, 1), (1, 2), (2, 0), (2, 3), (3, 1), (3, 2), (2, 2), (2, 1)])
    taken = drawn(
        """
        . . . . .
        . . . . .
        . . # . .
        . . . . .
        . . . . .
        """
    )
    assert plane(position, "ko", "pocket") == taken
    assert plane(position, "legal")[2 * 6 + 2] == "."
    assert plane(position.play(PASS), "ko", "pocket").count("#") == 0


def test_colour_zeros_and_ones() -> None:
    assert plane(CORNER, "Black to move").count("#") == 25
    assert plane(CORNER.with_to_move(Color.WHITE), "Black to move").count("#") == 0
    assert plane(CORNER, "zeros").count("#") == 0
    assert plane(CORNER, "ones", "pocket").count("#") == 25


def test_liberties_after_the_move() -> None:
    position = parse_diagram(
        """
        . O X . .
        O . X . .
        X X X . O
        . . . O .
        . . O . X
        """
    )
    # Black at B4 takes nothing and joins; at A5 he would stand alone without liberty: illegal.
    assert plane(position, "liberties after the move 1") == drawn(
        """
        . . . . .
        . . . . .
        . . . . .
        . . . . #
        . . . # .
        """
    )
    # A5 stands empty after B4 only once its stones are taken; the joined chain then breathes six times.
    assert plane(position, "liberties after the move 6+") == drawn(
        """
        . . . # .
        . # . # .
        . . . # .
        # # # . .
        . . . . .
        """
    )
    assert plane(position, "liberties after the move 2") == drawn(
        """
        . . . . #
        . . . . #
        . . . . .
        . . . . .
        # # . . .
        """
    )


def test_stones_taken_give_liberties() -> None:
    position = parse_diagram(
        """
        . O O X .
        X X X . .
        . . . . .
        """
    )
    # A3 takes two: their points and nothing else touch the joined chain's new stone.
    assert plane(position, "captures 2")[0] == "#"
    assert plane(position, "captures 0")[0] == "."
    assert plane(position, "liberties after the move 6+")[0] == "#"


def test_captures_and_self_atari_are_counted() -> None:
    position = parse_diagram(
        """
        X O . X
        . O . X
        . O X O
        O . X .
        """
    )
    # At C3 Black takes nothing; at B1 and C4 nothing either; D1 takes the stone at D2.
    assert plane(position, "captures 1") == "....\n....\n....\n...#"
    assert plane(position, "self-atari of 3") == "..#.\n....\n....\n...."
    # A3 joins the corner stone and leaves both one liberty, A2; a stone on A2 has only A3.
    assert plane(position, "self-atari of 2") == "....\n#...\n....\n...."
    assert plane(position, "self-atari of 1") == "....\n....\n#...\n...."
    assert plane(position, "self-atari", "tactics") == "..#.\n#...\n#...\n...."
    assert plane(position, "captures 1", "tactics") == "....\n....\n....\n...#"
    assert plane(position, "captures 0").count("#") == plane(position, "legal").count("#") - 1


def test_large_captures_and_self_ataris_share_a_plane() -> None:
    position = parse_diagram(
        """
        . O O O O O O O O
        X X X X X X X X X
        . . . . . . . . .
        """
    )
    assert plane(position, "captures 7+")[0] == "#"
    assert plane(position.with_to_move(Color.WHITE), "self-atari of 8+").count("#") == 0
    other = parse_diagram(
        """
        . . O O O O O O O O
        X X X X X X X X X X
        . . . . . . . . . .
        """,
        to_move=Color.WHITE,
    )
    assert plane(other, "self-atari of 8+").splitlines()[0] == ".#........"


def test_turns_since() -> None:
    position = played([(0, 0), (4, 4), (1, 1), (3, 3), (2, 2), (0, 4), (4, 0)])
    expected = {
        "turns since 1": (4, 0),
        "turns since 2": (0, 4),
        "turns since 3": (2, 2),
        "turns since 4": (3, 3),
        "turns since 5": (1, 1),
    }
    for name, (row, column) in expected.items():
        marked = plane(position, name)
        assert marked.count("#") == 1
        assert marked.splitlines()[row][column] == "#"
    assert plane(position, "turns since 6+") == drawn(
        """
        # . . . .
        . . . . .
        . . . . .
        . . . . .
        . . . . #
        """
    )
    passed = position.play(PASS)
    assert plane(passed, "turns since 1").count("#") == 0
    assert plane(passed, "turns since 2").splitlines()[4][0] == "#"


def test_the_last_moves_and_passes_of_a_pocket_net() -> None:
    position = played([(0, 0), (4, 4)]).play(PASS).play(2 * 5 + 2)
    assert plane(position, "move 1 ago", "pocket").splitlines()[2] == "..#.."
    assert plane(position, "move 2 ago", "pocket").count("#") == 0
    assert plane(position, "move 3 ago", "pocket").splitlines()[4] == "....#"
    assert plane(position, "move 4 ago", "pocket").splitlines()[0] == "#...."
    assert plane(position, "move 5 ago", "pocket").count("#") == 0


def test_liberties_of_a_pocket_net() -> None:
    assert plane(CORNER, "own, 2 liberties", "pocket").splitlines()[0] == ".#..."
    assert plane(CORNER, "own, 1 liberties", "pocket").count("#") == 0
    assert plane(CORNER, "own, 3+ liberties", "pocket").count("#") == 2
    assert plane(CORNER, "opponent, 3+ liberties", "pocket").count("#") == 5


LADDER = parse_diagram(
    """
    . . . . . . . . .
    . . . . . . . . .
    . . X X . . . . .
    . X O a b . . . .
    . . X c . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """
)


def test_a_ladder_runs_to_the_edge() -> None:
    white = LADDER.with_to_move(Color.WHITE)
    assert plane(white, "ladder escape").count("#") == 0
    two = parse_diagram(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . X X . . . . .
        . X O O . . . . .
        . . X . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    # Black catches two stones from one side only: E6 lets them out below, D5 lets them run into the corner.
    assert plane(two, "ladder capture").count("#") == 1
    assert plane(two, "ladder capture").splitlines()[3] == "....#...."


def test_a_ladder_breaker_saves() -> None:
    broken = parse_diagram(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . X X . . . . .
        . X O O . . . . .
        . . X . . . . . .
        . . . . . . . . .
        . . . . . . O . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert plane(broken, "ladder capture").count("#") == 0
    escape = parse_diagram(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . X X . . . . .
        . X O . . . . . .
        . . X . . . . . .
        . . . . . . . . .
        . . . . . . O . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        to_move=Color.WHITE,
    )
    assert plane(escape, "ladder escape").splitlines()[3] == "...#....."


def test_a_chain_in_atari_escapes_by_capturing() -> None:
    position = parse_diagram(
        """
        . . . . . .
        X X X O . .
        . O O X . .
        X X X O . .
        . . . . . .
        """,
        to_move=Color.WHITE,
    )
    assert plane(position, "ladder escape") == drawn(
        """
        . . . . . .
        . . . . . .
        . . . . # .
        . . . . . .
        . . . . . .
        """
    )


def test_caught_stones_of_the_tactics_set() -> None:
    white = LADDER.with_to_move(Color.WHITE)
    assert plane(white, "own caught in a ladder", "tactics").splitlines()[3] == "..#......"
    assert plane(LADDER, "opponent caught in a ladder", "tactics").splitlines()[3] == "..#......"


def test_what_a_move_does_in_the_tactics_set() -> None:
    position = parse_diagram(
        """
        . O O X .
        X X X . .
        . X . . .
        X X . . .
        """
    )
    assert plane(position, "legal", "tactics") == plane(position, "legal")
    assert plane(position, "captures 2+", "tactics") == "#....\n.....\n.....\n....."
    assert plane(position, "own eye", "tactics") == ".....\n.....\n#....\n....."
    assert plane(position, "2 liberties after the move", "tactics") == "....#\n.....\n.....\n....#"


def test_policy_indices() -> None:
    assert policy_index(PASS, 9, 9) == 81
    assert move_of_policy_index(81, 9, 9) == PASS
    assert all(move_of_policy_index(policy_index(m, 9, 7), 9, 7) == m for m in (PASS, 0, 62))


def test_numbers_beside_the_planes() -> None:
    rules = Rules.named("japanese", 9, 6.5)
    start = Position.start(rules)
    assert globals_of(start, "pocket").tolist() == pytest.approx([-6.5 / 15, 0, 0, 0, 1, 0, 0, 1])
    passed = start.play(PASS)
    assert globals_of(passed, "pocket").tolist() == pytest.approx([6.5 / 15, 0, 1, 0, 1, 0, 0, 0])
    tromp = Position.start(Rules.named("tromp-taylor", 9, 7.5))
    assert globals_of(tromp, "tactics").tolist() == pytest.approx([-0.5, 0, 0, 0, 0, 1, 1, 1])
    assert globals_of(start, "dann").shape == (0,)
