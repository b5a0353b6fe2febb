"""Nets: a trunk (residual, plain or DANN) and the heads that are asked of it."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from tengen.learn.config import ModelConfig
from tengen.learn.layers import (
    RELU_SCALE,
    AlternativeLayer,
    Conv,
    ResidualBlock,
    StandardizedConv2d,
    pooled,
)
from tengen.learn.presets import placement

__all__ = [
    "SCORE_UNIT",
    "ConvolutionHeads",
    "DannTrunk",
    "FullyConnectedHeads",
    "Net",
    "ResidualTrunk",
    "build_net",
    "for_play",
    "parameter_count",
    "receptive_field",
]

SCORE_UNIT = 20.0
"""Points to one unit of the score head's raw output, which so stays near 1."""


class Net(nn.Module):
    """Planes and globals in; raw outputs by head: policy logits, win logit, score in units, ownership logits.

    ``forward`` returns a dict with ``policy`` and ``played`` [B, N*N+1], ``value`` [B], ``score`` [B],
    ``ownership`` [B, N, N], those heads only that were asked for. Turn them into figures with ``tanh(value
    / 2)``, ``score * SCORE_UNIT``, ``tanh(ownership / 2)``.
    """

    def __init__(self, trunk: nn.Module, heads: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.trunk = trunk
        self.heads = heads
        self.names = names

    def forward(self, planes: Tensor, globals_: Tensor) -> dict[str, Tensor]:
        return cast("dict[str, Tensor]", self.heads(self.trunk(planes, globals_)))


class ResidualTrunk(nn.Module):
    """A first convolution with the globals added, then residual or plain layers."""

    def __init__(self, planes: int, globals_: int, shape: ModelConfig) -> None:
        super().__init__()
        width = shape.channels
        self.stem = Conv(planes, width, shape.stem, shape.norm)
        self.globals = global_bias(globals_, width)
        layers: list[nn.Module] = []
        for index in range(shape.blocks):
            if shape.kind == "convolution":
                gain = RELU_SCALE if shape.norm == "standardized" else 1.0
                layers += [Conv(width, width, norm=shape.norm, gain=gain), nn.ReLU()]
                continue
            pools = shape.pool_every and index % shape.pool_every == shape.pool_every - 1
            pool = min(shape.pool_channels, width) if pools else 0
            layers.append(ResidualBlock(width, width, shape.norm, pool, shape.blocks))
        self.layers = nn.Sequential(*layers)
        self.width = width

    def forward(self, planes: Tensor, globals_: Tensor) -> Tensor:
        x = self.stem(planes)
        if self.globals is not None:
            x = x + self.globals(globals_)[:, :, None, None]
        return cast(Tensor, self.layers(torch.relu(x)))


class DannTrunk(nn.Module):
    """Six (or so) layers of Table 2's kinds; globals, where a feature set has any, are added after the
    first.
    """

    def __init__(self, planes: int, globals_: int, shape: ModelConfig) -> None:
        super().__init__()
        order = placement(shape.layers)
        if len(order) > len(shape.widths):
            raise ValueError(f"{shape.layers}: {len(order)} layers, but widths for {len(shape.widths)}")
        inputs = planes
        layers: list[nn.Module] = []
        for index, alternative in enumerate(order):
            width = shape.widths[index]
            layers.append(
                AlternativeLayer(
                    inputs,
                    width,
                    shape.steps if alternative else 0,
                    lrn=shape.lrn,
                    alpha=shape.lrn_alpha,
                    beta=shape.lrn_beta,
                    recurrent_gain=shape.recurrent_gain,
                )
            )
            if index + 1 in shape.max_pool:
                layers.append(nn.MaxPool2d(2, 2, ceil_mode=True))
            inputs = width
        self.first = layers[0]
        self.rest = nn.Sequential(*layers[1:])
        self.globals = global_bias(globals_, shape.widths[0])
        self.width = inputs

    def forward(self, planes: Tensor, globals_: Tensor) -> Tensor:
        x = self.first(planes)
        if self.globals is not None:
            x = torch.relu(x + self.globals(globals_)[:, :, None, None])
        return cast(Tensor, self.rest(x))


def global_bias(globals_: int, width: int) -> nn.Linear | None:
    """A small linear layer from the globals to a number a map; None where there are no globals."""
    if not globals_:
        return None
    linear = nn.Linear(globals_, width)
    nn.init.normal_(linear.weight, std=0.1 / math.sqrt(globals_))
    nn.init.zeros_(linear.bias)
    return linear


class ConvolutionHeads(nn.Module):
    """Heads for every board size: 1x1 convolutions, and the whole board through ``pooled``."""

    def __init__(self, width: int, shape: ModelConfig, names: tuple[str, ...]) -> None:
        super().__init__()
        maps = shape.head_channels
        self.moves = [name for name in ("policy", "played") if name in names]
        self.judges = [name for name in ("value", "score") if name in names]
        if self.moves:
            self.near = nn.Conv2d(width, maps, 1)
            self.far = nn.Conv2d(width, maps, 1)
            self.mix = nn.Linear(3 * maps, maps)
            self.point = nn.Conv2d(maps, len(self.moves), 1)
            self.skip = nn.Linear(3 * maps, len(self.moves))
        if self.judges or "ownership" in names:
            self.view = nn.Conv2d(width, maps, 1)
        if self.judges:
            self.hidden = nn.Linear(3 * maps, shape.value_units)
            self.judge = nn.Linear(shape.value_units, len(self.judges))
        self.owner = nn.Conv2d(maps, 1, 1) if "ownership" in names else None
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                nn.init.zeros_(cast(Tensor, module.bias))
        for last in (getattr(self, name, None) for name in ("point", "skip", "judge", "owner")):
            if last is not None:
                with torch.no_grad():
                    last.weight.mul_(0.1)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        out: dict[str, Tensor] = {}
        if self.moves:
            far = pooled(torch.relu(self.far(x)))
            near = torch.relu(self.near(x) + self.mix(far)[:, :, None, None])
            logits = torch.cat([self.point(near).flatten(2), self.skip(far)[:, :, None]], dim=2)
            for index, name in enumerate(self.moves):
                out[name] = logits[:, index]
        if self.judges or self.owner is not None:
            view = torch.relu(self.view(x))
            if self.judges:
                judged = self.judge(torch.relu(self.hidden(pooled(view))))
                for index, judge in enumerate(self.judges):
                    out[judge] = judged[:, index]
            if self.owner is not None:
                out["ownership"] = self.owner(view)[:, 0]
        return out


class FullyConnectedHeads(nn.Module):
    """The paper's: two fully connected layers of ``fully_connected`` units with ReLU, and one output per
    head.
    """

    def __init__(self, width: int, shape: ModelConfig, names: tuple[str, ...], board: int) -> None:
        super().__init__()
        side = board
        for _ in shape.max_pool:
            side = (side + 1) // 2
        units = shape.fully_connected
        self.board = board
        self.names = names
        self.hidden = nn.Sequential(
            nn.Flatten(), nn.Linear(width * side * side, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU()
        )
        sizes = {"policy": board * board + 1, "played": board * board + 1, "ownership": board * board}
        self.outputs = nn.ModuleDict({name: nn.Linear(units, sizes.get(name, 1)) for name in names})

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        hidden = self.hidden(x)
        out: dict[str, Tensor] = {}
        for name in self.names:
            result = self.outputs[name](hidden)
            if name == "ownership":
                result = result.reshape(-1, self.board, self.board)
            elif name in ("value", "score"):
                result = result[:, 0]
            out[name] = result
        return out


def build_net(shape: ModelConfig, planes: int, globals_: int, heads: Iterable[str], board: int = 19) -> Net:
    """An untrained net. ``board`` matters only to fully connected heads. The global torch seed decides the
    weights.
    """
    names = tuple(heads)
    trunk: ResidualTrunk | DannTrunk
    if shape.kind == "dann":
        trunk = DannTrunk(planes, globals_, shape)
    else:
        trunk = ResidualTrunk(planes, globals_, shape)
    if shape.fully_connected:
        return Net(trunk, FullyConnectedHeads(trunk.width, shape, names, board), names)
    return Net(trunk, ConvolutionHeads(trunk.width, shape, names), names)


def for_play(net: Net) -> Net:
    """A copy in evaluation mode of nothing but plain convolutions: the same function, fewer steps.

    Standardized kernels are written out and batch norms are folded into the convolution before them.
    """
    net = copy.deepcopy(net).float().cpu().eval()
    for module in list(net.modules()):
        if not isinstance(module, Conv):
            continue
        if isinstance(module.conv, StandardizedConv2d):
            module.conv = module.conv.plain()
        elif module.bn is not None:
            module.conv = fuse_conv_bn_eval(module.conv, module.bn)
            module.bn = None
    return net


def parameter_count(net: nn.Module) -> int:
    """Trained numbers in the net."""
    return sum(parameter.numel() for parameter in net.parameters())


def receptive_field(shape: ModelConfig) -> int:
    """Side of the square of points one output point sees through 3x3 kernels alone (pooling sees all)."""
    if shape.kind == "dann":
        convolutions = sum(1 + (shape.steps if alternative else 0) for alternative in placement(shape.layers))
        return 1 + 2 * convolutions
    per_block = 2 if shape.kind == "residual" else 1
    return shape.stem + 2 * per_block * shape.blocks
