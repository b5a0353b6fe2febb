"""Counting: legal positions against the known figures, game trees against counts found by brute force.

The files of tests/data/perft are written by ``python tests/go/oracle.py``.
"""

import json
from dataclasses import replace
from pathlib import Path

import oracle
import pytest

from tengen.go.perft import count_legal_positions, count_tree
from tengen.go.rules import Goal, Ko, Rules

COUNTS = Path(__file__).resolve().parents[1] / "data" / "perft"


@pytest.mark.parametrize(
    ("width", "height", "positions"),
    [(1, 1, 1), (2, 1, 5), (1, 3, 15), (2, 2, 57), (3, 2, 489), (2, 3, 489), (3, 3, 12675), (4, 3, 321689)],
)
def test_legal_positions(width: int, height: int, positions: int) -> None:
    assert count_legal_positions(width, height) == positions


@pytest.mark.slow
def test_legal_positions_of_4x4() -> None:
    assert count_legal_positions(4, 4) == 24_318_165


def rules_named(name: str, width: int, height: int) -> Rules:
    if name == "no-ko":
        return replace(Rules.named("chinese", (width, height)), ko=Ko.NONE)
    return Rules.named(name, (width, height))


def size_of(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


@pytest.mark.parametrize("name", sorted(oracle.TREE_RULES))
def test_the_counts_are_of_the_rules_they_name(name: str) -> None:
    rules, plain = rules_named(name, 9, 9), oracle.TREE_RULES[name]
    assert (rules.ko.value, rules.suicide) == (plain.ko, plain.suicide)
    assert (rules.goal is Goal.FIRST_CAPTURE) == plain.first_capture


@pytest.mark.parametrize("name", sorted(oracle.TREE_RULES))
def test_game_trees(name: str) -> None:
    kept = json.loads((COUNTS / f"{name}.json").read_text())["counts"]
    for size, counts in kept.items():
        for depth, count in enumerate(counts, 1):
            if count < 6_000:
                assert count_tree(rules_named(name, *size_of(size)), depth) == count, (size, depth)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(oracle.TREE_RULES))
def test_deep_game_trees(name: str) -> None:
    kept = json.loads((COUNTS / f"{name}.json").read_text())["counts"]
    for size, counts in kept.items():
        assert count_tree(rules_named(name, *size_of(size)), len(counts)) == counts[-1]


@pytest.mark.parametrize("name", sorted(oracle.TREE_RULES))
def test_the_oracle_still_counts_what_was_kept(name: str) -> None:
    kept = json.loads((COUNTS / f"{name}.json").read_text())["counts"]
    for size, depth in (("2x2", 6), ("3x2", 4), ("3x3", 3)):
        assert oracle.count_games(oracle.TREE_RULES[name], *size_of(size), depth) == kept[size][depth - 1]


def test_the_rules_differ_where_they_should() -> None:
    kept = {name: json.loads((COUNTS / f"{name}.json").read_text())["counts"] for name in oracle.TREE_RULES}
    assert len({(*counts["2x2"], *counts["3x2"]) for counts in kept.values()}) == len(kept)
    assert kept["chinese"]["3x3"][:3] == kept["aga"]["3x3"][:3] == [10, 91, 739]
