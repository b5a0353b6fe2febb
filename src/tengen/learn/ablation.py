"""What each part of the learning signal gives: one small net on one equal budget, with all of it and with
one part taken away at a time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.errors import ConfigError, DataError
from tengen.learn.config import TrainConfig, config_from, parse_config

__all__ = ["VARIANTS", "Signal", "config_for", "signal_rows"]

HEADS = {"policy": 1.0, "value": 1.0, "score": 0.6, "ownership": 0.8}

VARIANTS: dict[str, dict[str, Any]] = {
    "all heads, soft, symmetries": {},
    "without symmetries": {"symmetries": False},
    "without soft targets": {"soft": False},
    "policy head alone": {"heads": {"policy": 1.0}},
    "none of the three": {"heads": {"policy": 1.0}, "soft": False, "symmetries": False},
}
"""By name, what differs from the first in its configuration."""


@dataclass(frozen=True)
class Signal:
    """One run of the comparison."""

    data: str
    """A directory made by ``tengen data build`` with labels of ``board``."""
    board: int = 9
    steps: int = 2500
    """Optimizer steps a net, at scale 1."""
    batch: int = 128
    blocks: int = 4
    channels: int = 48
    learning_rate: float = 2e-3
    positions: int = 4096
    """Held-out positions each net is judged on, the same for all."""
    seeds: tuple[int, ...] = (1,)


def config_for(signal: Signal, variant: str, seed: int, scale: float) -> TrainConfig:
    """The training run behind one row. Raises ConfigError for a name that is none of VARIANTS."""
    if variant not in VARIANTS:
        raise ConfigError(f"variant {variant!r}: one of {', '.join(VARIANTS)} expected")
    steps = max(1, round(signal.steps * scale))
    source = {"path": signal.data, "targets": "labels", "label": "held-out"}
    table: dict[str, Any] = {
        "name": variant,
        "seed": seed,
        "feature_set": "tactics",
        "batch": signal.batch,
        "steps": steps,
        "boards": {str(signal.board): 1.0},
        "heads": HEADS,
        "ema": 0.99,
        "model": {"preset": "pocket", "blocks": signal.blocks, "channels": signal.channels},
        "optimizer": {"learning_rate": signal.learning_rate},
        "schedule": {"warmup_steps": max(1, min(200, steps // 10))},
        "source": [source],
        "validation": {"positions": signal.positions, "every_seconds": 1e9},
    }
    return parse_config(table | VARIANTS[variant])


def signal_rows(
    scale: float,
    seed: int,
    workers: int,
    *,
    data: str,
    out: str = "runs/learning-signal",
    only: Sequence[str] | None = None,
    report: Callable[[str], None] | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """For ``tengen experiment run learning-signal``: the judge's first move found, in percent with its
    interval, a row a variant. Interrupted, it goes on when run again.

    ``options`` are fields of Signal. Nets are trained one after the other; ``workers`` threads read the data.
    """
    from tengen.learn.supervised import train
    from tengen.learn.table2 import wilson

    signal = config_from(Signal, {"data": data, "seeds": [seed], **options}, "learning-signal options")
    rows = []
    for variant in only or tuple(VARIANTS):
        right = positions = 0
        for number in signal.seeds:
            config = dataclasses.replace(config_for(signal, variant, number, scale), threads=workers)
            folder = Path(out) / f"{variant.replace(', ', '-').replace(' ', '-')}-{number}-{scale:g}"
            result = train(config, folder, resume=(folder / "checkpoint.pt").exists(), report=report)
            if not result.finished:
                raise DataError(f"{folder}: interrupted; run again to go on")
            figures = result.validation[f"held-out/{signal.board}"]
            positions += int(figures["positions"])
            right += round(figures["top1"] * figures["positions"])
        low, high = wilson(right, positions)
        rows.append(
            {"label": variant, "value": 100 * right / positions, "low": 100 * low, "high": 100 * high}
        )
    return rows
