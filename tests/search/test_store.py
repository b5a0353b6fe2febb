"""The search's memory: bounded, and what is kept keeps its statistics."""

import pytest
from walking import edges_of, fresh, make_search, run, tree

from tengen.errors import ConfigError
from tengen.search.selectors import Rave
from tengen.search.store import EDGE_BYTES, NODE_BYTES, Store


@pytest.mark.parametrize("memory", [0, -5, 0.01, 10**6])
def test_absurd_sizes_are_refused(memory: float) -> None:
    with pytest.raises(ConfigError, match="memory"):
        Store(memory)


def test_nodes_are_checked_where_they_enter() -> None:
    store = Store(1)
    for asked in (store.edges, store.node_stats, store.compact):
        with pytest.raises(IndexError):
            asked(0)
        with pytest.raises(IndexError):
            asked(-1)
    assert (store.used, store.bytes_used, store.is_full) == ((0, 0), 0, False)


@pytest.mark.parametrize("shared", [False, True])
def test_compaction_keeps_the_statistics_of_what_it_keeps(shared: bool) -> None:
    search = make_search(Rave(300.0), shared=shared)
    run(search, fresh(4), 3000)
    store = search.store
    best = max(
        (edge for edge in edges_of(store, search._root, 4) if edge.child >= 0), key=lambda edge: edge.visits
    )
    before = {
        path: (stats, [edge[:6] for edge in edges]) for path, stats, edges in _bounded(store, best.child)
    }
    used = store.used
    root = store.compact(best.child)
    after = {path: (stats, [edge[:6] for edge in edges]) for path, stats, edges in _bounded(store, root)}
    assert after == before
    assert len(before) > 20
    assert store.used[0] < used[0]
    assert store.used[1] < used[1]
    assert store.bytes_used == store.used[0] * NODE_BYTES + store.used[1] * EDGE_BYTES


def _bounded(store: Store, node: int):  # type: ignore[no-untyped-def]
    """The tree to a depth of six: a graph may hold cycles."""
    todo = [((), node)]
    while todo:
        path, at = todo.pop()
        edges = edges_of(store, at, 4)
        yield path, store.node_stats(at), edges
        if len(path) < 6:
            todo += [((*path, edge.move), edge.child) for edge in edges if edge.child >= 0]


def test_compaction_drops_what_was_seldom_visited() -> None:
    search = make_search()
    run(search, fresh(4), 3000)
    root = search.store.compact(search._root, 20)
    for _, _, edges in tree(search.store, root, 4):
        assert all(edge.visits >= 20 for edge in edges if edge.child >= 0)
    total = sum(edge.visits for edge in edges_of(search.store, root, 4))
    assert total == 3000


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
def test_how_much_to_drop_is_known_beforehand(share: float) -> None:
    search = make_search(expand_after=1)
    run(search, fresh(7), 8000)
    store = search.store
    before = store.used[1]
    visits = store.visits_to_keep(share)
    assert visits & (visits - 1) == 0
    root = store.compact(search.root, visits)
    assert store.used[1] <= share * before + len(store.edges(root))
    # Half as many visits would have kept too much.
    again = make_search(expand_after=1)
    run(again, fresh(7), 8000)
    root = again.store.compact(again.root, visits // 2)
    assert visits == 2 or again.store.used[1] > share * before
    assert make_search().store.visits_to_keep(0.5) == 2


def test_flags_and_priors_by_hand() -> None:
    search = make_search()
    run(search, fresh(3), 1)
    search.store.set_prior(search._root, 2, 0.75)
    search.store.set_flag(search._root, 2, 1)
    edge = edges_of(search.store, search._root, 3)[2]
    assert (edge.prior, edge.pruned) == (0.75, True)
    for bad in (-1, 10):
        with pytest.raises(IndexError):
            search.store.set_prior(search._root, bad, 0.5)
        with pytest.raises(IndexError):
            search.store.set_flag(search._root, bad, 1)


@pytest.mark.parametrize("shared", [False, True])
def test_a_node_takes_64_bytes_and_an_edge_32_at_most(shared: bool) -> None:
    node, edge = Store(8, shared).bytes_each
    assert node <= 64
    assert edge <= 32
    assert Store(8).bytes_each == (NODE_BYTES, EDGE_BYTES)


def test_the_line_of_a_node_is_the_most_visited_and_counts_history() -> None:
    search = make_search(keyed=True)
    run(search, fresh(4), 2000)
    store, at, expected = search.store, search.root, []
    while at >= 0:
        edges = store.edges(at)
        best = max(range(len(edges)), key=lambda i: (edges[i][1], -i))
        if edges[best][1] == 0:
            break
        expected.append(edges[best][0])
        at = edges[best][6]
    assert store.line(search.root, 100) == expected
    assert store.line(search.root, 2) == expected[:2]
    assert store.line(-1, 5) == []
    store.fold(1.0)
    assert store.line(search.root, 1) == expected[:1], "now by history alone"
