"""Out of a game graph: its states as JSON lines, its most visited lines as an SGF tree."""

from __future__ import annotations

import json
from collections.abc import Generator

from tengen.go.coords import Color, format_sgf
from tengen.go.position import Position
from tengen.go.record import GameRecord
from tengen.go.sgf import Collection, Node, Tree, collection_of
from tengen.systems.graph_book import KnownMove, graph_key, known_moves
from tengen.systems.graph_disk import GraphDisk

__all__ = ["book_tree", "state_lines"]


def state_lines(disk: GraphDisk, min_visits: float = 0.0) -> Generator[str, None, None]:
    """A JSON object a state: ``key`` (16 hexadecimal digits), ``visits``, ``wins`` of the side that moved
    into it."""
    for rows in disk.scan(min_visits):
        for key, visits, wins in zip(*rows, strict=True):
            yield json.dumps({"key": f"{int(key):016x}", "visits": float(visits), "wins": float(wins)})


def book_tree(
    disk: GraphDisk, start: Position, *, depth: int = 20, width: int = 4, min_visits: float = 1.0
) -> tuple[Collection, int]:
    """The most visited lines from a position on (of the even game: the empty board), and how many moves
    they have.

    ``depth`` moves deep at most; at each position the ``width`` most visited moves with at least
    ``min_visits``. A state that is reached a second time, by another order of moves, is named and not
    followed again. Each move's comment says its visits and how often the side that makes it won.
    """
    record = GameRecord(
        rules=start.rules,
        setup_black=tuple(start.stones(Color.BLACK)),
        setup_white=tuple(start.stones(Color.WHITE)),
        first=start.to_move,
        name="lines of a game graph",
    )
    collection = collection_of(record)
    game = collection.games[0]
    seen = {graph_key(start)}
    moves = 0
    queue: list[tuple[Tree, Position, int]] = [(game, start, 0)]
    while queue:
        tree, position, played = queue.pop(0)
        if played >= depth:
            continue
        known = known_moves(disk, position, min_visits=min_visits)[:width]
        for one in known:
            moves += 1
            node = _node(one, position)
            comment = f"{one.visits:g} visits, {100 * one.wins / one.visits:.1f} % won"
            again = one.key in seen
            game.put_text(node, "C", f"{comment}\nreached before, see there" if again else comment)
            branch = Tree([node])
            tree.variations.append(branch)
            if not again:
                seen.add(one.key)
                queue.append((branch, one.position, played + 1))
    _join_single_lines(game)
    return collection, moves


def _node(one: KnownMove, before: Position) -> Node:
    node = Node()
    name = "B" if before.to_move is Color.BLACK else "W"
    node.put(name, format_sgf(one.move, before.width, before.height).encode("ascii"))
    return node


def _join_single_lines(game: Tree) -> None:
    """A lone variation is no variation: its nodes go on the line."""
    for tree in list(game.trees()):
        while len(tree.variations) == 1:
            only = tree.variations[0]
            tree.nodes += only.nodes
            tree.variations = only.variations
