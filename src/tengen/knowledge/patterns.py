"""Shapes round a point and what a move there is worth: 3x3 codes for playouts, growing diamonds for moves.

A 3x3 code holds the eight neighbours of a point, two bits each (0 empty, 1 black, 2 white, 3 off the
board), from the upper left, row by row. A weight (gamma) is the strength of a move in Coulom's sense:
against moves of strength g1, g2, ... a move of strength g is played with probability g / (g + g1 + g2 +
...). 1 is an average move.

A diamond of size k holds the points with |dx| + |dy| + max(|dx|, |dy|) <= k, seen by the side to play (own
stone, the enemy's, off the board). Its key is a hash that the eight symmetries share: the least of eight
hashes kept side by side, so that a table holds each shape once and needs no rotations.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.stdint import uint64_t  # type: ignore[import-not-found]
    from cython.cimports.libc.stdlib import calloc, free  # type: ignore[import-not-found]
else:
    from tengen.go.pure import EMPTY, STRIDE

    CODES = 65536
    POINTS, LEVELS, PAD, ROW = 88, 9, 6, 37
    PADDED = ROW * ROW
    _DIAMOND_KEYS = [0] * (POINTS * 4 * 8)
    _DIAMOND_STEP = [0] * POINTS
    _LEVEL_END = [0] * LEVELS

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tengen.errors import IllegalMove
from tengen.go.board import Board as PyBoard
from tengen.go.coords import vertex_of

__all__ = ["CODES_3X3", "DIAMOND_SIZES", "Diamonds", "Shapes", "canonical_codes", "swapped_code"]

CODES_3X3 = 65536

DIAMOND_SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 11)

if not cython.compiled:

    def code3x3(b, v):
        color = b.color
        return (
            color[v - STRIDE - 1]
            | color[v - STRIDE] << 2
            | color[v - STRIDE + 1] << 4
            | color[v - 1] << 6
            | color[v + 1] << 8
            | color[v + STRIDE - 1] << 10
            | color[v + STRIDE] << 12
            | color[v + STRIDE + 1] << 14
        )


_RING = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def swapped_code(code: int) -> int:
    """The same shape with black and white exchanged."""
    swap = (0, 2, 1, 3)
    return sum(swap[code >> 2 * i & 3] << 2 * i for i in range(8))


def _symmetries() -> list[list[int]]:
    """For each of the eight symmetries, where each of the eight neighbours comes from."""
    found = []
    for mirror in (False, True):
        for turns in range(4):
            order = []
            for row, column in _RING:
                r, c = (column, row) if mirror else (row, column)
                for _ in range(turns):
                    r, c = c, -r
                order.append(_RING.index((r, c)))
            found.append(order)
    return found


@lru_cache(maxsize=1)
def canonical_codes() -> list[int]:
    """For every 3x3 code the smallest of its eight symmetric forms. Colours are not exchanged."""
    import numpy as np

    codes = np.arange(CODES_3X3, dtype=np.int64)
    digits = [codes >> 2 * i & 3 for i in range(8)]
    best = codes
    for order in _symmetries():
        best = np.minimum(best, sum(digits[source] << 2 * i for i, source in enumerate(order)))
    canonical: list[int] = best.tolist()
    return canonical


class Shapes:
    """The weight of every 3x3 shape for either side to play; shared between threads, never changed after it
    is made."""

    def __init__(self, weights: Mapping[int, float] | None = None) -> None:
        """``weights``: by canonical code, as Black to play sees it. A shape that is not in it weighs 1."""
        code: cython.int
        if not cython.compiled:
            self.gamma = [1.0] * (2 * CODES_3X3)
        for code in range(2 * CODES):
            self.gamma[code] = 1.0
        if not weights:
            return
        canonical = canonical_codes()
        for code in range(CODES):
            weight = weights.get(canonical[code])
            if weight is not None:
                self.gamma[code] = weight
                other: cython.int = swapped_code(code)
                self.gamma[CODES + other] = weight

    def weight(self, code: int, color: int) -> float:
        """Of a move by color in the middle of the shape."""
        index: cython.int = (color - 1) * CODES_3X3 + (code & 0xFFFF)
        return self.gamma[index]


# ---- diamonds --------------------------------------------------------------------------------------------


def _mixed(seed: int) -> int:
    z = (seed * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ (z >> 31)


def _diamond_size(row: int, column: int) -> int:
    return abs(row) + abs(column) + max(abs(row), abs(column))


def _fill_diamonds() -> None:
    """Hash keys and offsets of the diamond's points, nearest first; the same on every machine, as the files
    need."""
    i: cython.int
    level: cython.int
    sym: cython.int
    color: cython.int
    reach = range(-PAD, PAD + 1)
    points = [(r, c) for r in reach for c in reach if 0 < _diamond_size(r, c) <= max(DIAMOND_SIZES)]
    points.sort(key=lambda point: (_diamond_size(*point), point))
    place = {point: i for i, point in enumerate(points)}
    for level in range(LEVELS):
        _LEVEL_END[level] = sum(_diamond_size(r, c) <= DIAMOND_SIZES[level] for r, c in points)
    for i, (row, column) in enumerate(points):
        _DIAMOND_STEP[i] = row * ROW + column
        for sym in range(8):
            r, c = (column, row) if sym & 4 else (row, column)
            r, c = -r if sym & 2 else r, -c if sym & 1 else c
            for color in range(1, 4):
                _DIAMOND_KEYS[(i * 4 + color) * 8 + sym] = _mixed(1000 + place[r, c] * 4 + color)


_fill_diamonds()


def pad_board(b, c, padded):
    """Write the board with a wide margin, as c sees it: 0 empty, 1 own, 2 enemy, 3 off the board."""
    row: cython.int
    column: cython.int
    i: cython.int
    color: cython.int
    for i in range(PADDED):
        padded[i] = 3
    for row in range(b.height):
        for column in range(b.width):
            color = b.color[(row + 1) * STRIDE + column + 1]
            padded[(row + PAD) * ROW + column + PAD] = color if color == EMPTY or c == 1 else 3 - color


if not cython.compiled:

    def padded_index(v):
        return (v // STRIDE - 1 + PAD) * ROW + v % STRIDE - 1 + PAD


class Diamonds:
    """A table of diamonds and their weights, looked up largest first. Never changed after it is made;
    shared."""

    def __init__(self, keys: Sequence[int] = (), gammas: Sequence[float] = ()) -> None:
        """Every diamond's smaller ones must be among the keys too: looking up stops at the first that is
        not."""
        size: cython.ulonglong = 1024
        slot: cython.ulonglong
        key: cython.ulonglong
        i: cython.int
        self.count = len(keys)
        while size < 2 * self.count:
            size *= 2
        self.mask = size - 1
        if cython.compiled:
            self.keys = cython.cast(cython.pointer(uint64_t), calloc(size, 8))
            self.index = cython.cast(cython.pointer[cython.int], calloc(size, 4))
            self.gamma = cython.cast(cython.pointer[cython.float], calloc(size, 4))
            if not self.keys or not self.index or not self.gamma:
                raise MemoryError
        else:
            self.keys, self.index, self.gamma = [0] * size, [0] * size, [0.0] * size
        for i in range(self.count):
            key = keys[i]
            slot = key & self.mask
            while self.keys[slot] != 0 and self.keys[slot] != key:
                slot = (slot + 1) & self.mask
            self.keys[slot] = key
            self.index[slot] = i
            self.gamma[slot] = gammas[i]

    def __dealloc__(self):
        if cython.compiled:
            free(self.keys)
            free(self.index)
            free(self.gamma)

    def slot_of(self, key):
        """Where the diamond with this key is, -1 if it is not known."""
        slot: cython.ulonglong = key & self.mask
        while self.keys[slot] != 0:
            if self.keys[slot] == key:
                return slot
            slot = (slot + 1) & self.mask
        return -1

    def largest(self, padded, at):
        """The slot of the largest known diamond round a point of a padded board, -1 if even the smallest is
        new."""
        h0: cython.ulonglong = 0
        h1: cython.ulonglong = 0
        h2: cython.ulonglong = 0
        h3: cython.ulonglong = 0
        h4: cython.ulonglong = 0
        h5: cython.ulonglong = 0
        h6: cython.ulonglong = 0
        h7: cython.ulonglong = 0
        a: cython.ulonglong
        b: cython.ulonglong
        c: cython.ulonglong
        d: cython.ulonglong
        base: cython.int
        level: cython.int
        i: cython.int = 0
        found: cython.int = -1
        slot: cython.int
        for level in range(LEVELS):
            while i < _LEVEL_END[level]:
                # Eight locals and not an array: the compiler keeps them in registers.
                base = (i * 4 + padded[at + _DIAMOND_STEP[i]]) * 8
                h0 ^= _DIAMOND_KEYS[base + 0]
                h1 ^= _DIAMOND_KEYS[base + 1]
                h2 ^= _DIAMOND_KEYS[base + 2]
                h3 ^= _DIAMOND_KEYS[base + 3]
                h4 ^= _DIAMOND_KEYS[base + 4]
                h5 ^= _DIAMOND_KEYS[base + 5]
                h6 ^= _DIAMOND_KEYS[base + 6]
                h7 ^= _DIAMOND_KEYS[base + 7]
                i += 1
            a = h0 if h0 < h1 else h1
            b = h2 if h2 < h3 else h3
            c = h4 if h4 < h5 else h5
            d = h6 if h6 < h7 else h7
            a = a if a < b else b
            c = c if c < d else d
            slot = self.slot_of(_level_key(a if a < c else c, level))
            if slot < 0:
                return found
            found = slot
        return found

    def hashes(self, padded, at, out):
        """Write the keys of the diamonds of all sizes round a point, smallest first."""
        h: cython.ulonglong[8]
        key: cython.ulonglong
        base: cython.int
        level: cython.int
        k: cython.int
        i: cython.int = 0
        if not cython.compiled:
            h = [0] * 8
        for k in range(8):
            h[k] = 0
        for level in range(LEVELS):
            while i < _LEVEL_END[level]:
                base = (i * 4 + padded[at + _DIAMOND_STEP[i]]) * 8
                for k in range(8):
                    h[k] ^= _DIAMOND_KEYS[base + k]
                i += 1
            key = h[0]
            for k in range(1, 8):
                key = h[k] if h[k] < key else key
            out[level] = _level_key(key, level)

    def keys_at(self, board: PyBoard, move: int, color: int) -> list[int]:
        """The keys of the diamonds round a point as color sees them, smallest first."""
        padded: cython.uchar[1369]
        out: uint64_t[9]
        if not cython.compiled:
            padded, out = [0] * PADDED, [0] * LEVELS
        if not 0 <= move < board.width * board.height:
            raise IllegalMove(f"move {move} is off the board")
        pad_board(board, color, padded)
        self.hashes(padded, padded_index(vertex_of(move, board.width)), out)
        return [out[level] for level in range(LEVELS)]

    def gamma_at(self, board: PyBoard, move: int, color: int) -> float | None:
        """The weight of the largest known diamond round a point; None if none is known."""
        found = None
        slot: cython.int
        for key in self.keys_at(board, move, color):
            slot = self.slot_of(key)
            if slot < 0:
                break
            found = self.gamma[slot]
        return found


def _level_key(key, level):
    """Keys of different sizes never meet, and 0 stays free for an empty slot."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    key = (key ^ (key >> 31)) * factor + level * 2 + 1
    if not cython.compiled:
        key &= 0xFFFFFFFFFFFFFFFF
    return key
