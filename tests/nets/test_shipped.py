"""What ``--net`` may name."""

from pathlib import Path

import pytest

from tengen.errors import DataError
from tengen.nets import shipped
from tengen.nets.runtime import Net


def test_a_path_a_name_or_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "desk.onnx").write_bytes(b"")
    (tmp_path / "small.onnx").write_bytes(b"")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    monkeypatch.setattr(shipped, "DEFAULT_NET", "desk")
    assert shipped.shipped_nets() == ["desk", "small"]
    assert shipped.net_path(None) == shipped.net_path("default") == tmp_path / "desk.onnx"
    assert shipped.net_path(None, "small") == shipped.net_path("small") == tmp_path / "small.onnx"
    assert shipped.net_path(str(tmp_path / "small.onnx")) == tmp_path / "small.onnx"
    with pytest.raises(DataError, match=r"neither a file nor a shipped net \(desk, small\)"):
        shipped.net_path("large")
    with pytest.raises(DataError, match=r"gone\.onnx: no such file"):
        shipped.net_path("gone.onnx")


@pytest.mark.parametrize("name", shipped.shipped_nets())
def test_every_shipped_net_loads_and_is_small(name: str) -> None:
    path = shipped.net_path(name)
    assert path.stat().st_size <= 8_000_000
    net = Net(path)
    assert net.plays_on(19, 19)
