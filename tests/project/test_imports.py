"""Arrows point one way: a folder imports only what stands above it."""

import subprocess
import sys
from pathlib import Path

import pytest
from project_source import PACKAGE, imported, modules

LAYERS = [
    "errors",
    "go",
    "knowledge",
    "search",
    "nets",
    "learn",
    "players",
    "search_player",
    "systems",
    "arena",
    "front",
    "commands",
    "cli",
]
"""From the top down: each may import itself and what stands before it."""

ANYWHERE = {"tengen"}
"""``from tengen import __version__`` is allowed everywhere."""

LEARN_MAY_BE_USED_BY = {"learn", "commands", "cli"}
OFFLINE_PARTS = {f"systems/capture_{part}.py" for part in ("breeding", "shape", "table")}
"""What trains lives in learn/ and is used by commands; the breeding of Capture Go players joins them."""

TRAINING_ONLY = {"torch", "onnx", "safetensors", "tensorboard", "cma", "pymoo", "optuna"}


def _layer(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def _named(module: str) -> str | None:
    """The layer of a module of ours, or None."""
    for prefix in ("cython.cimports.tengen.", "tengen."):
        if module.startswith(prefix):
            return module.removeprefix(prefix).split(".")[0]
    return None


def test_every_module_belongs_to_a_layer() -> None:
    unknown = {_layer(path) for path in modules()} - set(LAYERS) - {"__init__", "__main__"}
    assert not unknown, f"neither in LAYERS nor in docs/architecture.md: {unknown}"


def test_imports_point_up() -> None:
    wrong = []
    for path in modules():
        layer = _layer(path)
        if layer in ("__init__", "__main__"):
            continue
        for module, line, _ in imported(path):
            other = _named(module)
            if other is None or other not in LAYERS or LAYERS.index(other) <= LAYERS.index(layer):
                continue
            # Both say what a system's protocols and a clock are; the search's player stands beside them.
            wrong.append(f"{path.relative_to(PACKAGE)}:{line} ({layer}) imports {module} ({other})")
    assert not wrong, "\n".join(wrong)


def test_learning_is_reached_only_from_commands_and_breeding() -> None:
    wrong = []
    for path in modules():
        layer, name = _layer(path), path.relative_to(PACKAGE).as_posix()
        if layer in LEARN_MAY_BE_USED_BY or name in OFFLINE_PARTS:
            continue
        wrong += [f"{name}:{line}" for module, line, _ in imported(path) if _named(module) == "learn"]
    assert not wrong, f"learn/ imported by {wrong}"


def test_torch_and_other_training_tools_stay_in_learn() -> None:
    wrong = []
    for path in modules():
        if _layer(path) == "learn":
            continue
        for module, line, top in imported(path):
            root = module.split(".")[0]
            if root == "torch" or (top and root in TRAINING_ONLY):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "module", ["tengen.cli", "tengen.systems", "tengen.search.search", "tengen.nets.runtime"]
)
def test_playing_never_loads_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_systems_import_no_other_system() -> None:
    """A system may use its own helpers (``graph_disk`` is graph's) and the baselines, never another system."""
    names = {"mucgo", "dann", "cygo", "graph", "capture", "tengen", "lte"}
    wrong = []
    for path in sorted((PACKAGE / "systems").glob("*.py")):
        own = path.stem.split("_")[0]
        if own not in names:
            continue
        for module, line, _ in imported(path):
            if module.startswith("tengen.systems."):
                other = module.removeprefix("tengen.systems.").split("_")[0].split(".")[0]
                if other in names and other != own and own != "tengen":
                    wrong.append(f"{path.name}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)
