"""Who has won: area and territory scores, dead stones and ownership by playouts.

A finished game still has dead stones on the board. Here they are found by playing the position out at random many
times from both sides: a chain most of whose points end up the enemy's is dead, unless it is alive whatever happens
(Benson). That is honest for ordinary games and weak in seki and big nakade; playouts guided by knowledge
(``tengen.knowledge.judging``), a search or a network know better and hand their own ownership to
``dead_by_ownership``.
"""

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import (  # type: ignore[import-not-found]
        BLACK,
        EMPTY,
        MAX_PLAYOUT,
        STRIDE,
        WALL,
        WHITE,
        Board,
    )
else:
    from tengen.go.board import Board
    from tengen.go.pure import BLACK, EMPTY, MAX_PLAYOUT, STRIDE, WALL, WHITE

from tengen.go.coords import Color, neighbours
from tengen.go.rules import Scoring, Tax

__all__ = [
    "alive_for_sure",
    "dead_by_ownership",
    "fill_neutral",
    "find_dead",
    "format_result",
    "ownership",
    "score_position",
    "territory",
]

DEFAULT_PLAYOUTS = 400


def add_ownership(board, sums):
    """Add +1 for every vertex that is Black's on a played-out board, -1 for every one that is White's.

    Returns Black's minus White's of them, as ``Board.area_balance`` would.
    """
    v: cython.int
    i: cython.int
    count: cython.int
    whose: cython.int
    balance: cython.int = 0
    for v in range(STRIDE, board.cells - STRIDE):
        whose = (board.color[v] == BLACK) - (board.color[v] == WHITE)
        balance += whose
        sums[v] += whose
    for i in range(board.empty_count):
        v = board.empty[i]
        count = board.nbr[v]
        whose = ((count & 15) == 4) - (((count >> 4) & 15) == 4)
        balance += whose
        sums[v] += whose
    return balance


def ownership(position, playouts: int = DEFAULT_PLAYOUTS, seed: int = 1) -> list[float]:
    """-1 (White's) to +1 (Black's) for every point, row by row: the mean over random playouts, half from each side."""
    start: Board = position.board
    board: Board = Board(start.width, start.height)
    sums: cython.int[704]
    record: cython.ushort[2048]
    rng: cython.ulonglong = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & 0xFFFFFFFFFFFFFFFF | 1
    count: cython.int = playouts
    i: cython.int
    v: cython.int
    if not cython.compiled:
        sums = [0] * 704
        record = [0] * MAX_PLAYOUT
        state = [rng]
    for v in range(704):
        sums[v] = 0
    if cython.compiled:
        with cython.nogil:
            for i in range(count):
                board.copy_from(start)
                board.ko = 0
                board.playout(BLACK if i & 1 else WHITE, cython.address(rng), MAX_PLAYOUT, record)
                add_ownership(board, sums)
    else:
        for i in range(count):
            board.copy_from(start)
            board.ko = 0
            board.playout(BLACK if i & 1 else WHITE, state, MAX_PLAYOUT, record)
            add_ownership(board, sums)
    total = max(playouts, 1)
    return [
        sums[(row + 1) * STRIDE + col + 1] / total
        for row in range(start.height)
        for col in range(start.width)
    ]


def _regions(stones: list[int], width: int, height: int, wall: int) -> list[tuple[set[int], set[int]]]:
    """The connected regions of what is not of colour wall: (points, bordering points of that colour)."""
    todo = {move for move, color in enumerate(stones) if color != wall}
    found = []
    while todo:
        start = todo.pop()
        points, border, stack = {start}, set(), [start]
        while stack:
            for near in neighbours(stack.pop(), width, height):
                if stones[near] == wall:
                    border.add(near)
                elif near in todo:
                    todo.discard(near)
                    points.add(near)
                    stack.append(near)
        found.append((points, border))
    return found


def alive_for_sure(position, color: int) -> frozenset[int]:
    """Stones of a colour that live even if it never moves again (Benson's unconditional life)."""
    board = position.board
    width, height = board.width, board.height
    stones = board.stones_list()
    chain_of: dict[int, int] = {}
    for move, stone in enumerate(stones):
        if stone == color and move not in chain_of:
            for point in board.chain(move):
                chain_of[point] = move
    regions = _regions(stones, width, height, color)
    vital: dict[int, set[int]] = {}
    for index, (points, border) in enumerate(regions):
        shared: set[int] | None = None
        for point in points:
            if stones[point] == EMPTY:
                near = {chain_of[n] for n in neighbours(point, width, height) if stones[n] == color}
                shared = near if shared is None else shared & near
        vital[index] = shared or set()
        if not border:
            vital[index] = set()
    chains = set(chain_of.values())
    alive_regions = set(vital)
    while True:
        count = dict.fromkeys(chains, 0)
        for index in alive_regions:
            for chain in vital[index] & chains:
                count[chain] += 1
        dying = {chain for chain, eyes in count.items() if eyes < 2}
        if not dying:
            return frozenset(point for point, chain in chain_of.items() if chain in chains)
        chains -= dying
        alive_regions = {
            index for index in alive_regions if not any(chain_of[p] in dying for p in regions[index][1])
        }


def dead_by_ownership(position, owner: list[float], threshold: float = 0.02) -> frozenset[int]:
    """The chains whose points belong on average to the enemy by at least the threshold (0..1).

    Little is asked for, since in a finished game a chain that is more the enemy's than its own seldom lives; a
    threshold of nought would take everything where nothing is known.

    Chains alive for sure are never among them.
    """
    board = position.board
    stones = board.stones_list()
    dead: set[int] = set()
    seen: set[int] = set()
    safe = alive_for_sure(position, BLACK) | alive_for_sure(position, WHITE)
    for move, stone in enumerate(stones):
        if stone == EMPTY or move in seen:
            continue
        chain = board.chain(move)
        seen.update(chain)
        mean = sum(owner[point] for point in chain) / len(chain)
        if (mean if stone == WHITE else -mean) >= threshold and move not in safe:
            dead.update(chain)
    return frozenset(dead)


def find_dead(position, playouts: int = DEFAULT_PLAYOUTS, seed: int = 1) -> frozenset[int]:
    """The stones to take off a finished game, by playouts. Same seed, same answer."""
    return dead_by_ownership(position, ownership(position, playouts, seed))


def territory(position, dead: frozenset[int] = frozenset()) -> list[int]:
    """Whose each point is once the dead are off: 0 nobody's, 1 Black's, 2 White's, stones included."""
    board = position.board
    width, height = board.width, board.height
    stones = [EMPTY if move in dead else stone for move, stone in enumerate(board.stones_list())]
    owners = list(stones)
    seen: set[int] = set()
    for move, stone in enumerate(stones):
        if stone != EMPTY or move in seen:
            continue
        region, borders, stack = [move], set(), [move]
        seen.add(move)
        while stack:
            for near in neighbours(stack.pop(), width, height):
                if stones[near] != EMPTY:
                    borders.add(stones[near])
                elif near not in seen:
                    seen.add(near)
                    region.append(near)
                    stack.append(near)
        if len(borders) == 1:
            owner = borders.pop()
            for point in region:
                owners[point] = owner
    return owners


def _groups(owners: list[int], width: int, height: int) -> list[tuple[int, set[int], bool]]:
    """Living groups: connected points of one owner, as (colour, points, touches a neutral point).

    Parts that touch the same neutral point are one group: a stone there would join them.
    """
    parts: list[tuple[int, set[int], set[int]]] = []
    todo = {move for move, owner in enumerate(owners) if owner != EMPTY}
    while todo:
        start = todo.pop()
        color = owners[start]
        points, stack, neutral = {start}, [start], set()
        while stack:
            for near in neighbours(stack.pop(), width, height):
                if owners[near] == EMPTY:
                    neutral.add(near)
                elif owners[near] == color and near in todo:
                    todo.discard(near)
                    points.add(near)
                    stack.append(near)
        joined = [part for part in parts if part[0] == color and part[2] & neutral]
        parts = [part for part in parts if not (part[0] == color and part[2] & neutral)]
        for _, others, beside in joined:
            points |= others
            neutral |= beside
        parts.append((color, points, neutral))
    return [(color, points, bool(neutral)) for color, points, neutral in parts]


def _taxed(position, owners: list[int], stones: list[int]) -> int:
    """Points of eye space that do not count, Black's minus White's, by the rules' tax.

    SEKI: a group that touches a neutral point and has less than two points of territory stands in seki. ALL: two
    points of every living group.
    """
    tax = position.rules.tax
    if tax is Tax.NONE:
        return 0
    balance = 0
    for color, points, open_ in _groups(owners, position.rules.width, position.rules.height):
        space = sum(1 for point in points if stones[point] == EMPTY)
        if tax is Tax.ALL:
            lost = min(space, 2)
        else:
            lost = space if open_ and space < 2 else 0
        balance += lost if color == BLACK else -lost
    return balance


def score_position(position, dead: frozenset[int] = frozenset()) -> float:
    """Black's points minus White's, komi and handicap compensation paid, the dead taken off.

    Neutral points stay nobody's. Territory that its owner will have to fill once they are taken is not counted.
    """
    rules = position.rules
    owners = territory(position, dead)
    stones = [EMPTY if move in dead else stone for move, stone in enumerate(position.board.stones_list())]
    margin = float(-_taxed(position, owners, stones))
    if rules.scoring is Scoring.AREA:
        margin += owners.count(BLACK) - owners.count(WHITE)
        margin -= rules.handicap_bonus(position.handicap)
    else:
        for owner, stone in zip(owners, stones, strict=True):
            if stone == EMPTY and owner != EMPTY:
                margin += 1 if owner == BLACK else -1
        margin -= _still_to_fill(position, owners, stones)
        by_black, by_white = position.captures
        dead_white = sum(1 for move in dead if position.board.color_at(move) == WHITE)
        margin += by_black + dead_white - by_white - (len(dead) - dead_white)
    if rules.has_button:
        margin += _button(position)
    return margin - rules.komi


def _still_to_fill(position, owners: list[int], stones: list[int]) -> int:
    """Points of territory that will have to be filled, Black's minus White's.

    Once the neutral points are taken some chains are in atari and must be connected from inside. Found by playing
    it out: one side takes neutral points, the other answers every atari, and takes neutral points as well.
    """
    neutral = [move for move, owner in enumerate(owners) if owner == EMPTY]
    if not neutral:
        return 0
    start = Board(position.rules.width, position.rules.height)
    for move, stone in enumerate(stones):
        if stone != EMPTY:
            start.put(move, stone)
    return _fills(start, owners, neutral, BLACK) - _fills(start, owners, neutral, WHITE)


def _fills(start, owners: list[int], neutral: list[int], side: int) -> int:
    """How many points of its own a side fills when its enemy begins to take the neutral points."""
    board, enemy, filled = start.copy(), 3 - side, 0
    width, height = board.width, board.height
    todo = list(neutral)
    while True:
        move = next((move for move in todo if _takes_safely(board, move, enemy)), None)
        if move is None:
            return filled
        todo.remove(move)
        board.place(move, enemy, False, False)
        answered = False
        for near in neighbours(move, width, height):
            while board.color_at(near) == side and board.in_atari(near):
                answer = board.chain_liberties(near)[0]
                if owners[answer] == enemy or not board.is_legal(answer, side):
                    break
                board.place(answer, side, False, False)
                answered = True
                if owners[answer] == side:
                    filled += 1
                elif answer in todo:
                    todo.remove(answer)
        if not answered:
            free = [move for move in todo if _takes_safely(board, move, side)]
            if free:
                move = min(free, key=lambda move: _shortest(board, move, side))
                todo.remove(move)
                board.place(move, side, False, False)


def fill_neutral(position, dead: frozenset[int] = frozenset()):
    """The position once both sides in turn have taken the neutral points they safely can, and passed twice.

    A chain put in atari is connected first; no other weakness is seen. What neither can take stays neutral (seki),
    and the dead stay where they are. Games scored by territory end before this is done; those scored by area after it.
    """
    owners = territory(position, dead)
    todo = [move for move, owner in enumerate(owners) if owner == EMPTY]
    board = Board(position.rules.width, position.rules.height)
    for move, stone in enumerate(position.board.stones_list()):
        if stone != EMPTY and move not in dead:
            board.put(move, stone)
    passes = 0
    while passes < 2:
        side = position.to_move
        move = _connection(board, owners, position, side)
        if move is None:
            free = [m for m in todo if _takes_safely(board, m, side) and position.is_legal(m, side)]
            move = min(free, key=lambda m: _shortest(board, m, side), default=-1)
        if move >= 0:
            board.place(move, int(side), False, False)
            todo = [m for m in todo if m != move]
            passes = 0
        else:
            passes += 1
        position = position.play(move)
    return position


def _connection(board, owners: list[int], position, side: int) -> int | None:
    """The last liberty of a chain of the side that the move before put in atari, if it may fill it; or None."""
    last = position.last_move
    if last is None or last < 0:
        return None
    for near in neighbours(last, board.width, board.height):
        if board.color_at(near) == side and board.in_atari(near):
            answer = board.chain_liberties(near)[0]
            if (
                owners[answer] != 3 - side
                and board.is_legal(answer, side)
                and position.is_legal(answer, side)
            ):
                return answer
    return None


def _shortest(board, move: int, side: int) -> int:
    """The fewest liberties of a side's chains beside a point."""
    near = [n for n in neighbours(move, board.width, board.height) if board.color_at(n) == side]
    return min((board.liberties(n) for n in near), default=99)


def _takes_safely(board, move: int, color: int) -> bool:
    """True iff a stone there is legal and stands with two liberties or more, capturing nothing."""
    if board.color_at(move) != EMPTY or not board.is_legal(move, color):
        return False
    after = board.copy()
    return after.place(move, color, False, False) == 0 and after.liberties(move) >= 2


def _button(position) -> float:
    """Half a point to whoever passed first."""
    for color, move in position.moves:
        if move == -1:
            return 0.5 if color is Color.BLACK else -0.5
    return 0.0


def format_result(margin: float) -> str:
    """``B+3.5``, ``W+0.5``, ``0``."""
    if margin == 0:
        return "0"
    return f"{'B' if margin > 0 else 'W'}+{abs(margin):.1f}"
