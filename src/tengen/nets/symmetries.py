"""The symmetries of ``go.symmetry`` as numpy tables, to turn many positions at once."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tengen.go.symmetry import inverse, source_points, symmetries

__all__ = ["source_tables", "symmetry_tables"]


@cache
def symmetry_tables(width: int, height: int) -> NDArray[np.int16]:
    """``tables[s, p]`` is where symmetry s takes the flat point p. Read-only."""
    rows = [source_points(inverse(symmetry), width, height) for symmetry in symmetries(width, height)]
    tables = np.array(rows, dtype=np.int16)
    tables.flags.writeable = False
    return tables


@cache
def source_tables(width: int, height: int) -> NDArray[np.int64]:
    """``tables[s, p]`` is the point whose content symmetry s brings to p. Read-only."""
    tables = np.array([source_points(s, width, height) for s in symmetries(width, height)], dtype=np.int64)
    tables.flags.writeable = False
    return tables
