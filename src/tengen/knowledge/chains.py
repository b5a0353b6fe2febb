"""What a move does to the chains beside it, said exactly: liberties, captures, self-atari, eyes, races.

Plain functions on a Board, vertices and colours for other compiled modules; they change nothing and check
nothing. A chain is named by its head or, where said, by any of its stones. ``tactics.Tactics`` asks them in
moves.
"""

import cython

if not cython.compiled:
    from tengen.go.pure import (
        EMPTY,
        LIB_COUNT_SHIFT,
        LIB_SUM_SHIFT,
        STRIDE,
        WALL,
        atari_at,
        atari_point,
        lib_weight,
    )

    _STEP = [0] * 8

    def _in_atari(packed):
        count = packed >> LIB_COUNT_SHIFT
        total = (packed >> LIB_SUM_SHIFT) & 0xFFFFF
        return count <= 4 and count * (packed & 0x3FFFFFFF) == total * total

    _last_liberty = atari_point


__all__: list[str] = []


def _fill_steps() -> None:
    _STEP[0] = -STRIDE
    _STEP[1] = -1
    _STEP[2] = 1
    _STEP[3] = STRIDE
    _STEP[4] = -STRIDE - 1
    _STEP[5] = -STRIDE + 1
    _STEP[6] = STRIDE - 1
    _STEP[7] = STRIDE + 1


_fill_steps()


def liberties_after(b, v, c, limit):
    """Liberties the chain would have after c plays on the empty vertex v, or limit if as many or more
    (limit <= 24).

    Stones the move captures count as the liberties they leave. 0 means suicide.
    """
    found: cython.ushort[28]
    friends: cython.int[4]
    taken: cython.int[4]
    nf: cython.int = 0
    nt: cython.int = 0
    count: cython.int = 0
    i: cython.int
    j: cython.int
    k: cython.int
    n: cython.int
    m: cython.int
    h: cython.int
    s: cython.int
    col: cython.int
    direct: cython.int
    rest: cython.ulonglong
    touches: cython.bint
    enemy: cython.int = 3 - c
    if not cython.compiled:
        found, friends, taken = [0] * 28, [0] * 4, [0] * 4
    if b.nbr[v] >> 8 >= limit:
        return limit
    # Every neighbour is written to every list, one that does not belong over again by the next: branches here would
    # often be guessed wrong. A chain met twice is asked for once, below.
    for i in range(4):
        n = v + _STEP[i]
        col = b.color[n]
        h = b.head[n]
        found[count] = n
        count += col == EMPTY
        friends[nf] = h
        nf += col == c
        taken[nt] = h
        nt += (col == enemy) & atari_at(b.libs[h], v)
    direct = count
    for k in range(nf):
        s = friends[k]
        if _among(friends, k, s):
            continue
        # Take away what is known from the chain's packed liberties; mostly that answers without a walk.
        rest = b.libs[s] - lib_weight(v) * _meets(b, v, s)
        for i in range(direct):
            rest -= lib_weight(found[i]) * _meets(b, found[i], s)
        if rest == 0:
            continue
        if count == direct:
            n = _last_liberty(rest)
            if count + (1 if n else 2) >= limit:
                return limit
            if n:
                found[count] = n
                count += 1
                continue
        while True:
            if b.nbr[s] >> 8:
                for i in range(4):
                    n = s + _STEP[i]
                    if b.color[n] == EMPTY and n != v:
                        j = 0
                        while j < count and found[j] != n:
                            j += 1
                        if j == count:
                            if count + 1 >= limit:
                                return limit
                            found[count] = n
                            count += 1
            s = b.next[s]
            if s == friends[k]:
                break
    for k in range(nt):
        s = taken[k]
        if _among(taken, k, s):
            continue
        while True:
            touches = False
            for i in range(4):
                n = s + _STEP[i]
                if n == v:
                    touches = True
                elif b.color[n] == c:
                    m = b.head[n]
                    for j in range(nf):
                        touches |= friends[j] == m
            if touches:
                count += 1
                if count >= limit:
                    return limit
            s = b.next[s]
            if s == taken[k]:
                break
    return count if count < limit else limit


def _among(heads, n, h):
    """True iff one of the first n heads is h."""
    i: cython.int = 0
    while i < n and heads[i] != h:
        i += 1
    return i < n


def stones_after(b, v, c, out, limit):
    """Write the stones of the chain that c's play on v would make, v first; how many, or limit if more (all
    distinct)."""
    i: cython.int
    j: cython.int
    n: cython.int
    h: cython.int
    s: cython.int
    count: cython.int = 1
    heads: cython.int[4]
    nh: cython.int = 0
    if not cython.compiled:
        heads = [0] * 4
    out[0] = v
    for i in range(4):
        n = v + _STEP[i]
        if b.color[n] != c:
            continue
        h = b.head[n]
        j = 0
        while j < nh and heads[j] != h:
            j += 1
        if j < nh:
            continue
        heads[nh] = h
        nh += 1
        s = h
        while True:
            if count >= limit:
                return limit
            out[count] = s
            count += 1
            s = b.next[s]
            if s == h:
                break
    return count


def captures_at(b, v, c):
    """How many enemy stones c's play on v would take."""
    i: cython.int
    j: cython.int
    n: cython.int
    h: cython.int
    count: cython.int = 0
    heads: cython.int[4]
    nh: cython.int = 0
    if not cython.compiled:
        heads = [0] * 4
    for i in range(4):
        n = v + _STEP[i]
        if b.color[n] != 3 - c:
            continue
        h = b.head[n]
        if not atari_at(b.libs[h], v):
            continue
        j = 0
        while j < nh and heads[j] != h:
            j += 1
        if j == nh:
            heads[nh] = h
            nh += 1
            count += b.stones[h]
    return count


def rescue_points(b, h, out, limit):
    """Write the points where an enemy chain beside the chain with head h can be taken (ko not asked); how
    many."""
    s: cython.int = h
    i: cython.int
    j: cython.int
    n: cython.int
    p: cython.int
    e: cython.int = 3 - b.color[h]
    count: cython.int = 0
    while True:
        for i in range(4):
            n = s + _STEP[i]
            if (b.color[n] == e) & _in_atari(b.libs[b.head[n]]):
                p = _last_liberty(b.libs[b.head[n]])
                j = 0
                while j < count and out[j] != p:
                    j += 1
                if j == count:
                    if count >= limit:
                        return count
                    out[count] = p
                    count += 1
        s = b.next[s]
        if s == h:
            return count


def ataris(b, v, c):
    """Would c's play on v leave an enemy chain beside it with exactly one liberty?"""
    i: cython.int
    n: cython.int
    h: cython.int
    rest: cython.ulonglong
    for i in range(4):
        n = v + _STEP[i]
        if b.color[n] == 3 - c:
            h = b.head[n]
            rest = b.libs[h] - lib_weight(v) * _meets(b, v, h)
            if rest and _in_atari(rest):
                return True
    return False


def airless(b, v, c):
    """True iff c's play on v, were nothing taken, would leave its chain fewer than two liberties. Walks no
    chain.

    A chain's packed liberties less those at v (and at one other point) are nought iff it has no others.
    """
    i: cython.int
    n: cython.int
    x: cython.int = 0
    h: cython.int
    rest: cython.ulonglong
    if b.nbr[v] >> 8 >= 2:
        return False
    if b.nbr[v] >> 8:
        for i in range(4):
            x += (v + _STEP[i]) * (b.color[v + _STEP[i]] == EMPTY)
    for i in range(4):
        n = v + _STEP[i]
        if b.color[n] != c:
            continue
        h = b.head[n]
        rest = b.libs[h] - lib_weight(v) * _meets(b, v, h)
        if x:
            rest -= lib_weight(x) * _meets(b, x, h)
            if rest:
                return False
        elif rest:
            x = _last_liberty(rest)
            if x == 0:
                return False
    return True


def _meets(b, v, h):
    """How many neighbours of v belong to the chain with head h."""
    return (b.head[v - STRIDE] == h) + (b.head[v - 1] == h) + (b.head[v + 1] == h) + (b.head[v + STRIDE] == h)


def self_atari(b, v, c):
    """The size of the chain that c's play on v would leave with fewer than two liberties; 0 if it has two
    or more."""
    found: cython.ushort[628]
    if not airless(b, v, c) or liberties_after(b, v, c, 2) >= 2:
        return 0
    if not cython.compiled:
        found = [0] * 628
    return stones_after(b, v, c, found, 628)


def bad_self_atari(b, v, c):
    """A self-atari that gains nothing: it takes nothing, and is neither a throw-in of one or two stones
    that gives atari nor a dead shape inside an enemy's eye."""
    found: cython.ushort[8]
    size: cython.int
    if not airless(b, v, c) or captures_at(b, v, c):
        return False
    if not ataris(b, v, c):
        return True
    if not cython.compiled:
        found = [0] * 8
    size = stones_after(b, v, c, found, 8)
    if size <= 2:
        return False
    if size > 6:
        return True
    return (size != 4 and vital_of(found, size) == 0) or (size == 4 and not _dead_four(found))


def _dead_four(points):
    """Four stones that leave a dead eye when taken: a T or a square."""
    i: cython.int
    j: cython.int
    d: cython.int
    links: cython.int = 0
    degree: cython.int
    most: cython.int = 0
    for i in range(4):
        degree = 0
        for j in range(4):
            d = points[i] - points[j]
            degree += (d == 1) + (d == -1) + (d == STRIDE) + (d == -STRIDE)
        links += degree
        most = degree if degree > most else most
    return links == 8 or most == 3


def region_of(b, v, c, out, limit):
    """Write the points joined to v that are not stones of c; how many, or limit if as many or more."""
    count: cython.int = 1
    i: cython.int = 0
    j: cython.int
    k: cython.int
    n: cython.int
    out[0] = v
    while i < count:
        for k in range(4):
            n = out[i] + _STEP[k]
            if b.color[n] == c or b.color[n] == WALL:
                continue
            j = 0
            while j < count and out[j] != n:
                j += 1
            if j == count:
                if count + 1 >= limit:
                    return limit
                out[count] = n
                count += 1
        i += 1
    return count


def vital_of(points, n):
    """The one point that makes two eyes of a region of 3 to 6 points or stops it; 0 for shapes that have
    none.

    Three in a row or bent; the T of four; cross and bulky five; rabbity six. A square four is dead as it
    stands.
    """
    degree: cython.int[8]
    i: cython.int
    j: cython.int
    d: cython.int
    best: cython.int = 0
    links: cython.int = 0
    if not cython.compiled:
        degree = [0] * 8
    if n < 3 or n > 6:
        return 0
    for i in range(n):
        degree[i] = 0
        for j in range(n):
            d = points[i] - points[j]
            degree[i] += (d == 1) + (d == -1) + (d == STRIDE) + (d == -STRIDE)
        links += degree[i]
        if degree[i] > degree[best]:
            best = i
    if n == 3:
        return points[best]
    if n == 4:
        return points[best] if degree[best] == 3 else 0
    if n == 5:
        return points[best] if degree[best] == 4 or (degree[best] == 3 and links == 10) else 0
    return points[best] if degree[best] == 4 and links == 12 else 0


def nakade_point(b, v, c):
    """The vital point, still empty, of the eye of c that holds v: 3 to 6 points, enemy stones in it
    included; or 0."""
    found: cython.ushort[8]
    n: cython.int
    p: cython.int
    if not cython.compiled:
        found = [0] * 8
    if b.color[v] == c:
        return 0
    n = region_of(b, v, c, found, 7)
    if n > 6:
        return 0
    p = vital_of(found, n)
    return p if p and b.color[p] == EMPTY else 0


def false_eye(b, v, c):
    """True iff v is empty, all its neighbours are c or wall, and it is no eye: enemies hold the diagonals."""
    return b.color[v] == EMPTY and b.fills(v, c) and not b.eye(v, c)


def race(b, a, d):
    """A race of two eyeless chains by liberties, a's owner to move: 1 a takes d, -1 d takes a, 0 neither
    can (seki).

    Mueller's rule: the side to move takes the other iff its own liberties exceed the other's by the shared
    ones, less one when there are any.
    """
    mine: cython.ushort[64]
    theirs: cython.ushort[64]
    i: cython.int
    j: cython.int
    na: cython.int
    nd: cython.int
    shared: cython.int = 0
    need: cython.int
    if not cython.compiled:
        mine, theirs = [0] * 64, [0] * 64
    na = b.liberties_into(b.head[a], mine, 64)
    nd = b.liberties_into(b.head[d], theirs, 64)
    for i in range(na):
        for j in range(nd):
            shared += mine[i] == theirs[j]
    na -= shared
    nd -= shared
    need = shared - (shared > 0)
    if na - nd >= need:
        return 1
    return -1 if nd - 1 - na >= need else 0


def chains_joined(b, v, c):
    """How many different chains of c touch v: two or more are connected by c's play there, cut by the
    other's."""
    i: cython.int
    j: cython.int
    n: cython.int
    heads: cython.int[4]
    nh: cython.int = 0
    if not cython.compiled:
        heads = [0] * 4
    for i in range(4):
        n = v + _STEP[i]
        if b.color[n] == c:
            j = 0
            while j < nh and heads[j] != b.head[n]:
                j += 1
            if j == nh:
                heads[nh] = b.head[n]
                nh += 1
    return nh
