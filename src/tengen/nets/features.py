"""The planes a network sees, drawn from a board; ``feature_sets`` names them, ``views`` draws a Position.

Every plane is 0 or 1, row by row from the top, own before opponent: the side to move is never named except by
the colour plane. The writer is compiled and needs no GIL; a symmetry is applied by showing it a turned board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.tengen.go.board import Board  # type: ignore[import-not-found]
    from cython.cimports.tengen.nets.ladders import LadderReader  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import BLACK, EMPTY, STRIDE
    from tengen.nets.ladders import LadderReader
    from tengen.nets.pure import (
        DANN,
        DANN_NOLADDER,
        KEY_KINDS,
        NODES,
        POCKET,
        RECENT,
        TACTICS,
        WORDS,
        tengen_popcount,
    )


if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "PlaneWriter",
    "canonical_key",
    "draw",
    "draw_games",
    "legal_mask",
    "tell",
]


if not cython.compiled:
    _KEYS = [0] * (KEY_KINDS * 625)


def _fill_keys() -> None:
    """Fixed random bits (splitmix), so that a key is the same in every run."""
    i: cython.int
    z: cython.ulonglong
    for i in range(KEY_KINDS * 625):
        z = ((i + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        _KEYS[i] = z ^ (z >> 31)


_fill_keys()


class PlaneWriter:
    """Scratch memory of one thread that writes the planes of boards of one size.

    ``remember`` is told every move (0: a pass) as it is played, ``write`` draws the board as it stands.
    """

    def __init__(self, width: int, height: int) -> None:
        p: cython.int
        row: cython.int
        col: cython.int
        Board(width, height)  # raises on a size no board has
        self.width = width
        self.height = height
        self.area = width * height
        self.words = (self.area + 63) >> 6
        self.ladders = LadderReader()
        if not cython.compiled:
            self.recent = [0] * RECENT
            self.flat = [0] * 704
            self.vertex = [0] * 625
            self.air = [0] * (704 * WORDS)
            self.liberties = [0] * 704
            self.legal = [0] * 625
        for row in range(self.height):
            for col in range(self.width):
                p = row * self.width + col
                self.vertex[p] = (row + 1) * STRIDE + col + 1
                self.flat[self.vertex[p]] = p
        self.forget()

    def forget(self):
        """No moves yet."""
        i: cython.int
        for i in range(RECENT):
            self.recent[i] = 0

    def remember(self, v):
        i: cython.int
        for i in range(RECENT - 1, 0, -1):
            self.recent[i] = self.recent[i - 1]
        self.recent[0] = v

    def key(self, b, mover, turn):
        """64 bits for all the planes show on the board turned by ``turn``: stones, mover, last moves, ko."""
        p: cython.int
        i: cython.int
        v: cython.int
        key: cython.ulonglong = self.area * 2 + (mover == BLACK)
        for p in range(self.area):
            v = self.vertex[p]
            if b.color[v] != EMPTY:
                key ^= _KEYS[(0 if b.color[v] == mover else 625) + turn[p]]
        for i in range(RECENT):
            if self.recent[i]:
                key ^= _KEYS[(2 + i) * 625 + turn[self.flat[self.recent[i]]]]
        if b.ko:
            key ^= _KEYS[7 * 625 + turn[self.flat[b.ko]]]
        return key

    def survey(self, b, mover):
        """Count every chain's liberties exactly, and ask of every point whether the mover may play there."""
        i: cython.int
        k: cython.int
        p: cython.int
        v: cython.int
        h: cython.int
        count: cython.int
        bit: cython.ulonglong
        words: cython.int = self.words
        for p in range(self.area):
            v = self.vertex[p]
            self.legal[p] = 0
            if b.head[v] == v:
                for k in range(words):
                    self.air[v * WORDS + k] = 0
        for i in range(b.empty_count):
            v = b.empty[i]
            p = self.flat[v]
            self.legal[p] = v != b.ko and not b.suicidal(v, mover)
            k = p >> 6
            bit = cython.cast(cython.ulonglong, 1) << (p & 63)
            # Head 0, of what is no chain, only collects.
            self.air[b.head[v - STRIDE] * WORDS + k] |= bit
            self.air[b.head[v - 1] * WORDS + k] |= bit
            self.air[b.head[v + 1] * WORDS + k] |= bit
            self.air[b.head[v + STRIDE] * WORDS + k] |= bit
        for p in range(self.area):
            h = self.vertex[p]
            if b.head[h] == h:
                count = 0
                for k in range(words):
                    count += tengen_popcount(self.air[h * WORDS + k])
                self.liberties[h] = count

    def _after(self, b, v, mover, captured, size):
        """Liberties of the mover's chain after a legal play at v; the stones it takes, and its size then."""
        i: cython.int
        j: cython.int
        k: cython.int
        n: cython.int
        h: cython.int
        s: cython.int
        p: cython.int
        count: cython.int
        own: cython.int = 0
        prey: cython.int = 0
        heads: cython.int[4]
        victims: cython.int[4]
        sea: cython.ulonglong[10]
        touching: cython.bint
        if not cython.compiled:
            heads, victims, sea = [0] * 4, [0] * 4, [0] * 10
        captured[0] = 0
        size[0] = 1
        for i in range(4):
            n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
            h = b.head[n]
            if h == 0:
                continue
            if b.color[h] == mover:
                j = 0
                while j < own and heads[j] != h:
                    j += 1
                if j == own:
                    heads[own] = h
                    own += 1
                    size[0] += b.stones[h]
            elif self.liberties[h] == 1:
                j = 0
                while j < prey and victims[j] != h:
                    j += 1
                if j == prey:
                    victims[prey] = h
                    prey += 1
                    captured[0] += b.stones[h]
        if own == 0 and prey == 0:
            return b.nbr[v] >> 8
        for k in range(self.words):
            sea[k] = 0
            for j in range(own):
                sea[k] |= self.air[heads[j] * WORDS + k]
        for i in range(4):
            n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
            if b.color[n] == EMPTY:
                p = self.flat[n]
                sea[p >> 6] |= cython.cast(cython.ulonglong, 1) << (p & 63)
        for j in range(prey):
            s = victims[j]
            while True:
                touching = s - STRIDE == v or s - 1 == v or s + 1 == v or s + STRIDE == v
                for k in range(own):
                    h = heads[k]
                    touching = (
                        touching
                        or b.head[s - STRIDE] == h
                        or b.head[s - 1] == h
                        or b.head[s + 1] == h
                        or b.head[s + STRIDE] == h
                    )
                if touching:
                    p = self.flat[s]
                    sea[p >> 6] |= cython.cast(cython.ulonglong, 1) << (p & 63)
                s = b.next[s]
                if s == victims[j]:
                    break
        p = self.flat[v]
        sea[p >> 6] &= ~(cython.cast(cython.ulonglong, 1) << (p & 63))
        count = 0
        for k in range(self.words):
            count += tengen_popcount(sea[k])
        return count

    def write(self, b, mover, kind, out, at):
        """Write all planes of a set into ``out`` from index ``at`` on. The board has this writer's size."""
        self.survey(b, mover)
        if kind == DANN:
            self._wipe(out, at, 41 * self.area)
            self._write_dann(b, mover, out, at + 2 * self.area)
            self._write_ladders(b, mover, out, at, False)
        elif kind == DANN_NOLADDER:
            self._wipe(out, at, 39 * self.area)
            self._write_dann(b, mover, out, at)
        elif kind == POCKET:
            self._wipe(out, at, 16 * self.area)
            self._write_pocket(b, mover, out, at)
        elif kind == TACTICS:
            self._wipe(out, at, 26 * self.area)
            self._write_pocket(b, mover, out, at)
            self._write_tactics(b, mover, out, at + 16 * self.area)
            self._write_ladders(b, mover, out, at + 22 * self.area, True)

    def _wipe(self, out, at, count):
        i: cython.Py_ssize_t
        for i in range(count):
            out[at + i] = 0

    def _write_dann(self, b, mover, out, at):
        """Table 1 from sensibleness on."""
        p: cython.int
        i: cython.int
        v: cython.int
        n: cython.int
        captured: cython.int = 0
        size: cython.int = 0
        area: cython.int = self.area
        black: cython.uchar = mover == BLACK
        if not cython.compiled:
            captured, size = [0], [0]
        for p in range(area):
            v = self.vertex[p]
            out[at + 2 * area + p] = black
            if b.color[v] == EMPTY:
                out[at + 6 * area + p] = 1
                if not self.legal[p]:
                    continue
                out[at + area + p] = 1
                out[at + p] = not b.eye(v, mover)
                if cython.compiled:
                    n = self._after(b, v, mover, cython.address(captured), cython.address(size))
                    i = captured
                else:
                    n = self._after(b, v, mover, captured, size)
                    i = captured[0]
                out[at + (10 + (n if n < 6 else 6)) * area + p] = 1
                out[at + (23 + (i if i < 7 else 7)) * area + p] = 1
                if n == 1:
                    i = size if cython.compiled else size[0]
                    out[at + (30 + (i if i < 8 else 8)) * area + p] = 1
            else:
                out[at + (4 if b.color[v] == mover else 5) * area + p] = 1
                n = self.liberties[b.head[v]]
                out[at + (6 + (n if n < 4 else 4)) * area + p] = 1
                i = 0
                while i < RECENT and self.recent[i] != v:
                    i += 1
                out[at + (17 + i) * area + p] = 1

    def _write_pocket(self, b, mover, out, at):
        p: cython.int
        i: cython.int
        v: cython.int
        n: cython.int
        area: cython.int = self.area
        for p in range(area):
            v = self.vertex[p]
            if b.color[v] == EMPTY:
                out[at + 2 * area + p] = 1
            else:
                i = 0 if b.color[v] == mover else 1
                n = self.liberties[b.head[v]]
                out[at + i * area + p] = 1
                out[at + (2 + 3 * i + (n if n < 3 else 3)) * area + p] = 1
            out[at + 15 * area + p] = 1
        for i in range(RECENT):
            if self.recent[i]:
                out[at + (9 + i) * area + self.flat[self.recent[i]]] = 1
        if b.ko:
            out[at + 14 * area + self.flat[b.ko]] = 1

    def _write_tactics(self, b, mover, out, at):
        p: cython.int
        i: cython.int
        v: cython.int
        n: cython.int
        captured: cython.int = 0
        size: cython.int = 0
        area: cython.int = self.area
        if not cython.compiled:
            captured, size = [0], [0]
        for p in range(area):
            v = self.vertex[p]
            if b.color[v] != EMPTY or not self.legal[p]:
                continue
            out[at + p] = 1
            out[at + area + p] = b.eye(v, mover)
            if cython.compiled:
                n = self._after(b, v, mover, cython.address(captured), cython.address(size))
                i = captured
            else:
                n = self._after(b, v, mover, captured, size)
                i = captured[0]
            if i:
                out[at + (2 if i == 1 else 3) * area + p] = 1
            if n < 3:
                out[at + (4 if n == 1 else 5) * area + p] = 1

    def _write_ladders(self, b, mover, out, at, chains):
        """Ladder capture and escape; with ``chains`` also the stones, own then the opponent's, that are
        caught.

        A chain with two liberties counts as caught if its enemy, moving next, catches it; one in atari if it
        is lost though it moves next.
        """
        p: cython.int
        h: cython.int
        s: cython.int
        i: cython.int
        v: cython.int
        count: cython.int
        caught: cython.bint
        found: cython.int[16]
        area: cython.int = self.area
        if not cython.compiled:
            found = [0] * 16
        self.ladders.load(b)
        for p in range(area):
            h = self.vertex[p]
            if b.head[h] != h or self.liberties[h] > 2:
                continue
            caught = False
            if self.liberties[h] == 2:
                if b.color[h] == mover:
                    if chains:
                        self.ladders.nodes = NODES
                        caught = self.ladders.catchable(h)
                else:
                    self.ladders.air(h, found, 3)
                    for i in range(2):
                        v = found[i]
                        self.ladders.nodes = NODES
                        if self.legal[self.flat[v]] and self.ladders.catches(h, v):
                            out[at + self.flat[v]] = 1
                            caught = True
            elif b.color[h] == mover:
                count = self.ladders.rescues(h, found)
                caught = True
                for i in range(count):
                    v = found[i]
                    self.ladders.nodes = NODES
                    if self.legal[self.flat[v]] and self.ladders.saves(h, v):
                        out[at + area + self.flat[v]] = 1
                        caught = False
            elif chains:
                self.ladders.nodes = NODES
                caught = self.ladders.caught(h)
            if caught and chains:
                s = h
                while True:
                    out[at + (2 if b.color[h] == mover else 3) * area + self.flat[s]] = 1
                    s = b.next[s]
                    if s == h:
                        break


def tell(writer: PlaneWriter, vertices: list[int]) -> None:
    """Make a writer remember these moves, the newest first, and nothing else."""
    i: cython.int
    v: cython.int
    writer.forget()
    for i in range(len(vertices), 0, -1):
        v = vertices[i - 1]
        writer.remember(v)


def draw(
    writer: PlaneWriter, board: Board, mover: cython.int, kind: cython.int, out: cython.uchar[::1]
) -> None:
    """``write`` for Python: into a flat array of exactly planes * area bytes."""
    if cython.compiled:
        writer.write(board, mover, kind, cython.address(out[0]), 0)
    else:
        writer.write(board, mover, kind, out, 0)


def canonical_key(
    writer: PlaneWriter, board: Board, mover: cython.int, tables: cython.const[cython.short][:, ::1]
) -> tuple[int, int]:
    """(the least key over the symmetries in ``tables``, the symmetry that gives it).

    Turned by that symmetry, all images of a position look the same to a network.
    """
    s: cython.int
    key: cython.ulonglong
    least: cython.ulonglong = 0
    best: cython.int = -1
    for s in range(tables.shape[0]):
        key = writer.key(board, mover, cython.address(tables[s, 0]) if cython.compiled else tables[s])
        if best < 0 or key < least:
            best, least = s, key
    return least, best


def legal_mask(writer: PlaneWriter) -> NDArray[np.bool_]:
    """Where the side to move of the board last drawn may play, by simple ko."""
    p: cython.int
    mask = np.zeros(writer.width * writer.height, dtype=np.bool_)
    for p in range(writer.width * writer.height):
        mask[p] = writer.legal[p] != 0
    return mask


def draw_games(
    writer: PlaneWriter,
    board: Board,
    games: cython.int[:, ::1],
    lengths: cython.int[::1],
    kind: cython.int,
    out: cython.uchar[:, ::1],
    rounds: cython.int,
) -> int:
    """Replay games (rows of vertices, Black first) and draw their last positions, ``rounds`` times over, the
    GIL
    released; how many were drawn. For measuring.
    """
    i: cython.int
    j: cython.int
    k: cython.int
    if cython.compiled:
        with cython.nogil:
            for k in range(rounds):  # noqa: B007 - the compiled loop needs a typed name
                for i in range(games.shape[0]):
                    board.clear()
                    writer.forget()
                    for j in range(lengths[i]):
                        board.play(games[i, j], 1 + (j & 1))
                        writer.remember(games[i, j])
                    writer.write(board, 1 + (lengths[i] & 1), kind, cython.address(out[i, 0]), 0)
    else:
        for _ in range(rounds):
            for i in range(games.shape[0]):
                board.clear()
                writer.forget()
                for j in range(lengths[i]):
                    board.play(int(games[i, j]), 1 + (j & 1))
                    writer.remember(int(games[i, j]))
                writer.write(board, 1 + (int(lengths[i]) & 1), kind, out[i], 0)
    return rounds * games.shape[0]
