"""``tengen train`` as a user types it, the model card, and the paper's Table 2 in miniature."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import typer  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from tengen.commands import train as command  # noqa: E402
from tengen.errors import ConfigError  # noqa: E402
from tengen.learn.builder import build_data  # noqa: E402
from tengen.learn.config import load_config  # noqa: E402
from tengen.learn.table2 import PAPER, Table2, architectures, config_for, run_table2  # noqa: E402
