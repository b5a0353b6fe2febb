"""What a leaf is worth, and what a playout tells of the moves it made (AMAF)."""

import pytest
from walking import edges_of, fresh, make_search, run

from tengen.go.coords import PASS, Color
from tengen.go.diagram import parse_diagram
from tengen.go.rules import Rules
from tengen.search.evaluators import PlayoutEvaluator, tromp_taylor_score
from tengen.search.parts import Evaluator
from tengen.search.selectors import Rave, Ucb1

# Two neutral points, C3 and C1; the other empty ones are eyes. Black and White take one each, whatever
# happens, and Black is one point ahead before the komi.
TWO_LEFT = """
    . X . O .
    X X X O O
    . X . O .
"""
UPPER, LOWER = 2, 12


def two_left(komi: float, to_move: Color = Color.BLACK):  # type: ignore[no-untyped-def]
    return parse_diagram(TWO_LEFT, Rules.named("chinese", komi=komi), to_move)


def test_the_board_as_it_stands() -> None:
    assert tromp_taylor_score(two_left(0).board) == 1
    assert tromp_taylor_score(parse_diagram(". X . .\nX X . .\n. . . .").board) == 12
    assert tromp_taylor_score(parse_diagram(". X . O\nX X . .\n. . . .").board) == 3 + 1 - 1
    assert tromp_taylor_score(fresh(9).board) == 0


@pytest.mark.parametrize(("komi", "wins"), [(0.5, 1.0), (1.5, 0.0)])
def test_amaf_credits_what_one_played_first_oneself(komi: float, wins: float) -> None:
    search = make_search(Rave(1000.0), expand_after=10**6)
    run(search, two_left(komi), 300)
    edges = {edge.move: edge for edge in edges_of(search.store, search._root, 5)}
    assert set(edges) == {UPPER, LOWER, PASS}
    # Whoever passes leaves the other the choice: Black gets exactly one of the two in every game.
    assert edges[UPPER].amaf_visits + edges[LOWER].amaf_visits == 300
    assert edges[PASS].amaf_visits == 0
    for move in (UPPER, LOWER):
        assert edges[move].amaf_visits >= edges[move].visits
        assert edges[move].amaf_wins == wins * edges[move].amaf_visits
    assert all(edge.wins == wins * edge.visits for edge in edges.values())


def test_amaf_at_every_level_is_of_the_side_to_move_there() -> None:
    search = make_search(Rave(1000.0), expand_after=1)
    run(search, two_left(0.5), 400)
    root = {edge.move: edge for edge in edges_of(search.store, search._root, 5)}
    node = root[UPPER].child
    below = {edge.move: edge for edge in edges_of(search.store, node, 5)}
    assert set(below) == {LOWER, PASS}
    # After White's pass Black takes the point himself: it is White's in no other game than those he began so.
    # The simulation that made the node ended there, and its playout took C1.
    assert below[LOWER].amaf_visits == below[LOWER].visits + 1
    assert below[LOWER].amaf_wins == 0


def test_a_margin_is_worth_a_little() -> None:
    values = {}
    for weight in (0.0, 0.5):
        playouts = PlayoutEvaluator(score_weight=weight, score_scale=20.0)
        search = make_search(Ucb1(0.5), playouts, expand_after=10**6)
        values[weight] = run(search, two_left(-9.5), 50).report.root_winrate
    assert values[0.0] == 1.0
    # value = 0.5 + 0.5 tanh(10.5 / 20), as a winrate (1 + value) / 2.
    assert values[0.5] == pytest.approx((1 + 0.5 + 0.5 * 0.4815) / 2, abs=0.002)


def test_a_tie_is_half_a_win() -> None:
    result = run(make_search(expand_after=10**6), two_left(1), 50)
    assert result.report.root_winrate == 0.5
    assert result.report.root_score == 0.0


def test_nothing_known_is_half() -> None:
    result = run(make_search(evaluator=Evaluator()), fresh(5), 100)
    assert result.report.root_winrate == 0.5
    assert not any(result.report.ownership or ())


def test_ownership_and_score_are_of_the_side_to_move() -> None:
    for color in (Color.BLACK, Color.WHITE):
        report = run(make_search(expand_after=10**6), two_left(4.5, color), 200).report
        sign = 1 if color is Color.BLACK else -1
        assert report.ownership is not None
        assert [round(sign * value) for value in report.ownership[:2]] == [1, 1]
        assert sign * report.root_score == pytest.approx(-3.5, abs=1e-6)
        assert report.root_winrate == pytest.approx(0.0 if color is Color.BLACK else 1.0, abs=1e-6)
