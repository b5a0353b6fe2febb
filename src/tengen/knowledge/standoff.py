"""Stand-offs read to the end: stones the enemy cannot take without losing as much.

Playouts misjudge a seki: whoever fills a shared liberty loses his stones, yet sooner or later one of them is drawn.
Here the few points round such a chain are read, with passing allowed. A chain nobody gains by attacking stands.
"""

from __future__ import annotations

from collections import deque

from tengen.go.board import Board
from tengen.go.coords import Move, neighbours

__all__ = ["stands"]

NODES = 4000
"""Boards looked at for one chain; beyond them nothing is proved."""
FEW = 5
"""A chain with this many liberties or fewer can be in danger; others are walls."""
MOST_EMPTY = 14
"""Regions with more empty points than that are not read."""
MOST_POINTS = 40
"""Nor are regions with more points than that, stones included."""


def stands(board: Board, stone: Move, dead: frozenset[Move] = frozenset(), nodes: int = NODES) -> bool:
    """True iff reading proves that the enemy of the chain at a stone, moving first, gains nothing by attacking it.

    He gains if he takes the chain and does not lose as much; empty points count for nothing, and there are no ko
    threats elsewhere. ``dead`` names stones that the enemy may be able to take for more air. False says nothing: the
    fight may be too wide to read, or the chain may have friends outside.
    """
    region = _region(board, stone, dead)
    if region is None:
        return False
    try:
        return not _Attack(board, stone, region, nodes).gains(board)
    except _TooWide:
        return False


def _region(board: Board, stone: Move, dead: frozenset[Move]) -> set[Move] | None:
    """The points a fight over a chain can touch: its own, what is empty round them, the chains beside those that are
    short of liberties, and so on. None if that is too much, or if the chain reaches a friend with many liberties."""
    color = board.color_at(stone)
    if board.liberties(stone) > FEW:
        return None
    # From the points of `home` a stone of the chain's colour would join the chain.
    home = set(board.chain(stone))
    region, todo, empty = set(home), deque(sorted(home)), 0
    while todo:
        at = todo.popleft()
        here = board.color_at(at)
        for near in neighbours(at, board.width, board.height):
            other = board.color_at(near)
            if near in region:
                continue
            if not other:
                empty += 1
                found = [near]
            elif board.liberties(near) > FEW:
                if other == color and at in home:
                    return None
                continue
            elif here == 3 - color and other == color and near not in dead:
                continue
            else:
                found = board.chain(near)
            region.update(found)
            todo.extend(found)
            if at in home and other != 3 - color:
                home.update(found)
            if empty > MOST_EMPTY or len(region) > MOST_POINTS:
                return None
    return region


class _TooWide(Exception):
    pass


class _Attack:
    """Does it pay to attack a chain? Every line in its region is read until both sides pass."""

    def __init__(self, board: Board, stone: Move, region: set[Move], nodes: int) -> None:
        self.defender = board.color_at(stone)
        self.attacker = 3 - self.defender
        self.prize = board.chain(stone)
        self.risk = sorted(point for point in region if board.color_at(point) == self.attacker)
        self.moves = sorted(region)
        self.left = nodes
        self.known: dict[tuple[int, int, int, bool], bool] = {}
        self.base = self._balance(board)

    def gains(self, board: Board) -> bool:
        """True iff the attacker, to move, can better what stands on the board. Raises _TooWide."""
        return self._gains(board, self.attacker, False, frozenset())

    def _gains(self, board: Board, color: int, passed: bool, path: frozenset[int]) -> bool:
        key = (board.hash, board.ko_point, color, passed)
        if key in self.known:
            return self.known[key]
        attacking = color == self.attacker
        settled = self._settled(board, attacking)
        if settled is not None:
            return settled
        self.left -= 1
        if self.left < 0:
            raise _TooWide
        path |= {board.hash}
        result = any(
            after.hash not in path and self._gains(after, 3 - color, False, path) == attacking
            for after in self._plays(board, color)
        )
        if not result and passed:
            result = (self._balance(board) > self.base) == attacking
        elif not result:
            after = board.copy()
            after.pass_move()
            result = self._gains(after, 3 - color, True, path) == attacking
        self.known[key] = result == attacking
        return self.known[key]

    def _settled(self, board: Board, attacking: bool) -> bool | None:
        """False where the attack has cost far more than it can win, True where it has won and nothing of the
        attacker's can be taken at once; None while neither is so."""
        lost = sum(1 for point in self.risk if board.color_at(point) != self.attacker)
        if lost >= 2 * len(self.prize) + 2:
            return False
        if attacking or any(board.color_at(point) == self.defender for point in self.prize):
            return None
        mine = [p for p in (*self.prize, *self.risk) if board.color_at(p) == self.attacker]
        return None if any(board.in_atari(point) for point in mine) else True

    def _balance(self, board: Board) -> int:
        """The attacker's points among the stones at stake less the defender's."""
        owners = [board.color_at(point) or _owner(board, point) for point in (*self.prize, *self.risk)]
        return owners.count(self.attacker) - owners.count(self.defender)

    def _plays(self, board: Board, color: int) -> list[Board]:
        """The boards after each move in the region but into an eye of one's own chain, captures first."""
        taking: list[Board] = []
        quiet: list[Board] = []
        for move in self.moves:
            if board.is_legal(move, color) and not _own_eye(board, move, color):
                after = board.copy()
                (taking if after.place(move, color) else quiet).append(after)
        return taking + quiet


def _own_eye(board: Board, move: Move, color: int) -> bool:
    """True iff one chain of that colour holds every neighbour of the empty point."""
    near = neighbours(move, board.width, board.height)
    if any(board.color_at(point) != color for point in near):
        return False
    chain = board.chain(near[0])
    return all(point in chain for point in near)


def _owner(board: Board, point: Move) -> int:
    """The only colour round the empty points that hold this one; 0 if both are, or if there are more than 30."""
    seen, stack, found = {point}, [point], 0
    while stack:
        for near in neighbours(stack.pop(), board.width, board.height):
            color = board.color_at(near)
            found |= color
            if not color and near not in seen:
                if len(seen) > 30:
                    return 0
                seen.add(near)
                stack.append(near)
    return found if found < 3 else 0
