"""The networks that come with the package."""

from __future__ import annotations

from pathlib import Path

from tengen.errors import DataError

__all__ = ["DEFAULT_NET", "net_path", "shipped_nets"]

DEFAULT_NET = "desk-int8"
"""What ``--net default`` means: the net of the default player."""

FOLDER = Path(__file__).resolve().parent.parent / "data" / "nets"


def shipped_nets() -> list[str]:
    """Names that ``net_path`` knows, in order."""
    return sorted(path.stem for path in FOLDER.glob("*.onnx"))


def net_path(net: str | None, default: str | None = None) -> Path:
    """The file ``--net`` stands for: a path or the name of a shipped net; None and ``default`` the default's.

    DataError if there is no such file.
    """
    asked = default or DEFAULT_NET if net in (None, "", "default") else str(net)
    path = Path(asked)
    if path.suffix == ".onnx" or path.exists():
        if not path.is_file():
            raise DataError(f"net {asked}: no such file")
        return path
    shipped = FOLDER / f"{asked}.onnx"
    if not shipped.is_file():
        known = ", ".join(shipped_nets()) or "none"
        raise DataError(f"net {asked!r}: neither a file nor a shipped net ({known})")
    return shipped
