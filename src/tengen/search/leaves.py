"""What alpha-beta asks about the quiet positions at its leaves.

The evaluator follows the search stone by stone, so that it can keep its sums up to date instead of
beginning anew.
"""

from collections.abc import Callable

import cython

from tengen.go.coords import move_of_vertex

if not cython.compiled:
    from tengen.go.board import Board

__all__ = ["CallableEvaluator", "LeafEvaluator"]


class LeafEvaluator:
    """Judges quiet positions: follows the search stone by stone, and says how good the board is for Black.

    Compiled subclasses override the four without the GIL; a plain Python function goes in by
    CallableEvaluator.
    """

    def start(self, board):
        """The root of a search; forget what was pushed."""

    def push(self, v, c):
        """A stone of c was put on vertex v; nothing was captured."""

    def pop(self):
        """The last stone pushed was taken back."""

    def black_value(self):
        """-1 (good for White) .. 1 (good for Black) of the board as it stands."""
        return 0.0


class CallableEvaluator(LeafEvaluator):
    """Lets a Python function of the points' colours (row by row, 0 empty, 1 black, 2 white) judge leaves.
    Slow.
    """

    def __init__(self, function: Callable[[list[int]], float]) -> None:
        self.function = function
        self.board = Board(1, 1)
        self.pushed = []

    def start(self, board):
        with cython.gil:
            self.board = board.copy()
            self.pushed = []

    def push(self, v, c):
        with cython.gil:
            self.pushed.append((v, c))

    def pop(self):
        with cython.gil:
            self.pushed.pop()

    def black_value(self):
        with cython.gil:
            colors = self.board.stones_list()
            for vertex, color in self.pushed:
                colors[move_of_vertex(vertex, self.board.width)] = color
            return float(self.function(colors))
