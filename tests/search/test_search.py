"""The search as a whole: limits, the tree kept, memory, threads, superko, what may and may not be looked at."""

import threading
import time

import pytest
from walking import edges_of, fresh, make_search, run, tree

from tengen.go.coords import PASS, Color, vertex_of
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.search.interfaces import AnalysisReport, Limit
from tengen.search.search import Search, SearchResult
from tengen.search.selectors import Rave


def shape(search: Search, width: int) -> list[tuple]:
    return sorted((path, stats, edges) for path, stats, edges in tree(search.store, search._root, width))


def test_one_seed_and_one_thread_replay_exactly() -> None:
    searches = [make_search(Rave(300.0), seed=seed) for seed in (7, 7, 8)]
    results = [run(search, fresh(7), 1500) for search in searches]
    trees = [shape(search, 7) for search in searches]
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]
    assert results[0].report.moves == results[1].report.moves
    # And once more, as a second search of the same tree.
    again = [run(search, fresh(7), 500).report.moves for search in searches[:2]]
    assert again[0] == again[1]


def test_a_new_game_starts_anew() -> None:
    search = make_search(seed=3)
    first = run(search, fresh(5), 400)
    search.forget()
    assert run(search, fresh(5), 400).report.moves == first.report.moves


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("playouts", [1, 2, 99, 1000])
def test_playouts_are_exact(threads: int, playouts: int) -> None:
    search = make_search(threads=threads)
    result = run(search, fresh(9), playouts)
    assert result.simulations == playouts
    assert result.report.root_visits == playouts
    assert sum(info.visits for info in result.report.moves) == playouts


def test_visits_count_what_was_kept() -> None:
    search = make_search()
    position = fresh(7)
    assert search.run(position, Limit(visits=600)).simulations == 600
    result = search.run(position, Limit(visits=1000))
    assert (result.simulations, result.report.root_visits) == (400, 1000)


@pytest.mark.parametrize("threads", [1, 2])
def test_seconds(threads: int) -> None:
    search = make_search(threads=threads)
    started = time.perf_counter()
    result = search.run(fresh(19), Limit(seconds=0.2))
    assert 0.19 < time.perf_counter() - started < 1.5
    assert result.simulations > 20


def test_stop_ends_an_endless_search() -> None:
    search = make_search()
    found: list[SearchResult] = []
    thinking = threading.Thread(target=lambda: found.append(search.run(fresh(9), Limit())))
    thinking.start()
    time.sleep(0.15)
    assert thinking.is_alive()
    search.stop()
    thinking.join(3)
    assert not thinking.is_alive()
    assert found[0].simulations > 0
    event = threading.Event()
    event.set()
    assert search.run(fresh(9), Limit(), stop=event).report.moves


def test_the_tree_is_kept_from_move_to_move() -> None:
    search = make_search()
    position = fresh(7)
    run(search, position, 3000)
    best = max(edges_of(search.store, search._root, 7), key=lambda edge: edge.visits)
    reply = max(edges_of(search.store, best.child, 7), key=lambda edge: edge.visits)
    kept = search.store.node_stats(reply.child)[0]
    below = [path for path, _, _ in tree(search.store, reply.child, 7)]
    after = position.play(best.move).play(reply.move)
    result = run(search, after, 100)
    assert result.report.root_visits == kept + 100
    grown = {path for path, _, _ in tree(search.store, search._root, 7)}
    assert grown >= set(below)


def test_another_game_or_other_rules_do_not_keep_it() -> None:
    search = make_search()
    position = fresh(7)
    run(search, position, 500)
    assert run(search, position.with_rules(position.rules.replace(komi=5.5)), 50).report.root_visits == 50
    run(search, position, 500)
    elsewhere = Position.setup(position.rules, black=[3, 4], to_move=Color.WHITE)
    assert run(search, elsewhere, 50).report.root_visits == 50
    assert run(search, fresh((9, 5)), 50).report.root_visits == 50


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("memory", [0.2, 0.5, 2])
def test_little_memory_degrades_but_never_fails(memory: float, threads: int) -> None:
    search = make_search(Rave(300.0), memory_mb=memory, threads=threads)
    position = fresh(19, komi=7.5)
    for _ in range(2):
        result = run(search, position, 1500)
        assert result.simulations == 1500
        assert result.choice != PASS
        assert result.memory <= memory * 1e6
        assert result.report.moves[0].pv[0] == result.report.moves[0].move
        position = position.play(result.choice)


def test_room_is_made_without_losing_the_root() -> None:
    search = make_search(memory_mb=0.5)
    position = fresh(9)
    for total in range(4000, 20_000, 4000):
        result = run(search, position, 4000)
        assert result.simulations == 4000
        assert sum(edge.visits for edge in edges_of(search.store, search._root, 9)) == total
        assert result.report.root_visits == total


@pytest.mark.parametrize("threads", [1, 2])
def test_counts_add_up(threads: int) -> None:
    search = make_search(Rave(300.0), threads=threads)
    run(search, fresh(6), 4000)
    nodes = 0
    for path, (visits, wins), edges in tree(search.store, search._root, 6):
        # The root is never a leaf; any other node was one once, when it was made.
        own = 0 if path == () else 1
        assert sum(edge.visits for edge in edges) == visits - own
        assert all(edge.visits >= 0 for edge in edges)
        assert -0.01 <= wins <= visits + 0.01
        nodes += 1
    assert nodes == search.store.used[0]


def test_results_add_up_with_one_thread() -> None:
    search = make_search()
    run(search, fresh(6), 4000)
    for _, _, edges in tree(search.store, search._root, 6):
        for edge in edges:
            assert -1e-3 <= edge.wins <= edge.visits + 1e-3
            if edge.child >= 0:
                visits, wins = search.store.node_stats(edge.child)
                # The first visit made no node; the rest of the edge's wins are the node's losses.
                assert visits in (edge.visits, edge.visits - 1)
                assert edge.wins - (visits - wins) == pytest.approx((edge.visits - visits) / 2, abs=0.51)


@pytest.mark.parametrize("name", ["tromp-taylor", "chinese-kgs", "aga", "chinese"])
@pytest.mark.parametrize("size", [(2, 2), (3, 2), (3, 1)])
def test_the_tree_holds_legal_moves_only(name: str, size: tuple[int, int]) -> None:
    search = make_search(seed=5)
    position = fresh(size, name)
    run(search, position, 3000)
    refused = checked = 0
    for path, _, edges in tree(search.store, search._root, size[0]):
        at = position
        for move in path:
            at = at.play(move)
        for edge in edges:
            if edge.visits:
                assert at.is_legal(edge.move), (path, edge)
                checked += 1
            elif edge.pruned:
                assert not at.is_legal(edge.move)
                refused += 1
    assert checked > 10
    assert refused == 0 or name != "chinese"
    if size == (2, 2) and name != "chinese":
        assert refused > 0


def test_a_superko_of_the_game_is_no_root_move() -> None:
    text = """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """
    position = parse_diagram(text, Rules.named("tromp-taylor", komi=0.5)).play(7).play(PASS).play(PASS)
    retake = 6
    assert not position.is_legal(retake)
    result = run(make_search(), position, 500)
    assert retake not in {info.move for info in result.report.moves}
    free = position.with_rules(position.rules.replace(ko=Rules.named("chinese").ko))
    assert retake in {info.move for info in run(make_search(), free, 500).report.moves}


def test_allow_and_avoid() -> None:
    search = make_search()
    position = fresh(7)
    only = frozenset({3, 10, 48})
    result = search.run(position, Limit(playouts=300), allow={Color.BLACK: only})
    assert {info.move for info in result.report.moves} <= only
    assert result.choice in only
    best = search.run(position, Limit(playouts=500)).choice
    result = search.run(position, Limit(playouts=300), avoid={Color.BLACK: frozenset({best})})
    assert best not in {info.move for info in result.report.moves}
    assert result.choice != best
    # The other side's wishes do not count here, and none of them outlasts its search.
    result = search.run(position, Limit(playouts=300), avoid={Color.WHITE: frozenset({best})})
    assert best in {info.move for info in result.report.moves}
    # Nothing allowed that is legal: everything is.
    assert search.run(position, Limit(playouts=50), allow={Color.BLACK: frozenset()}).choice is not None


def played_below(search: Search, to_depth: int) -> dict[tuple[int, int], set[int]]:
    """By colour (1 Black's) and depth: the moves visited there, as vertices."""
    seen: dict[tuple[int, int], set[int]] = {}
    nodes = {search.root}
    for depth in range(to_depth + 1):
        below = set()
        for node in nodes:
            for edge in search.store.edges(node):
                if edge[1]:
                    seen.setdefault((1 + depth % 2, depth), set()).add(edge[0])
                if edge[6] >= 0:
                    below.add(edge[6])
        nodes = below
    return seen


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shared", [False, True])
def test_what_is_barred_is_not_played_below_either(threads: int, shared: bool) -> None:
    search = make_search(threads=threads, shared=shared, expand_after=1)
    position = fresh(4)
    corner, center = vertex_of(0, 4), vertex_of(5, 4)
    search.run(position, Limit(playouts=3000))
    barred = {Color.BLACK: {0: 3}, Color.WHITE: {5: 2, 6: 1}}
    search.run(position, Limit(playouts=30_000), barred=barred)
    seen = played_below(search, 4)
    # The first move is the business of allow and avoid; beyond its depth a wish is over.
    assert corner in seen[1, 0]
    assert corner not in seen[1, 2]
    assert corner in seen[1, 4]
    assert center not in seen[2, 1]
    assert center in seen[2, 3]
    assert vertex_of(6, 4) in seen[2, 1]
    # The same question goes on with the same tree, another one and none do not.
    assert search.keeps(position, barred)
    assert not search.keeps(position)
    assert not search.keeps(position.play(0), barred)
    search.run(position, Limit(playouts=3000))
    assert center in played_below(search, 1)[2, 1]


def test_what_bars_every_move_bars_none() -> None:
    search = make_search(expand_after=1)
    everything = dict.fromkeys([PASS, *range(16)], 9)
    search.run(fresh(4), Limit(playouts=500), barred={Color.WHITE: everything})
    assert len(played_below(search, 1)[2, 1]) > 5


def test_what_is_avoided_does_not_decide_an_early_stop() -> None:
    search = make_search(early_stop=True)
    position = fresh(5)
    first = run(search, position, 6000)
    avoid = {Color.BLACK: frozenset({first.report.moves[0].move})}
    result = search.run(position, Limit(playouts=3000), avoid=avoid)
    visits = sorted((info.visits for info in result.report.moves), reverse=True)
    assert result.simulations == 3000 or visits[0] - visits[1] > 3000 - result.simulations


WON_BY_ONE_MOVE = """
    . X O . O .
    X O O O O O
    X X X O O .
    . . X X O O
    X X X X X O
    . . . X O .
"""


def test_early_stop_only_when_nothing_can_change() -> None:
    position = fresh(3)
    whole = make_search(early_stop=False)
    assert run(whole, position, 60_000).simulations == 60_000
    early = make_search(early_stop=True)
    result = run(early, position, 60_000)
    visits = sorted((info.visits for info in result.report.moves), reverse=True)
    assert result.simulations == 60_000 or visits[0] - visits[1] > 60_000 - result.simulations
    assert result.choice == run(make_search(early_stop=False), position, 60_000).choice


def test_reports_come_while_it_thinks() -> None:
    reports: list[AnalysisReport] = []
    search = make_search()
    search.run(fresh(9), Limit(seconds=0.5), report=reports.append, interval=0.1, ownership=True)
    assert 2 <= len(reports) <= 6
    visits = [report.root_visits for report in reports]
    assert visits == sorted(visits)
    for report in reports:
        assert [info.order for info in report.moves] == list(range(len(report.moves)))
        assert all(0 <= info.winrate <= 1 and info.pv[0] == info.move for info in report.moves)
        assert all(info.lcb <= info.winrate for info in report.moves)
        assert report.ownership is not None
        assert len(report.ownership) == 81


def test_a_graph_shares_what_two_orders_of_moves_reach() -> None:
    search = make_search(shared=True)
    result = run(search, fresh(3), 4000)
    plain = run(make_search(), fresh(3), 4000)
    assert result.simulations == 4000
    assert result.nodes < plain.nodes


def test_a_capture_in_one_is_found_and_a_loss_in_one_prevented() -> None:
    rules = Rules.named("capture")
    text = """
        . . . . .
        . X O . .
        X O . . .
        . X O . .
        . . . . .
    """
    position = parse_diagram(text, rules)
    from tengen.knowledge.playout import CapturePlayout
    from tengen.search.evaluators import PlayoutEvaluator

    search = make_search(evaluator=PlayoutEvaluator(CapturePlayout()))
    assert run(search, position, 800).choice == 12
    # White to move must get out of atari, and by extending takes nothing.
    defended = run(search, position.with_to_move(Color.WHITE), 1500)
    after = position.with_to_move(Color.WHITE).play(defended.choice)
    assert after.is_over or not after.board.in_atari(11)
