"""From a training run to the files a net is played from: ONNX, and its weights as safetensors beside it."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tengen.errors import DataError
from tengen.learn.checkpoint import load_checkpoint
from tengen.learn.config import TrainConfig, config_from
from tengen.learn.models import SCORE_UNIT, Net, build_net, for_play

__all__ = ["Exported", "PlayNet", "export_run", "load_run", "load_weights", "net_metadata"]

FORMAT = "tengen-net-1"
OPSET = 17


@dataclass(frozen=True)
class Exported:
    """The files written, their sizes, and how far ONNX's outputs are from torch's on random positions."""

    onnx: Path
    safetensors: Path | None
    bytes: int
    largest_difference: float
    """Over all outputs: logits, value, ownership as they are; score in units of 20 points."""


class PlayNet(nn.Module):
    """What is exported: float32 planes and globals in; policy logits, value in [-1, 1], points, ownership
    [-1, 1] out.
    """

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, planes: Tensor, globals_: Tensor) -> tuple[Tensor, ...]:
        out = self.net(planes, globals_)
        results = []
        for name in self.net.names:
            raw = out[name]
            if name in ("value", "ownership"):
                raw = torch.tanh(raw / 2.0)
            elif name == "score":
                raw = raw * SCORE_UNIT
            results.append(raw)
        return tuple(results)


def load_run(path: Path) -> tuple[Net, TrainConfig, dict[str, Any]]:
    """The averaged net of a run's directory or of its ``weights.pt`` or ``checkpoint.pt``, its config, and
    the file.
    """
    if path.is_dir():
        path = path / "weights.pt"
    saved = load_checkpoint(path)
    config = config_from(TrainConfig, saved["config"], str(path))
    board = max(board for board, _ in config.board_shares)
    net = build_net(config.model, saved["inputs"]["planes"], saved["inputs"]["globals"], config.heads, board)
    try:
        net.load_state_dict(saved["average"])
    except RuntimeError as error:
        raise DataError(
            f"{path}: weights do not fit their own config: {str(error).splitlines()[0]}"
        ) from error
    return net.eval(), config, saved


def load_weights(path: Path) -> dict[str, Tensor]:
    """Weights of a training run, from ``weights.pt``, ``checkpoint.pt`` or a ``.train.safetensors``."""
    if path.suffix == ".pt":
        weights: dict[str, Tensor] = load_checkpoint(path)["average"]
        return weights
    from safetensors.torch import load_file

    try:
        return dict(load_file(path))
    except Exception as error:
        raise DataError(f"{path}: not a safetensors file: {error}") from error


def net_metadata(config: TrainConfig, saved: dict[str, Any]) -> dict[str, str]:
    """Plain text by key, stored in both files: enough to use the net without any other file."""
    boards = [board for board, _ in config.board_shares]
    return {
        "format": FORMAT,
        "name": config.name,
        "feature_set": config.feature_set,
        "planes": str(saved["inputs"]["planes"]),
        "globals": str(saved["inputs"]["globals"]),
        "heads": ",".join(config.heads),
        "boards": ",".join(str(board) for board in boards),
        "any_board": "0" if config.model.fully_connected else "1",
        "model": json.dumps(saved["config"]["model"]),
        "training": json.dumps(
            {
                "steps": saved["step"],
                "positions": saved["positions"],
                "hours": round(saved["seconds"] / 3600.0, 3),
                "batch": config.batch * config.accumulate,
                "sources": [source.title for source in config.source],
                "validation": saved["validation"],
            }
        ),
    }


def export_run(run: Path, path: Path, *, half: bool = False, tolerance: float = 2e-3) -> Exported:
    """Writes ``path`` (.onnx) and, where safetensors is installed, the plain weights beside it.

    ``half`` stores weights as float16 (half the file; arithmetic stays float32, weights are widened when
    loaded). The ONNX file is run by onnxruntime against torch on random positions of several sizes and
    batches; an output that differs by more than ``tolerance`` (with ``half``, from a net with rounded
    weights) raises DataError and leaves no file.
    """
    net, config, saved = load_run(run)
    plain = for_play(net)
    if half:
        with torch.no_grad():
            for weight in plain.parameters():
                weight.copy_(weight.half().float())
    metadata = net_metadata(config, saved)
    boards = [board for board, _ in config.board_shares]
    beside = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_onnx(plain, beside, saved["inputs"], boards[0], metadata, half)
    try:
        sizes = boards if config.model.fully_connected else sorted({*boards, 9, 19})
        difference = largest_difference(plain, beside, saved["inputs"], sizes)
        if not difference <= tolerance:
            raise DataError(f"{path}: ONNX differs from torch by {difference:.2g}, {tolerance:g} allowed")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    weights_path = path.with_suffix(".safetensors")
    try:
        from safetensors.torch import save_file
    except ImportError:
        return Exported(path, None, path.stat().st_size, difference)
    else:
        kind = torch.float16 if half else torch.float32
        weights = {name: item.to(kind).contiguous() for name, item in plain.state_dict().items()}
        save_file(weights, str(weights_path), metadata=metadata)
        weights_path.chmod(path.stat().st_mode)
    return Exported(path, weights_path, path.stat().st_size, difference)


def write_onnx(
    net: Net, path: Path, inputs: dict[str, int], board: int, metadata: dict[str, str], half: bool
) -> None:
    """One ONNX file whose batch (and, but for fully connected heads, board) may have any size."""
    import onnx

    axes: dict[str, dict[int, str]] = {"planes": {0: "batch"}, "globals": {0: "batch"}}
    for name in net.names:
        axes[name] = {0: "batch"}
    if metadata["any_board"] == "1":
        axes["planes"] |= {2: "rows", 3: "columns"}
        for name in net.names:
            if name in ("policy", "played"):
                axes[name][1] = "moves"
            elif name == "ownership":
                axes[name] |= {1: "rows", 2: "columns"}
    example = (torch.zeros(2, inputs["planes"], board, board), torch.zeros(2, inputs["globals"]))
    with warnings.catch_warnings():
        # The exporter that needs nothing but torch; the newer one would bring another package.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            PlayNet(net).eval(),
            example,
            str(path),
            dynamo=False,
            input_names=["planes", "globals"],
            output_names=list(net.names),
            dynamic_axes=axes,
            opset_version=OPSET,
        )
    model = onnx.load(str(path))
    if half:
        store_half(model)
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def store_half(model: Any, smallest: int = 64) -> None:
    """Turns large float32 constants of the graph into float16 with a cast behind each.

    A runtime folds such a cast once when it loads the file, so play is as fast as before.
    """
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    casts = []
    for index, constant in enumerate(graph.initializer):
        if constant.data_type != TensorProto.FLOAT or np.prod(constant.dims) < smallest:
            continue
        name = constant.name
        stored = numpy_helper.from_array(numpy_helper.to_array(constant).astype(np.float16), name + ".half")
        graph.initializer[index].CopyFrom(stored)
        casts.append(helper.make_node("Cast", [name + ".half"], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def largest_difference(net: Net, path: Path, inputs: dict[str, int], boards: list[int]) -> float:
    """Between torch and onnxruntime, over random positions of every size in batches of 1 and 3."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    taken = {item.name for item in session.get_inputs()}
    play = PlayNet(net).eval()
    generator = torch.Generator().manual_seed(7)
    worst = 0.0
    for board in boards:
        for batch in (1, 3):
            planes = (torch.rand(batch, inputs["planes"], board, board, generator=generator) < 0.3).float()
            globals_ = torch.rand(batch, inputs["globals"], generator=generator) - 0.5
            fed = {"planes": planes.numpy(), "globals": globals_.numpy()}
            got = session.run(None, {name: array for name, array in fed.items() if name in taken})
            with torch.no_grad():
                wanted = play(planes, globals_)
            for name, one, other in zip(net.names, got, wanted, strict=True):
                unit = SCORE_UNIT if name == "score" else 1.0
                worst = max(worst, float(np.abs(one - other.numpy()).max()) / unit)
    return worst
