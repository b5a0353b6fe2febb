"""Eight-bit nets: a third of the time a position on processors that multiply bytes, if the answers stay the
same.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.errors import DataError
from tengen.learn.measure import OnnxNet

__all__ = ["Difference", "Quantized", "quantize_net"]

EXCLUDED = ("/stem/", "/heads/", "/norm/")
"""Convolutions that stay float32: the first, the heads' small ones, and Eq. 2's sums of squares."""


@dataclass(frozen=True)
class Difference:
    """How far two nets' answers are apart on the same positions."""

    positions: int
    same_first_move: float
    """Share of positions with the same most probable move."""
    winrate: float
    """Mean absolute difference, 0..1; 0 where the net has no value head. Likewise the next."""
    score: float


@dataclass(frozen=True)
class Quantized:
    path: Path
    bytes: int
    difference: Difference
    """Between the net given and the eight-bit one, on positions not used to fit the ranges."""


def quantize_net(
    net: Path,
    path: Path,
    sources: Sequence[Path],
    *,
    positions: int = 512,
    tested: int = 2048,
    seed: int = 11,
) -> Quantized:
    """Writes an eight-bit copy of an exported float32 net: weights a map each, activations by ranges seen
    in play.

    Weights use seven of the eight bits, since processors without byte dot products would overflow with all.
    The ranges come from ``positions`` training positions of every data directory and board size of the net;
    ``tested`` held-out ones of each tell the difference. Raises DataError where a directory has no such
    positions.
    """
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    play = OnnxNet(net)
    refuse_half(net)
    boards = [int(board) for board in play.meta["boards"].split(",")]
    feature_set = play.meta["feature_set"]
    fitted = list(positions_of(sources, "train", feature_set, boards, positions, seed))
    if not fitted:
        raise DataError(f"{net}: no positions of its board sizes to fit ranges to")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    quieted = logging.getLogger().level
    logging.getLogger().setLevel(logging.ERROR)
    try:
        quantize_static(
            str(net),
            str(beside),
            _Reader([{name: batch[name] for name in play.inputs} for batch in fitted]),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["Conv"],
            nodes_to_exclude=excluded_nodes(net),
        )
        copy_metadata(net, beside, {"quantized": "int8"})
        held_out = positions_of(sources, "validation", feature_set, boards, tested, seed + 1)
        difference = compare(play, OnnxNet(beside), held_out)
        beside.replace(path)
    finally:
        logging.getLogger().setLevel(quieted)
        beside.unlink(missing_ok=True)
    return Quantized(path, path.stat().st_size, difference)


class _Reader:
    """Batches one after the other, as onnxruntime's calibration asks for them."""

    def __init__(self, batches: list[dict[str, npt.NDArray[Any]]]) -> None:
        self._batches = iter(batches)

    def get_next(self) -> dict[str, npt.NDArray[Any]] | None:
        return next(self._batches, None)


def excluded_nodes(net: Path) -> list[str]:
    """Names of the convolutions that stay as they are."""
    import onnx

    graph = onnx.load(str(net)).graph
    return [
        node.name
        for node in graph.node
        if node.op_type == "Conv" and any(part in node.name for part in EXCLUDED)
    ]


def refuse_half(net: Path) -> None:
    """DataError where weights are kept in 16 bits: they would stay so beside the bytes, and the copy be larger."""
    import onnx

    if any(item.data_type == onnx.TensorProto.FLOAT16 for item in onnx.load(str(net)).graph.initializer):
        raise DataError(f"{net}: weights in 16 bits; give what train export writes without --half")


def copy_metadata(source: Path, target: Path, more: dict[str, str]) -> None:
    """What ``source`` says about itself, written into ``target``."""
    import onnx

    model = onnx.load(str(target))
    del model.metadata_props[:]
    for key, value in {**OnnxNet(source).meta, **more}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(target))


def positions_of(
    sources: Sequence[Path], split: str, feature_set: str, boards: Sequence[int], count: int, seed: int
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Float32 inputs in batches of 16: ``count`` positions of every source and size."""
    from tengen.learn.dataset import Source, epoch

    for folder in sources:
        source = Source(folder, split=split)
        for board in boards:
            if source.count(board) == 0:
                continue
            for batch in epoch(source, feature_set, 16, board, limit=count, seed=seed):
                yield {"planes": batch["planes"].astype(np.float32), "globals": batch["globals"]}


def compare(one: OnnxNet, other: OnnxNet, batches: Iterator[dict[str, npt.NDArray[Any]]]) -> Difference:
    """Both nets on the same positions."""
    count = same = 0
    winrate = score = 0.0
    for batch in batches:
        answers = []
        for net in (one, other):
            got = net.session.run(None, {name: batch[name] for name in net.inputs})
            answers.append(dict(zip(net.names, got, strict=True)))
        left, right = answers
        count += len(batch["planes"])
        policy = "policy" if "policy" in left else "played"
        if policy in left:
            same += int((left[policy].argmax(axis=1) == right[policy].argmax(axis=1)).sum())
        if "value" in left:
            winrate += float(np.abs(left["value"] - right["value"]).sum()) / 2.0
        if "score" in left:
            score += float(np.abs(left["score"] - right["score"]).sum())
    whole = max(1, count)
    return Difference(count, same / whole, winrate / whole, score / whole)
