"""Captures read to the end, and the tactical questions of chains.py asked in moves.

``Reader`` answers what needs moves played: can a chain with at most two liberties be caught or saved. A
chain that reaches three liberties counts as safe, as does one whose reading goes over the node limit: so
"captured" is proved by a line of play, "safe" is not.
"""

import cython

if not cython.compiled:
    from tengen.go.pure import EMPTY, atari_at, atari_point
    from tengen.knowledge.chains import (
        _STEP,
        ataris,
        bad_self_atari,
        captures_at,
        chains_joined,
        false_eye,
        liberties_after,
        nakade_point,
        race,
        rescue_points,
        self_atari,
    )

from tengen.errors import IllegalMove
from tengen.go.board import Board as PyBoard
from tengen.go.coords import move_of_vertex, vertex_of

__all__ = ["Reader", "Tactics"]

_MAX_DEPTH = 24


class Reader:
    """Reads whether a chain with one or two liberties is caught. Owns its boards; one Reader serves one
    thread."""

    def __init__(self, limit: int = 400, depth: int = _MAX_DEPTH) -> None:
        self.board = PyBoard(19)
        self.limit = limit
        self.nodes = 0
        self.deeper = Reader(limit, depth - 1) if depth > 0 else None

    def captures(self, b, v, s):
        """True iff the enemy chain at s, which has at most two liberties, is caught once its enemy plays
        v."""
        c: cython.int = b.color[s]
        if not b.legal(v, 3 - c):
            return False
        self.nodes = 0
        self.board.copy_from(b)
        self.board.play(v, 3 - c)
        return self.board.color[s] != c or self._runs_out(s)

    def capture_point(self, b, s):
        """A point where the enemy of the chain at s takes it or starts what takes it; 0 if there is none."""
        libs: cython.ushort[4]
        n: cython.int
        i: cython.int
        h: cython.int = b.head[s]
        if not cython.compiled:
            libs = [0] * 4
        n = b.liberties_into(h, libs, 3)
        if n == 1:
            return libs[0] if b.legal(libs[0], 3 - b.color[s]) else 0
        if n > 2:
            return 0
        for i in range(n):
            if self.captures(b, libs[i], s):
                return libs[i]
        return 0

    def saves(self, b, v, s):
        """True iff the chain at s cannot be caught by reading once its owner has played v."""
        c: cython.int = b.color[s]
        if not b.legal(v, c):
            return False
        self.nodes = 0
        self.board.copy_from(b)
        self.board.play(v, c)
        return not self._chase(s)

    def save_point(self, b, s):
        """A reply that saves the chain at s from capture: a liberty of it or a capture beside it; 0 if
        there is none."""
        found: cython.ushort[40]
        n: cython.int
        i: cython.int
        h: cython.int = b.head[s]
        if not cython.compiled:
            found = [0] * 40
        n = rescue_points(b, h, found, 16)
        n += b.liberties_into(h, cython.address(found[n]), 3) if cython.compiled else _append(b, h, found, n)
        for i in range(n):
            if self.saves(b, found[i], s):
                return found[i]
        return 0

    def ladder_capture(self, b, v, c):
        """True iff c's play on v catches an enemy chain of two liberties beside it, or takes one in atari."""
        i: cython.int
        n: cython.int
        if b.color[v] != EMPTY:
            return False
        for i in range(4):
            n = v + _STEP[i]
            if b.color[n] == 3 - c and b.liberty_count(b.head[n], 3) <= 2 and self.captures(b, v, n):
                return True
        return False

    def ladder_escape(self, b, v, c):
        """True iff c's play on v saves a chain of c that is in atari: by extending, or taking a chain
        beside it."""
        i: cython.int
        j: cython.int
        n: cython.int
        m: cython.int
        s: cython.int
        h: cython.int
        if b.color[v] != EMPTY:
            return False
        for i in range(4):
            n = v + _STEP[i]
            if b.color[n] == c and atari_point(b.libs[b.head[n]]) and self.saves(b, v, n):
                return True
            if b.color[n] == 3 - c and atari_at(b.libs[b.head[n]], v):
                # Taking this chain: does it free one of ours beside it?
                h = b.head[n]
                s = h
                while True:
                    for j in range(4):
                        m = s + _STEP[j]
                        if b.color[m] == c and atari_point(b.libs[b.head[m]]) and self.saves(b, v, m):
                            return True
                    s = b.next[s]
                    if s == h:
                        break
        return False

    def _replies(self, s, out):
        """Replies of a chain in atari that leave it two liberties at least: captures beside it, then the
        extension."""
        h: cython.int = self.board.head[s]
        c: cython.int = self.board.color[s]
        p: cython.int = atari_point(self.board.libs[h])
        n: cython.int = rescue_points(self.board, h, out, 12)
        i: cython.int
        kept: cython.int = 0
        for i in range(n):
            if out[i] != p and out[i] != self.board.ko and self.board.legal(out[i], c):
                out[kept] = out[i]
                kept += 1
        if p and p != self.board.ko and liberties_after(self.board, p, c, 2) == 2:
            out[kept] = p
            kept += 1
        return kept

    def _hopeless(self, a, other, s):
        """Attacking the two-liberty chain at s from a fails at once: it extends to three liberties at
        other."""
        c: cython.int = self.board.color[s]
        return captures_at(self.board, a, 3 - c) == 0 and liberties_after(self.board, other, c, 4) >= 4

    def _branch_fails(self, v, c, s):
        """True iff, after the attacker c plays v on a copy, the chain at s gets away."""
        if self.deeper is None:
            return True
        self.deeper.nodes = self.nodes
        self.deeper.board.copy_from(self.board)
        self.deeper.board.play(v, c)
        escaped: cython.bint = not self.deeper._runs_out(s)
        self.nodes = self.deeper.nodes
        return escaped

    def _runs_out(self, s):
        """The owner of the chain at s to move on this board: True iff nothing saves it. Spoils the board."""
        replies: cython.ushort[16]
        n: cython.int
        i: cython.int
        caught: cython.bint
        c: cython.int = self.board.color[s]
        if not cython.compiled:
            replies = [0] * 16
        if atari_point(self.board.libs[self.board.head[s]]) == 0:
            return False
        n = self._replies(s, replies)
        for i in range(n - 1):
            if self.deeper is None:
                return False
            self.deeper.nodes = self.nodes
            self.deeper.board.copy_from(self.board)
            self.deeper.board.play(replies[i], c)
            caught = self.deeper._chase(s)
            self.nodes = self.deeper.nodes
            if not caught:
                return False
        if n == 0:
            return True
        self.board.play(replies[n - 1], c)
        return self._chase(s)

    def _chase(self, s):
        """The enemy of the chain at s to move on this board: True iff it is caught. Spoils the board."""
        libs: cython.ushort[4]
        replies: cython.ushort[16]
        n: cython.int
        i: cython.int
        first: cython.int
        second: cython.int
        c: cython.int = self.board.color[s]
        e: cython.int = 3 - c
        caught: cython.bint
        if not cython.compiled:
            libs, replies = [0] * 4, [0] * 16
        while True:
            self.nodes += 1
            if self.nodes > self.limit:
                return False
            n = self.board.liberties_into(self.board.head[s], libs, 3)
            if n >= 3:
                return False
            if n == 1:
                return libs[0] != self.board.ko
            first = libs[0]
            second = libs[1]
            if not self.board.legal(first, e) or self._hopeless(first, second, s):
                first = 0
            if not self.board.legal(second, e) or self._hopeless(second, first if first else libs[0], s):
                second = 0
            if first and second:
                if not self._branch_fails(first, e, s):
                    return True
                first = 0
            first |= second
            if first == 0:
                return False
            self.board.play(first, e)
            # What _runs_out does, in place, so that a long ladder costs no depth.
            n = self._replies(s, replies)
            if n == 0:
                return True
            for i in range(n - 1):
                if self.deeper is None:
                    return False
                self.deeper.nodes = self.nodes
                self.deeper.board.copy_from(self.board)
                self.deeper.board.play(replies[i], c)
                caught = self.deeper._chase(s)
                self.nodes = self.deeper.nodes
                if not caught:
                    return False
            self.board.play(replies[n - 1], c)


def _append(b, h, found, n):
    libs = [0] * 4
    count = b.liberties_into(h, libs, 3)
    found[n : n + count] = libs[:count]
    return count


class Tactics:
    """The Python face: the same questions asked of a Board in moves, every index checked."""

    def __init__(self, board: PyBoard, limit: int = 400) -> None:
        self.board = board.copy()
        self.reader = Reader(limit)

    def _empty(self, move: int) -> int:
        if not 0 <= move < self.board.width * self.board.height or self.board.color_at(move):
            raise IllegalMove(f"move {move}: an empty point of the board expected")
        return vertex_of(move, self.board.width)

    def _stone(self, move: int) -> int:
        if not 0 <= move < self.board.width * self.board.height or not self.board.color_at(move):
            raise IllegalMove(f"move {move}: a stone expected")
        return vertex_of(move, self.board.width)

    def _move(self, vertex: int) -> int | None:
        return move_of_vertex(vertex, self.board.width) if vertex else None

    def liberties_if(self, move: int, color: int) -> int:
        """Up to 24."""
        return liberties_after(self.board, self._empty(move), color, 24)

    def self_atari_size(self, move: int, color: int) -> int:
        """Stones the move would leave in atari (or without liberties), itself included; 0 if it is no
        self-atari."""
        return self_atari(self.board, self._empty(move), color)

    def is_bad_self_atari(self, move: int, color: int) -> bool:
        return bool(bad_self_atari(self.board, self._empty(move), color))

    def stones_taken(self, move: int, color: int) -> int:
        return captures_at(self.board, self._empty(move), color)

    def gives_atari(self, move: int, color: int) -> bool:
        return bool(ataris(self.board, self._empty(move), color))

    def capture_point(self, stone: int) -> int | None:
        """Where its enemy, to move, takes the chain (at once, or by a ladder or net of ataris read to the
        end)."""
        return self._move(self.reader.capture_point(self.board, self._stone(stone)))

    def save_point(self, stone: int) -> int | None:
        """Where its owner, to move, makes the chain safe from such a capture."""
        return self._move(self.reader.save_point(self.board, self._stone(stone)))

    def ladder_capture(self, move: int, color: int) -> bool:
        return bool(self.reader.ladder_capture(self.board, self._empty(move), color))

    def ladder_escape(self, move: int, color: int) -> bool:
        return bool(self.reader.ladder_escape(self.board, self._empty(move), color))

    def nakade(self, move: int, owner: int) -> int | None:
        """The vital point of the owner's eye that holds the point, if it has one and it is empty."""
        if not 0 <= move < self.board.width * self.board.height:
            raise IllegalMove(f"move {move} is off the board")
        return self._move(nakade_point(self.board, vertex_of(move, self.board.width), owner))

    def is_false_eye(self, move: int, owner: int) -> bool:
        return bool(false_eye(self.board, self._empty(move), owner))

    def race_result(self, mine: int, theirs: int) -> int:
        """1: the owner of ``mine``, to move, wins the race by liberties; 0: seki; -1: loses it. Eyes are
        not counted."""
        return race(self.board, self._stone(mine), self._stone(theirs))

    def touches(self, move: int, color: int) -> int:
        return chains_joined(self.board, self._empty(move), color)
