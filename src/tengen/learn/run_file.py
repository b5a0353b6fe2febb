"""Checkpoints of runs without pickle: plain arrays and one JSON description in an .npz, written whole or
not at all.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError

__all__ = ["difference", "read_checkpoint", "write_checkpoint"]

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


def difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """What two descriptions differ in, in words for whom the first of them surprised."""
    parts = []
    for key in wanted:
        there, here = found.get(key), wanted[key]
        if isinstance(there, dict) and isinstance(here, dict):
            parts += [
                f"{name} {there.get(name)} there, {here[name]} here"
                for name in here
                if there.get(name) != here[name]
            ]
        elif there != here:
            parts.append(_differing_words(str(there), str(here)) or f"{key} {there!r} there, {here!r} here")
    return "; ".join(parts) or "it has settings this version does not know"


def _differing_words(there: str, here: str) -> str:
    """Of two lists such as ``Contest(size=9, depth=1)`` the entries that differ; nothing unless both are
    one.
    """
    pairs = list(zip(re.split(r"[(), ]+", there), re.split(r"[(), ]+", here), strict=False))
    if there.count("=") != here.count("=") or not all(("=" in a) == ("=" in b) for a, b in pairs):
        return ""
    return "; ".join(f"{a} there, {b} here" for a, b in pairs if a != b and "=" in a)
