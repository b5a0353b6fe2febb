"""A net of a few hundred random weights, written as the exporter writes nets: every head, any board size."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tengen.nets.feature_sets import feature_spec


def write_tiny_net(path: Path, features: str = "pocket", seed: int = 1, **changes: str) -> Path:
    """``changes`` replace metadata entries; an empty text leaves one out."""
    spec = feature_spec(features)
    rng = np.random.default_rng(seed)

    def constant(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array(rng.normal(0, 0.2, shape).astype(np.float32), name)

    initializers = [
        constant("w1", 8, spec.planes, 3, 3),
        constant("w2", 1, 8, 3, 3),
        constant("w3", 1, 8, 1, 1),
        numpy_helper.from_array(np.array([0, -1], dtype=np.int64), "rows"),
        numpy_helper.from_array(np.array([-1], dtype=np.int64), "line"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "one"),
        numpy_helper.from_array(np.array(10.0, dtype=np.float32), "ten"),
    ]
    nodes = [
        helper.make_node("Conv", ["planes", "w1"], ["trunk0"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["trunk0"], ["trunk"]),
        helper.make_node("Conv", ["trunk", "w2"], ["map"], pads=[1, 1, 1, 1]),
        helper.make_node("Reshape", ["map", "rows"], ["points"]),
        helper.make_node("GlobalAveragePool", ["trunk"], ["pooled"]),
        helper.make_node("Conv", ["pooled", "w3"], ["pass4"]),
        helper.make_node("Reshape", ["pass4", "rows"], ["pass"]),
        helper.make_node("Concat", ["points", "pass"], ["policy"], axis=1),
        helper.make_node("Reshape", ["pass", "line"], ["flat"]),
    ]
    inputs = [
        helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["batch", spec.planes, "rows", "columns"])
    ]
    feeling = "flat"
    if spec.globals:
        inputs.append(helper.make_tensor_value_info("globals", TensorProto.FLOAT, ["batch", spec.globals]))
        nodes.append(helper.make_node("ReduceSum", ["globals", "one"], ["komi"], keepdims=0))
        nodes.append(helper.make_node("Add", ["flat", "komi"], ["feeling"]))
        feeling = "feeling"
    nodes += [
        helper.make_node("Tanh", [feeling], ["value"]),
        helper.make_node("Mul", [feeling, "ten"], ["score"]),
        helper.make_node("Tanh", ["map"], ["owner"]),
        helper.make_node("Squeeze", ["owner", "one"], ["ownership"]),
    ]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in {
            "policy": ["batch", "moves"],
            "value": ["batch"],
            "score": ["batch"],
            "ownership": ["batch", "rows", "columns"],
        }.items()
    ]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    metadata = {
        "format": "tengen-net-1",
        "name": "tiny",
        "feature_set": features,
        "planes": str(spec.planes),
        "globals": str(spec.globals),
        "heads": "policy,value,score,ownership",
        "boards": "9,19",
        "any_board": "1",
    } | changes
    for key, value in metadata.items():
        if value:
            entry = model.metadata_props.add()
            entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path
