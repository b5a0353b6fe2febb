"""Counting: every legal position of a small board, every sequence of moves to a depth.

The counts of legal positions are known (Tromp and Farneback 2007): 1, 57, 12675, 24318165 for 1x1 to 4x4.
"""

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import EMPTY, STRIDE, Board, atari_at  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import EMPTY, STRIDE, atari_at

from tengen.go.coords import PASS
from tengen.go.position import Position

__all__ = ["count_legal_positions", "count_tree"]


def count_legal_positions(width: int, height: int) -> int:
    """How many ways of colouring the points leave every chain a liberty, by the board's own liberty counts.

    Fills the points one after another by `Board.play`, which would capture: a branch is given up as soon as a
    stone could not breathe even if all that is still empty stayed so.
    """
    boards = [Board(width, height) for _ in range(width * height + 1)]
    return _count(boards, 0, width, height)


@cython.cfunc
def _count(boards: list, at: cython.int, width: cython.int, height: cython.int) -> object:
    board: Board = boards[at]
    following: Board
    total = 1 if at == width * height else 0
    color: cython.int
    v: cython.int
    if at == width * height:
        return total
    v = (at // width + 1) * STRIDE + at % width + 1
    following = boards[at + 1]
    for color in range(3):
        following.copy_from(board)
        following.ko = 0
        if color != EMPTY:
            # A play that captures or dies would not leave the stones as they are.
            if not _stands(following, v, color):
                continue
            following.play(v, color)
        total += _count(boards, at + 1, width, height)
    return total


@cython.cfunc
def _stands(board: Board, v: cython.int, c: cython.int) -> cython.bint:
    """True iff a stone of c on v takes the last liberty of nobody, its own chain included."""
    i: cython.int
    n: cython.int
    if board.suicidal(v, c):
        return False
    for i in range(4):
        n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
        if board.color[n] == 3 - c and atari_at(board.libs[board.head[n]], v):
            return False
    return True


def count_tree(rules, depth: int) -> int:
    """How many sequences of that many moves the rules allow from the empty board; two passes end a game."""
    return _leaves(Position.start(rules), depth)


def _leaves(position, depth: int) -> int:
    if depth == 0 or position.is_over:
        return 1
    if depth == 1:
        return len(position.legal_moves()) + 1
    total = _leaves(position.play(PASS), depth - 1)
    for move in position.legal_moves():
        total += _leaves(position.play(move), depth - 1)
    return total
