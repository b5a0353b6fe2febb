"""What a net is made to learn: one small loss per head, each averaged over the positions that have that
target.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from tengen.learn.models import SCORE_UNIT

__all__ = ["HEAD_LOSSES", "OWNERSHIP_SCALE", "hard_policy", "head_losses", "total_loss", "weighted_mean"]

OWNERSHIP_SCALE = 8.0
"""Ownership is stored as whole eighths."""


def weighted_mean(loss: Tensor, weight: Tensor) -> Tensor:
    """sum(w * loss) / sum(w) over the batch; 0 where nothing has weight."""
    return (loss * weight).sum() / weight.sum().clamp_min(1e-6)


def policy_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Cross entropy, a position each: -sum_k p_k log softmax(out)[move_k] over the moves the target names."""
    logs = F.log_softmax(out.float(), dim=1)
    return -(logs.gather(1, batch["policy_index"].long()) * batch["policy_prob"]).sum(dim=1)


def hard_policy(prob: Tensor) -> Tensor:
    """Target probabilities with all on each row's most probable move."""
    return F.one_hot(prob.argmax(dim=1), prob.shape[1]).to(prob.dtype)


def played_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Cross entropy against the one move that was played."""
    return F.cross_entropy(out.float(), batch["played"].long().clamp_min(0), reduction="none")


def value_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Cross entropy of the win probability sigmoid(out) = (1 + tanh(out/2)) / 2 against (1 + value) / 2."""
    return F.binary_cross_entropy_with_logits(out.float(), (batch["value"] + 1.0) / 2.0, reduction="none")


def score_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Huber's loss with its corner at half a unit (10 points): squared when near, straight when far."""
    return F.huber_loss(out.float(), batch["score"] / SCORE_UNIT, reduction="none", delta=0.5)


def ownership_loss(out: Tensor, batch: Mapping[str, Tensor]) -> Tensor:
    """Cross entropy a point, averaged over the board."""
    target = (batch["ownership"].float() / OWNERSHIP_SCALE).clamp(-1.0, 1.0)
    loss = F.binary_cross_entropy_with_logits(out.float(), (target + 1.0) / 2.0, reduction="none")
    return loss.mean(dim=(1, 2))


HEAD_LOSSES = {
    "policy": policy_loss,
    "played": played_loss,
    "value": value_loss,
    "score": score_loss,
    "ownership": ownership_loss,
}


def target_weight(head: str, batch: Mapping[str, Tensor]) -> Tensor:
    """How much each position's target for this head counts, before the source's own factor."""
    if head == "played":
        return (batch["played"] >= 0).float()
    return batch[f"{head}_weight"].float()


def head_losses(
    out: Mapping[str, Tensor], batch: Mapping[str, Tensor], factors: Mapping[str, Tensor] | None = None
) -> dict[str, Tensor]:
    """The loss of every head in ``out``, a scalar each.

    ``factors`` gives, by head, one number a source; a position's weight is multiplied by its source's.
    """
    losses = {}
    for head, raw in out.items():
        weight = target_weight(head, batch)
        if factors is not None and head in factors:
            weight = weight * factors[head][batch["source"].long()]
        losses[head] = weighted_mean(HEAD_LOSSES[head](raw, batch), weight)
    return losses


def total_loss(losses: Mapping[str, Tensor], weights: Mapping[str, float]) -> Tensor:
    """The sum of the heads' losses, each times its weight."""
    return torch.stack([losses[head] * weights[head] for head in losses]).sum()
