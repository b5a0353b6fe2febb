"""Nets by name: the shapes this package trains, and Table 2's."""

from __future__ import annotations

from typing import Any

from tengen.errors import ConfigError

__all__ = ["MODELS", "PLACEMENTS", "model_table", "placement"]

PLACEMENTS = (
    "B_6C_2FC",
    "AL_5C_2FC",
    "C_AL_4C_2FC",
    "2C_AL_3C_2FC",
    "3C_AL_2C_2FC",
    "4C_AL_C_2FC",
    "5C_AL_2FC",
    "2AL_4C_2FC",
    "3AL_3C_2FC",
    "4AL_2C_2FC",
    "5AL_C_2FC",
    "6AL_2FC",
)
"""Table 2's architectures: its baseline of plain convolutions, then its 11 placements of alternative
layers.
"""

MODELS: dict[str, dict[str, Any]] = {
    "pocket": {"kind": "residual", "blocks": 6, "channels": 64, "pool_every": 3, "pool_channels": 16},
    "desk": {
        "kind": "residual",
        "blocks": 6,
        "channels": 128,
        "pool_every": 3,
        "pool_channels": 32,
        "head_channels": 32,
    },
    "plain": {"kind": "convolution", "blocks": 8, "channels": 64},
    "dann-paper": {
        "kind": "dann",
        "layers": "6AL",
        "steps": 5,
        "widths": (64, 128, 256, 512, 512, 512),
        "fully_connected": 1024,
        "max_pool": (3, 6),
    },
    "dann-small": {"kind": "dann", "layers": "6AL", "steps": 3, "widths": (64, 96, 96, 96, 96, 96)},
}
"""``model = "pocket"``, or ``[model]`` with ``preset = "pocket"`` and what differs from it."""


def model_table(table: Any, place: str) -> dict[str, Any]:
    """The full [model] table of a preset's name, or of a table that may name one to start from."""
    if isinstance(table, str):
        table = {"preset": table}
    if not isinstance(table, dict):
        raise ConfigError(f"{place}: a preset's name or a table expected, not {table!r}")
    given = dict(table)
    name = given.pop("preset", None)
    if name is None:
        return given
    if name not in MODELS:
        raise ConfigError(f"{place}: preset {name!r}: one of {', '.join(MODELS)} expected")
    return {**MODELS[name], **given}


def placement(layers: str) -> tuple[bool, ...]:
    """Table 2's notation as one truth a layer: is it an alternative layer? ``2C_AL_3C_2FC`` and
    ``2C_AL_3C`` read alike.

    Raises ConfigError on anything else than runs of C and AL.
    """
    order: list[bool] = []
    for part in layers.split("_"):
        count = part.rstrip("ACLBF")
        kind = part[len(count) :]
        if kind in ("B", "FC") and (kind == "FC" or not count):
            continue
        if kind not in ("C", "AL") or (count and not count.isdigit()):
            raise ConfigError(f"layers {layers!r}: {part!r} is neither C, AL, nor a number of them")
        order += [kind == "AL"] * int(count or 1)
    if not order:
        raise ConfigError(f"layers {layers!r}: no layer")
    return tuple(order)
