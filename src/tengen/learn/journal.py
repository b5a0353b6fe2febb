"""What a run writes down: one JSON object a line, tensorboard's log where it is installed, and a line for a
person.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import IO, Any

__all__ = ["Journal", "read_journal"]


class Journal:
    """Appends to ``log.jsonl``; ``resume_step`` drops what an interrupted run wrote after its last
    checkpoint.
    """

    def __init__(self, directory: Path, resume_step: int | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / "log.jsonl"
        kept = read_journal(self.path) if resume_step is not None else []
        kept = [entry for entry in kept if int(entry.get("step", 0)) <= (resume_step or 0)]
        beside = self.path.with_name("log.jsonl.new")
        beside.write_text("".join(json.dumps(entry) + "\n" for entry in kept), encoding="utf-8")
        os.replace(beside, self.path)
        self._file: IO[str] = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 - closed by close()
        self._board = _tensorboard(directory / "tensorboard")

    def write(self, kind: str, step: int, figures: dict[str, Any]) -> None:
        """``kind`` is train, validation or event. Nested dicts become ``outer/inner`` in tensorboard."""
        entry = {"kind": kind, "step": step, "time": round(time.time(), 1), **figures}
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        if self._board is not None:
            for name, value in _flat(figures):
                self._board.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Every whole line; one torn by a kill is left out. Empty where there is no file."""
    if not path.exists():
        return []
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return entries


def _flat(figures: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    rows: list[tuple[str, float]] = []
    for name, value in figures.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            rows.append((f"{prefix}{name}", float(value)))
    return rows


def _tensorboard(directory: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(directory))
