"""A model card written from what a run recorded, so that every figure in it can be made again."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from tengen.learn.config import TrainConfig
from tengen.learn.curves import draw_curves
from tengen.learn.export import load_run
from tengen.learn.models import parameter_count, receptive_field
from tengen.learn.validation import TOP

__all__ = ["model_card", "write_card"]

FIGURES = (
    ("policy_loss", "policy loss", "{:.3f}"),
    *((f"top{n}", f"top-{n}", "{:.1%}") for n in TOP),
    *((f"played{n}", f"played top-{n}", "{:.1%}") for n in (1, 5)),
    ("winrate_error", "winrate error", "{:.3f}"),
    ("value_right", "winner named", "{:.1%}"),
    ("score_error", "score error", "{:.2f}"),
    ("ownership_error", "ownership error", "{:.3f}"),
)


def write_card(run: Path, path: Path, command: str, data: str) -> None:
    """Writes the card as Markdown and, beside it, the learning curve where it can be drawn.

    ``command`` is what was typed to train; ``data`` says in words where the positions came from.
    """
    net, config, saved = load_run(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = path.with_suffix(".png")
    drawn = run.is_dir() and draw_curves([run], picture)
    text = model_card(config, saved, parameter_count(net), command, data, picture.name if drawn else None)
    path.write_text(text, encoding="utf-8")


def model_card(
    config: TrainConfig, saved: dict[str, Any], weights: int, command: str, data: str, picture: str | None
) -> str:
    """The card's text."""
    shape = config.model
    heads = ", ".join(f"{head} (loss x {weight:g})" for head, weight in config.heads.items())
    boards = ", ".join(f"{board}x{board} {share:.0%}" for board, share in config.board_shares)
    optimizer = config.optimizer
    seen = f"{receptive_field(shape)} x {receptive_field(shape)}"
    hours, steps = saved["seconds"] / 3600, saved["step"]
    batch = config.batch * config.accumulate
    rate = f"learning rate {optimizer.learning_rate:g} ({config.schedule.kind})"
    lines = [
        f"# {config.name}",
        "",
        f"A {shape.kind} net of {weights:,} weights for the feature set `{config.feature_set}`.",
        "",
        "| | |",
        "|---|---|",
        f"| shape | {_shape(config)} |",
        f"| points seen through kernels alone | {seen} |",
        f"| heads | {heads} |",
        f"| boards | {boards} |",
        f"| data | {data} |",
        f"| command | `{command}` |",
        f"| trained | {saved['positions']:,} positions, {steps:,} steps of {batch}, {hours:.2f} hours |",
        f"| optimizer | {optimizer.kind}, {rate}, weight decay {optimizer.weight_decay:g} |",
        f"| averaged weights | decay {config.ema:g} a step |",
        f"| card written with | Python {platform.python_version()} |",
        "",
        "## On held-out games",
        "",
        "Top-n: the target's best move (a judge's most probable, or the one played) is among the n",
        "most probable. Winrate error 0..1, score error in points, ownership error 0..2: mean absolute.",
        "",
    ]
    lines += _figures(saved["validation"])
    if picture is not None:
        lines += ["", f"![learning curve]({picture})"]
    return "\n".join(lines) + "\n"


def _shape(config: TrainConfig) -> str:
    shape = config.model
    if shape.kind == "dann":
        widths = ", ".join(map(str, shape.widths))
        heads = f"2 x {shape.fully_connected} fully connected" if shape.fully_connected else "convolutional"
        return f"{shape.layers}, T = {shape.steps}, kernels {widths}, heads {heads}"
    return f"{shape.blocks} blocks of {shape.channels} maps, heads of {shape.head_channels}"


def _figures(validation: dict[str, dict[str, float]]) -> list[str]:
    if not validation:
        return ["No held-out positions were measured."]
    rows = list(validation.values())
    # Where the policy was learned from played moves alone, one column says both.
    twice = all(row.get("played1") == row.get("top1") for row in rows)
    shown = [
        item
        for item in FIGURES
        if any(item[0] in row for row in rows) and not (twice and item[0].startswith("played"))
    ]
    lines = [
        "| set | positions | " + " | ".join(title for _, title, _ in shown) + " |",
        "|---|---:|" + "---:|" * len(shown),
    ]
    for title, row in validation.items():
        cells = [form.format(row[name]) if name in row else "" for name, _, form in shown]
        lines.append(f"| {title} | {row['positions']:,.0f} | " + " | ".join(cells) + " |")
    return lines
