"""The layers nets are made of. Every tensor is [batch, channels, rows, columns]; none depends on the
board's size.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

__all__ = [
    "AlternativeLayer",
    "Conv",
    "LocalResponseNorm",
    "PooledBias",
    "ResidualBlock",
    "StandardizedConv2d",
    "lrn_window",
    "pooled",
    "scale_init_",
]

RELU_SCALE = math.sqrt(2.0 / (1.0 - 1.0 / math.pi))
"""1 / standard deviation of relu(z) for a standard normal z: keeps variance one layer to the next."""


def lrn_window(kernels: int) -> int:
    """Eq. 2's L = K/8 + 1 (whole-number division), made odd so that the window has a middle."""
    window = kernels // 8 + 1
    return window if window % 2 else window + 1


class LocalResponseNorm(nn.Module):
    """Eq. 2: u / (1 + alpha/L * sum of u^2 over the L neighbouring maps)^beta, at every point by itself.

    The window is centred and cut off at the first and last map, as in the paper; alpha is divided by L
    there, too. The sum is one 1x1 convolution with a band of ones: an order of magnitude faster than
    torch's own on a CPU.
    """

    def __init__(
        self, kernels: int, window: int | None = None, alpha: float = 1e-3, beta: float = 0.75
    ) -> None:
        super().__init__()
        self.window = lrn_window(kernels) if window is None else window
        if self.window < 1 or self.window % 2 == 0:
            raise ValueError(f"a response window of {self.window} maps: an odd number expected")
        self.alpha = alpha
        self.beta = beta
        index = torch.arange(kernels)
        band = ((index[:, None] - index[None, :]).abs() <= self.window // 2).float()
        self.register_buffer("band", band[:, :, None, None], persistent=False)

    def forward(self, u: Tensor) -> Tensor:
        band = cast(Tensor, self.band).to(u.dtype)
        norm = 1.0 + (self.alpha / self.window) * F.conv2d(u * u, band).float()
        if self.beta == 0.75:
            root = torch.rsqrt(norm)
            factor = root * torch.sqrt(root)
        else:
            factor = torch.pow(norm, -self.beta)
        return u * factor.to(u.dtype)


class StandardizedConv2d(nn.Conv2d):
    """A convolution whose kernels are brought to mean 0 and variance 1/fan-in, times a learned gain per map.

    It keeps activations in range without statistics over the batch, so that one net may see batches of 9x9
    and of 19x19 by turns and is the same function in training and in play (Qiao et al. 2019; Brock et al.
    2021).
    """

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__(inputs, outputs, kernel, padding=kernel // 2)
        self.gain = nn.Parameter(torch.ones(outputs))
        # Adam moves a weight by so much a step: as small as other kernels, they turn as fast.
        nn.init.normal_(self.weight, std=1.0 / math.sqrt(inputs * kernel * kernel))
        nn.init.zeros_(cast(Tensor, self.bias))

    def standardized(self) -> Tensor:
        """The kernels as they are applied."""
        weight = self.weight.float()
        fan_in = weight[0].numel()
        variance, mean = torch.var_mean(weight, dim=(1, 2, 3), keepdim=True, correction=0)
        scale = torch.rsqrt(variance * fan_in + 1e-4) * self.gain.float()[:, None, None, None]
        return (weight - mean) * scale

    def forward(self, input: Tensor) -> Tensor:
        return F.conv2d(input, self.standardized().to(input.dtype), self.bias, padding=self.padding)

    def plain(self) -> nn.Conv2d:
        """The same function as an ordinary convolution, for play."""
        kernel = self.kernel_size[0]
        conv = nn.Conv2d(self.in_channels, self.out_channels, kernel, padding=kernel // 2)
        with torch.no_grad():
            conv.weight.copy_(self.standardized())
            cast(Tensor, conv.bias).copy_(cast(Tensor, self.bias))
        return conv


class Conv(nn.Module):
    """A convolution in one of three habits: ``batch`` (batch norm follows), ``standardized``, or ``none``.

    ``gain`` scales the output at the start of training: 0 makes a residual branch begin as nothing.
    """

    def __init__(
        self, inputs: int, outputs: int, kernel: int = 3, norm: str = "none", gain: float = 1.0
    ) -> None:
        super().__init__()
        self.conv: nn.Conv2d
        self.bn: nn.BatchNorm2d | None = None
        if norm == "standardized":
            standardized = StandardizedConv2d(inputs, outputs, kernel)
            nn.init.constant_(standardized.gain, gain)
            self.conv = standardized
            return
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=norm == "none")
        nn.init.kaiming_normal_(self.conv.weight, nonlinearity="relu")
        if norm == "batch":
            self.bn = nn.BatchNorm2d(outputs)
            nn.init.constant_(self.bn.weight, gain)
        elif norm == "none":
            scale_init_(self.conv, gain)
        else:
            raise ValueError(f"norm {norm!r}: batch, standardized or none expected")

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        return x if self.bn is None else self.bn(x)


def scale_init_(conv: nn.Conv2d, gain: float) -> None:
    """He's initialisation times ``gain``; the bias starts at zero."""
    with torch.no_grad():
        nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
        conv.weight.mul_(gain)
        if conv.bias is not None:
            conv.bias.zero_()


def pooled(x: Tensor) -> Tensor:
    """What the whole board says, as 3 numbers a map: mean, mean scaled by (N-14)/10 for an NxN board, and
    maximum.

    The mean is over the board's area, so one net reads every size; the second lets it count rather than
    average. Returns [batch, 3 * channels].
    """
    mean = x.mean(dim=(2, 3))
    size = (x.shape[2] + x.shape[3]) / 20.0 - 1.4
    return torch.cat([mean, mean * size, x.amax(dim=(2, 3))], dim=1)


class PooledBias(nn.Module):
    """Adds to every map a number computed from the pooled first ``pool`` maps: the far board heard
    everywhere.
    """

    def __init__(self, channels: int, pool: int) -> None:
        super().__init__()
        self.pool = pool
        self.linear = nn.Linear(3 * pool, channels)
        nn.init.normal_(self.linear.weight, std=0.3 / math.sqrt(3 * pool))
        nn.init.zeros_(self.linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        summary = pooled(torch.relu(x[:, : self.pool]))
        return x + cast(Tensor, self.linear(summary))[:, :, None, None]


class ResidualBlock(nn.Module):
    """relu(x + c2(relu(c1(x)))), with a pooled bias between the two where ``pool`` maps are given to it.

    The branch starts at zero in every habit, so that a deep net begins as a shallow one.
    """

    def __init__(self, channels: int, inner: int, norm: str, pool: int = 0, depth: int = 1) -> None:
        super().__init__()
        scale = 1.0 / math.sqrt(depth) if norm == "none" else RELU_SCALE if norm == "standardized" else 1.0
        self.first = Conv(channels, inner, norm=norm, gain=scale)
        self.bias = PooledBias(inner, pool) if pool else None
        self.second = Conv(inner, channels, norm=norm, gain=0.0)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.first(x)
        if self.bias is not None:
            inner = self.bias(inner)
        return torch.relu(x + self.second(torch.relu(inner)))


class AlternativeLayer(nn.Module):
    """Eq. 1: a convolution gives u(0); a recurrent one over the same maps is applied T times with shared
    weights.

        u(0) = f(w_c, input),    u(t) = u(0) + f(w_r, u(t-1)) + b,    f(w, x) = LRN(ReLU(w * x))

    Returns ReLU(u(T)). T = 0 leaves the convolution alone, which then has a bias of its own: the paper's C
    layer. The paper does not say how w_r begins: here as He's numbers times ``recurrent_gain``, which at 1
    lets u grow T+1 fold a layer.
    """

    def __init__(
        self,
        inputs: int,
        kernels: int,
        steps: int,
        kernel: int = 3,
        lrn: bool = True,
        window: int | None = None,
        alpha: float = 1e-3,
        beta: float = 0.75,
        recurrent_gain: float = 0.3,
    ) -> None:
        super().__init__()
        if steps < 0:
            raise ValueError(f"{steps} recurrent steps: 0 or more expected")
        self.steps = steps
        self.feed = nn.Conv2d(inputs, kernels, kernel, padding=kernel // 2, bias=steps == 0)
        scale_init_(self.feed, 1.0)
        self.norm: nn.Module = LocalResponseNorm(kernels, window, alpha, beta) if lrn else nn.Identity()
        self.recur: nn.Conv2d | None = None
        self.bias: nn.Parameter | None = None
        if steps:
            self.recur = nn.Conv2d(kernels, kernels, kernel, padding=kernel // 2, bias=False)
            scale_init_(self.recur, recurrent_gain)
            self.bias = nn.Parameter(torch.zeros(kernels))

    def unfolded(self, x: Tensor) -> list[Tensor]:
        """u(0) .. u(T)."""
        u = [self.norm(torch.relu(self.feed(x)))]
        if self.recur is not None and self.bias is not None:
            for _ in range(self.steps):
                again = self.norm(torch.relu(self.recur(u[-1])))
                u.append(u[0] + again + self.bias.to(again.dtype)[:, None, None])
        return u

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.unfolded(x)[-1])
