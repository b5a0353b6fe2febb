"""Training without the command line's packages: ``python -m tengen.learn CONFIG.toml --out DIR``.

Needs torch and numpy alone, for machines that have a GPU and little else. ``tengen train`` is the same with
comfort.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from tengen.errors import TengenError


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 on success, 1 with one line on stderr where the input is wrong."""
    from tengen.learn.config import load_config, train_only
    from tengen.learn.supervised import train

    parser = argparse.ArgumentParser(prog="python -m tengen.learn", description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--hours", type=float, default=None)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--batch", type=int, default=None)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--heads", choices=["policy", "value", "both"], help="default: as the config says")
    given = parser.parse_args(arguments)
    try:
        config = load_config(given.config)
        if given.heads:
            config = train_only(config, given.heads)
        names = ("hours", "steps", "threads", "batch")
        changes = {name: getattr(given, name) for name in names if getattr(given, name) is not None}
        config = dataclasses.replace(config, **changes)
        result = train(config, given.out, data=given.data, resume=given.resume)
    except TengenError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if result.finished else 130


if __name__ == "__main__":
    raise SystemExit(main())
