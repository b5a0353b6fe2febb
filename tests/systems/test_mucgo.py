"""mucgo, part by part: Algorithm 2's two layers, Eq. 9, the high-quality interval, and the stages of a game."""

import math
import random
import threading

import pytest

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.knowledge.moves import move_values
from tengen.knowledge.playout import UniformPlayout
from tengen.players import AnalysisReport, AnalysisRequest, Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.parts import Pruner, Selector
from tengen.search.pruners import KnowledgePruner
from tengen.search.search import Search
from tengen.search.selectors import Ucb1
from tengen.systems import Resources, make_player
from tengen.systems.mucgo import Mucgo, Parameters
from tengen.systems.mucgo_parts import (
    LayeredPruner,
    QualityInterval,
    knowledge_value,
    mixed_value,
    ucb1,
)

NEVER = 10**6


def fresh(size: int, komi: float = 6.5) -> Position:
    return Position.start(Rules.named("chinese", size, komi))


def searching(selector: Selector, pruner: Pruner, **options: object) -> Search:
    settings = {"memory_mb": 16, "early_stop": False, "expand_after": NEVER} | options
    return Search(selector, pruner, PlayoutEvaluator(UniformPlayout()), **settings)  # type: ignore[arg-type]


def run(search: Search, position: Position, playouts: int) -> list[tuple]:
    """The root's edges after so many simulations more."""
    search.run(position, Limit(playouts=playouts))
    return search.store.edges(search.root)


def flagged(search: Search) -> set[int]:
    return {index for index, edge in enumerate(search.store.edges(search.root)) if edge[7]}


# ---- Eq. 9 -----------------------------------------------------------------------------------------------


def test_eq_9_in_numbers() -> None:
    assert mixed_value(0.6, 0.5, 0.8) == pytest.approx(0.6 * 0.5 + 0.4 * 0.8)
    assert mixed_value(1.0, 0.3, 0.9) == pytest.approx(0.3)
    assert mixed_value(0.0, 0.3, 0.9) == pytest.approx(0.9)


def test_u_is_ucb1() -> None:
    assert ucb1(6, 10, 100, 0.3) == pytest.approx(0.6 + 0.3 * math.sqrt(2 * math.log(100) / 10))
    assert ucb1(6, 10, 100, 0.0) == pytest.approx(0.6)


def test_d_is_a_half_for_the_average_move_and_grows_with_knowledge() -> None:
    assert knowledge_value(1 / 50, 50, 12.0) == pytest.approx(0.5, abs=1e-4)
    values = [knowledge_value(share / 50, 50, 2.0) for share in (0, 0.1, 1, 10, 50)]
    assert values == sorted(values)
    assert values[0] < 0.01
    assert values[3] == pytest.approx(1 / (1 + 0.1**0.5), abs=1e-4)


@pytest.mark.parametrize("amaf", [0.0, 40.0])
@pytest.mark.parametrize("f", [0.5, 0.6, 0.9])
def test_without_an_interval_the_search_follows_eq_9(f: float, amaf: float) -> None:
    search = searching(QualityInterval(f, 0.3, amaf, 0.0, 4.0), LayeredPruner(KnowledgePruner(), 0.0, 0.0))
    position = fresh(5)
    run(search, position, 1)
    followed = set()
    for _ in range(120):
        total = search.store.node_stats(search.root)[0]
        before = search.store.edges(search.root)
        worth = [value_of(edge, len(before), total, f, 0.3, amaf, 4.0) for edge in before]
        (index,) = chosen(before, run(search, position, 1))
        assert worth[index] >= max(worth) - 1e-4
        followed.add(index)
    assert len(followed) > 3 or f > 0.8, "at 0.9 knowledge alone decides"


def value_of(edge: tuple, count: int, total: int, f: float, c: float, amaf: float, temper: float) -> float:
    """Eq. 9 once more, from what the paper says and the module settles."""
    _, n, w, seen, won, prior, _, _ = edge
    if not amaf:
        seen = won = 0.0
    u = 1.0
    if n + seen:
        weight = seen / (seen + n + n * seen / amaf) if seen else 0.0
        mean = (1 - weight) * (w / n if n else 0.0) + (weight * won / seen if seen else 0.0)
        u = mean + c * math.sqrt(2 * math.log(total + 1) / (n + 1))
    return f * knowledge_value(prior, count, temper) + (1 - f) * u


def chosen(before: list[tuple], after: list[tuple]) -> list[int]:
    return [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old[1] != new[1]]


# ---- RSHQI -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quality", [0.05, 0.15, 0.4])
def test_the_move_followed_is_one_of_the_high_quality_interval(quality: float) -> None:
    selector = QualityInterval(0.6, 0.3, 0.0, quality, 4.0, 0)
    search = searching(selector, LayeredPruner(KnowledgePruner(), 0.0, 0.0))
    position = fresh(5)
    run(search, position, 30)
    others = 0
    for _ in range(150):
        total = search.store.node_stats(search.root)[0]
        before = search.store.edges(search.root)
        worth = [value_of(edge, len(before), total, 0.6, 0.3, 0.0, 4.0) for edge in before]
        (index,) = chosen(before, run(search, position, 1))
        bar = max(worth) - quality * (max(worth) - min(worth))
        assert worth[index] >= bar - 1e-4
        others += worth[index] < max(worth) - 1e-4
    # A draw, not the best: the others have their turn.
    assert others > (20 if quality > 0.1 else 0)


def test_of_an_interval_that_holds_all_each_is_drawn_alike() -> None:
    search = searching(QualityInterval(1.0, 0.0, 0.0, 0.9999, 0.05, 0), Pruner())
    # Priors all alike and f = 1: every V is the same, and all are in the interval.
    visits = [edge[1] for edge in run(search, fresh(3), 3000)]
    assert sum(visits) == 3000
    assert min(visits) > 220
    assert max(visits) < 390


def test_a_node_that_is_well_known_takes_the_best() -> None:
    search = searching(
        QualityInterval(0.6, 0.3, 0.0, 0.4, 4.0, 50), LayeredPruner(KnowledgePruner(), 0.0, 0.0)
    )
    position = fresh(5)
    run(search, position, 50)
    for _ in range(60):
        total = search.store.node_stats(search.root)[0]
        before = search.store.edges(search.root)
        worth = [value_of(edge, len(before), total, 0.6, 0.3, 0.0, 4.0) for edge in before]
        (index,) = chosen(before, run(search, position, 1))
        assert worth[index] >= max(worth) - 1e-4


# ---- Algorithm 2 -----------------------------------------------------------------------------------------

FIGHT = """
    . . . . . . .
    . . . O . . .
    . . O X O . .
    . . X X . . .
    . . . O X . .
    . . . . . . .
    . . . . . . .
"""


@pytest.mark.parametrize("drop", [0.0, 0.2, 0.5])
def test_the_first_layer_drops_the_lowest_by_d(drop: float) -> None:
    position = parse_diagram(FIGHT, Rules.named("chinese", 7))
    values = move_values(position)
    search = searching(Ucb1(0.5), LayeredPruner(KnowledgePruner(), drop, 0.0))
    moves = {info[0] for info in moves_of(run(search, position, 1), 7)}
    kept = moves - {PASS}
    assert PASS in moves
    assert len(kept) == int((1 - drop) * len(values) + 0.5)
    dropped = set(values) - kept
    assert kept <= set(values)
    assert not dropped or max(values[move] for move in dropped) <= min(values[move] for move in kept)


def moves_of(edges: list[tuple], width: int) -> list[tuple[Move, tuple]]:
    from tengen.go.coords import move_of_vertex

    return [(move_of_vertex(edge[0], width), edge) for edge in edges]


@pytest.mark.parametrize("drop", [0.2, 0.4])
def test_the_second_layer_drops_the_lowest_by_ucb1_once(drop: float) -> None:
    c = 0.2
    search = searching(Ucb1(0.1), LayeredPruner(KnowledgePruner(), 0.2, drop, 4, c))
    position = fresh(5)
    count = len(run(search, position, 1)) - 1
    due = 4 * (count + 1)
    run(search, position, due - 1)
    assert not flagged(search)
    edges = search.store.edges(search.root)
    worth = [ucb1(edge[2], edge[1], due + 1, c) if edge[1] else 1e9 for edge in edges[:-1]]
    run(search, position, 1)
    low = flagged(search)
    assert len(low) == int(drop * count)
    assert count not in low, "the pass"
    assert max(worth[i] for i in low) <= min(worth[i] for i in range(count) if i not in low) + 1e-5
    run(search, position, 2 * due)
    assert flagged(search) == low


def test_what_was_never_tried_is_not_dropped() -> None:
    class Stubborn:
        """Always the first move it may choose."""

        def select(self, visits: int, branches: list) -> int:
            return next(i for i, branch in enumerate(branches) if branch.open)

    search = searching(Stubborn(), LayeredPruner(KnowledgePruner(), 0.2, 0.5, 1))  # type: ignore[arg-type]
    run(search, fresh(5), 60)
    assert not flagged(search)


def test_the_second_layer_drops_a_share_of_what_is_wanted() -> None:
    """A share of all moves of the node would be every one of the few that are allowed: the pass would be left."""
    search = searching(Ucb1(0.1), LayeredPruner(KnowledgePruner()))
    position = fresh(7)
    edges = moves_of(run(search, position, 1), 7)
    few = frozenset(move for move, _ in edges[:10])
    search.forget()
    result = search.run(
        position, Limit(playouts=5 * len(edges)), allow={Color.BLACK: few | frozenset([PASS])}
    )
    after = moves_of(search.store.edges(search.root), 7)
    assert sum(move in few and edge[7] != 0 for move, edge in after) == int(0.2 * len(few))
    assert result.choice in few


@pytest.mark.parametrize("threads", [1, 2])
def test_the_second_layer_comes_at_nodes_below_and_stays_when_one_becomes_the_root(threads: int) -> None:
    search = searching(Ucb1(0.1), LayeredPruner(KnowledgePruner()), expand_after=1, threads=threads)
    position = fresh(4)
    run(search, position, 4000)
    assert flagged(search)
    edges = moves_of(search.store.edges(search.root), 4)
    move, edge = max(edges, key=lambda item: item[1][1])
    below = [bool(each[7]) for each in search.store.edges(edge[6])]
    assert any(below)
    run(search, position.play(move), 1)
    now = [bool(each[7]) for each in search.store.edges(search.root)]
    assert all(is_ for was, is_ in zip(below, now, strict=True) if was)


# ---- a game and its stages -------------------------------------------------------------------------------


def player(**parameters: object) -> Mucgo:
    return Mucgo(Parameters(**parameters), Resources(memory_mb=16))  # type: ignore[arg-type]


def late(moves: int, size: int = 19) -> Position:
    """A game of so many moves made at random."""
    position, rng = fresh(size, 7.5), random.Random(2)
    while position.move_number < moves:
        position = position.play(rng.choice(list(position.legal_moves())))
    return position


def test_thresholds_are_drawn_for_every_game() -> None:
    mucgo = player()
    drawn = set()
    for _ in range(60):
        mucgo.new_game(Rules.named("chinese", 19))
        assert mucgo.stage is not None
        drawn.add(mucgo.stage)
    assert {t1 for t1, _ in drawn} <= set(range(43, 56))
    assert {t2 for _, t2 in drawn} <= set(range(143, 182))
    assert len({t1 for t1, _ in drawn}) > 8
    assert len({t2 for _, t2 in drawn}) > 20


@pytest.mark.parametrize("size", [9, 13])
def test_smaller_boards_have_no_stages(size: int) -> None:
    mucgo = player()
    mucgo.new_game(Rules.named("chinese", size))
    assert mucgo.stage is None
    assert mucgo.in_middle_game(fresh(size))


def test_stages_can_be_switched_off() -> None:
    mucgo = player(stages=False)
    mucgo.new_game(Rules.named("chinese", 19))
    assert mucgo.in_middle_game(fresh(19))


@pytest.mark.parametrize(
    ("moves", "patterns"), [(0, True), (42, True), (60, False), (140, False), (190, True)]
)
def test_patterns_before_and_after_and_search_between(moves: int, patterns: bool) -> None:
    mucgo = player(candidates=1)
    mucgo.new_game(Rules.named("chinese", 19))
    position = late(moves)
    decision = mucgo.choose(position, Limit(playouts=60))
    if patterns:
        values = move_values(position)
        assert values[decision.move] == max(values[m] for m in values if position.is_legal(m))
        assert decision.info == {"stage": "patterns"}
    else:
        assert decision.visits >= 60


def test_a_short_look_chooses_among_the_best_patterns() -> None:
    mucgo = player(candidates=4, outside=0.5)
    position = late(20)
    values = move_values(position)
    best = sorted((m for m in values if position.is_legal(m)), key=lambda m: -values[m])[:4]
    decision = mucgo.choose(position, Limit(playouts=200))
    assert decision.move in {*best, PASS}
    assert decision.info["simulations"] == 100


def test_a_move_thought_of_aloud_is_one_of_the_patterns_too() -> None:
    mucgo = player(candidates=2)
    position = late(20)
    values = move_values(position)
    best = sorted((m for m in values if position.is_legal(m)), key=lambda m: -values[m])[:2]
    seen: list[AnalysisReport] = []
    request = AnalysisRequest(interval=0.02, limit=Limit(playouts=150))
    decision = mucgo.analyze(position, request, seen.append, threading.Event())
    assert decision.move in {*best, PASS}
    # Who only looks sees every move.
    stop = threading.Event()
    reports: list[AnalysisReport] = []

    def enough(report: AnalysisReport) -> None:
        reports.append(report)
        if len(report.moves) > 3:
            stop.set()

    mucgo.analyze(position, AnalysisRequest(interval=0.02), enough, stop)
    assert len(reports[-1].moves) > 3


def test_a_pass_is_answered_by_search() -> None:
    mucgo = player(candidates=1)
    position = fresh(19).play(60).play(PASS)
    assert mucgo.choose(position, Limit(playouts=40)).visits >= 40


@pytest.mark.parametrize("schema", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_the_schemas_play(schema: float) -> None:
    mucgo = make_player(f"mucgo:f={schema},quality=0.05", Resources(memory_mb=8))
    position = fresh(9)
    assert position.is_legal(mucgo.choose(position, Limit(playouts=100)).move)


@pytest.mark.parametrize(
    "wrong",
    [{"f": 1.5}, {"quality": 1.0}, {"prune_ucb": -0.1}, {"temper": 0}, {"candidates": 0}, {"outside": 0}],
)
def test_numbers_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="mucgo"):
        Parameters(**wrong)  # type: ignore[arg-type]


def test_capture_go_is_played_too() -> None:
    position = Position.start(Rules.named("capture", 9))
    assert position.is_legal(player().choose(position, Limit(playouts=50)).move)
