"""Ladders, read to the end.

A chain with two liberties is *catchable* if a move on one of them puts it in atari for good: whatever it
does, extend or capture, it is in atari again or dead. A chain in atari *escapes* by a move that leaves it
three liberties, or two and not catchable. Simple ko is kept to throughout.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import Board  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import CELLS, EMPTY, STRIDE, WALL
    from tengen.nets.pure import MOST_RESCUES, NODES, TRAIL

from tengen.go.coords import move_of_vertex, vertex_of

__all__ = ["LadderReader", "is_caught", "ladder_catches", "ladder_escapes"]


class LadderReader:
    """Scratch memory of one thread. ``load`` a board, then ask; the board itself is never changed."""

    def __init__(self) -> None:
        self.stamp = 0
        self.trail_length = 0
        if not cython.compiled:
            self.color, self.mark, self.chain, self.queue = (
                [WALL] * CELLS,
                [0] * CELLS,
                [0] * CELLS,
                [0] * CELLS,
            )
            self.trail = [0] * TRAIL

    def load(self, b):
        if cython.compiled:
            memcpy(cython.address(self.color[0]), cython.address(b.color[0]), CELLS)
        else:
            self.color = list(b.color)
        self.ko = b.ko
        self.trail_length = 0

    def air(self, s, libs, limit):
        """Flood the chain at s: how many liberties it has, up to ``limit``, and the first of them in
        ``libs``.

        When fewer than ``limit`` are found ``chain`` holds all its stones.
        """
        i: cython.int = 0
        k: cython.int
        n: cython.int
        v: cython.int
        count: cython.int = 0
        c: cython.int = self.color[s]
        self.stamp += 1
        self.chain[0] = s
        self.chain_length = 1
        self.mark[s] = self.stamp
        while i < self.chain_length:
            v = self.chain[i]
            i += 1
            for k in range(4):
                n = v - STRIDE if k == 0 else (v - 1 if k == 1 else (v + 1 if k == 2 else v + STRIDE))
                if self.mark[n] == self.stamp:
                    continue
                if self.color[n] == EMPTY:
                    self.mark[n] = self.stamp
                    libs[count] = n
                    count += 1
                    if count == limit:
                        return count
                elif self.color[n] == c:
                    self.mark[n] = self.stamp
                    self.chain[self.chain_length] = n
                    self.chain_length += 1
        return count

    def has_air(self, s):
        """Has the chain at s a liberty? ``chain`` holds all its stones if not."""
        libs: cython.int[1]
        if not cython.compiled:
            libs = [0]
        return self.air(s, libs, 1) > 0

    def put(self, v, c):
        """Play on an empty point, taking what it captures; False, and nothing done, for ko or suicide."""
        i: cython.int
        k: cython.int
        n: cython.int
        taken: cython.int = 0
        taken_at: cython.int = 0
        libs: cython.int[2]
        if not cython.compiled:
            libs = [0] * 2
        if v == self.ko or self.trail_length > TRAIL - 800:
            return False
        self.color[v] = c
        self.trail[self.trail_length] = v
        self.trail_length += 1
        for k in range(4):
            n = v - STRIDE if k == 0 else (v - 1 if k == 1 else (v + 1 if k == 2 else v + STRIDE))
            if self.color[n] == 3 - c and not self.has_air(n):
                for i in range(self.chain_length):
                    n = self.chain[i]
                    self.color[n] = EMPTY
                    self.trail[self.trail_length] = n | ((3 - c) << 10) | 4096
                    self.trail_length += 1
                taken += self.chain_length
                taken_at = n
        n = self.air(v, libs, 2)
        if n == 0:
            self.color[v] = EMPTY
            self.trail_length -= 1
            return False
        self.ko = taken_at if taken == 1 and n == 1 and self.chain_length == 1 else 0
        return True

    def undo(self, length, ko):
        """Take back moves until the trail has that length."""
        entry: cython.int
        while self.trail_length > length:
            self.trail_length -= 1
            entry = self.trail[self.trail_length]
            self.color[entry & 1023] = (entry >> 10) & 3 if entry & 4096 else EMPTY
        self.ko = ko

    def rescues(self, s, found):
        """Moves that might save the chain at s, in atari: captures of its neighbours, then its liberty."""
        i: cython.int
        j: cython.int
        k: cython.int
        n: cython.int
        count: cython.int = 0
        neighbours: cython.int = 0
        libs: cython.int[2]
        liberty: cython.int
        enemy: cython.int = 3 - self.color[s]
        if not cython.compiled:
            libs = [0] * 2
        self.air(s, libs, 2)
        liberty = libs[0]
        for i in range(self.chain_length):
            for k in range(4):
                n = self.chain[i]
                n = n - STRIDE if k == 0 else (n - 1 if k == 1 else (n + 1 if k == 2 else n + STRIDE))
                if self.color[n] == enemy and self.mark[n] != self.stamp:
                    self.mark[n] = self.stamp
                    self.queue[neighbours] = n
                    neighbours += 1
        for i in range(neighbours):
            if self.air(self.queue[i], libs, 2) == 1 and libs[0] != liberty and count < MOST_RESCUES - 1:
                j = 0
                while j < count and found[j] != libs[0]:
                    j += 1
                if j == count:
                    found[count] = libs[0]
                    count += 1
        found[count] = liberty
        return count + 1

    def saves(self, s, v):
        """Does the chain at s, in atari, escape by the move v of its side?"""
        libs: cython.int[3]
        length: cython.int = self.trail_length
        ko: cython.int = self.ko
        count: cython.int
        safe: cython.bint
        if not cython.compiled:
            libs = [0] * 3
        if not self.put(v, self.color[s]):
            return False
        count = self.air(s, libs, 3)
        safe = count >= 3 or (count == 2 and not self.catchable(s))
        self.undo(length, ko)
        return safe

    def catches(self, s, v):
        """Does the enemy's move v on a liberty of the chain at s, which has two, put it in atari for good?"""
        libs: cython.int[2]
        length: cython.int = self.trail_length
        ko: cython.int = self.ko
        good: cython.bint
        if not cython.compiled:
            libs = [0] * 2
        if not self.put(v, 3 - self.color[s]):
            return False
        good = self.air(s, libs, 2) == 1 and self.caught(s)
        self.undo(length, ko)
        return good

    def caught(self, s):
        """Is the chain at s, in atari and to move, lost?"""
        found: cython.int[16]
        count: cython.int
        i: cython.int
        self.nodes -= 1
        if self.nodes < 0:
            return False
        if not cython.compiled:
            found = [0] * MOST_RESCUES
        count = self.rescues(s, found)
        for i in range(count):  # noqa: SIM110 - a generator would need the GIL
            if self.saves(s, found[i]):
                return False
        return True

    def catchable(self, s):
        """Can the enemy, to move, catch the chain at s, which has two liberties?"""
        libs: cython.int[3]
        if not cython.compiled:
            libs = [0] * 3
        self.nodes -= 1
        if self.nodes < 0 or self.air(s, libs, 3) != 2:
            return False
        return self.catches(s, libs[0]) or self.catches(s, libs[1])


def ladder_catches(board: Board, move: int, stone: int) -> bool:
    """True iff playing ``move`` catches in a ladder the enemy chain at ``stone``, which has two liberties."""
    reader: LadderReader = LadderReader()
    width = board.width
    v: cython.int = vertex_of(move, width)
    s: cython.int = vertex_of(stone, width)
    if board.color_at(stone) == 0 or move not in board.chain_liberties(stone) or board.liberties(stone) != 2:
        return False
    reader.load(board)
    reader.nodes = NODES
    return bool(reader.catches(s, v))


def is_caught(board: Board, stone: int) -> bool:
    """True iff the chain at ``stone`` is in atari and no move of its side saves it."""
    reader: LadderReader = LadderReader()
    s: cython.int = vertex_of(stone, board.width)
    if not board.in_atari(stone):
        return False
    reader.load(board)
    reader.nodes = NODES
    return bool(reader.caught(s))


def ladder_escapes(board: Board, stone: int) -> list[int]:
    """The moves by which the chain at ``stone``, in atari, escapes; empty if it is not in atari."""
    reader: LadderReader = LadderReader()
    found: cython.int[16]
    if not cython.compiled:
        found = [0] * MOST_RESCUES
    i: cython.int
    count: cython.int
    s: cython.int = vertex_of(stone, board.width)
    if not board.in_atari(stone):
        return []
    reader.load(board)
    reader.nodes = NODES
    count = reader.rescues(s, found)
    saving = []
    for i in range(count):
        reader.nodes = NODES
        if reader.saves(s, found[i]):
            saving.append(move_of_vertex(found[i], board.width))
    return sorted(saving)
