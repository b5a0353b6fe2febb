"""Why a move, in words: what a player says of it, else what Go knowledge sees in it before any search."""

from __future__ import annotations

from typing import Any

from tengen.go.coords import PASS, Move
from tengen.go.position import Position

__all__ = ["reasons"]


def reasons(position: Position, move: Move, player: Any = None) -> str:
    """One line on a move of the side to move. ``player`` is asked if it can ``explain``.

    Otherwise: why it is illegal, or what tactics say of it and its rank among the legal moves by learned
    patterns.
    """
    if hasattr(player, "explain"):
        said = " ".join(str(player.explain(position, move)).split())
        if said:
            return said
    if move == PASS:
        return "a pass: nothing on the board changes"
    forbidden = position.why_illegal(move)
    if forbidden is not None:
        return forbidden
    from tengen.knowledge.reasons import reasons as seen

    return "; ".join([*seen(position, move), _rank(position, move)])


def _rank(position: Position, move: Move) -> str:
    from tengen.knowledge.moves import move_values

    values = move_values(position)
    mine = values.get(move, 0.0)
    better = sum(value > mine for value in values.values())
    return f"number {better + 1} of {len(values)} moves by patterns"
