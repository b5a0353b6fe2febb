"""The board: stones, chains, liberties, simple ko, Zobrist hash, uniform playouts.

The one implementation of the rules. Compiled, it is a flat block of memory that other compiled modules read
directly (board.pxd); uncompiled, the same lines run as plain Python.

Every board size has the same stride, 26, so that neighbours are compile-time offsets: a point is the *vertex*
``(row + 1) * 26 + column + 1``, walls stand round the board, and one wall column serves both sides.

Liberties are counted with multiplicity (a point touching a chain twice counts twice), as a packed sum of 1, v and
v*v over them: the chain is dead when the sum is zero and in atari when the variance is. Adding or taking a
liberty is one addition. The exact count walks the chain.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy, memset  # type: ignore[import-not-found]
else:
    from tengen.go.pure import (
        BLACK,
        CELLS,
        EMPTY,
        LIB_SUM_SHIFT,
        MAX_PLAYOUT,
        STRIDE,
        WALL,
        WHITE,
        atari_at,
        atari_point,
        below,
        lib_pseudo,
        lib_weight,
        random_bits,
        stepped,
    )

from tengen.errors import IllegalMove
from tengen.go.coords import PASS, check_size, format_gtp, move_of_vertex, vertex_of

__all__ = ["Board", "bench_playouts"]


def _splitmix(seed: int) -> int:
    z = (seed * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ (z >> 31)


if not cython.compiled:
    _KEYS = [0] * (3 * 704)


def _fill_keys() -> None:
    """Zobrist keys by row and column, so that the same stones hash alike on every machine and in every run."""
    i: cython.int
    for i in range(704, 3 * 704):
        _KEYS[i] = _splitmix(i + 1)


_fill_keys()


class Board:
    """Stones on a board of 1 to 25 lines each way, mutable. Knows simple ko and suicide; superko needs Position.

    The Python face takes moves (flat index from the top left) and checks every index; the compiled face takes
    vertices and checks nothing.
    """

    def __init__(self, width: int = 19, height: int = 0) -> None:
        height = height or width
        check_size(width, height)
        self.width = width
        self.height = height
        self.cells = (height + 2) * STRIDE
        if not cython.compiled:
            for name in ("color", "nbr", "head", "next", "stones", "libs", "empty", "slot"):
                setattr(self, name, [0] * CELLS)
            self.prisoners = [0, 0, 0]
        self.clear()

    # ---- the compiled face: vertices, no checks -------------------------------------------------------------

    def clear(self):
        """Take every stone off."""
        v: cython.int
        row: cython.int
        col: cython.int
        walls: cython.int
        for v in range(CELLS):
            self.color[v] = WALL
            self.nbr[v] = 0
            self.head[v] = 0
            self.next[v] = 0
            self.stones[v] = 0
            self.libs[v] = 0
            self.empty[v] = 0
            self.slot[v] = 0
        self.empty_count = 0
        for row in range(self.height):
            for col in range(self.width):
                v = (row + 1) * STRIDE + col + 1
                self.color[v] = EMPTY
                self.slot[v] = self.empty_count
                self.empty[self.empty_count] = v
                self.empty_count += 1
                walls = (row == 0) + (col == 0) + (row == self.height - 1) + (col == self.width - 1)
                self.nbr[v] = walls * 0x11 + ((4 - walls) << 8)
        self.prisoners[BLACK] = 0
        self.prisoners[WHITE] = 0
        self.ko = 0
        self.last = 0
        self.before_last = 0
        self.captured = 0
        self.moves = 0
        self.zobrist = 0

    def copy_from(self, other):
        """Become equal to another board of any size."""
        n: cython.int = other.cells
        self.width = other.width
        self.height = other.height
        self.ko = other.ko
        self.last = other.last
        self.before_last = other.before_last
        self.empty_count = other.empty_count
        self.captured = other.captured
        self.moves = other.moves
        self.zobrist = other.zobrist
        self.prisoners[BLACK] = other.prisoners[BLACK]
        self.prisoners[WHITE] = other.prisoners[WHITE]
        if cython.compiled:
            if n < self.cells:
                memset(cython.address(self.color[n]), WALL, self.cells - n)
            memcpy(cython.address(self.color[0]), cython.address(other.color[0]), n)
            memcpy(cython.address(self.nbr[0]), cython.address(other.nbr[0]), n * 2)
            memcpy(cython.address(self.head[0]), cython.address(other.head[0]), n * 2)
            memcpy(cython.address(self.next[0]), cython.address(other.next[0]), n * 2)
            memcpy(cython.address(self.stones[0]), cython.address(other.stones[0]), n * 2)
            memcpy(cython.address(self.libs[0]), cython.address(other.libs[0]), n * 8)
            memcpy(cython.address(self.empty[0]), cython.address(other.empty[0]), other.empty_count * 2)
            memcpy(cython.address(self.slot[0]), cython.address(other.slot[0]), n * 2)
        else:
            for name in ("color", "nbr", "head", "next", "stones", "libs", "empty", "slot"):
                setattr(self, name, list(getattr(other, name)))
        self.cells = n

    def play(self, v, c):
        """Put a stone on an empty vertex, take what it captures; its own chain goes if nothing else gave it air.

        Does not ask whether the move is legal.
        """
        i: cython.Py_ssize_t
        d: cython.Py_ssize_t
        n: cython.Py_ssize_t
        h: cython.Py_ssize_t
        mine: cython.Py_ssize_t
        enemy: cython.int = 3 - c
        near: cython.Py_ssize_t[5]
        friends: cython.Py_ssize_t = 0
        others: cython.Py_ssize_t = 0
        taken: cython.int = 0
        dead: cython.int = 0
        color: cython.int
        weight: cython.ulonglong = lib_weight(v)
        air_weight: cython.ulonglong = 0
        slope: cython.ulonglong = (1 << LIB_SUM_SHIFT) + 2 * v
        left: cython.ulonglong
        step: cython.int = 1 - 0x100 if c == BLACK else 0x10 - 0x100
        if not cython.compiled:
            near = [0] * 5

        self.before_last = self.last
        self.last = v
        self.moves += 1
        self.ko = 0
        self.zobrist ^= _KEYS[c * CELLS + v]
        self.empty_count -= 1
        i = self.slot[v]
        n = self.empty[self.empty_count]
        self.empty[i] = n
        self.slot[n] = i

        # One pass over the neighbours without a branch; head 0, of what is no chain, only collects. From the packing:
        # lib_weight(v + d) = lib_weight(v) + d (2**LIB_SUM_SHIFT + 2 v) + d d.
        for i in range(4):
            d = -STRIDE if i == 0 else (-1 if i == 1 else (1 if i == 2 else STRIDE))
            n = v + d
            color = self.color[n]
            h = self.head[n]
            self.nbr[n] += step
            left = self.libs[h] - weight
            self.libs[h] = left
            air_weight += (weight + d * slope + d * d) * (color == EMPTY)
            dead |= (color == enemy) & (left == 0)
            near[friends] = n
            friends += color == c
        near[friends] = v

        # The stone joins the first friend's chain, or one of no stones yet, its own. Only a friend of another chain
        # is a question.
        self.color[v] = c
        self.head[v] = v
        self.next[v] = v
        self.stones[v] = 0
        self.libs[v] = 0
        mine = self.head[near[0]]
        self.head[v] = mine
        n = self.next[mine]
        self.next[mine] = v
        self.next[v] = n
        self.stones[mine] += 1
        self.libs[mine] += air_weight
        for i in range(3):
            n = v - 1 if i == 0 else (v + 1 if i == 1 else v + STRIDE)
            near[others] = n
            others += (self.color[n] == c) & (self.head[n] != mine)
        for i in range(others):
            n = self.head[near[i]]
            mine = self.head[v]
            if n != mine:
                self._merge(mine, n)
        if dead:
            taken = self._take(v - STRIDE, enemy)
            taken += self._take(v - 1, enemy)
            taken += self._take(v + 1, enemy)
            taken += self._take(v + STRIDE, enemy)
            mine = self.head[v]
            if taken == 1 and self.stones[mine] == 1 and lib_pseudo(self.libs[mine]) == 1:
                self.ko = atari_point(self.libs[mine])
        elif self.libs[self.head[v]] == 0:
            self._remove_chain(self.head[v])
        self.captured = taken

    def _take(self, n, enemy):
        """Take the enemy chain at n if it has no liberty left; how many stones."""
        if self.libs[self.head[n]] == 0 and self.color[n] == enemy:
            return self._remove_chain(self.head[n])
        return 0

    def pass_turn(self):
        self.before_last = self.last
        self.last = 0
        self.ko = 0
        self.captured = 0

    def _merge(self, a, b):
        """Join two chains of one colour, relabelling the smaller."""
        s: cython.int
        other: cython.int
        if self.stones[a] < self.stones[b]:
            a, b = b, a
        self.stones[a] += self.stones[b]
        self.libs[a] += self.libs[b]
        s = b
        while True:
            self.head[s] = a
            s = self.next[s]
            if s == b:
                break
        other = self.next[a]
        self.next[a] = self.next[b]
        self.next[b] = other

    def _remove_chain(self, h):
        """Take a chain off the board; how many stones it had."""
        s: cython.int = h
        nxt: cython.int
        count: cython.int
        c: cython.int = self.color[h]
        step: cython.int = 0x100 - 1 if c == BLACK else 0x100 - 0x10
        free: cython.int = self.empty_count
        key: cython.ulonglong = self.zobrist
        weight: cython.ulonglong
        while True:
            nxt = self.next[s]
            self.color[s] = EMPTY
            self.head[s] = 0
            key ^= _KEYS[c * CELLS + s]
            self.slot[s] = free
            self.empty[free] = s
            free += 1
            weight = lib_weight(s)
            self.libs[self.head[s - STRIDE]] += weight
            self.libs[self.head[s - 1]] += weight
            self.libs[self.head[s + 1]] += weight
            self.libs[self.head[s + STRIDE]] += weight
            self.nbr[s - STRIDE] += step
            self.nbr[s - 1] += step
            self.nbr[s + 1] += step
            self.nbr[s + STRIDE] += step
            s = nxt
            if s == h:
                break
        count = free - self.empty_count
        self.empty_count = free
        self.zobrist = key
        self.prisoners[c] += count
        return count

    def suicidal(self, v, c):
        """True iff a stone of c on the empty vertex v would leave its own chain without liberties."""
        return self.nbr[v] >> 8 == 0 and not (
            self._breathes(v - STRIDE, v, c)
            | self._breathes(v - 1, v, c)
            | self._breathes(v + 1, v, c)
            | self._breathes(v + STRIDE, v, c)
        )

    def _breathes(self, n, v, c):
        """Would the neighbour n give a stone of c on v air: a friend with another liberty, or an enemy it captures?"""
        # Of a friend's colour and ours the exclusive or is 0, of an enemy's 3, of a wall's and nothing's neither.
        return (self.color[n] ^ c) == 3 * atari_at(self.libs[self.head[n]], v)

    def legal(self, v, c):
        """Empty, not the ko point, not suicide."""
        return self.color[v] == EMPTY and v != self.ko and not self.suicidal(v, c)

    def fills(self, v, c):
        """True iff every neighbour of v is of c or wall."""
        return ((self.nbr[v] >> (0 if c == BLACK else 4)) & 15) == 4

    def eye(self, v, c):
        """True iff v is a one-point eye of c: neighbours all c, and at most one enemy diagonal (none on the edge)."""
        enemy: cython.int = 3 - c
        a: cython.int
        b: cython.int
        d: cython.int
        e: cython.int
        if not self.fills(v, c):
            return False
        a = self.color[v - STRIDE - 1]
        b = self.color[v - STRIDE + 1]
        d = self.color[v + STRIDE - 1]
        e = self.color[v + STRIDE + 1]
        return (a == enemy) + (b == enemy) + (d == enemy) + (e == enemy) + (
            (a == WALL) | (b == WALL) | (d == WALL) | (e == WALL)
        ) < 2

    def liberty_count(self, h, limit):
        """The exact number of liberties of the chain with head h, or limit if it has as many or more."""
        found: cython.ushort[64]
        if not cython.compiled:
            found = [0] * 64
        return self.liberties_into(h, found, limit if limit < 64 else 64)

    def liberties_into(self, h, out, limit):
        """Write the chain's distinct liberties, at most limit of them; how many were written."""
        s: cython.int = h
        i: cython.int
        j: cython.int
        n: cython.int
        count: cython.int = 0
        while True:
            if self.nbr[s] >> 8:
                for i in range(4):
                    n = s - STRIDE if i == 0 else (s - 1 if i == 1 else (s + 1 if i == 2 else s + STRIDE))
                    if self.color[n] == EMPTY:
                        j = 0
                        while j < count and out[j] != n:
                            j += 1
                        if j == count:
                            out[count] = n
                            count += 1
                            if count >= limit:
                                return count
            s = self.next[s]
            if s == h:
                return count

    def zobrist_after(self, v, c):
        """The hash the board would have after a legal (or suicidal) play, without playing it."""
        i: cython.int
        j: cython.int
        n: cython.int
        h: cython.int
        s: cython.int
        heads: cython.int[4]
        key: cython.ulonglong = self.zobrist ^ _KEYS[c * CELLS + v]
        captures: cython.bint = False
        if not cython.compiled:
            heads = [0] * 4
        for i in range(4):
            n = v - STRIDE if i == 0 else (v - 1 if i == 1 else (v + 1 if i == 2 else v + STRIDE))
            h = self.head[n]
            heads[i] = h
            if self.color[n] != 3 - c or not atari_at(self.libs[h], v):
                continue
            for j in range(i):
                if heads[j] == h:
                    break
            else:
                captures = True
                s = h
                while True:
                    key ^= _KEYS[(3 - c) * CELLS + s]
                    s = self.next[s]
                    if s == h:
                        break
        if captures or not self.suicidal(v, c):
            return key
        key ^= _KEYS[c * CELLS + v]
        for i in range(4):
            h = heads[i]
            if h == 0:
                continue
            for j in range(i):
                if heads[j] == h:
                    break
            else:
                if self.color[h] == c:
                    s = h
                    while True:
                        key ^= _KEYS[c * CELLS + s]
                        s = self.next[s]
                        if s == h:
                            break
        return key

    def playout(self, c, rng, max_moves, record):
        """Play uniformly random moves, c first, to two passes: legal ones that fill no own one-point eye.

        Writes each vertex played into record, 0 for a pass, and returns how many: at most max_moves, which only a
        strange repetition reaches.
        """
        played: cython.int = 0
        passes: cython.int = 0
        remaining: cython.int
        i: cython.int
        v: cython.int
        w: cython.int
        # Drawn one ahead, so that a number is there when a mispredicted branch has been paid for.
        drawn: cython.ulonglong = rng[0]
        ahead: cython.ulonglong = stepped(drawn)
        bits: cython.ulonglong = random_bits(ahead)
        while passes < 2 and played < max_moves:
            remaining = self.empty_count
            while remaining > 0:
                i = below(bits, remaining)
                drawn = ahead
                ahead = stepped(ahead)
                bits = random_bits(ahead)
                v = self.empty[i]
                if self.nbr[v] >> 8:  # never the ko point: beside it stand the taker's stones
                    break
                if not self.eye(v, c) and not self.suicidal(v, c) and v != self.ko:
                    break
                # Not playable: to the end of the candidates, so that the rest stay equally likely.
                remaining -= 1
                w = self.empty[remaining]
                self.empty[i] = w
                self.slot[w] = i
                self.empty[remaining] = v
                self.slot[v] = remaining
            if remaining > 0:
                record[played] = v
                self.play(v, c)
                passes = 0
            else:
                record[played] = 0
                self.pass_turn()
                passes += 1
            played += 1
            c = 3 - c
        rng[0] = drawn
        return played

    def area_balance(self):
        """Black's stones and one-point eyes minus White's, no komi: the area score of a played-out board."""
        balance: cython.int = 0
        v: cython.int
        i: cython.int
        count: cython.int
        for v in range(STRIDE, self.cells - STRIDE):
            balance += (self.color[v] == BLACK) - (self.color[v] == WHITE)
        for i in range(self.empty_count):
            count = self.nbr[self.empty[i]]
            balance += ((count & 15) == 4) - (((count >> 4) & 15) == 4)
        return balance

    # ---- the Python face: moves, every index checked -----------------------------------------------------------

    def _vertex(self, move: int) -> int:
        if not 0 <= move < self.width * self.height:
            raise IllegalMove(f"move {move} is off the {self.width}x{self.height} board")
        return vertex_of(move, self.width)

    def copy(self) -> "Board":
        other: Board = Board.__new__(Board) if cython.compiled else Board(self.width, self.height)
        other.cells = CELLS
        other.copy_from(self)
        return other

    def color_at(self, move: int) -> int:
        """0 empty, 1 black, 2 white."""
        v: cython.int = self._vertex(move)
        return self.color[v]

    def is_legal(self, move: int, color: int, suicide: bool = False) -> bool:
        """May color play there (or PASS), by simple ko and the suicide rule given?"""
        if move == PASS:
            return True
        v: cython.int = self._vertex(move)
        return v != self.ko and self.is_legal_ignoring_ko(move, color, suicide)

    def is_legal_ignoring_ko(self, move: int, color: int, suicide: bool = False) -> bool:
        """Empty, and not suicide. Where suicide is allowed, that of a single stone is not: it would be a pass."""
        v: cython.int = self._vertex(move)
        if self.color[v] != EMPTY:
            return False
        if not self.suicidal(v, color):
            return True
        return suicide and ((self.nbr[v] >> (0 if color == BLACK else 4)) & 15) > self._walls(v)

    def _walls(self, v: cython.int) -> cython.int:
        return (
            (self.color[v - STRIDE] == WALL)
            + (self.color[v - 1] == WALL)
            + (self.color[v + 1] == WALL)
            + (self.color[v + STRIDE] == WALL)
        )

    def place(self, move: int, color: int, suicide: bool = True, ko: bool = True) -> int:
        """Play a stone (or PASS); how many stones it captured. IllegalMove if the rules given forbid it."""
        v: cython.int
        c: cython.int = color
        if move == PASS:
            self.pass_turn()
            return 0
        v = self._vertex(move)
        if c != BLACK and c != WHITE:
            raise IllegalMove(f"color {color}: 1 (black) or 2 (white) expected")
        if self.color[v] != EMPTY:
            raise IllegalMove(f"{format_gtp(move, self.width, self.height)} is occupied")
        if ko and v == self.ko:
            raise IllegalMove(f"{format_gtp(move, self.width, self.height)} retakes the ko")
        if not self.is_legal_ignoring_ko(move, color, suicide):
            raise IllegalMove(f"{format_gtp(move, self.width, self.height)} is suicide")
        self.play(v, c)
        return self.captured

    def put(self, move: int, color: int) -> bool:
        """Set a stone up on an empty point. False, and no stone, if it or a neighbour would have no liberty."""
        v: cython.int = self._vertex(move)
        if self.color[v] != EMPTY or self.suicidal(v, color) or self._captures(v, color):
            return False
        self.play(v, color)
        self.ko = 0
        self.last = 0
        self.before_last = 0
        self.moves = 0
        return True

    def _captures(self, v: cython.int, c: cython.int) -> bool:
        for n in (v - STRIDE, v - 1, v + 1, v + STRIDE):
            at: cython.int = n
            if self.color[at] == 3 - c and atari_at(self.libs[self.head[at]], v):
                return True
        return False

    def pass_move(self) -> None:
        self.pass_turn()

    def legal_moves(self, color: int, suicide: bool = False) -> list[int]:
        """All points color may play by simple ko, ascending."""
        area = self.width * self.height
        return [move for move in range(area) if self.is_legal(move, color, suicide)]

    def chain(self, move: int) -> list[int]:
        """The stones of the chain at a stone, ascending; empty for an empty point."""
        v: cython.int = self._vertex(move)
        h: cython.int = self.head[v]
        s: cython.int = h
        found = []
        if h:
            while True:
                found.append(move_of_vertex(s, self.width))
                s = self.next[s]
                if s == h:
                    break
        return sorted(found)

    def chain_liberties(self, move: int) -> list[int]:
        """The distinct liberties of the chain at a stone, ascending."""
        found = set()
        for stone in self.chain(move):
            v: cython.int = vertex_of(stone, self.width)
            for n in (v - STRIDE, v - 1, v + 1, v + STRIDE):
                at: cython.int = n
                if self.color[at] == EMPTY:
                    found.add(move_of_vertex(n, self.width))
        return sorted(found)

    def liberties(self, move: int) -> int:
        """The exact number of liberties of the chain at a stone; 0 for an empty point."""
        return len(self.chain_liberties(move))

    def in_atari(self, move: int) -> bool:
        """True iff a stone stands there and its chain has one liberty."""
        v: cython.int = self._vertex(move)
        return self.head[v] != 0 and atari_point(self.libs[self.head[v]]) != 0

    def hash_after(self, move: int, color: int) -> int:
        """The hash after a play on an empty point, whatever it captures; of a pass the hash now."""
        if move == PASS:
            return self.hash
        v: cython.int = self._vertex(move)
        if self.color[v] != EMPTY:
            raise IllegalMove(f"{format_gtp(move, self.width, self.height)} is occupied")
        return self.zobrist_after(v, color)

    def is_eye(self, move: int, color: int) -> bool:
        v: cython.int = self._vertex(move)
        return self.color[v] == EMPTY and bool(self.eye(v, color))

    @property
    def hash(self) -> int:
        """64-bit Zobrist hash of the stones."""
        return self.zobrist

    @property
    def ko_point(self) -> int:
        """The point simple ko forbids, or PASS."""
        return move_of_vertex(self.ko, self.width)

    @property
    def captures(self) -> tuple[int, int]:
        """Stones taken (by Black, by White)."""
        return self.prisoners[WHITE], self.prisoners[BLACK]

    @property
    def last_captured(self) -> int:
        return self.captured

    def stones_list(self) -> list[int]:
        """The colour of every point, row by row from the top."""
        return [
            self.color[(row + 1) * STRIDE + col + 1]
            for row in range(self.height)
            for col in range(self.width)
        ]

    def empty_points(self) -> list[int]:
        i: cython.int
        return sorted(move_of_vertex(self.empty[i], self.width) for i in range(self.empty_count))

    def random_playout(self, color: int, seed: int, max_moves: int = 0) -> tuple[int, int]:
        """Play this board out uniformly at random; (moves played, Black's area minus White's). One seed, one game."""
        limit: cython.int = min(max_moves or MAX_PLAYOUT, MAX_PLAYOUT)
        rng: cython.ulonglong = _splitmix(seed + 1) | 1
        record: cython.ushort[2048]
        played: cython.int
        if cython.compiled:
            played = self.playout(color, cython.address(rng), limit, record)
        else:
            played = self.playout(color, [rng], limit, [0] * MAX_PLAYOUT)
        return played, self.area_balance()


def bench_playouts(width: int, height: int, playouts: int, seed: int, komi: float = 7.5) -> tuple[int, int]:
    """Uniform playouts from the empty board, GIL released: (moves in all, games Black wins at that komi).

    The two passes that end a playout are moves too.
    """
    start: Board = Board(width, height)
    board: Board = Board(width, height)
    count: cython.int = playouts
    i: cython.int
    moves: cython.longlong = 0
    wins: cython.int = 0
    bar: cython.double = komi
    rng: cython.ulonglong = _splitmix(seed + 1) | 1
    record: cython.ushort[2048]
    if cython.compiled:
        with cython.nogil:
            for i in range(count):
                board.copy_from(start)
                moves += board.playout(BLACK, cython.address(rng), MAX_PLAYOUT, record)
                wins += board.area_balance() > bar
    else:
        state = [rng]
        for _ in range(count):
            board.copy_from(start)
            moves += board.playout(BLACK, state, MAX_PLAYOUT, [0] * MAX_PLAYOUT)
            wins += board.area_balance() > bar
    return moves, wins
