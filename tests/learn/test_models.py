"""Nets: the paper's equations with numbers, and what every net must do."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tengen.errors import ConfigError  # noqa: E402
from tengen.learn.config import ModelConfig, config_from  # noqa: E402
from tengen.learn.layers import (  # noqa: E402
    AlternativeLayer,
    LocalResponseNorm,
    StandardizedConv2d,
    lrn_window,
    pooled,
)
from tengen.learn.models import build_net, for_play, parameter_count, receptive_field  # noqa: E402
from tengen.learn.presets import MODELS, PLACEMENTS, model_table, placement  # noqa: E402

ALL_HEADS = ("policy", "played", "value", "score", "ownership")


def lrn_oracle(u: np.ndarray, window: int, alpha: float, beta: float) -> np.ndarray:
    """Eq. 2 map by map, as written."""
    maps = u.shape[0]
    out = np.empty_like(u)
    for k in range(maps):
        low, high = max(0, k - window // 2), min(maps - 1, k + window // 2)
        total = sum(u[other] ** 2 for other in range(low, high + 1))
        out[k] = u[k] / (1.0 + alpha / window * total) ** beta
    return out


def conv_oracle(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """A 3x3 convolution with zeros outside the board, point by point."""
    outputs, inputs, _, _ = weight.shape
    _, height, width = x.shape
    padded = np.zeros((inputs, height + 2, width + 2))
    padded[:, 1:-1, 1:-1] = x
    out = np.zeros((outputs, height, width))
    for row in range(height):
        for column in range(width):
            window = padded[:, row : row + 3, column : column + 3]
            out[:, row, column] = (weight * window).sum(axis=(1, 2, 3))
    return out


def test_the_window_of_eq2() -> None:
    assert [lrn_window(kernels) for kernels in (64, 128, 256, 512)] == [9, 17, 33, 65]
    assert lrn_window(96) == 13
    assert lrn_window(8) == 3, "K/8 + 1 = 2 has no middle"


def test_eq2_by_numbers() -> None:
    u = np.array([3.0, 4.0, 0.0, 12.0])
    layer = LocalResponseNorm(4, window=3, alpha=0.3, beta=0.5)
    got = layer(torch.tensor(u, dtype=torch.float32)[None, :, None, None])[0, :, 0, 0]
    # alpha/L = 0.1: 1 + 0.1 * 25, 1 + 0.1 * 25, 1 + 0.1 * (16 + 144), 1 + 0.1 * 144
    want = [3 / math.sqrt(3.5), 4 / math.sqrt(3.5), 0.0, 12 / math.sqrt(15.4)]
    assert got.tolist() == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize(("alpha", "beta"), [(1e-3, 0.75), (0.5, 0.75), (0.5, 0.6)])
def test_eq2_against_the_slow_way(alpha: float, beta: float) -> None:
    u = np.random.default_rng(1).normal(0, 20, (16, 3, 4))
    layer = LocalResponseNorm(16, alpha=alpha, beta=beta)
    got = layer(torch.tensor(u, dtype=torch.float32)[None])[0].numpy()
    np.testing.assert_allclose(got, lrn_oracle(u, 3, alpha, beta), rtol=1e-4)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_eq1_against_the_slow_way(steps: int) -> None:
    random = np.random.default_rng(steps)
    layer = AlternativeLayer(2, 8, steps, alpha=0.2)
    x = random.normal(size=(2, 4, 5))
    if layer.bias is not None:
        with torch.no_grad():
            layer.bias.copy_(torch.tensor(random.normal(size=8)))
    feed = layer.feed.weight.detach().double().numpy()

    def f(weight: np.ndarray, maps: np.ndarray) -> np.ndarray:
        return lrn_oracle(np.maximum(conv_oracle(maps, weight), 0.0), 3, 0.2, 0.75)

    u = [f(feed, x)]
    for _ in range(steps):
        assert layer.recur is not None
        assert layer.bias is not None
        bias = layer.bias.detach().double().numpy()[:, None, None]
        u.append(u[0] + f(layer.recur.weight.detach().double().numpy(), u[-1]) + bias)
    with torch.no_grad():
        got = layer(torch.tensor(x, dtype=torch.float32)[None])[0].numpy()
    np.testing.assert_allclose(got, np.maximum(u[-1], 0.0), rtol=1e-4, atol=1e-5)


def test_more_steps_see_further_without_more_weights() -> None:
    two, five = AlternativeLayer(3, 8, 2), AlternativeLayer(3, 8, 5)
    assert parameter_count(two) == parameter_count(five)
    five.load_state_dict(two.state_dict())
    reach = []
    for layer in (two, five):
        x = torch.zeros(1, 3, 19, 19, requires_grad=True)
        with torch.no_grad():
            x[:, :, 9, 9] = 1.0
        layer(torch.rand(1, 3, 19, 19) + x)[0, :, 9, 9].sum().backward()
        assert x.grad is not None
        columns = x.grad[0].abs().sum(dim=(0, 1)).nonzero()
        reach.append(int(columns.max() - columns.min()) + 1)
    assert reach == [7, 13], "3 + 2T points across"


def test_table_2_names() -> None:
    assert len(PLACEMENTS) == 12
    assert placement("B_6C_2FC") == (False,) * 6
    assert placement("6AL_2FC") == (True,) * 6
    assert placement("2C_AL_3C_2FC") == (False, False, True, False, False, False)
    assert placement("4C_AL_C") == (False, False, False, False, True, False)
    assert all(len(placement(name)) == 6 for name in PLACEMENTS)
    for wrong in ("", "7X", "AL_", "2FC", "AC", "-1C"):
        with pytest.raises(ConfigError):
            placement(wrong)


@pytest.mark.parametrize("name", PLACEMENTS)
def test_every_placement_answers(name: str) -> None:
    shape = ModelConfig(
        kind="dann", layers=name, widths=(8,) * 6, steps=2, fully_connected=16, max_pool=(3, 6)
    )
    net = build_net(shape, 4, 0, ["policy"], board=9)
    out = net(torch.rand(2, 4, 9, 9), torch.zeros(2, 0))
    assert out["policy"].shape == (2, 82)


def test_the_papers_net_has_the_papers_sizes() -> None:
    shape = config_from(ModelConfig, model_table("dann-paper", "test"), "test")
    with torch.device("meta"):
        net = build_net(shape, 41, 0, ["policy"])
    layers = [module for module in net.modules() if isinstance(module, AlternativeLayer)]
    assert [layer.feed.out_channels for layer in layers] == [64, 128, 256, 512, 512, 512]
    assert [layer.norm.window for layer in layers] == [9, 17, 33, 65, 65, 65]
    assert all(layer.steps == 5 for layer in layers)
    linear = [module.out_features for module in net.modules() if isinstance(module, torch.nn.Linear)]
    assert linear == [1024, 1024, 362]


SHAPES = [
    ModelConfig(blocks=2, channels=8, norm=norm, pool_every=2, pool_channels=4)
    for norm in ("batch", "standardized", "none")
] + [
    ModelConfig(kind="convolution", blocks=2, channels=8),
    ModelConfig(kind="dann", layers="AL_C_AL", widths=(8, 8, 8), steps=2),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind}-{shape.norm}")
def test_one_net_serves_every_board(shape: ModelConfig) -> None:
    net = build_net(shape, 4, 3, ALL_HEADS).eval()
    for rows, columns in ((9, 9), (19, 19), (13, 7)):
        out = net(torch.rand(2, 4, rows, columns), torch.rand(2, 3))
        assert out["policy"].shape == out["played"].shape == (2, rows * columns + 1)
        assert out["value"].shape == out["score"].shape == (2,)
        assert out["ownership"].shape == (2, rows, columns)
        assert all(torch.isfinite(tensor).all() for tensor in out.values())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.kind}-{shape.norm}")
def test_the_net_for_play_is_the_same_function(shape: ModelConfig) -> None:
    torch.manual_seed(3)
    net = build_net(shape, 4, 3, ALL_HEADS)
    with torch.no_grad():
        for weight in net.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    net(torch.rand(8, 4, 9, 9), torch.rand(8, 3))
    net.eval()
    plain = for_play(net)
    assert not any(
        isinstance(module, StandardizedConv2d | torch.nn.BatchNorm2d) for module in plain.modules()
    )
    planes, globals_ = torch.rand(2, 4, 9, 9), torch.rand(2, 3)
    with torch.no_grad():
        for name, tensor in net(planes, globals_).items():
            torch.testing.assert_close(plain(planes, globals_)[name], tensor, rtol=1e-3, atol=1e-4)


def test_standardized_kernels_have_mean_0_and_variance_1_over_fan_in() -> None:
    conv = StandardizedConv2d(6, 4, 3)
    with torch.no_grad():
        conv.weight.mul_(50.0).add_(7.0)
    kernels = conv.standardized().detach().flatten(1)
    assert kernels.mean(dim=1).abs().max() < 1e-5
    np.testing.assert_allclose(kernels.var(dim=1, correction=0).numpy() * 54, 1.0, rtol=1e-3)


def test_pooling_is_fair_to_board_sizes() -> None:
    for size, counted in ((9, -0.5), (14, 0.0), (19, 0.5)):
        x = torch.ones(1, 1, size, size)
        assert pooled(x)[0].tolist() == pytest.approx([1.0, counted, 1.0], abs=1e-6)


def test_a_residual_net_hears_the_far_corner_only_through_pooling() -> None:
    for pool, heard in ((0, False), (1, True)):
        shape = ModelConfig(
            blocks=2, channels=8, norm="none", pool_every=pool, pool_channels=4, head_channels=8
        )
        net = build_net(shape, 2, 0, ["policy"])
        with torch.no_grad():
            for block in net.trunk.layers:
                block.second.conv.weight.normal_(std=0.1)
        x = torch.rand(1, 2, 19, 19, requires_grad=True)
        net.trunk(x, torch.zeros(1, 0))[0, :, 0, 0].sum().backward()
        assert x.grad is not None
        assert bool((x.grad[0, :, 18, 18] != 0).any()) is heard


def test_receptive_fields() -> None:
    assert receptive_field(ModelConfig(kind="dann", layers="6AL", steps=5)) == 73
    assert receptive_field(ModelConfig(kind="dann", layers="B_6C_2FC", steps=5)) == 13
    assert receptive_field(ModelConfig(blocks=6)) == 27


@pytest.mark.parametrize("name", MODELS)
def test_presets_are_models(name: str) -> None:
    shape = config_from(ModelConfig, model_table(name, "test"), "test")
    assert shape == config_from(ModelConfig, dataclasses.asdict(shape), "again")


def test_models_that_make_no_sense_are_refused() -> None:
    for wrong in (
        {"kind": "transformer"},
        {"norm": "layer"},
        {"stem": 4},
        {"blocks": 0},
        {"max_pool": [2]},
        {"chanels": 3},
        {"blocks": "six"},
        {"lrn": 1},
    ):
        with pytest.raises(ConfigError):
            config_from(ModelConfig, wrong, "test")
    with pytest.raises(ConfigError, match="preset 'big'"):
        model_table("big", "test")
