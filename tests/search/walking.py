"""How tests look into a search: its tree as plain data, by the moves that lead there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tengen.go.coords import Move, move_of_vertex
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.interfaces import Limit
from tengen.search.parts import Evaluator, Pruner, Selector
from tengen.search.search import Search, SearchResult
from tengen.search.selectors import Ucb1
from tengen.search.store import Store


class Edge(NamedTuple):
    move: Move
    visits: int
    wins: float
    amaf_visits: float
    amaf_wins: float
    prior: float
    child: int
    pruned: bool


def edges_of(store: Store, node: int, width: int) -> list[Edge]:
    return [
        Edge(move_of_vertex(vertex, width), visits, wins, seen, won, prior, child, bool(flags & 1))
        for vertex, visits, wins, seen, won, prior, child, flags in store.edges(node)
    ]


def tree(store: Store, node: int, width: int, path: tuple[Move, ...] = ()) -> Iterator[tuple]:
    """(path, node's visits and wins, edges) of every node that hangs there."""
    edges = edges_of(store, node, width)
    yield path, store.node_stats(node), edges
    for edge in edges:
        if edge.child >= 0:
            yield from tree(store, edge.child, width, (*path, edge.move))


def make_search(
    selector: Selector | None = None, evaluator: Evaluator | None = None, **options: object
) -> Search:
    """A small UCT on little memory."""
    settings = {"memory_mb": 8, "early_stop": False, "expand_after": 1} | options
    playouts = evaluator or PlayoutEvaluator()
    return Search(selector or Ucb1(0.5), Pruner(), playouts, **settings)  # type: ignore[arg-type]


def fresh(size: int | tuple[int, int] = 5, rules: str = "chinese", komi: float = 0.5) -> Position:
    return Position.start(Rules.named(rules, size, komi))


def run(search: Search, position: Position, playouts: int) -> SearchResult:
    return search.run(position, Limit(playouts=playouts))
