"""A board a reader can check by eye: no state but the stones, everything found anew by flood fill.

Slow on purpose, and it shares nothing with the package. `walk` plays random moves on it and on a `Board`
side by side. Run as a program it writes the game-tree counts of tests/data/perft anew.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASS = -1


class SlowBoard:
    """Stones by flat index from the top left, 0 empty, 1 black, 2 white."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stones = [0] * (width * height)
        self.ko = PASS
        self.taken = {1: 0, 2: 0}
        self.beside = [
            [
                (row + down) * width + column + right
                for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
                if 0 <= row + down < height and 0 <= column + right < width
            ]
            for row in range(height)
            for column in range(width)
        ]

    def copy(self) -> SlowBoard:
        other = object.__new__(SlowBoard)
        other.width, other.height, other.ko, other.beside = self.width, self.height, self.ko, self.beside
        other.stones = list(self.stones)
        other.taken = dict(self.taken)
        return other

    def chain(self, point: int) -> tuple[set[int], set[int]]:
        """(stones, liberties) of the chain at a stone."""
        color = self.stones[point]
        chain, liberties, todo = {point}, set(), [point]
        while todo:
            for near in self.beside[todo.pop()]:
                if self.stones[near] == 0:
                    liberties.add(near)
                elif self.stones[near] == color and near not in chain:
                    chain.add(near)
                    todo.append(near)
        return chain, liberties

    def _lift(self, chain: set[int]) -> None:
        for point in chain:
            self.taken[self.stones[point]] += 1
            self.stones[point] = 0

    def play(self, point: int, color: int) -> tuple[int, int]:
        """Put a stone down; (enemy stones captured, own stones lost)."""
        self.ko = PASS
        if point == PASS:
            return 0, 0
        self.stones[point] = color
        captured: set[int] = set()
        for near in self.beside[point]:
            if self.stones[near] == 3 - color:
                chain, liberties = self.chain(near)
                if not liberties:
                    captured |= chain
        taken = len(captured)
        self._lift(captured)
        own, liberties = self.chain(point)
        if not liberties:
            self._lift(own)
            return 0, len(own)
        if taken == 1 and len(own) == 1 and len(liberties) == 1:
            self.ko = captured.pop()
        return taken, 0

    def after(self, point: int, color: int) -> SlowBoard:
        board = self.copy()
        board.play(point, color)
        return board

    def allows(self, point: int, color: int, suicide: bool, ko: bool = True) -> bool:
        """Empty, not the ko point if ``ko``, no suicide but of several stones where ``suicide`` allows it."""
        if point == PASS:
            return True
        if self.stones[point] or (ko and point == self.ko):
            return False
        lost = self.copy().play(point, color)[1]
        return lost == 0 or (suicide and lost > 1)

    def is_eye(self, point: int, color: int) -> bool:
        """Every neighbour ours, and of the diagonals at most one the enemy's: none on the edge."""
        if self.stones[point] or any(self.stones[near] != color for near in self.beside[point]):
            return False
        row, column = divmod(point, self.width)
        enemies = edge = 0
        for down in (-1, 1):
            for right in (-1, 1):
                r, c = row + down, column + right
                if 0 <= r < self.height and 0 <= c < self.width:
                    enemies += self.stones[r * self.width + c] == 3 - color
                else:
                    edge = 1
        return enemies + edge < 2


class Keys:
    """The key of every stone, learned from boards with that stone alone."""

    def __init__(self, board_type: Any, width: int, height: int) -> None:
        self.by_stone: dict[tuple[int, int], int] = {}
        for point in range(width * height):
            for color in (1, 2):
                board = board_type(width, height)
                if width * height > 1:
                    board.place(point, color)
                self.by_stone[point, color] = board.hash

    def of(self, stones: list[int]) -> int:
        total = 0
        for point, color in enumerate(stones):
            if color:
                total ^= self.by_stone[point, color]
        return total


def check_whole(board: Any, slow: SlowBoard, keys: Keys) -> None:
    """Everything a board says of itself, for both colours."""
    assert board.stones_list() == slow.stones
    assert board.hash == keys.of(slow.stones)
    assert board.ko_point == slow.ko
    assert board.captures == (slow.taken[2], slow.taken[1])
    assert board.empty_points() == [point for point, color in enumerate(slow.stones) if not color]
    seen: set[int] = set()
    for point, color in enumerate(slow.stones):
        if color and point not in seen:
            chain, liberties = slow.chain(point)
            seen |= chain
            for stone in chain:
                assert board.liberties(stone) == len(liberties)
                assert board.in_atari(stone) == (len(liberties) == 1)
            assert board.chain(point) == sorted(chain)
            assert board.chain_liberties(point) == sorted(liberties)
    for point, color in enumerate(slow.stones):
        if not color:
            for mover in (1, 2):
                assert board.is_legal(point, mover, True) == slow.allows(point, mover, True)
                assert board.is_legal(point, mover) == slow.allows(point, mover, False)
                assert board.is_eye(point, mover) == slow.is_eye(point, mover)
                assert board.hash_after(point, mover) == keys.of(slow.after(point, mover).stones)


def check_near(board: Any, slow: SlowBoard, keys: Keys, point: int) -> None:
    """What a move at this point can have changed, at a fraction of the cost."""
    assert board.stones_list() == slow.stones
    assert board.hash == keys.of(slow.stones)
    assert board.ko_point == slow.ko
    for near in (point, *slow.beside[point]):
        if slow.stones[near]:
            chain, liberties = slow.chain(near)
            assert board.chain(near) == sorted(chain)
            assert board.chain_liberties(near) == sorted(liberties)
            assert board.in_atari(near) == (len(liberties) == 1)


def walk(board_type: Any, width: int, height: int, moves: int, seed: int, whole_every: int = 1) -> int:
    """Random moves, captures, suicides, passes and restores on both; a difference is an AssertionError.

    ``whole_every`` compares everything after every so many moves, and in between what a move can touch.
    Returns how many stones were captured.
    """
    rng = random.Random(seed)
    keys = Keys(board_type, width, height)
    board, slow = board_type(width, height), SlowBoard(width, height)
    kept: list[tuple[Any, SlowBoard]] = [(board.copy(), slow.copy())]
    color, captured, stuck = 1, 0, 0
    for number in range(moves):
        point = rng.randrange(width * height)
        suicide = rng.random() < 0.5
        # One move in ten without asking for ko, so that it is taken back at once too.
        ko = rng.random() < 0.9
        legal = slow.allows(point, color, suicide, ko)
        if slow.stones[point] == 0:
            without_ko = slow.allows(point, color, suicide, False)
            assert board.is_legal_ignoring_ko(point, color, suicide) == without_ko
        stuck = 0 if legal else stuck + 1
        if not legal:
            try:
                board.place(point, color, suicide, ko)
            except ValueError:
                pass
            else:
                raise AssertionError(f"move {number}: {point} of {color} is illegal and was played")
            if stuck > 40:
                board, slow = (kept[0][0].copy(), kept[0][1].copy())
                stuck = 0
            if rng.random() < 0.2:
                board.pass_move()
                slow.play(PASS, color)
                color = 3 - color
            continue
        expected = board.hash_after(point, color)
        taken, lost = slow.play(point, color)
        assert board.place(point, color, suicide, ko) == taken == board.last_captured
        assert board.hash == expected
        captured += taken + lost
        color = 3 - color if rng.random() < 0.9 else color
        if number % whole_every == 0:
            check_whole(board, slow, keys)
        else:
            check_near(board, slow, keys, point)
        chance = rng.random()
        if chance < 0.03:
            kept.append((board.copy(), slow.copy()))
        elif chance < 0.04:
            board, slow = kept.pop() if len(kept) > 1 else (board, slow)
            check_whole(board, slow, keys)
    return captured


@dataclass(frozen=True)
class TreeRules:
    """What decides how many games there are."""

    ko: str
    suicide: bool = False
    first_capture: bool = False


TREE_RULES = {
    "no-ko": TreeRules("NONE"),
    "chinese": TreeRules("SIMPLE"),
    "chinese-kgs": TreeRules("POSITIONAL"),
    "tromp-taylor": TreeRules("POSITIONAL", suicide=True),
    "aga": TreeRules("SITUATIONAL"),
    "new-zealand": TreeRules("SITUATIONAL", suicide=True),
    "capture": TreeRules("SIMPLE", first_capture=True),
}
DEPTHS = {(2, 2): 10, (3, 2): 7, (3, 3): 5}


def count_games(rules: TreeRules, width: int, height: int, depth: int) -> int:
    """Sequences of that many moves from the empty board; one that ends sooner counts once."""
    start = SlowBoard(width, height)
    return _count(rules, start, 1, depth, 0, [(tuple(start.stones), 1)], False)


def _count(
    rules: TreeRules,
    board: SlowBoard,
    color: int,
    depth: int,
    passes: int,
    history: list[tuple[tuple[int, ...], int]],
    captured: bool,
) -> int:
    if depth == 0 or passes == 2 or captured:
        return 1
    total = 0
    for point in (PASS, *range(board.width * board.height)):
        if not board.allows(point, color, rules.suicide, rules.ko != "NONE"):
            continue
        after = board.after(point, color)
        stones = tuple(after.stones)
        if point != PASS:
            before = [at for at, _ in history] if rules.ko == "POSITIONAL" else []
            if stones in before or (rules.ko == "SITUATIONAL" and (stones, 3 - color) in history):
                continue
        taken = rules.first_capture and sum(after.taken.values()) > 0
        running = passes + 1 if point == PASS else 0
        total += _count(rules, after, 3 - color, depth - 1, running, [*history, (stones, 3 - color)], taken)
    return total


def main() -> int:
    folder = Path(__file__).resolve().parents[1] / "data" / "perft"
    folder.mkdir(parents=True, exist_ok=True)
    for name, rules in TREE_RULES.items():
        counts = {
            f"{width}x{height}": [count_games(rules, width, height, at) for at in range(1, depth + 1)]
            for (width, height), depth in DEPTHS.items()
        }
        (folder / f"{name}.json").write_text(json.dumps({"rules": name, "counts": counts}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
