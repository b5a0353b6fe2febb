"""The paper's Table 2 in miniature: every placement of alternative layers, and T = 2..5, on one equal
budget.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.errors import ConfigError, DataError
from tengen.learn.config import DataSource, TrainConfig, ValidationConfig, config_from
from tengen.learn.presets import PLACEMENTS, placement

__all__ = ["PAPER", "TIMES", "Row", "Table2", "architectures", "run_table2", "table2_rows", "wilson"]

TIMES = tuple(f"{layers}, T={steps}" for layers in ("5AL_2FC", "6AL_2FC") for steps in (2, 3, 4, 5))
"""The right half of the table; its 5AL_2FC has five layers, as its name says."""

PAPER = {
    "B_6C_2FC": (32.2, 37.2),
    "AL_5C_2FC": (40.5, 42.5),
    "C_AL_4C_2FC": (41.1, 41.1),
    "2C_AL_3C_2FC": (45.6, 44.8),
    "3C_AL_2C_2FC": (47.4, 43.0),
    "4C_AL_C_2FC": (49.4, 46.6),
    "5C_AL_2FC": (51.9, 49.3),
    "2AL_4C_2FC": (35.0, 39.3),
    "3AL_3C_2FC": (42.7, 43.1),
    "4AL_2C_2FC": (47.4, 42.2),
    "5AL_C_2FC": (47.2, 46.4),
    "6AL_2FC": (53.5, 51.8),
    "5AL_2FC, T=2": (46.9, 42.3),
    "5AL_2FC, T=3": (48.2, 47.1),
    "5AL_2FC, T=4": (52.3, 45.8),
    "5AL_2FC, T=5": (55.0, 51.6),
    "6AL_2FC, T=2": (46.4, 47.2),
    "6AL_2FC, T=3": (51.1, 51.6),
    "6AL_2FC, T=4": (55.3, 49.4),
    "6AL_2FC, T=5": (57.7, 53.8),
}
"""Top-1 in percent on GoGoD and on PGD, as printed."""


@dataclass(frozen=True)
class Table2:
    """One run of the table. At scale 1 a night on two cores; ``scale`` multiplies every net's steps and the
    positions it is judged on.
    """

    data: str
    """A directory made by ``tengen data build`` with games of ``board``."""
    steps: int = 2000
    """Optimizer steps a net, at scale 1."""
    batch: int = 200
    """The paper's."""
    widths: tuple[int, ...] = (16, 24, 32, 48, 48, 48)
    """The paper's 64..512, divided by about ten."""
    fully_connected: int = 0
    """Units of the two layers before the softmax (the paper's 1024, with 2x2 pooling after layers 3 and 6).

    0 = heads of convolutions. The paper's learn nothing on a budget of minutes: after 8,000 positions the
    baseline with two layers of 128 found 0.1 % of the moves.
    """
    placement_steps: int = 3
    """T for the left half of the table; the paper does not say which it used."""
    board: int = 19
    learning_rate: float = 1e-3
    """AdamW's. The paper's SGD needs more steps than a night has."""
    positions: int = 20000
    """Held-out positions each net is judged on, the same for all; scaled, but not below 2000."""
    seeds: tuple[int, ...] = (1,)
    names: tuple[str, ...] = ("validation-*",)
    """Source files whose games are held out for the judgment."""
    hours: float = 0.0
    """0, or a bound in hours for each net instead of steps (equal time rather than equal positions)."""


@dataclass(frozen=True)
class Row:
    """One architecture's result: ``right`` of ``positions`` played moves were its first choice."""

    architecture: str
    seed: int
    right: int
    positions: int
    top5: float
    weights: int
    training_positions: int
    seconds: float
    paper: tuple[float, float]

    @property
    def top1(self) -> float:
        return self.right / self.positions


def architectures() -> tuple[str, ...]:
    """The table's rows: the baseline and 11 placements, then T = 2..5 for two of them."""
    return PLACEMENTS + TIMES


def config_for(table: Table2, architecture: str, seed: int, scale: float) -> TrainConfig:
    """The training run behind one row. Raises ConfigError for an architecture the table does not have."""
    if architecture not in PAPER:
        raise ConfigError(f"architecture {architecture!r}: one of {', '.join(PAPER)} expected")
    layers, _, steps = architecture.partition(", T=")
    return config_from(
        TrainConfig,
        {
            "name": architecture,
            "seed": seed,
            "feature_set": "dann",
            "batch": table.batch,
            "steps": 0 if table.hours else max(1, round(table.steps * scale)),
            "hours": table.hours * scale,
            "boards": {str(table.board): 1.0},
            "heads": {"policy": 1.0},
            "ema": 0.99,
            "model": {
                "kind": "dann",
                "layers": layers,
                "steps": int(steps) if steps else table.placement_steps,
                "widths": table.widths,
                "fully_connected": table.fully_connected,
                "max_pool": (3, len(placement(layers))) if table.fully_connected else (),
            },
            "optimizer": {"learning_rate": table.learning_rate},
            "schedule": {"warmup_steps": min(100, max(1, round(table.steps * scale / 10)))},
            "source": [dataclasses.asdict(DataSource(table.data, targets="moves", names=("train-*",)))],
            "validation": dataclasses.asdict(
                ValidationConfig(
                    positions=min(table.positions, max(2000, round(table.positions * scale))),
                    every_seconds=1e9,
                    source=(DataSource(table.data, targets="moves", names=table.names, label="held-out"),),
                )
            ),
        },
        "table 2",
    )


def run_table2(
    table: Table2,
    out: Path,
    *,
    scale: float = 1.0,
    only: Sequence[str] | None = None,
    threads: int = 1,
    report: Callable[[str], None] | None = None,
) -> list[Row]:
    """Trains what is not yet trained under ``out`` and returns every row; interrupted, it goes on when run
    again.
    """
    from tengen.learn.supervised import train

    rows = []
    for architecture in only or architectures():
        for seed in table.seeds:
            config = dataclasses.replace(config_for(table, architecture, seed, scale), threads=threads)
            # A longer or shorter table beside this one is another run.
            folder = out / f"{architecture.replace(', ', '-')}-{seed}-{scale:g}"
            result = train(config, folder, resume=(folder / "checkpoint.pt").exists(), report=report)
            if not result.finished:
                raise DataError(f"{folder}: interrupted; run again to go on")
            figures = result.validation[f"held-out/{table.board}"]
            positions = int(figures["positions"])
            rows.append(
                Row(
                    architecture,
                    seed,
                    round(figures["top1"] * positions),
                    positions,
                    figures["top5"],
                    weights_of(config),
                    result.positions,
                    result.seconds,
                    PAPER[architecture],
                )
            )
    return rows


def weights_of(config: TrainConfig) -> int:
    """Trained numbers in a config's net."""
    import torch

    from tengen.learn.models import build_net, parameter_count
    from tengen.nets.feature_sets import feature_spec

    spec = feature_spec(config.feature_set)
    with torch.device("meta"):
        board = config.board_shares[0][0]
        return parameter_count(build_net(config.model, spec.planes, spec.globals, config.heads, board))


def wilson(right: int, positions: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's 95 % interval of a share. Positions of one game are alike, so the truth is somewhat wider."""
    share = right / positions
    middle = share + z * z / (2 * positions)
    half = z * math.sqrt(share * (1 - share) / positions + z * z / (4 * positions * positions))
    whole = 1 + z * z / positions
    return (middle - half) / whole, (middle + half) / whole


def table2_rows(
    scale: float,
    seed: int,
    workers: int,
    *,
    data: str,
    out: str = "runs/dann-table2",
    only: Sequence[str] | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """For ``tengen experiment run dann-table2``: top-1 in percent with its interval, a row an architecture.

    ``options`` are fields of Table2. Nets are trained one after the other; ``workers`` threads read the data.
    """
    table = config_from(Table2, {"data": data, "seeds": [seed], **options}, "dann-table2 options")
    rows = []
    for row in run_table2(table, Path(out), scale=scale, only=only, threads=workers):
        low, high = wilson(row.right, row.positions)
        figures = {"value": 100 * row.top1, "low": 100 * low, "high": 100 * high}
        rows.append({"label": row.architecture, **figures})
    return rows
