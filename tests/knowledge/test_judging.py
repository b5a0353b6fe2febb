"""The dead of finished games by guided playouts, by diagram."""

import pytest

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.program import interpreter_for
from tengen.front.gtp.settings import EngineSettings
from tengen.go.coords import Color
from tengen.go.diagram import parse_diagram
from tengen.go.rules import Rules
from tengen.knowledge.judging import find_dead, ownership
from tengen.players import Judge
from tengen.systems import Resources, make_player

# Black's five stones and White's in the middle share A4 and E4: who plays there first is captured.
SEKI = """
    . O . O .
    O O O O O
    X X X X X
    . X O O .
    O O O O O
    X X X X X
    . X . X .
"""
# In White's corner stands a black stone, in Black's a white one.
DEAD = """
    . . X O . . .
    . O X O . X .
    . . X O . . .
    X X X O O O O
    . . X X O . .
    . . . X O . .
    . . . X O . .
"""


def test_a_seki_lives_on_both_sides() -> None:
    assert find_dead(parse_diagram(SEKI)) == frozenset()


def test_lone_stones_in_a_territory_are_dead() -> None:
    assert find_dead(parse_diagram(DEAD)) == {8, 12}


def test_ownership_is_from_one_side_to_the_other_and_repeats() -> None:
    position = parse_diagram(DEAD)
    owner = ownership(position, 60)
    assert len(owner) == 49
    assert all(-1 <= value <= 1 for value in owner)
    assert owner[0] > 0.8
    assert owner[6] < -0.8
    assert owner == ownership(position, 60)
    assert owner != ownership(position, 60, seed=2)
    assert ownership(position, 0) == [0.0] * 49


def test_whose_turn_it_is_does_not_matter() -> None:
    position = parse_diagram(DEAD)
    assert ownership(position, 40) == ownership(position.with_to_move(Color.WHITE), 40)


@pytest.mark.parametrize("engine", ["random", "greedy"])
def test_engines_without_a_judgment_of_their_own_say_the_same(engine: str) -> None:
    gtp = interpreter_for(
        Engine(
            EngineSettings(
                build=lambda repeatable: make_player(engine, Resources(seed=1)),
                rules=lambda: Rules.named("japanese", 7, 0),
            )
        )
    )
    setup = "set_position b c7 b c6 b c5 b a4 b b4 b c4 b c3 b d3 b d2 b d1 b f6"
    setup += " w d7 w d6 w d5 w d4 w e4 w f4 w g4 w e3 w e2 w e1 w b6"
    assert gtp.answer(setup.encode()) == b"=\n\n"
    assert gtp.answer(b"final_status_list dead") == b"= B6\nF6\n\n"
    # Territory and the dead: Black 6 + 8 and one, White 9 + 6 and one.
    assert gtp.answer(b"final_score") == b"= W+1.0\n\n"


def test_a_player_that_searches_judges_the_dead_by_playouts_alone() -> None:
    position = parse_diagram(DEAD)
    player = make_player("rave", Resources(seed=1))
    assert isinstance(player, Judge)
    assert player.dead_stones(position) == find_dead(position) == {8, 12}
    assert player.dead_stones(parse_diagram(SEKI)) == frozenset()
