"""What tests share."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is, and nothing of what is tested.
settings.register_profile("tengen", deadline=None)
settings.load_profile("tengen")

# A shell starts what it puts in the background deaf to Ctrl-C; the programs that tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real games, records and suites beside the project; without it a test is skipped."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder ../shared/data is not here")
    return folder
