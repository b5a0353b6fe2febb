"""Exact questions about one move where the first capture ends the game, asked without playing it.

No stone leaves such a board before the end, so the answers hold without trying the move out. Compiled functions:
the argument types stand in the .pxd beside this file.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy  # type: ignore[import-not-found]
else:
    from tengen.go.pure import EMPTY, STRIDE, atari_at, atari_point

__all__ = ["ataris", "endangered", "room", "stuck", "takes"]


def room(board, v, c):
    """Liberties, 0, 1 or 2 (for two and more), of the chain a stone of c on v would belong to. No
    captures.
    """
    i: cython.int
    j: cython.int
    k: cython.int
    n: cython.int
    count: cython.int
    first: cython.int = 0
    found: cython.ushort[3]
    if not cython.compiled:
        found = [0] * 3
    if board.nbr[v] >> 8 >= 2:
        return 2
    for i in range(4):
        n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
        if board.color[n] == EMPTY:
            if first != 0 and n != first:
                return 2
            first = n
        elif board.color[n] == c:
            count = board.liberties_into(board.head[n], found, 3)
            for j in range(count):
                k = found[j]
                if k in (v, first):
                    continue
                if first != 0:
                    return 2
                first = k
    return 1 if first else 0


def ataris(board, v, c):
    """How many enemy chains a stone of c on v would leave with one liberty."""
    i: cython.int
    j: cython.int
    n: cython.int
    h: cython.int
    count: cython.int = 0
    heads: cython.int[4]
    found: cython.ushort[3]
    if not cython.compiled:
        heads = [0] * 4
        found = [0] * 3
    for i in range(4):
        n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
        heads[i] = 0
        if board.color[n] != 3 - c:
            continue
        h = board.head[n]
        for j in range(i):
            if heads[j] == h:
                break
        else:
            heads[i] = h
            if board.liberties_into(h, found, 3) == 2:
                count += 1
    return count


def endangered(board, last, c, point):
    """Points at which chains of c beside ``last`` would be captured: how many (2 for more), one
    written.
    """
    i: cython.int
    n: cython.int
    p: cython.int
    count: cython.int = 0
    point[0] = 0
    for i in range(4):
        n = last - STRIDE if i == 0 else (last - 1 if i == 1 else (last + 1 if i == 2 else last + STRIDE))
        if board.color[n] == c:
            p = atari_point(board.libs[board.head[n]])
            if p != 0 and p != point[0]:
                point[0] = p
                count += 1
    return 2 if count > 2 else count


def takes(board, v, c):
    """True iff a stone of c on v captures."""
    n: cython.int
    i: cython.int
    for i in range(4):
        n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
        if board.color[n] == 3 - c and atari_at(board.libs[board.head[n]], v):
            return True
    return False


def stuck(board, c):
    """True iff c has no legal move at all."""
    i: cython.int
    for i in range(board.empty_count):  # noqa: SIM110 - no generator without the GIL
        if board.legal(board.empty[i], c):
            return False
    return True


def save_board(board, frame):
    """Note all of a board that a play without captures changes. Compiled only."""
    n: cython.int = board.cells
    if cython.compiled:
        frame.zobrist = board.zobrist
        frame.ko = board.ko
        frame.last = board.last
        frame.before_last = board.before_last
        frame.empty_count = board.empty_count
        frame.moves = board.moves
        memcpy(cython.address(frame.color[0]), cython.address(board.color[0]), n)
        memcpy(cython.address(frame.nbr[0]), cython.address(board.nbr[0]), n * 2)
        memcpy(cython.address(frame.head[0]), cython.address(board.head[0]), n * 2)
        memcpy(cython.address(frame.next[0]), cython.address(board.next[0]), n * 2)
        memcpy(cython.address(frame.stones[0]), cython.address(board.stones[0]), n * 2)
        memcpy(cython.address(frame.slot[0]), cython.address(board.slot[0]), n * 2)
        memcpy(cython.address(frame.libs[0]), cython.address(board.libs[0]), n * 8)
        memcpy(cython.address(frame.empty[0]), cython.address(board.empty[0]), board.empty_count * 2)


def restore_board(board, frame):
    """Put the board back as it was noted. Compiled only."""
    n: cython.int = board.cells
    if cython.compiled:
        board.zobrist = frame.zobrist
        board.ko = frame.ko
        board.last = frame.last
        board.before_last = frame.before_last
        board.empty_count = frame.empty_count
        board.moves = frame.moves
        memcpy(cython.address(board.color[0]), cython.address(frame.color[0]), n)
        memcpy(cython.address(board.nbr[0]), cython.address(frame.nbr[0]), n * 2)
        memcpy(cython.address(board.head[0]), cython.address(frame.head[0]), n * 2)
        memcpy(cython.address(board.next[0]), cython.address(frame.next[0]), n * 2)
        memcpy(cython.address(board.stones[0]), cython.address(frame.stones[0]), n * 2)
        memcpy(cython.address(board.slot[0]), cython.address(frame.slot[0]), n * 2)
        memcpy(cython.address(board.libs[0]), cython.address(frame.libs[0]), n * 8)
        memcpy(cython.address(board.empty[0]), cython.address(frame.empty[0]), frame.empty_count * 2)
