"""d, the domain-knowledge value of every move: shape times tactics, by weights learned from games.

The strength (gamma) of a move is the product of the strengths of what can be said about it: the diamond
round it, and at most one value of each group of tactical features. Coulom's generalised Bradley-Terry
model, learned by minorization-maximization (mm.py) from games that strong players played. 1 is an average
move.
"""

import cython

if not cython.compiled:
    from tengen.go.board import Board
    from tengen.go.pure import BLACK, CELLS, STRIDE, WALL, WHITE, atari_at, atari_point
    from tengen.knowledge.chains import (
        _STEP,
        bad_self_atari,
        captures_at,
        liberties_after,
        nakade_point,
        rescue_points,
        stones_after,
    )
    from tengen.knowledge.patterns import PADDED, Diamonds, code3x3, pad_board, padded_index
    from tengen.knowledge.tactics import Reader

    CAPTURE, RESCUE, SELF_ATARI, ATARI, GUARD, NAKADE, NEAR_LAST, NEAR_BEFORE, LINE, AIR, GROUPS = range(11)
    VALUES = 24

from tengen.go.board import Board as PyBoard
from tengen.go.coords import move_of_vertex
from tengen.knowledge.weights import MoveWeights, shipped_weights

__all__ = [
    "GROUP_NAMES",
    "VALUE_NAMES",
    "Features",
    "MoveKnowledge",
    "candidate_rows",
    "move_values",
    "value_name",
]

GROUP_NAMES = (
    "capture",
    "rescue",
    "self-atari",
    "atari",
    "guard",
    "nakade",
    "near last",
    "near before",
    "line",
    "air",
)

VALUE_NAMES: dict[str, tuple[str, ...]] = {
    "capture": (
        "",
        "takes a chain that would stay caught",
        "takes one stone that could run",
        "takes stones that could run",
        "takes the chain that just moved",
        "takes a chain and frees an own one in atari",
    ),
    "rescue": (
        "",
        "runs with a chain that stays caught",
        "saves one stone",
        "saves stones",
    ),
    "self-atari": (
        "",
        "self-atari, a throw-in or a dead shape",
        "self-atari of one stone",
        "self-atari of stones",
    ),
    "atari": (
        "",
        "atari that can be escaped",
        "atari that catches one stone",
        "atari that catches stones",
    ),
    "guard": (
        "",
        "saves one stone from being caught",
        "saves stones from being caught",
    ),
    "nakade": ("", "vital point of the enemy's eye", "vital point of an own eye"),
}


def value_name(group: str, value: int) -> str:
    """What a value of a group says of a move; empty if the group has no such value, or for 0, nothing."""
    if value <= 0:
        return ""
    named = VALUE_NAMES.get(group)
    if named is not None:
        return named[value] if value < len(named) else ""
    if group in ("near last", "near before"):
        whose = "last move" if group == "near last" else "move before it"
        return f"distance {value} from the {whose}" if 2 <= value <= 17 else ""
    if group == "line":
        stage = ("opening", "middle game", "late")[(value - 1) // 6] if value <= 18 else ""
        return f"line {(value - 1) % 6 + 1}, {stage}" if stage else ""
    return f"{value} liberties after the move" if value <= 6 else ""


class Features:
    """Reads the tactical features of every point of a position. One serves one thread."""

    def __init__(self) -> None:
        self.reader = Reader(80, 8)
        if not cython.compiled:
            self.value = [0] * (GROUPS * CELLS)

    def _raise(self, group, v, value):
        """A point that has two values of a group keeps the greater."""
        if self.value[v * GROUPS + group] < value:
            self.value[v * GROUPS + group] = value

    def read(self, b, c):
        """Fill ``value`` for c to move; what stands at points where c may not play means nothing."""
        i: cython.int
        v: cython.int
        h: cython.int
        phase: cython.int
        for i in range(GROUPS * CELLS):
            self.value[i] = 0
        for v in range(STRIDE, b.cells - STRIDE):
            h = b.head[v]
            if h == v and h:
                if b.color[v] == c:
                    self._own_chain(b, c, h)
                else:
                    self._enemy_chain(b, c, h)
        i = b.width * b.height
        h = i - b.empty_count
        phase = 0 if h * 12 < i else (1 if h * 3 < i else 2)
        for i in range(b.empty_count):
            self._point(b, c, b.empty[i], phase)

    def _enemy_chain(self, b, c, h):
        """Points that take the chain or put it in atari."""
        libs: cython.ushort[4]
        n: cython.int
        i: cython.int
        v: cython.int
        if not cython.compiled:
            libs = [0] * 4
        n = b.liberties_into(h, libs, 3)
        if n == 1:
            v = libs[0]
            if _frees(b, h, c):
                self._raise(CAPTURE, v, 5)
            elif b.last and b.head[b.last] == h:
                self._raise(CAPTURE, v, 4)
            elif self.reader.save_point(b, h):
                self._raise(CAPTURE, v, 3 if b.stones[h] > 1 else 2)
            else:
                self._raise(CAPTURE, v, 1)
        elif n == 2:
            for i in range(2):
                v = libs[i]
                # It runs to three liberties at the other point: no need to read.
                if captures_at(b, v, c) == 0 and liberties_after(b, libs[1 - i], 3 - c, 4) >= 4:
                    self._raise(ATARI, v, 1)
                elif self.reader.captures(b, v, h):
                    self._raise(ATARI, v, 3 if b.stones[h] > 1 else 2)
                else:
                    self._raise(ATARI, v, 1)

    def _own_chain(self, b, c, h):
        """Points that save the chain from atari or from being caught next."""
        libs: cython.ushort[4]
        rescue: cython.ushort[8]
        n: cython.int
        m: cython.int
        i: cython.int
        v: cython.int
        if not cython.compiled:
            libs, rescue = [0] * 4, [0] * 8
        n = b.liberties_into(h, libs, 3)
        if n == 1:
            v = libs[0]
            if self.reader.saves(b, v, h):
                self._raise(RESCUE, v, 3 if b.stones[h] > 1 else 2)
            else:
                self._raise(RESCUE, v, 1)
        elif n == 2:
            if (
                captures_at(b, libs[0], 3 - c) + captures_at(b, libs[1], 3 - c) == 0
                and liberties_after(b, libs[0], c, 4) >= 4
                and liberties_after(b, libs[1], c, 4) >= 4
            ):
                return
            if self.reader.capture_point(b, h) == 0:
                return
            for i in range(2):
                if self.reader.saves(b, libs[i], h):
                    self._raise(GUARD, libs[i], 2 if b.stones[h] > 1 else 1)
            m = rescue_points(b, h, rescue, 4)
            for i in range(m):
                if self.reader.saves(b, rescue[i], h):
                    self._raise(GUARD, rescue[i], 2 if b.stones[h] > 1 else 1)

    def _point(self, b, c, v, phase):
        """What the point says by itself: self-atari, eyes, distances, line, liberties after the move."""
        row: cython.int = v // STRIDE
        column: cython.int = v % STRIDE
        line: cython.int
        other: cython.int
        n: cython.int
        found: cython.ushort[4]
        if not cython.compiled:
            found = [0] * 4
        if b.last:
            n = _span(v, b.last)
            self.value[v * GROUPS + NEAR_LAST] = n if n < 17 else 17
        if b.before_last:
            n = _span(v, b.before_last)
            self.value[v * GROUPS + NEAR_BEFORE] = n if n < 17 else 17
        line = row if row < b.height + 1 - row else b.height + 1 - row
        other = column if column < b.width + 1 - column else b.width + 1 - column
        line = other if other < line else line
        self.value[v * GROUPS + LINE] = 1 + phase * 6 + (line - 1 if line < 6 else 5)
        n = liberties_after(b, v, c, 6)
        self.value[v * GROUPS + AIR] = n
        if n < 2 and captures_at(b, v, c) == 0:
            if not bad_self_atari(b, v, c):
                self.value[v * GROUPS + SELF_ATARI] = 1
            else:
                self.value[v * GROUPS + SELF_ATARI] = 2 if stones_after(b, v, c, found, 2) == 1 else 3
        if _inner(b, v, 4 if c == BLACK else 0) and nakade_point(b, v, 3 - c) == v:
            self.value[v * GROUPS + NAKADE] = 1
        elif _inner(b, v, 0 if c == BLACK else 4) and nakade_point(b, v, c) == v:
            self.value[v * GROUPS + NAKADE] = 2

    def at(self, move: int, width: int) -> dict[str, int]:
        """The values not 0 at a point, by group; for the position read last."""
        v: cython.int = (move // width + 1) * STRIDE + move % width + 1
        return {
            GROUP_NAMES[g]: self.value[v * GROUPS + g] for g in range(GROUPS) if self.value[v * GROUPS + g]
        }

    def read_board(self, board: PyBoard, color: int) -> None:
        self.read(board, color)


def _frees(b, h, c):
    """True iff a chain of c beside the chain with head h is in atari."""
    s: cython.int = h
    i: cython.int
    n: cython.int
    while True:
        for i in range(4):
            n = s + _STEP[i]
            if b.color[n] == c and atari_point(b.libs[b.head[n]]):
                return True
        s = b.next[s]
        if s == h:
            return False


def _inner(b, v, shift):
    """Could v be the vital point of a small eye of the colour shift stands for? It has two neighbours in
    the eye that are closed on two sides at least; cheap to ask, and seldom true elsewhere."""
    i: cython.int
    n: cython.int
    ends: cython.int = 0
    closed: cython.int = (b.nbr[v] >> shift) & 15
    if closed > 2:
        return False
    for i in range(4):
        n = v + _STEP[i]
        closed = (b.nbr[n] >> shift) & 15
        # Off the board and the owner's stones are no part of an eye.
        ends += closed >= 2 and b.color[n] != WALL and b.color[n] != (BLACK if shift == 0 else WHITE)
    return ends >= 2


def _span(a, b):
    """The distance |dx| + |dy| + max(|dx|, |dy|): 2 for a neighbour, 3 for a diagonal one."""
    dy: cython.int = a // STRIDE - b // STRIDE
    dx: cython.int = a % STRIDE - b % STRIDE
    dy = -dy if dy < 0 else dy
    dx = -dx if dx < 0 else dx
    return dx + dy + (dx if dx > dy else dy)


def _playable(b, v, c):
    """Legal, and no own eye filled (an eye with a chain in atari beside it may be)."""
    i: cython.int
    if v == b.ko or b.suicidal(v, c):
        return False
    if not b.eye(v, c):
        return True
    for i in range(4):  # noqa: SIM110
        if b.color[v + _STEP[i]] == c and atari_at(b.libs[b.head[v + _STEP[i]]], v):
            return True
    return False


class MoveKnowledge:
    """Values every move of a position. One serves one thread; ``clone`` makes one for another."""

    def __init__(self, weights: MoveWeights | None = None) -> None:
        """Weights learned elsewhere, for boards of any size; None takes those shipped, by the board's
        size."""
        self.features = Features()
        if not cython.compiled:
            self.gamma, self.padded, self.scratch = [1.0] * (3 * GROUPS * VALUES), [0] * PADDED, [0.0] * CELLS
        self._take((weights,) * 3 if weights else tuple(shipped_weights(size) for size in (9, 13, 19)))

    def clone(self):
        other = MoveKnowledge(self.weights[0])
        other._take(self.weights)
        return other

    def _take(self, weights: tuple[MoveWeights, ...]) -> None:
        i: cython.int
        kind: cython.int
        self.weights = weights
        self.small, self.medium, self.large = (given.diamonds() for given in weights)
        for kind in range(3):
            tactics = weights[kind].tactics
            for i in range(GROUPS * VALUES):
                self.gamma[kind * GROUPS * VALUES + i] = tactics[i]

    def _shape(self, kind, at):
        """The strength of the largest known diamond round a point of the padded board."""
        slot: cython.int
        if kind == 0:
            slot = self.small.largest(self.padded, at)
            return self.small.gamma[slot] if slot >= 0 else 1.0
        if kind == 1:
            slot = self.medium.largest(self.padded, at)
            return self.medium.gamma[slot] if slot >= 0 else 1.0
        slot = self.large.largest(self.padded, at)
        return self.large.gamma[slot] if slot >= 0 else 1.0

    def evaluate(self, board, c, d):
        """Write the strength of every sensible legal move of c to d, by vertex, 0 elsewhere; how many are
        above 0."""
        i: cython.int
        g: cython.int
        v: cython.int
        side: cython.int = board.width if board.width > board.height else board.height
        kind: cython.int = 0 if side <= 10 else (1 if side <= 15 else 2)
        base: cython.int = kind * GROUPS * VALUES
        count: cython.int = 0
        strength: cython.float
        for v in range(CELLS):
            d[v] = 0.0
        pad_board(board, c, self.padded)
        self.features.read(board, c)
        for i in range(board.empty_count):
            v = board.empty[i]
            if not _playable(board, v, c):
                continue
            strength = self._shape(kind, padded_index(v))
            for g in range(GROUPS):
                strength *= self.gamma[base + g * VALUES + self.features.value[v * GROUPS + g]]
            d[v] = strength if strength > 1e-9 else 1e-9
            count += 1
        return count

    def bench(self, board: PyBoard, color: int, times: int) -> None:
        """Evaluate one position so many times, GIL released."""
        b: Board = board
        c: cython.int = color
        i: cython.int
        n: cython.int = times
        if cython.compiled:
            with cython.nogil:
                for i in range(n):  # noqa: B007
                    self.evaluate(b, c, self.scratch)
        else:
            for _ in range(n):
                self.evaluate(b, c, self.scratch)

    def values(self, board: PyBoard, color: int) -> dict[int, float]:
        """The strength of every sensible legal move, ascending by move."""
        b: Board = board
        c: cython.int = color
        v: cython.int
        found = {}
        if cython.compiled:
            with cython.nogil:
                self.evaluate(b, c, self.scratch)
        else:
            self.evaluate(b, c, self.scratch)
        for v in range(CELLS):
            if self.scratch[v] > 0.0:
                found[move_of_vertex(v, board.width)] = self.scratch[v]
        return found


def candidate_rows(
    features: Features, diamonds: Diamonds, board: PyBoard, color: int, rows, slots, codes
) -> list[int]:
    """For learning: every sensible move's features. Writes GROUPS values a move into rows (a uint8 array of
    moves x groups), the index of its largest known diamond (-1: none) into slots and its 3x3 code into codes;
    returns the moves in order."""
    b: Board = board
    c: cython.int = color
    i: cython.int
    g: cython.int
    v: cython.int
    slot: cython.int
    n: cython.int = 0
    padded: cython.uchar[1369]
    moves = []
    if cython.compiled:
        row_view: cython.uchar[:, :] = rows
        slot_view: cython.int[:] = slots
        code_view: cython.int[:] = codes
    else:
        row_view, slot_view, code_view, padded = rows, slots, codes, [0] * PADDED
    pad_board(b, c, padded)
    features.read(b, c)
    for i in range(b.empty_count):
        v = b.empty[i]
        if not _playable(b, v, c):
            continue
        slot = diamonds.largest(padded, padded_index(v))
        slot_view[n] = diamonds.index[slot] if slot >= 0 else -1
        code_view[n] = code3x3(b, v)
        for g in range(GROUPS):
            row_view[n, g] = features.value[v * GROUPS + g]
        moves.append(move_of_vertex(v, b.width))
        n += 1
    return moves


def move_values(position) -> dict[int, float]:
    """d of every legal sensible move of a Position, by the shipped weights."""
    return MoveKnowledge().values(position.board, position.to_move)
