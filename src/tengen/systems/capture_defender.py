"""The hand-coded defensive player of Capture Go (Cai and Wunsch 2007, Fig. 5), a yardstick for bred ones.

After the rules' own demands - capture if you can, leave nothing in atari - it follows the paper's four
priorities, each deciding only between moves the ones before it hold equal:

1. connect all its stones into one string;
2. the most liberties, their count saturated once it has two eyes;
3. surround more empty points;
4. attack the weakest enemy string.

What still ties is drawn at random.
"""

# ruff: noqa: F821 - types and C functions of the .pxd beside this file

from random import Random
from types import SimpleNamespace

import cython

if not cython.compiled:
    from tengen.go.board import Board
    from tengen.go.pure import CELLS, EMPTY, STRIDE, WALL, atari_point

    MAX_POINTS = 625
    SATURATED = 1000

from tengen.go.coords import PASS, move_of_vertex

__all__ = ["DefensiveChooser"]


class DefensiveChooser:
    """Plays by the four priorities. Not for two threads at once."""

    def __init__(self) -> None:
        self.scratch = Board(1, 1)
        self.best_count = 0
        if not cython.compiled:
            self.best = [0] * MAX_POINTS
            self.edge = [0] * MAX_POINTS
            self.seen = [0] * CELLS

    def _merit(self, board, c):
        """How a board just moved on by c stands in the four priorities."""
        v: cython.int
        n: cython.int
        p: cython.int
        i: cython.int
        j: cython.int
        count: cython.int
        size: cython.int
        touched: cython.int
        eyes: cython.int = 0
        result: Merit
        if not cython.compiled:
            result = SimpleNamespace()
        result.chains = 0
        result.liberties = 0
        result.enclosed = 0
        result.weakest = SATURATED
        for v in range(STRIDE, board.cells - STRIDE):
            self.seen[v] = 0
            if board.color[v] == WALL or board.color[v] == EMPTY or board.head[v] != v:
                continue
            if board.color[v] == c:
                result.chains += 1
            else:
                count = board.liberty_count(v, 64)
                if count < result.weakest:
                    result.weakest = count
        for i in range(board.empty_count):
            v = board.empty[i]
            if (
                board.color[v - STRIDE] == c
                or board.color[v - 1] == c
                or board.color[v + 1] == c
                or board.color[v + STRIDE] == c
            ):
                result.liberties += 1
            if self.seen[v]:
                continue
            self.seen[v] = 1
            self.edge[0] = v
            count = 1
            size = 0
            touched = 0
            while count > 0:
                count -= 1
                p = self.edge[count]
                size += 1
                for j in range(4):
                    n = p - STRIDE if j == 0 else (p - 1 if j == 1 else (p + 1 if j == 2 else p + STRIDE))
                    if board.color[n] == EMPTY:
                        if not self.seen[n]:
                            self.seen[n] = 1
                            self.edge[count] = n
                            count += 1
                    elif board.color[n] != WALL:
                        touched |= board.color[n]
            if touched == c:
                eyes += 1
                result.enclosed += size
        if eyes >= 2 and result.chains == 1:
            result.liberties = SATURATED
        return result

    def _in_atari(self, board, c):
        v: cython.int
        for v in range(STRIDE, board.cells - STRIDE):
            if board.color[v] == c and board.head[v] == v and atari_point(board.libs[v]) != 0:
                return True
        return False

    def _choose(self, board, c):
        """Fill ``best`` with the equally best vertices; a capture ends the search at once."""
        v: cython.int
        order: cython.int
        any_safe: cython.bint = False
        merit: Merit
        top: Merit
        if not cython.compiled:
            top = SimpleNamespace()
        top.chains = top.liberties = top.enclosed = top.weakest = 0
        self.best_count = 0
        for v in range(STRIDE, board.cells - STRIDE):
            if not board.legal(v, c):
                continue
            self.scratch.copy_from(board)
            self.scratch.play(v, c)
            if self.scratch.captured:
                self.best[0] = v
                self.best_count = 1
                return
            if self._in_atari(self.scratch, c):
                if not any_safe:
                    self.best[self.best_count] = v
                    self.best_count += 1
                continue
            merit = self._merit(self.scratch, c)
            if any_safe:
                order = top.chains - merit.chains
                if order == 0:
                    order = merit.liberties - top.liberties
                if order == 0:
                    order = merit.enclosed - top.enclosed
                if order == 0:
                    order = top.weakest - merit.weakest
            else:
                order = 1
            any_safe = True
            if order > 0:
                top = merit
                self.best_count = 0
            if order >= 0:
                self.best[self.best_count] = v
                self.best_count += 1

    def merit(self, board: Board, color: int) -> tuple[int, int, int, int]:
        """(-strings, liberties, surrounded points, -liberties of the weakest enemy string) of a board color
        has just moved on: the greater tuple is the better.
        """
        found = self._merit(board, color)
        return -found.chains, found.liberties, found.enclosed, -found.weakest

    def move(self, board: Board, color: int, random: Random) -> int:
        """The best move by the four priorities; PASS only when nothing is legal."""
        i: cython.int
        c: cython.int = color
        with cython.nogil:
            self._choose(board, c)
        if self.best_count == 0:
            return PASS
        i = random.randrange(self.best_count)
        return move_of_vertex(self.best[i], board.width)
