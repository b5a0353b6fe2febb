"""Champions of Capture Go as files: one JSON object with the weights in base64, and where they came from.

Nothing in such a file can run. Shipped ones lie in the package's ``data/capture`` as ``METHOD-SIZE.json``.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError
from tengen.systems.capture_shape import board_shape

__all__ = ["Champion", "find_champion", "read_champion", "shipped_champions", "write_champion"]

FORMAT = "tengen capture champion 1"


@dataclass(frozen=True)
class Champion:
    """An evaluator's weights (float32) for one board size, and what is known of how they were bred."""

    method: str
    size: int
    weights: NDArray[np.float32]
    slope: float = 1.0
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.method}-{self.size}"


def write_champion(path: Path, champion: Champion) -> None:
    """Write the file whole or not at all."""
    packed = np.asarray(champion.weights, dtype="<f4").tobytes()
    content = {
        "format": FORMAT,
        "method": champion.method,
        "size": champion.size,
        "slope": champion.slope,
        "about": champion.about,
        "weights": base64.b64encode(packed).decode("ascii"),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path)


def read_champion(path: Path) -> Champion:
    """Read and check a champion file. Raises DataError, saying what is wrong, unless every part fits."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise DataError(f"{path}: no champion file ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{path}: no champion file: format {FORMAT!r} expected")
    try:
        size, slope = int(content["size"]), float(content["slope"])
        weights = np.frombuffer(base64.b64decode(content["weights"], validate=True), dtype="<f4")
        method, about = str(content["method"]), dict(content["about"])
        expected = board_shape(size).count
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise DataError(f"{path}: a champion file with a wrong field ({error})") from None
    if weights.shape != (expected,):
        raise DataError(f"{path}: {weights.size} weights, {expected} expected for the {size}x{size} board")
    if not np.isfinite(weights).all():
        raise DataError(f"{path}: not a finite number among its weights")
    if not 0.0 < slope < math.inf:
        raise DataError(f"{path}: slope {slope}: a positive number expected")
    return Champion(method, size, weights.astype(np.float32), slope, about)


def shipped_champions() -> dict[str, Path]:
    """The champions that come with the package, by name (``hybrid-9``)."""
    folder = Path(str(resources.files("tengen"))) / "data" / "capture"
    return {path.stem: path for path in sorted(folder.glob("*-*.json"))}


def find_champion(name: str, size: int) -> Champion:
    """A file's champion, or the shipped one of that method for the board size.

    Raises ConfigError when there is none, naming those there are, or when the file is for another size.
    """
    if name.endswith(".json"):
        found = read_champion(Path(name))
        if found.size != size:
            raise ConfigError(f"{name}: bred for {found.size}x{found.size}, the board is {size}x{size}")
        return found
    shipped = shipped_champions()
    path = shipped.get(f"{name}-{size}")
    if path is None:
        sizes = sorted(int(stem.rpartition("-")[2]) for stem in shipped if stem.rpartition("-")[0] == name)
        if sizes:
            known = ", ".join(f"{one}x{one}" for one in sizes)
            raise ConfigError(f"champion {name!r} is bred for {known}; the board is {size}x{size}")
        raise ConfigError(
            f"champion {name!r} for {size}x{size}: the package has {', '.join(shipped) or 'none'}"
        )
    return read_champion(path)
