"""Guided playouts: the opponent's last move is answered by knowledge, the rest is drawn by the weight of
shapes.

Rule after rule is asked, each with a chance of its own: answer as in the last playout that was won (off unless asked
for), take the last move's chain, save a chain it put in atari, attack its chain of two liberties or strengthen our own,
play the vital point of an eye beside it, answer by a good 3x3 shape round it. When no rule speaks, a few points are
drawn and one is played by the weight of its shape. No rule fills an own eye but to connect a weak chain, or plays a
self-atari of stones that gains nothing.
"""

import cython

if not cython.compiled:
    from tengen.go.pure import (
        BLACK,
        CELLS,
        EMPTY,
        STRIDE,
        WALL,
        WHITE,
        lib_pseudo,
        lib_weight,
        next_random,
        random_below,
    )
    from tengen.knowledge.chains import (
        _STEP,
        _in_atari,
        _last_liberty,
        _meets,
        airless,
        bad_self_atari,
        liberties_after,
        rescue_points,
    )
    from tengen.knowledge.patterns import CODES, code3x3
    from tengen.knowledge.playout import Playout
    from tengen.knowledge.tactics import Reader

from tengen.knowledge.guided_parameters import GuidedParameters
from tengen.knowledge.patterns import Shapes as PyShapes
from tengen.knowledge.weights import shipped_weights

__all__ = ["GuidedParameters", "GuidedPlayout"]


def _chance(probability: float) -> int:
    return round(probability * 65536)


class GuidedPlayout(Playout):
    """See the module's text. ``shapes`` are the 3x3 weights; None takes those shipped, by the board's
    size."""

    def __init__(self, parameters: GuidedParameters | None = None, shapes: PyShapes | None = None) -> None:
        given = parameters or GuidedParameters()
        self.parameters = given
        if shapes is not None:
            self.small, self.medium, self.large = shapes, shapes, shapes
        else:
            self.small, self.medium, self.large = (shipped_weights(size).shapes() for size in (9, 13, 19))
        self.reader = Reader(60, 4)
        self.capture = _chance(given.capture)
        self.save = _chance(given.save)
        self.attack = _chance(given.attack)
        self.nakade = _chance(given.nakade)
        self.ladder = _chance(given.ladder)
        self.throw_in = _chance(given.throw_in)
        self.reply = _chance(given.reply)
        self.local_factor = given.local_factor
        self.diagonal_factor = given.diagonal_factor
        self.elsewhere = given.elsewhere
        self.candidates = given.candidates
        if not cython.compiled:
            self.replies = [0] * (2 * CELLS)
            self.codes = [0] * CELLS

    def clone(self):
        other = GuidedPlayout(self.parameters, self.small)
        other._take(self.small, self.medium, self.large)
        return other

    def _take(self, small, medium, large):
        self.small, self.medium, self.large = small, medium, large

    def run(self, board, c, rng, moves, limit):
        played: cython.int = 0
        passes: cython.int = 0
        last: cython.int
        p: cython.int
        v: cython.int
        bits: cython.ulonglong
        side: cython.int = board.width if board.width > board.height else board.height
        self.rest = self.elsewhere
        if board.width * board.height > 81:
            self.rest *= 81.0 / (board.width * board.height)
        if side <= 10:
            self.gamma = self.small.gamma
        elif side <= 15:
            self.gamma = self.medium.gamma
        else:
            self.gamma = self.large.gamma
        for v in range(STRIDE + 1, board.cells - STRIDE):
            self.codes[v] = code3x3(board, v)
        while passes < 2 and played < limit:
            v = 0
            last = board.last
            if last and board.color[last] == 3 - c:
                bits = next_random(rng)
                if self.reply and (next_random(rng) >> 48) < self.reply:
                    v = self._reply(board, c, last)
                if v == 0 and (bits & 0xFFFF) < self.capture:
                    p = _last_liberty(board.libs[board.head[last]])
                    if (
                        p
                        and p != board.ko
                        and (board.stones[board.head[last]] > 1 or liberties_after(board, p, c, 2) > 1)
                    ):
                        v = p
                if v == 0 and (bits >> 16 & 0xFFFF) < self.save:
                    v = self._save(board, c, last, rng)
                if v == 0 and (bits >> 32 & 0xFFFF) < self.attack:
                    v = self._attack(board, c, last, rng)
                if v == 0 and (bits >> 48) < self.nakade:
                    v = self._nakade(board, c, last)
                if v == 0:
                    v = self._near(board, c, last, rng)
            if v == 0:
                v = self._anywhere(board, c, rng)
            moves[played] = v
            played += 1
            if v:
                board.play(v, c)
                self._flip(v, c)
                # What was taken stands last among the empty points. No rule plays suicide.
                for p in range(board.empty_count - board.captured, board.empty_count):
                    self._flip(board.empty[p], 3 - c)
                passes = 0
            else:
                board.pass_turn()
                passes += 1
            c = 3 - c
        return played

    def _flip(self, v, c):
        """A stone of c came to v or left it: the 3x3 codes of the eight points round it."""
        self.codes[v - STRIDE - 1] ^= c << 14
        self.codes[v - STRIDE] ^= c << 12
        self.codes[v - STRIDE + 1] ^= c << 10
        self.codes[v - 1] ^= c << 8
        self.codes[v + 1] ^= c << 6
        self.codes[v + STRIDE - 1] ^= c << 4
        self.codes[v + STRIDE] ^= c << 2
        self.codes[v + STRIDE + 1] ^= c

    def learn(self, before, c, moves, played, winner):
        """The winner's answers are kept, the loser's forgotten."""
        i: cython.int
        at: cython.int
        if not self.reply or not winner:
            return
        for i in range(played):
            if before and moves[i]:
                at = (c - 1) * CELLS + before
                if c == winner:
                    self.replies[at] = moves[i]
                elif self.replies[at] == moves[i]:
                    self.replies[at] = 0
            before = moves[i]
            c = 3 - c

    def forget(self) -> None:
        i: cython.int
        for i in range(2 * CELLS):
            self.replies[i] = 0

    def _reply(self, b, c, last):
        """What last answered this move and won, if it can be played without harm; else 0."""
        v: cython.int = self.replies[(c - 1) * CELLS + last]
        if (
            v
            and b.color[v] == EMPTY
            and v != b.ko
            and (b.nbr[v] >> 8 >= 2 or not (b.eye(v, c) or b.suicidal(v, c)))
        ):
            return v
        return 0

    def _save(self, b, c, last, rng):
        """Own chains beside the last move that are in atari: take a chain beside them, or run; 0 if neither
        works."""
        found: cython.ushort[16]
        choices: cython.ushort[24]
        i: cython.int
        j: cython.int
        n: cython.int
        h: cython.int
        p: cython.int
        count: cython.int
        libs: cython.int
        nc: cython.int = 0
        near: cython.ushort[4]
        weak: cython.int = 0
        if not cython.compiled:
            found, choices, near = [0] * 16, [0] * 24, [0] * 4
        for i in range(4):
            n = last + _STEP[i]
            near[weak] = n
            weak += (b.color[n] == c) & _in_atari(b.libs[b.head[n]])
        for i in range(weak):
            n = near[i]
            h = b.head[n]
            p = _last_liberty(b.libs[h])
            count = rescue_points(b, h, found, 4)
            for j in range(count):
                if found[j] != b.ko and nc < 16:
                    choices[nc] = found[j]
                    nc += 1
            if p != b.ko:
                libs = liberties_after(b, p, c, 3)
                if (
                    libs >= 3
                    or (libs == 2 and ((next_random(rng) >> 48) >= self.ladder or self.reader.saves(b, p, n)))
                ) and nc < 16:
                    choices[nc] = p
                    nc += 1
        if nc == 0:
            return 0
        return choices[random_below(rng, nc) if nc > 1 else 0]

    def _attack(self, b, c, last, rng):
        """The last move's chain with two liberties: an atari it cannot answer; own chains beside it with
        two: a way out, if they need one. 0 if there is nothing to do."""
        libs: cython.ushort[4]
        choices: cython.ushort[16]
        i: cython.int
        j: cython.int
        n: cython.int
        h: cython.int
        nc: cython.int = 0
        near: cython.ushort[4]
        weak: cython.int = 0
        if not cython.compiled:
            libs, choices, near = [0] * 4, [0] * 16, [0] * 4
        h = b.head[last]
        if _has_two(b, h, libs):
            for j in range(2):
                # It runs at the other liberty: caught iff that leaves it two at most, the one just taken
                # away.
                if (
                    libs[j] != b.ko
                    and not airless(b, libs[j], c)
                    and liberties_after(b, libs[1 - j], 3 - c, 3) <= 2
                ):
                    choices[nc] = libs[j]
                    nc += 1
        for i in range(4):
            n = last + _STEP[i]
            near[weak] = n
            weak += (b.color[n] == c) & (lib_pseudo(b.libs[b.head[n]]) <= 8)
        for i in range(weak):
            h = b.head[near[i]]
            if not _has_two(b, h, libs):
                continue
            for j in range(2):
                if (
                    libs[j] != b.ko
                    and nc < 12
                    and liberties_after(b, libs[1 - j], c, 3) <= 2
                    and liberties_after(b, libs[j], c, 3) >= 3
                ):
                    choices[nc] = libs[j]
                    nc += 1
        if nc == 0:
            return 0
        return choices[random_below(rng, nc) if nc > 1 else 0]

    def _nakade(self, b, c, last):
        """The vital point of a small eye of the opponent that his last move touches; 0 if there is none."""
        i: cython.int
        n: cython.int
        p: cython.int
        shift: cython.int = 4 if c == BLACK else 0
        closed: cython.int
        near: cython.ushort[4]
        eyes: cython.int = 0
        if not cython.compiled:
            near = [0] * 4
        for i in range(4):
            n = last + _STEP[i]
            # Asked from an end or a bend of the eye only: it keeps the rule cheap, and most eyes have one there.
            closed = (b.nbr[n] >> shift) & 15
            near[eyes] = n
            eyes += (b.color[n] == EMPTY) & (closed >= 2) & (closed != 4) & (closed + (b.nbr[n] >> 8) == 4)
        for i in range(eyes):
            p = self._vital(b, near[i], shift)
            if p and p != b.ko and not b.suicidal(p, c):
                return p
        return 0

    def _vital(self, b, v, shift):
        """The empty vital point of the region of 3 to 6 points that holds v, closed by one colour (shift); or 0. Of v
        one or two neighbours are open, not the colour's and no wall, and these are empty.

        As tactics.nakade_point, without a walk. All such shapes are a middle of two to four arms, of which two may be
        joined by a corner (bulky five, rabbity six); so v is the middle, an arm's end or beside a corner or at it, and
        the numbers of open neighbours tell which.
        """
        x: cython.int = 0
        y: cython.int = 0
        i: cython.int
        n: cython.int
        p: cython.int
        wide: cython.int
        owner: cython.int = BLACK if shift == 0 else WHITE
        for i in range(4):
            n = v + _STEP[i]
            if b.color[n] == EMPTY:
                y = x
                x = n
        p = x
        if y:
            wide = _open(b, x, shift) + _open(b, y, shift)
            if wide == 2:
                return v
            if wide < 4 or x + y == 2 * v:
                return 0
            if wide == 4:
                p = x + y - v
            elif _open(b, y, shift) > 2:
                p = y
        return p if b.color[p] == EMPTY and _is_middle(b, p, owner, shift) else 0

    def _near(self, b, c, last, rng):
        """One of the eight points round the last move by weight, or 0 as often as the rest of the board
        outweighs them."""
        v: cython.int
        i: cython.int
        points: cython.ushort[8]
        weight: cython.float[8]
        total: cython.float = 0.0
        draw: cython.float
        base: cython.int = (c - 1) * CODES
        beside: cython.int
        n: cython.int = 0
        w: cython.float
        if not cython.compiled:
            points, weight = [0] * 8, [0.0] * 8
        # Every point is written, an occupied one over again by the next: a branch here would often be guessed wrong.
        for i in range(4):
            v = last + _STEP[i]
            points[n] = v
            n += (b.color[v] == EMPTY) & (v != b.ko)
        beside = n
        for i in range(4, 8):
            v = last + _STEP[i]
            points[n] = v
            n += (b.color[v] == EMPTY) & (v != b.ko)
        for i in range(n):
            w = self.gamma[base + self.codes[points[i]]] * (
                self.local_factor if i < beside else self.diagonal_factor
            )
            weight[i] = w
            total += w
        if n == 0:
            return 0
        draw = (next_random(rng) >> 40) * (1.0 / 16777216.0) * (total + self.rest * b.empty_count)
        if draw >= total:
            return 0
        i = 0
        while i < n - 1 and draw >= weight[i]:
            draw -= weight[i]
            i += 1
        v = points[i]
        if b.nbr[v] >> 8 < 2 and (self._wasted(b, v, c) or bad_self_atari(b, v, c)):
            return 0
        return v

    def _wasted(self, b, v, c):
        """An own eye, or suicide: mostly the counts of neighbours say that neither is worth a question."""
        return (((b.nbr[v] >> (0 if c == BLACK else 4)) & 15) == 4 and b.eye(v, c)) or (
            b.nbr[v] >> 8 == 0 and b.suicidal(v, c)
        )

    def _anywhere(self, b, c, rng):
        """A point drawn by shape weight among a few: no own eye, no suicide, no bad self-atari. 0: nothing
        is left."""
        remaining: cython.int = b.empty_count
        i: cython.int
        k: cython.int
        v: cython.int
        w: cython.int
        base: cython.int = (c - 1) * CODES
        best: cython.int
        total: cython.float
        weight: cython.float
        bits: cython.ulonglong
        while remaining > 0:
            i = random_below(rng, remaining)
            if self.candidates > 1:
                total = self.gamma[base + self.codes[b.empty[i]]]
                for k in range(self.candidates - 1):  # noqa: B007
                    bits = next_random(rng)
                    best = cython.cast(cython.int, ((bits >> 32) * remaining) >> 32)
                    weight = self.gamma[base + self.codes[b.empty[best]]]
                    total += weight
                    if (bits & 0xFFFFFF) * (1.0 / 16777216.0) * total < weight:
                        i = best
            v = b.empty[i]
            if v != b.ko:
                if b.nbr[v] >> 8 >= 2:
                    return v
                if not self._wasted(b, v, c):
                    if not bad_self_atari(b, v, c):
                        return v
                    if self.throw_in and (next_random(rng) >> 48) < self.throw_in and _alone(b, v, c):
                        return v
            remaining -= 1
            w = b.empty[remaining]
            b.empty[i] = w
            b.slot[w] = i
            b.empty[remaining] = v
            b.slot[v] = remaining
        return 0


def _open(b, v, shift):
    """How many neighbours of v are neither the colour's (shift) nor wall."""
    return 4 - ((b.nbr[v] >> shift) & 15)


def _is_middle(b, p, owner, shift):
    """True iff p and its two to four open neighbours are a whole region, but for one corner that may join two of
    three or four."""
    i: cython.int
    n: cython.int
    arms: cython.int = 0
    joined: cython.int = 0
    corner: cython.int = -p
    width: cython.int
    for i in range(4):
        n = p + _STEP[i]
        if b.color[n] == owner or b.color[n] == WALL:
            continue
        arms += 1
        width = _open(b, n, shift)
        if width > 2:
            return False
        if width == 2:
            joined += 1
            corner += n
    if joined == 0:
        return arms > 1
    # Two arms in a line have no corner: what they give is p itself.
    return (
        joined == 2
        and arms > 2
        and corner != p
        and b.color[corner] != owner
        and b.color[corner] != WALL
        and _open(b, corner, shift) == 2
    )


def _first_liberty(b, h):
    """The liberty that liberties_into would write first."""
    n: cython.int
    while b.nbr[h] >> 8 == 0:
        h = b.next[h]
    n = h + STRIDE
    if b.color[h + 1] == EMPTY:
        n = h + 1
    if b.color[h - 1] == EMPTY:
        n = h - 1
    if b.color[h - STRIDE] == EMPTY:
        n = h - STRIDE
    return n


def _has_two(b, h, libs):
    """True iff the chain with head h has exactly two liberties, which are then in libs.

    Two liberties have at most eight neighbours, so a chain with more pseudo-liberties is not looked at. Of others the
    first liberty is found by walking, and what it leaves of the packed sum tells whether there is one other.
    """
    if b.stones[h] == 1:
        if b.nbr[h] >> 8 != 2:
            return False
    elif lib_pseudo(b.libs[h]) > 8 or lib_pseudo(b.libs[h]) < 2:
        return False
    libs[0] = _first_liberty(b, h)
    libs[1] = _last_liberty(b.libs[h] - lib_weight(libs[0]) * _meets(b, libs[0], h))
    return libs[1] != 0


def _alone(b, v, c):
    """True iff no own stone touches v: the move stands alone."""
    return (
        b.color[v - STRIDE] != c and b.color[v - 1] != c and b.color[v + 1] != c and b.color[v + STRIDE] != c
    )
