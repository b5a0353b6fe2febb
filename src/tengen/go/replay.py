"""Games as joined SGF letter pairs (``pdddpq...``) to their final boards, thousands a second.

For checking and reading large collections, where a tree of nodes per game would cost fifty times as much.
Moves alternate; ``tt`` is a pass on boards up to 19x19; simple ko is forbidden, and suicide unless asked for.
"""

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import EMPTY, STRIDE, Board  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import EMPTY, STRIDE

from tengen.errors import IllegalMove

__all__ = ["replay_into", "replay_moves"]


def _replay(board, text, moves, color, suicide):
    """Play ``moves`` pairs of letters; how many went before the first that is illegal."""
    i: cython.int
    column: cython.int
    row: cython.int
    vertex: cython.int
    small: cython.bint = board.width <= 19 and board.height <= 19
    for i in range(moves):
        column = text[2 * i] - 97
        row = text[2 * i + 1] - 97
        if small and column == 19 and row == 19:
            board.pass_turn()
        elif column < 0 or row < 0 or column >= board.width or row >= board.height:
            return i
        else:
            vertex = (row + 1) * STRIDE + column + 1
            if not board.legal(vertex, color):
                if not suicide or board.color[vertex] != EMPTY or vertex == board.ko:
                    return i
                # A suicide of several stones; of one stone it never is allowed.
                if (
                    board.color[vertex - STRIDE] != color
                    and board.color[vertex - 1] != color
                    and board.color[vertex + 1] != color
                    and board.color[vertex + STRIDE] != color
                ):
                    return i
            board.play(vertex, color)
        color = 3 - color
    return moves


def replay_into(board: Board, moves: bytes, first: int = 1, suicide: bool = False) -> int:
    """Clear the board and play a game on it, the GIL released.

    Returns how many moves were played: ``len(moves) // 2``, or the index of the first illegal one. An odd
    letter at the end counts as an illegal move.
    """
    count: cython.int = len(moves) // 2
    color: cython.int = first
    may_die: cython.bint = suicide
    played: cython.int
    if color != 1 and color != 2:
        raise IllegalMove(f"color {first}: 1 (black) or 2 (white) expected")
    if cython.compiled:
        text: cython.pointer[cython.const[cython.uchar]] = moves
        with cython.nogil:
            board.clear()
            played = _replay(board, text, count, color, may_die)
    else:
        board.clear()
        played = _replay(board, moves, count, color, may_die)
    return played


def replay_moves(
    moves: bytes, width: int = 19, height: int = 19, first: int = 1, suicide: bool = False
) -> Board:
    """The board after a game. Raises IllegalMove, naming the first move that is not legal and its number."""
    board: Board = Board(width, height)
    played = replay_into(board, moves, first, suicide)
    if 2 * played != len(moves):
        said = moves[2 * played : 2 * played + 2].decode("latin-1")
        raise IllegalMove(f"move {played + 1}, {said!r}: not legal on the {width}x{height} board")
    return board
