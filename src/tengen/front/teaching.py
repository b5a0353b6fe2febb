"""What a teacher shows, as text: for the terminal and for GTP alike."""

from __future__ import annotations

from collections.abc import Iterable

from tengen.go.coords import Color, format_gtp
from tengen.go.position import Position
from tengen.players import Threat

__all__ = ["threat_lines"]


def threat_lines(position: Position, threats: Iterable[Threat]) -> list[str]:
    """``White's stone at B4 is in atari: C4 takes it.`` for each; it is saved there when its owner is to
    move.
    """
    lines = []
    for threat in threats:
        owner = "Black" if threat.color is Color.BLACK else "White"
        where, liberty = (
            format_gtp(point, position.width, position.height) for point in (threat.stones[0], threat.liberty)
        )
        alone = len(threat.stones) == 1
        chain = f"stone at {where} is" if alone else f"{len(threat.stones)} stones around {where} are"
        mine = threat.color is position.to_move
        verb, them = "saves" if mine else "takes", "it" if alone else "them"
        lines.append(f"{owner}'s {chain} in atari: {liberty} {verb} {them}.")
    return lines
