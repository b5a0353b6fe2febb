"""How good a net is on positions it never learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from tengen.learn.feed import ValidationSet
from tengen.learn.losses import HEAD_LOSSES, OWNERSHIP_SCALE, target_weight
from tengen.learn.models import SCORE_UNIT

__all__ = ["TOP", "Tally", "measure", "measures"]

TOP = (1, 3, 5, 10)
"""A prediction counts as top-n when the right move is among the n most probable."""


@dataclass
class Tally:
    """Weighted sums by name, and their means."""

    sums: dict[str, Tensor] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)

    def add(self, name: str, figures: Tensor, weight: Tensor) -> None:
        figures = figures.detach().double()
        weight = weight.detach().double()
        zero = torch.zeros((), dtype=torch.float64, device=figures.device)
        self.sums[name] = self.sums.get(name, zero) + (figures * weight).sum()
        self.weights[name] = self.weights.get(name, zero) + weight.sum()

    def means(self) -> dict[str, float]:
        """Only of what had any weight."""
        return {
            name: float(total / self.weights[name])
            for name, total in self.sums.items()
            if float(self.weights[name]) > 0
        }


def top_ranks(out: Tensor, target: Tensor) -> Tensor:
    """How many moves the net thinks more probable than the target move, for each position."""
    chosen = out.gather(1, target[:, None])
    return (out > chosen).sum(dim=1)


def measure(out: dict[str, Tensor], batch: dict[str, Tensor], tally: Tally) -> None:
    """Adds one batch's figures.

    ``top1`` .. ``top10`` are against the target's most probable move; ``played1`` .. against the move that
    was played, by the played head where there is one, else by the policy head. ``winrate_error`` and
    ``score_error`` are mean absolute errors (winrate 0..1, points); ``value_right`` the share of positions,
    however close, in which the side the target has ahead is named; a drawn target asks nothing.
    """
    for head, raw in out.items():
        tally.add(f"{head}_loss", HEAD_LOSSES[head](raw, batch), target_weight(head, batch))
    if "policy" in out:
        best = batch["policy_prob"].argmax(dim=1, keepdim=True)
        ranks = top_ranks(out["policy"], batch["policy_index"].long().gather(1, best)[:, 0])
        for n in TOP:
            tally.add(f"top{n}", ranks < n, (batch["policy_weight"] > 0).float())
    predictor = out.get("played", out.get("policy"))
    if predictor is not None and "played" in batch:
        ranks = top_ranks(predictor, batch["played"].long().clamp_min(0))
        for n in TOP:
            tally.add(f"played{n}", ranks < n, target_weight("played", batch))
    if "value" in out:
        value = torch.tanh(out["value"].float() / 2.0)
        target, weight = batch["value"], batch["value_weight"]
        tally.add("winrate_error", (value - target).abs() / 2.0, weight)
        tally.add("value_right", value * target > 0, weight * (target != 0))
    if "score" in out:
        error = (out["score"].float() * SCORE_UNIT - batch["score"]).abs()
        tally.add("score_error", error, batch["score_weight"])
    if "ownership" in out:
        owner = torch.tanh(out["ownership"].float() / 2.0)
        error = (owner - batch["ownership"].float() / OWNERSHIP_SCALE).abs().mean(dim=(1, 2))
        tally.add("ownership_error", error, batch["ownership_weight"])


class Judged(Protocol):
    """What is measured: a torch module, or anything that answers as one does."""

    def eval(self) -> Any: ...

    def __call__(self, planes: Tensor, globals_: Tensor) -> dict[str, Tensor]: ...


@torch.no_grad()
def measures(
    net: Judged, sets: Sequence[ValidationSet], device: torch.device, dtype: torch.dtype
) -> dict[str, dict[str, float]]:
    """The figures of every set, by ``title/board``. The net is left in evaluation mode."""
    net.eval()
    figures = {}
    for held_out in sets:
        tally = Tally()
        positions = 0
        for stored in held_out.batches:
            batch = {name: tensor.to(device, non_blocking=True) for name, tensor in stored.items()}
            positions += len(batch["planes"])
            planes = batch["planes"].to(dtype).contiguous(memory_format=torch.channels_last)
            with torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == torch.bfloat16):
                out = net(planes, batch["globals"].to(dtype))
            measure(out, batch, tally)
        figures[f"{held_out.title}/{held_out.board}"] = {"positions": float(positions), **tally.means()}
    return figures
