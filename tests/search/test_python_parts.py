"""Selectors, pruners, evaluators and choosers in plain Python: they work, and what is wrong with one is said."""

import math
import random
from collections.abc import Sequence

import pytest
from walking import edges_of, fresh, make_search, run

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move
from tengen.go.position import Position
from tengen.search.choosers import RootMove, Softened
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.interfaces import Branch, Leaf, Limit
from tengen.search.parts import Pruner
from tengen.search.python_parts import as_evaluator, as_pruner, as_selector
from tengen.search.search import Search
from tengen.search.selectors import Ucb1


class PlainUcb1:
    def __init__(self, exploration: float) -> None:
        self.exploration = exploration

    def select(self, visits: int, branches: Sequence[Branch]) -> int:
        def worth(index: int) -> float:
            branch = branches[index]
            if not branch.open:
                return -math.inf
            if not branch.visits:
                return 1e9 + branch.prior
            bonus = self.exploration * math.sqrt(2 * math.log(visits + 1) / branch.visits)
            return branch.wins / branch.visits + bonus

        return max(range(len(branches)), key=worth)


class Rows:
    """Looks at the top rows only, and likes the left."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.told: list[Position] = []

    def begin(self, position: Position) -> None:
        self.told.append(position)

    def moves(self, leaf: Leaf) -> list[tuple[Move, float]]:
        width = leaf.board.width
        legal = leaf.board.legal_moves(int(leaf.to_move))
        return [(move, 2.0 if move % width == 0 else 1.0) for move in legal if move < self.rows * width]


class Stones:
    """Who has more stones on the board is better off."""

    def evaluate(self, leaf: Leaf) -> float:
        stones = leaf.board.stones_list()
        more = stones.count(1) - stones.count(2)
        value = math.tanh(more - leaf.komi)
        return value if leaf.to_move is Color.BLACK else -value


def searching(
    selector: object = None, pruner: object = None, evaluator: object = None, **options: object
) -> Search:
    settings = {"memory_mb": 8, "early_stop": False, "expand_after": 1} | options
    return Search(
        selector or Ucb1(0.5),  # type: ignore[arg-type]
        pruner or Pruner(),  # type: ignore[arg-type]
        evaluator or PlayoutEvaluator(),  # type: ignore[arg-type]
        **settings,  # type: ignore[arg-type]
    )


def test_a_plain_selector_grows_the_tree_the_compiled_one_grows() -> None:
    plain, compiled = searching(PlainUcb1(0.5)), searching(Ucb1(0.5))
    for search in (plain, compiled):
        run(search, fresh(4), 400)
    visits = [
        [edge.visits for edge in edges_of(search.store, search.root, 4)] for search in (plain, compiled)
    ]
    # Single and double precision part ways now and then; nowhere far.
    assert sum(abs(a - b) for a, b in zip(*visits, strict=True)) <= 40
    assert max(range(17), key=visits[0].__getitem__) == max(range(17), key=visits[1].__getitem__)


def test_a_selector_may_ask_for_amaf() -> None:
    class Amaf(PlainUcb1):
        uses_amaf = True
        seen = 0.0

        def select(self, visits: int, branches: Sequence[Branch]) -> int:
            Amaf.seen = max(Amaf.seen, *(branch.amaf_visits for branch in branches))
            assert all(0 <= branch.amaf_wins <= branch.amaf_visits + 1e-3 for branch in branches)
            return super().select(visits, branches)

    run(searching(Amaf(0.5)), fresh(4), 200)
    assert Amaf.seen > 10


def test_a_plain_pruner_gives_the_moves_and_their_priors() -> None:
    pruner = Rows(2)
    search = searching(Ucb1(0.5), pruner)
    position = fresh(4)
    run(search, position, 300)
    edges = edges_of(search.store, search.root, 4)
    assert pruner.told[0] is position
    assert {edge.move for edge in edges} == {*range(8), PASS}
    priors = {edge.move: edge.prior for edge in edges}
    assert priors[0] == priors[4] == pytest.approx(0.2)
    assert priors[1] == pytest.approx(0.1)
    assert priors[PASS] == 0
    assert [edge.prior for edge in edges] == sorted((edge.prior for edge in edges), reverse=True)


def test_a_plain_evaluator_decides_what_is_good() -> None:
    from tengen.go.diagram import parse_diagram
    from tengen.go.rules import Rules

    text = """
        . . . . .
        . O O X .
        . X X O .
        . . . . .
        . . . . .
    """
    position = parse_diagram(text, Rules.named("chinese", komi=0.5)).with_to_move(Color.WHITE)
    # Nothing can be taken in one move; stones in number are all it knows.
    assert run(searching(None, None, Stones()), position, 300).report.moves
    text = """
        . . . . .
        . X O X .
        . . X . .
        . . . . .
        . . . . .
    """
    position = parse_diagram(text, Rules.named("chinese", komi=0.5)).with_to_move(Color.BLACK)
    taken = run(searching(None, None, Stones()), position, 600)
    assert taken.choice == 2, "the capture"


def test_all_parts_plain_and_two_threads() -> None:
    class Worst:
        def choose(self, moves: Sequence[RootMove], rng: random.Random) -> int:
            return min(range(len(moves)), key=lambda i: moves[i].visits)

    search = searching(PlainUcb1(0.5), Rows(4), Stones(), chooser=Worst(), threads=2)
    result = run(search, fresh(4), 400)
    assert result.simulations == 400
    visits = {info.move: info.visits for info in result.report.moves}
    assert visits.get(result.choice, 0) == min(visits.values())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("place", ["selector", "pruner", "evaluator"])
def test_what_a_part_raises_the_search_raises(place: str, threads: int) -> None:
    class Broken:
        calls = 0

        def fail(self, *_: object) -> None:
            Broken.calls += 1
            raise ZeroDivisionError("my part")

        select = moves = evaluate = fail

    search = searching(**{place: Broken()}, threads=threads)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError, match="my part"):
        search.run(fresh(4), Limit(playouts=10**9))
    assert Broken.calls > 0


@pytest.mark.parametrize("answer", [-1, 99, 2.5e9])
def test_a_selector_that_names_no_branch(answer: float) -> None:
    class Wrong:
        def select(self, visits: int, branches: Sequence[Branch]) -> float:
            return answer

    with pytest.raises(ConfigError, match="index of an open branch"):
        run(searching(Wrong()), fresh(3), 10)


@pytest.mark.parametrize("moves", [[(99, 1.0)], [(-5, 1.0)], [(4, 1.0)], [(0, -1.0)], [(0, math.nan)]])
def test_a_pruner_that_names_no_move(moves: list[tuple[Move, float]]) -> None:
    class Wrong:
        def moves(self, leaf: Leaf) -> list[tuple[Move, float]]:
            return moves

    with pytest.raises(ConfigError, match="moves"):
        run(searching(None, Wrong()), fresh(3).play(4), 10)


@pytest.mark.parametrize("value", [1.5, -2.0, math.nan])
def test_an_evaluator_out_of_range(value: float) -> None:
    class Wrong:
        def evaluate(self, leaf: Leaf) -> float:
            return value

    with pytest.raises(ConfigError, match="-1 to 1"):
        run(searching(None, None, Wrong()), fresh(3), 10)


def test_a_search_goes_on_after_a_part_was_mended() -> None:
    class Moody:
        broken = True

        def evaluate(self, leaf: Leaf) -> float:
            if Moody.broken:
                raise ValueError("not now")
            return 0.0

    search = searching(None, None, Moody())
    with pytest.raises(ValueError, match="not now"):
        run(search, fresh(3), 50)
    Moody.broken = False
    assert run(search, fresh(3), 50).simulations == 50


def test_what_is_no_part_at_all() -> None:
    for adapt, method in ((as_selector, "select"), (as_pruner, "moves"), (as_evaluator, "evaluate")):
        with pytest.raises(ConfigError, match=method):
            adapt(object())  # type: ignore[operator]
    selector = Ucb1()
    assert as_selector(selector) is selector


def test_a_soft_chooser_draws_by_visits() -> None:
    moves = [RootMove(0, 80, 0.5, 0.1), RootMove(1, 20, 0.5, 0.1), RootMove(2, 0, 0.0, 0.8)]
    rng = random.Random(1)
    drawn = [Softened(1.0).choose(moves, rng) for _ in range(2000)]
    assert drawn.count(0) == pytest.approx(1600, abs=80)
    assert 2 not in drawn
    sharp = [Softened(0.25).choose(moves, rng) for _ in range(2000)]
    assert sharp.count(0) > 1980
    assert Softened(0.0).choose(moves, rng) == 0
    assert Softened(1.0).choose([RootMove(5, 0, 0.0, 0.1), RootMove(6, 0, 0.0, 0.9)], rng) == 1


def test_the_usual_search_is_as_before() -> None:
    assert (
        run(make_search(seed=3), fresh(5), 300).report.moves
        == run(make_search(seed=3), fresh(5), 300).report.moves
    )
