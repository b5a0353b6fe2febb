"""The feature sets by name: which planes and numbers a network sees. ``features`` computes them.

========================  ==============================================================================
``dann``                  Table 1 of the DANN paper; its counts add up to 41 planes
``dann-noladder``         the same without the two ladder planes
``pocket``                stones, liberties, the last five moves, ko; komi and rules as numbers
``tactics``               pocket and what a move does: captures, self-atari, liberties left, ladders
========================  ==============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.errors import ConfigError
from tengen.go.coords import PASS

__all__ = [
    "FEATURE_SETS",
    "KOMI_UNIT",
    "FeatureSpec",
    "feature_spec",
    "move_of_policy_index",
    "policy_index",
]

KOMI_UNIT = 15.0
"""Komi goes to a network in units of this many points."""


@dataclass(frozen=True)
class FeatureSpec:
    """A feature set: how many planes and global numbers, and what each is."""

    name: str
    kind: int
    plane_names: tuple[str, ...]
    global_names: tuple[str, ...]

    @property
    def planes(self) -> int:
        return len(self.plane_names)

    @property
    def globals(self) -> int:
        return len(self.global_names)


def _numbered(name: str, count: int, first: int = 1) -> tuple[str, ...]:
    last = first + count - 1
    return tuple(f"{name} {first + i}{'+' if first + i == last else ''}" for i in range(count))


_LADDER_PLANES = ("ladder capture", "ladder escape")
_TABLE_1 = (
    *("sensible", "legal", "Black to move", "zeros", "own", "opponent", "empty"),
    *_numbered("liberties", 4),
    *_numbered("liberties after the move", 6),
    *_numbered("turns since", 6),
    *_numbered("captures", 8, 0),
    *_numbered("self-atari of", 8),
)
_POCKET = (
    *("own", "opponent", "empty"),
    *(f"own, {n} liberties" for n in ("1", "2", "3+")),
    *(f"opponent, {n} liberties" for n in ("1", "2", "3+")),
    *(f"move {n} ago" for n in range(1, 6)),
    *("ko", "ones"),
)
_TACTICS = (
    *_POCKET,
    *("legal", "own eye", "captures 1", "captures 2+", "self-atari", "2 liberties after the move"),
    *(*_LADDER_PLANES, "own caught in a ladder", "opponent caught in a ladder"),
)
_POCKET_GLOBALS = (
    *("komi for the mover / 15", "komi unknown", "passed before", "passed two before"),
    *("territory scoring", "suicide allowed", "superko", "Black to move"),
)

FEATURE_SETS: dict[str, FeatureSpec] = {
    spec.name: spec
    for spec in (
        FeatureSpec("dann", 0, (*_LADDER_PLANES, *_TABLE_1), ()),
        FeatureSpec("dann-noladder", 1, _TABLE_1, ()),
        FeatureSpec("pocket", 2, _POCKET, _POCKET_GLOBALS),
        FeatureSpec("tactics", 3, _TACTICS, _POCKET_GLOBALS),
    )
}


def feature_spec(name: str) -> FeatureSpec:
    """A feature set by name; ConfigError for an unknown one."""
    spec = FEATURE_SETS.get(name)
    if spec is None:
        raise ConfigError(f"feature set {name!r}: one of {', '.join(FEATURE_SETS)} expected")
    return spec


def policy_index(move: int, width: int, height: int) -> int:
    """Where a move stands in a policy: its flat point, a pass after the last."""
    return width * height if move == PASS else move


def move_of_policy_index(index: int, width: int, height: int) -> int:
    return PASS if index == width * height else index
