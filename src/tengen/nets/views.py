"""A Position as a network sees it: its planes and the numbers beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tengen.go.coords import PASS, Move, vertex_of
from tengen.go.position import Position
from tengen.go.rules import Ko, Scoring
from tengen.nets.feature_sets import KOMI_UNIT, feature_spec
from tengen.nets.features import PlaneWriter, draw, tell
from tengen.nets.pure import RECENT

__all__ = ["follow", "globals_of", "planes_of", "recent_moves"]


def planes_of(position: Position, name: str) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The planes (uint8, planes x height x width) and global numbers of a position, for the side to move."""
    spec = feature_spec(name)
    width, height = position.rules.width, position.rules.height
    writer = PlaneWriter(width, height)
    follow(writer, position)
    planes = np.empty((spec.planes, height, width), dtype=np.uint8)
    draw(writer, position.board, int(position.to_move), spec.kind, planes.reshape(-1))
    return planes, globals_of(position, name)


def follow(writer: PlaneWriter, position: Position) -> None:
    """Tell a writer of a position's last moves; it forgets what it was told before."""
    tell(writer, [vertex_of(move, position.rules.width) for move in recent_moves(position)])


def recent_moves(position: Position) -> list[Move]:
    """The last moves, newest first, as many as the planes look back."""
    moves: list[Move] = []
    here: Position | None = position
    while here is not None and here.last_move is not None and len(moves) < RECENT:
        moves.append(here.last_move)
        here = here.previous
    return moves


def globals_of(position: Position, name: str) -> NDArray[np.float32]:
    """The numbers beside the planes; none for the paper's set."""
    spec = feature_spec(name)
    numbers = np.zeros(spec.globals, dtype=np.float32)
    if spec.globals:
        rules = position.rules
        komi = rules.komi + rules.handicap_bonus(position.handicap)
        recent = recent_moves(position)
        black = int(position.to_move) == 1
        numbers[0] = (-komi if black else komi) / KOMI_UNIT
        numbers[2] = len(recent) > 0 and recent[0] == PASS
        numbers[3] = len(recent) > 1 and recent[1] == PASS
        numbers[4] = rules.scoring is Scoring.TERRITORY
        numbers[5] = rules.suicide
        numbers[6] = rules.ko in (Ko.POSITIONAL, Ko.SITUATIONAL)
        numbers[7] = black
    return numbers
