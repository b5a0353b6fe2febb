"""Checkpoints: everything a run needs to go on as if it had never stopped, replaced whole or not at all."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import torch

from tengen.errors import DataError

__all__ = ["load_checkpoint", "save_checkpoint"]

FORMAT = "tengen-checkpoint-1"


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Writes beside, flushes to the disk, then renames: a kill at any time leaves the old file or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    with open(beside, "wb") as file:
        torch.save({"format": FORMAT, **content}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def load_checkpoint(path: Path, device: str = "cpu") -> dict[str, Any]:
    """Tensors and plain data only: nothing in the file is run. DataError where it is not such a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = torch.load(path, map_location=device, weights_only=True)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
    except Exception as error:
        raise DataError(f"{path}: not a checkpoint, or torn: {type(error).__name__}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{path}: not a checkpoint of this program")
    return content
