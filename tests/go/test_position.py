"""Positions: whose turn, ko of every kind, suicide, what setup refuses, and when a game is over."""

import pytest

from tengen.errors import IllegalMove
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.go.diagram import format_diagram, parse_diagram
from tengen.go.position import Position
from tengen.go.rules import RULE_SETS, Goal, Ko, Rules

BLACK, WHITE = Color.BLACK, Color.WHITE


def at(position: Position, vertex: str) -> int:
    return parse_gtp(vertex, position.width, position.height)


def play(position: Position, *vertices: str, superko: bool = True) -> Position:
    for vertex in vertices:
        position = position.play(at(position, vertex), superko=superko)
    return position


def drawn(position: Position) -> list[str]:
    return format_diagram(position, coordinates=False).splitlines()


KO = """
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . .
"""


def test_a_ko_may_not_be_retaken_at_once() -> None:
    position = play(parse_diagram(KO), "C4")
    assert position.ko == at(position, "B4")
    assert position.captures == (1, 0)
    assert position.why_illegal(at(position, "B4")) == "W B4 retakes the ko"
    assert at(position, "B4") not in position.legal_moves()
    later = play(position, "E1", "E2")
    assert later.ko == PASS
    assert play(later, "B4").captures == (1, 1)


def test_the_taker_may_fill_the_ko() -> None:
    position = play(parse_diagram(KO), "C4")
    filled = position.play(at(position, "B4"), BLACK)
    assert filled.color_at(at(position, "B4")) is BLACK
    assert position.with_to_move(BLACK).ko == PASS
    assert position.with_to_move(BLACK).is_legal(at(position, "B4"))


def test_rules_without_ko_forbid_nothing() -> None:
    position = play(parse_diagram(KO, Rules(ko=Ko.NONE)), "C4")
    assert position.ko == PASS
    assert drawn(play(position, "B4")) == drawn(parse_diagram(KO))


def test_play_leaves_the_old_position_as_it_was() -> None:
    position = parse_diagram(KO)
    before = drawn(position), position.hash, position.captures
    play(position, "C4", "pass", "E1")
    assert (drawn(position), position.hash, position.captures) == before
    with pytest.raises(TypeError, match=r"Position\.start"):
        Position()


@pytest.mark.parametrize(
    ("name", "legal"),
    [("chinese", True), ("tromp-taylor", False), ("chinese-kgs", False), ("aga", False)],
)
def test_a_long_cycle_is_only_forbidden_by_superko(name: str, legal: bool) -> None:
    # On 2x2 the stones come round again within eight moves, every one a stone.
    found = _repetition_without_passes(Position.start(Rules.named(name, (2, 2))), 8)
    assert (found is not None) == legal


def _repetition_without_passes(position: Position, depth: int) -> Position | None:
    """A line of at most depth stones in which the same stones stand with the same side to move, or None."""
    seen = {(before.hash, before.to_move) for before in position.line() if before is not position}
    if (position.hash, position.to_move) in seen:
        return position
    if depth == 0:
        return None
    for move in position.legal_moves():
        found = _repetition_without_passes(position.play(move), depth - 1)
        if found is not None:
            return found
    return None


SENDING_TWO = """
    . O . O .
    X X O O .
    . X O . .
    X X O . .
"""


@pytest.mark.parametrize(
    ("ko", "first", "second"),
    [(Ko.POSITIONAL, False, False), (Ko.SITUATIONAL, True, False), (Ko.SIMPLE, True, True)],
)
def test_sending_two_returning_one(ko: Ko, first: bool, second: bool) -> None:
    # White adds A4, Black takes both at C4, White takes that stone at B4: the same stones, Black to move.
    start = parse_diagram(SENDING_TWO, Rules(ko=ko), to_move=WHITE)
    taken = play(start, "A4", "C4")
    assert taken.captures == (2, 0)
    assert taken.board.ko_point == PASS
    retake = at(taken, "B4")
    assert taken.is_legal(retake) == first
    back = taken.play(retake, superko=False)
    assert (drawn(back), back.to_move) == (drawn(start), BLACK)
    # Black passes, and once more: now the side to move is the same too.
    assert play(back, "pass", "A4", "C4", superko=False).is_legal(retake) == second


def test_superko_may_be_tolerated() -> None:
    position = play(parse_diagram(KO, Rules.named("tromp-taylor")), "C4", "pass", "pass")
    retake = at(position, "B4")
    assert position.why_illegal(retake) == "W B4 repeats a position (positional superko)"
    with pytest.raises(IllegalMove, match="repeats a position"):
        position.play(retake)
    assert drawn(position.play(retake, superko=False)) == drawn(parse_diagram(KO))
    assert retake not in position.legal_moves()


def test_superko_looks_back_beyond_a_setup_of_rules() -> None:
    position = play(parse_diagram(KO), "C4", "pass", "pass")
    strict = position.with_rules(position.rules.replace(ko=Ko.POSITIONAL))
    assert position.is_legal(at(position, "B4"))
    assert not strict.is_legal(at(position, "B4"))
    with pytest.raises(ValueError, match="another board size"):
        position.with_rules(Rules(9, 9))


CORNER = """
    . X O . .
    X . O . .
    O O O . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize("name", sorted(RULE_SETS))
def test_suicide_by_rule_set(name: str) -> None:
    rules = Rules.named(name)
    # One stone never: it would be a pass. Two where the rules allow it.
    lone = parse_diagram(
        """
        . O .
        O . .
        . . .
        """,
        rules,
    )
    assert not lone.is_legal(0)
    pair = parse_diagram(
        """
        X . O
        O O .
        . . .
        """,
        rules,
    )
    assert pair.is_legal(1) == (name in ("tromp-taylor", "new-zealand"))


def test_suicide_of_several_stones_takes_them_off() -> None:
    position = parse_diagram(
        """
        X . O
        O O .
        . . .
        """,
        Rules.named("new-zealand"),
    )
    after = position.play(1)
    assert drawn(after) == [". . O", "O O .", ". . ."]
    assert after.captures == (0, 2)
    assert after.hash == position.board.hash_after(1, BLACK)
    assert after.ko == PASS


def test_a_capture_is_no_suicide() -> None:
    position = parse_diagram(
        """
        . O X
        O X .
        X . .
        """,
    )
    after = position.play(0)
    assert drawn(after) == ["X . X", ". X .", "X . ."]
    assert after.captures == (2, 0)


def test_handicap_and_setup() -> None:
    rules = Rules(9, 9)
    position = Position.setup(rules, black=[20, 60], to_move=WHITE, handicap=2)
    assert (position.handicap, position.to_move, position.move_number) == (2, WHITE, 0)
    assert position.stones(BLACK) == [20, 60]
    later = position.play(40).play(41)
    assert later.handicap == 2
    assert later.root is position
    assert later.moves == ((WHITE, 40), (BLACK, 41))
    assert later.with_handicap(5).handicap == 5
    assert later.with_handicap(5).moves == later.moves


def test_setup_errors_name_the_point() -> None:
    rules = Rules(3, 3)
    with pytest.raises(IllegalMove, match="setup: two stones on A3"):
        Position.setup(rules, black=[0], white=[0])
    with pytest.raises(IllegalMove, match="setup: a chain without liberties"):
        Position.setup(rules, black=[0], white=[1, 3])
    with pytest.raises(IllegalMove, match="setup: a chain without liberties at C1"):
        Position.setup(rules, black=range(9))
    with pytest.raises(IllegalMove, match="off the 3x3 board"):
        Position.setup(rules, black=[9])


def test_a_full_setup_with_one_liberty_each_is_fine() -> None:
    position = parse_diagram(
        """
        X X .
        X X O
        . O O
        """
    )
    assert position.board.liberties(0) == 2
    assert position.play(2).captures == (0, 0)


def test_passes_end_the_game_and_moves_go_on() -> None:
    position = Position.start(Rules(5, 5))
    one = position.play(PASS)
    assert (one.passes, one.is_over, one.to_move) == (1, False, WHITE)
    over = one.play(PASS)
    assert over.is_over
    assert over.move_number == 2
    again = over.play(12)
    assert (again.passes, again.is_over) == (0, False)
    assert not one.play(12).play(PASS).is_over


def test_first_capture_decides() -> None:
    rules = Rules.named("capture")
    position = parse_diagram(
        """
        . X .
        X O X
        . . .
        """,
        rules,
    )
    assert position.capture_winner is Color.EMPTY
    won = position.play(7)
    assert (won.capture_winner, won.is_over) == (BLACK, True)
    assert won.captures == (1, 0)
    lost = parse_diagram("X . O\nO O .\n. . .", rules.replace(suicide=True)).play(1)
    assert (lost.capture_winner, lost.is_over) == (WHITE, True)
    assert rules.goal is Goal.FIRST_CAPTURE


def test_the_same_colour_twice() -> None:
    position = Position.start(Rules(5, 5)).play(12).play(13, BLACK)
    assert position.to_move is WHITE
    assert position.moves == ((BLACK, 12), (BLACK, 13))
    assert position.last_color is BLACK


def test_keys_tell_what_goes_on_differently() -> None:
    start = Position.start(Rules(5, 5))
    left, right = play(start, "A1", "B2", "C3", "D4"), play(start, "C3", "D4", "A1", "B2")
    assert left.key == right.key
    assert left.with_to_move(WHITE).key != left.key
    assert left.hash == left.with_to_move(WHITE).hash
    position = parse_diagram(KO)
    taken = play(position, "C4")
    quiet = Position.setup(position.rules, taken.stones(BLACK), taken.stones(WHITE), to_move=WHITE)
    assert taken.hash == quiet.hash
    assert taken.key != quiet.key


def test_why_illegal_in_words() -> None:
    position = parse_diagram(CORNER)
    assert position.why_illegal(at(position, "B5")) == "B B5 is occupied"
    assert position.why_illegal(at(position, "A5"), WHITE) == "W A5 is suicide"
    assert position.why_illegal(at(position, "A5"), BLACK) is None
    assert position.why_illegal(PASS) is None
    with pytest.raises(IllegalMove, match="illegal move: W B5 is occupied"):
        position.play(at(position, "B5"), WHITE)
