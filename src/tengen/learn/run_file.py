"""Checkpoints of runs without pickle: plain arrays and one JSON description in an .npz, written whole or
not at all.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError

__all__ = ["read_checkpoint", "write_checkpoint"]

_DESCRIPTION = "description"


def write_checkpoint(path: Path, description: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Put description and arrays where ``read_checkpoint`` finds them; a kill at any moment leaves old or
    new.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = np.frombuffer(json.dumps(description, sort_keys=True).encode(), dtype=np.uint8)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            np.savez(file, **{_DESCRIPTION: text, **arrays})  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """(description, arrays). Raises DataError for a file that is missing, damaged or no checkpoint."""
    try:
        with np.load(path, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
        description = json.loads(arrays.pop(_DESCRIPTION).tobytes().decode())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: no readable checkpoint ({error})") from None
    if not isinstance(description, dict):
        raise DataError(f"{path}: its description is no table")
    return description, arrays
