"""Each selector's equation in plain Python on the columns, against the move the search then follows.

Nodes are never made below the root: it is a bandit, and every simulation shows one choice.
"""

import math
from collections.abc import Callable

import pytest
from walking import Edge, edges_of, fresh, make_search, run

from tengen.search.parts import Selector
from tengen.search.selectors import Puct, Rave, Ucb1, Ucb1Tuned

Formula = Callable[[Edge, int, float, list[Edge]], float]
"""A move's worth from its edge, the node's visits and wins, and all its edges."""


def ucb1(edge: Edge, total: int, _: float, edges: list[Edge]) -> float:
    if edge.visits == 0:
        return 1e9
    return edge.wins / edge.visits + 0.7 * math.sqrt(2 * math.log(total + 1) / edge.visits)


def ucb1_tuned(edge: Edge, total: int, _: float, edges: list[Edge]) -> float:
    if edge.visits == 0:
        return 1e9
    mean, logs = edge.wins / edge.visits, math.log(total + 1)
    variance = mean * (1 - mean) + math.sqrt(2 * logs / edge.visits)
    return mean + math.sqrt(logs / edge.visits * min(0.25, variance))


def amaf_mean(edge: Edge, equivalence: float, unseen: float) -> float:
    n, r = edge.visits, edge.amaf_visits
    if n + r == 0:
        return unseen
    weight = r / (r + n + n * r / equivalence)
    own = edge.wins / n if n else 0.0
    other = edge.amaf_wins / r if r else 0.0
    return (1 - weight) * own + weight * other


def rave(edge: Edge, total: int, _: float, edges: list[Edge]) -> float:
    bias = 0.3 * edge.prior * math.sqrt(total + 1) / (1 + edge.visits)
    spread = math.sqrt(0.2 * math.log(total + 1) / (edge.visits + 1))
    return amaf_mean(edge, 50, 1.0) + bias + spread


def puct(edge: Edge, total: int, wins: float, edges: list[Edge]) -> float:
    parent = wins / total if total else 0.5
    parent -= 0.2 * math.sqrt(sum(other.prior for other in edges if other.visits))
    mean = edge.wins / edge.visits if edge.visits else parent
    return mean + 1.1 * edge.prior * math.sqrt(total + 1) / (1 + edge.visits)


def puct_amaf(edge: Edge, total: int, wins: float, edges: list[Edge]) -> float:
    parent = wins / total if total else 0.5
    parent -= 0.1 * math.sqrt(sum(other.prior for other in edges if other.visits))
    return amaf_mean(edge, 30, parent) + 0.9 * edge.prior * math.sqrt(total + 1) / (1 + edge.visits)


@pytest.mark.parametrize("size", [(4, 3), (6, 5)], ids=["13-moves", "31-moves"])
@pytest.mark.parametrize(
    ("selector", "formula"),
    [
        (Ucb1(0.7), ucb1),
        (Ucb1Tuned(1.0), ucb1_tuned),
        (Rave(50.0, 0.2, 0.3), rave),
        (Puct(1.1, 0.2), puct),
        (Puct(0.9, 0.1, 30.0), puct_amaf),
    ],
    ids=["ucb1", "ucb1-tuned", "rave", "puct", "puct-amaf"],
)
def test_the_search_follows_the_formula(selector: Selector, formula: Formula, size: tuple[int, int]) -> None:
    search = make_search(selector, expand_after=10**6)
    position = fresh(size)
    run(search, position, 1)
    root = search._root
    # Priors that differ, so that their part in the equation shows.
    for index in range(len(search.store.edges(root))):
        search.store.set_prior(root, index, (1 + index % 5) / 39)
    chosen = set()
    for _ in range(150):
        before = edges_of(search.store, root, size[0])
        total, wins = search.store.node_stats(root)
        run(search, position, 1)
        after = edges_of(search.store, root, size[0])
        (index,) = (
            i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old.visits != new.visits
        )
        worth = [formula(edge, total, wins, before) for edge in before]
        # ucb1 breaks ties of unvisited moves by their prior.
        assert worth[index] >= max(worth) - 1e-4 * max(1.0, abs(worth[index]))
        chosen.add(index)
    assert len(chosen) > 3


@pytest.mark.parametrize("size", [(4, 3), (6, 5)], ids=["13-moves", "31-moves"])
@pytest.mark.parametrize("selector", [Ucb1(0.7), Ucb1Tuned(1.0), Rave(50.0, 0.2, 0.3), Puct(1.1, 0.2)])
def test_a_pruned_move_is_not_followed_however_good(selector: Selector, size: tuple[int, int]) -> None:
    search = make_search(selector, expand_after=10**6)
    position = fresh(size)
    run(search, position, 200)
    root = search._root
    before = edges_of(search.store, root, size[0])
    most = sorted(range(len(before)), key=lambda index: -before[index].visits)
    for index in most[:-2]:
        search.store.set_flag(root, index, 1)
    run(search, position, 100)
    after = edges_of(search.store, root, size[0])
    followed = [after[index].visits - before[index].visits for index in most]
    assert followed[:-2] == [0] * (len(most) - 2)
    assert sum(followed[-2:]) == 100


def test_random_is_the_smallest_selector() -> None:
    search = make_search(Selector(), expand_after=10**6)
    position = fresh(3)
    run(search, position, 600)
    visits = [edge.visits for edge in edges_of(search.store, search._root, 3)]
    assert sum(visits) == 600
    assert min(visits) > 30
    assert len(visits) == 10


def test_progressive_widening_looks_at_few_moves_first() -> None:
    search = make_search(Rave(50.0, 0.0, 0.3, widen_base=1.5), expand_after=10**6)
    position = fresh(5)
    run(search, position, 19)
    assert sum(1 for edge in edges_of(search.store, search._root, 5) if edge.visits) <= 3
    run(search, position, 2000)
    wide = 3 + int(math.log(2020 / 20) / math.log(1.5))
    visited = [index for index, edge in enumerate(edges_of(search.store, search._root, 5)) if edge.visits]
    assert max(visited) < wide
