"""How weights move: optimizers, learning-rate schedules over a budget of steps or hours, and averaged
weights.
"""

from __future__ import annotations

import math

import torch
from torch import nn

from tengen.learn.config import OptimizerConfig, ScheduleConfig

__all__ = ["WeightAverage", "apply_rate", "build_optimizer", "learning_rate_factor"]


def build_optimizer(net: nn.Module, config: OptimizerConfig, fused: bool = False) -> torch.optim.Optimizer:
    """AdamW, or the paper's SGD with momentum. Only kernels and matrices decay; biases and gains do not."""
    kernels = [weight for weight in net.parameters() if weight.requires_grad and weight.ndim >= 2]
    others = [weight for weight in net.parameters() if weight.requires_grad and weight.ndim < 2]
    groups = [
        {"params": kernels, "weight_decay": config.weight_decay, "decay_at_start": config.weight_decay},
        {"params": others, "weight_decay": 0.0, "decay_at_start": 0.0},
    ]
    if config.kind == "sgd":
        return torch.optim.SGD(groups, lr=config.learning_rate, momentum=config.momentum)
    betas = (config.beta1, config.beta2)
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=betas, fused=fused)


def learning_rate_factor(config: ScheduleConfig, step: int, spent: float) -> float:
    """Share of the full learning rate at ``step`` when the share ``spent`` (0..1) of the budget is used."""
    warm = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    spent = min(1.0, max(0.0, spent))
    if config.kind == "cosine":
        return warm * (config.final + (1.0 - config.final) * 0.5 * (1.0 + math.cos(math.pi * spent)))
    if config.kind == "drops":
        return warm * decay_factor(config, spent)
    return warm


def decay_factor(config: ScheduleConfig, spent: float) -> float:
    """0.1 for every drop that is behind; 1 for schedules without drops."""
    if config.kind != "drops":
        return 1.0
    return float(0.1 ** sum(spent >= drop for drop in config.drops))


def apply_rate(
    optimizer: torch.optim.Optimizer,
    config: OptimizerConfig,
    schedule: ScheduleConfig,
    step: int,
    spent: float,
) -> float:
    """Sets and returns the learning rate of this step; for SGD weight decay falls with every drop, as in
    the paper.
    """
    rate = config.learning_rate * learning_rate_factor(schedule, step, spent)
    for group in optimizer.param_groups:
        group["lr"] = rate
        if config.kind == "sgd":
            group["weight_decay"] = group["decay_at_start"] * decay_factor(schedule, spent)
    return rate


class WeightAverage:
    """A net whose weights are the exponential average of another's: w' <- d w' + (1 - d) w after every step.

    d rises to ``decay`` as min(decay, (1 + step) / (10 + step)), so that early averages forget the random
    start. Statistics of batch norms are averaged alike.
    """

    def __init__(self, net: nn.Module, average: nn.Module, decay: float) -> None:
        self.net = average
        self.decay = decay
        self._averages = [item for item in average.state_dict().values() if item.is_floating_point()]
        self._live = [item for item in net.state_dict().values() if item.is_floating_point()]
        self._counts = [
            (into, item)
            for into, item in zip(average.state_dict().values(), net.state_dict().values(), strict=True)
            if not item.is_floating_point()
        ]

    @torch.no_grad()
    def update(self, step: int) -> None:
        decay = min(self.decay, (1.0 + step) / (10.0 + step)) if self.decay else 0.0
        torch._foreach_lerp_(self._averages, self._live, 1.0 - decay)
        for into, item in self._counts:
            into.copy_(item)
