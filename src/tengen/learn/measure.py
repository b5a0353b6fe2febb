"""Figures on held-out positions of nets that are already made: a run's, or an exported file whatever
trained it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tengen.errors import DataError
from tengen.learn.config import DataSource, TrainConfig, ValidationConfig
from tengen.learn.feed import open_validation
from tengen.learn.models import SCORE_UNIT
from tengen.learn.supervised import choose_device
from tengen.learn.validation import measures

__all__ = ["OnnxNet", "measure_file", "measure_run"]


class OnnxNet:
    """An exported net with the outputs of an untrained-for-play one: logits and units, as the losses take
    them.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self.session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise DataError(f"{path}: not a net onnxruntime can load: {type(error).__name__}") from error
        self.meta: dict[str, str] = dict(self.session.get_modelmeta().custom_metadata_map)
        missing = [key for key in ("feature_set", "heads", "boards") if key not in self.meta]
        if missing:
            raise DataError(f"{path}: no {missing[0]} in its metadata: not a net of this program")
        self.inputs = {item.name for item in self.session.get_inputs()}
        self.names = [item.name for item in self.session.get_outputs()]

    def eval(self) -> OnnxNet:
        return self

    def __call__(self, planes: Tensor, globals_: Tensor) -> dict[str, Tensor]:
        given = {"planes": planes.contiguous().numpy(), "globals": globals_.numpy()}
        answers: list[Any] = self.session.run(None, {name: given[name] for name in self.inputs})
        out = {}
        for name, answer in zip(self.names, answers, strict=True):
            if name in ("value", "ownership"):
                answer = 2.0 * np.arctanh(np.clip(answer, -1 + 1e-6, 1 - 1e-6))
            elif name == "score":
                answer = answer / SCORE_UNIT
            out[name] = torch.from_numpy(np.asarray(answer, dtype=np.float32))
        return out


def measure_file(
    path: Path,
    data: Path,
    *,
    targets: str | None = None,
    names: Sequence[str] = (),
    board: int | None = None,
    positions: int = 20000,
    threads: int = 1,
) -> dict[str, dict[str, float]]:
    """An ONNX net on the held-out positions of one data directory: a set per pattern of ``names``, or one
    of all.
    """
    net = OnnxNet(path, threads)
    boards = [board] if board else [int(size) for size in net.meta["boards"].split(",")]
    patterns: list[tuple[str, tuple[str, ...] | None]] = [(name, (name,)) for name in names] or [
        ("all", None)
    ]
    config = TrainConfig(
        name=path.stem,
        feature_set=net.meta["feature_set"],
        boards={str(size): 1.0 for size in boards},
        validation=ValidationConfig(
            positions=positions,
            source=tuple(
                DataSource(str(data.resolve()), targets=targets, names=chosen, label=label)
                for label, chosen in patterns
            ),
        ),
    )
    sets = open_validation(config, None, threads)
    if not sets:
        raise DataError(f"{data}: no held-out positions of these sizes and names")
    return measures(net, sets, torch.device("cpu"), torch.float32)


def measure_run(
    run: Path, data: Path | None = None, positions: int = 20000, threads: int = 1
) -> dict[str, dict[str, float]]:
    """The figures of a run's averaged net on ``positions`` held-out positions of each of its sets.

    What the config asks to validate on, at more positions than while training; on the config's device.
    """
    from tengen.learn.export import load_run

    net, config, _ = load_run(run)
    device = choose_device(config)
    looked = dataclasses.replace(config.validation, positions=positions)
    config = dataclasses.replace(config, validation=looked, batch=256)
    if device.device.type == "cpu":
        torch.set_num_threads(threads)
    sets = open_validation(config, data, threads)
    return measures(net.to(device.device), sets, device.device, device.dtype)
