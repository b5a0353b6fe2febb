"""What is needed to repeat a run: the machine, the versions, the command."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["provenance"]

_PACKAGES = ("tengen", "numpy", "onnxruntime", "torch", "dask")


def provenance() -> dict[str, Any]:
    """Plain data for a report; what cannot be found out is left out."""
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    commit = _commit()
    if commit is not None:
        versions["commit"] = commit
    return {
        "command": shlex.join([_program(), *sys.argv[1:]]),
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
        "versions": versions,
    }


def _commit() -> str | None:
    """The commit of the working copy this package lies in, and whether it was changed since; None where it was
    installed.
    """
    folder = Path(__file__).parents[2]
    if not (folder.parent / ".git").exists():
        return None
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip() or None


def _program() -> str:
    """What to type before the arguments: ``tengen``, however Python was told to run it."""
    name = Path(sys.argv[0]).name
    return "tengen" if name in ("__main__.py", "-m") else name


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
