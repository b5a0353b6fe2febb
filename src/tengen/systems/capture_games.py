"""Games of Capture Go on a bare board: those who choose moves, one game, and the contests that breeders ask
for.

The game ends with the first capture, and who captured won. Nobody passes while he has a legal move, so that
who runs out of safe points gives himself up: territory decides where nobody errs. Two passes in a row are a
draw.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tengen.go.board import Board
from tengen.go.coords import PASS, Color, Move
from tengen.search.alphabeta import AlphaBeta
from tengen.systems.capture_net import CaptureNet

__all__ = ["Chooser", "NetChooser", "RandomChooser", "play_game", "regions", "surrounded"]

Array = NDArray[np.float64]


class Chooser(Protocol):
    """Picks a legal move for color, PASS only when there is none. The random source is the game's."""

    def move(self, board: Board, color: Color, random: Random) -> Move: ...


class RandomChooser:
    """Any legal move, all equally likely."""

    def move(self, board: Board, color: Color, random: Random) -> Move:
        legal = board.legal_moves(color)
        return random.choice(legal) if legal else PASS


class NetChooser:
    """Alpha-beta over a bred evaluator."""

    def __init__(
        self, size: int, genome: Array, depth: int = 1, reading: int = 1, slope: float = 1.0
    ) -> None:
        self.search = AlphaBeta(CaptureNet(size, genome, slope), reading)
        self.depth = depth

    def move(self, board: Board, color: Color, random: Random) -> Move:
        return self.search.best_move(board, color, self.depth)


def play_game(
    size: int,
    black: Chooser,
    white: Chooser,
    seed: int,
    stray: float = 0.0,
    opening: int = 0,
    watch: Callable[[Board, Color, Move], None] = lambda _board, _color, _move: None,
) -> tuple[int, int]:
    """One game from the empty board: (+1 Black won, 0 draw, -1 White won; moves).

    ``stray`` is the share of moves made at random, for both sides; the first ``opening`` moves all are.
    ``watch`` sees the board after each move.
    """
    random = Random(seed)
    board = Board(size, size)
    color, passes, moves = Color.BLACK, 0, 0
    sides: dict[Color, Chooser] = {Color.BLACK: black, Color.WHITE: white}
    astray = RandomChooser()
    while passes < 2:
        lost = moves < opening or (stray and random.random() < stray)
        chooser = astray if lost else sides[color]
        move = chooser.move(board, color, random)
        moves += 1
        if move == PASS:
            passes += 1
            board.pass_move()
        else:
            passes = 0
            captured = board.place(move, color)
            watch(board, color, move)
            if captured:
                return (1 if color is Color.BLACK else -1), moves
        color = color.opponent
    return 0, moves


def regions(board: Board) -> list[tuple[int, int]]:
    """(size, colours touched: 0 none, 1 black, 2 white, 3 both) of every connected region of empty points."""
    width, height = board.width, board.height
    colors = board.stones_list()
    seen = [False] * len(colors)
    found = []
    for start, color in enumerate(colors):
        if color or seen[start]:
            continue
        size, touched, edge = 0, 0, [start]
        seen[start] = True
        while edge:
            point = edge.pop()
            size += 1
            row, column = divmod(point, width)
            for near, inside in (
                (point - width, row > 0),
                (point + width, row < height - 1),
                (point - 1, column > 0),
                (point + 1, column < width - 1),
            ):
                if not inside:
                    continue
                if colors[near]:
                    touched |= colors[near]
                elif not seen[near]:
                    seen[near] = True
                    edge.append(near)
        found.append((size, touched))
    return found


def surrounded(board: Board) -> tuple[int, int]:
    """(Black's, White's) empty points in regions that touch one colour only."""
    held = [0, 0, 0, 0]
    for size, touched in regions(board):
        held[touched] += size
    return held[Color.BLACK], held[Color.WHITE]
