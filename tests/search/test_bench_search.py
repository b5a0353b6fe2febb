"""`tengen bench search` sets a search beside the playouts it is made of."""

import json

import pytest

from tengen.cli import main


@pytest.mark.parametrize(("engine", "guided"), [("uct", False), ("rave", True)])
def test_the_bare_playouts_are_those_of_the_engine(
    engine: str, guided: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def bare(*arguments: object) -> dict[str, int]:
        asked.append(bool(arguments[4]))
        return {"playouts_per_cpu_second": 1000}

    monkeypatch.setattr("tengen.commands.bench.bench_playouts_for", bare)
    assert main(["bench", "search", "--engine", engine, "--size", "5", "--seconds", "0.1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert asked == [guided]
    assert told["simulations"] > 0
    assert told["ratio_per_cpu_second"] == pytest.approx(
        told["simulations"] / told["cpu_seconds"] / 1000, abs=0.01
    )
