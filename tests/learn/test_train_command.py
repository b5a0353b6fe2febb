"""``tengen train`` as a user types it, from games to a net; and the paper's Table 2 in miniature."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import typer  # noqa: E402
from typer.testing import CliRunner, Result  # noqa: E402

from tengen.commands import train as command  # noqa: E402
from tengen.errors import ConfigError  # noqa: E402
from tengen.go.position import Position  # noqa: E402
from tengen.go.rules import Rules  # noqa: E402
from tengen.learn.builder import build  # noqa: E402
from tengen.learn.config import load_config  # noqa: E402
from tengen.learn.measure import OnnxNet  # noqa: E402
from tengen.learn.table2 import (  # noqa: E402
    PAPER,
    Table2,
    architectures,
    config_for,
    run_table2,
    table2_rows,
    wilson,
)

CONFIG = """
name = "little"
feature_set = "pocket"
batch = 16
steps = 4
log_steps = 2
boards = { "19" = 1.0 }
heads = { policy = 1.0, value = 1.0 }
model = { blocks = 1, channels = 8 }
precision = "fp32"
[validation]
positions = 64
source = [{ path = "games", names = ["validation-*"], label = "held-out" }]
[[source]]
path = "games"
names = ["train-*"]
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory of random openings on 19x19, some of them held out."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(5)
    for name, games in (("train-made", 12), ("validation-made", 4)):
        lines = []
        for game in range(games):
            position = Position.start(Rules.named("chinese", 19))
            letters = ""
            for _ in range(30):
                move = int(random.choice(position.legal_moves()))
                position = position.play(move)
                letters += chr(97 + move % 19) + chr(97 + move // 19)
            lines.append(f"{name}{game}\t2015-01-02\tA/9d\tB/9d\t{'BW'[game % 2]}+R\t6.5\t{letters}\n")
        (folder / f"{name}.tsv").write_text("".join(lines))
    held_out = folder / "validation-made.tsv"
    build([folder / "train-made.tsv"], folder / "games", validation_sources=[held_out], validation=0.0)
    return folder


@pytest.fixture(autouse=True)
def _one_thread() -> object:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def tengen(*words: object) -> Result:
    app = typer.Typer()
    app.command("other")(lambda: None)
    command.register(app)
    return CliRunner().invoke(app, ["train", *map(str, words)])


def test_train_resume_measure_export_card(data: Path, tmp_path: Path) -> None:
    config = tmp_path / "little.toml"
    config.write_text(CONFIG)
    run = tmp_path / "run"
    trained = tengen("both", config, "--out", run, "--data", data, "--json")
    assert trained.exit_code == 0, trained.output
    result = json.loads(trained.stdout)
    assert (result["steps"], result["positions"], result["finished"]) == (4, 64, True)
    assert set(result["validation"]) == {"held-out/19"}
    again = tengen("both", config, "--out", run, "--data", data, "--steps", 6, "--resume", "--json")
    assert json.loads(again.stdout)["steps"] == 6

    measured = tengen("measure", run, "--data", data, "--positions", 50, "--json")
    row = json.loads(measured.stdout)["sets"]["held-out/19"]
    assert row["positions"] == 50
    assert 0 <= row["top1"] <= row["top3"] <= row["top5"] <= row["top10"] <= 1

    exported = tengen("export", run, tmp_path / "net.onnx", "--half", "--json")
    assert json.loads(exported.stdout)["bytes"] == (tmp_path / "net.onnx").stat().st_size
    on_file = tengen(
        "measure", tmp_path / "net.onnx", "--data", data / "games", "--names", "validation-*", "--json"
    )
    same = json.loads(on_file.stdout)["sets"]["validation-*/19"]
    assert same["positions"] == 120, "4 games of 30 moves"
    assert abs(same["policy_loss"] - row["policy_loss"]) < 0.2
    assert tengen("measure", config, "--data", data).exit_code == 1
    card = tengen(
        "card", run, tmp_path / "card.md", "--command", "tengen train both little", "--data", "made"
    )
    assert card.exit_code == 0, card.output
    text = (tmp_path / "card.md").read_text()
    assert "96 positions, 6 steps of 16" in text
    assert "| held-out/19 | 64 |" in text


def test_an_eight_bit_net_is_nearly_the_same_net(data: Path, tmp_path: Path) -> None:
    config = tmp_path / "little.toml"
    config.write_text(CONFIG.replace("channels = 8", "channels = 32"))
    tengen("both", config, "--out", tmp_path / "run", "--data", data)
    tengen("export", tmp_path / "run", tmp_path / "net.onnx")
    made = tengen(
        "quantize",
        tmp_path / "net.onnx",
        tmp_path / "small.onnx",
        "--data",
        data / "games",
        "--positions",
        64,
        "--json",
    )
    assert made.exit_code == 0, made.output
    result = json.loads(made.stdout)
    assert result["bytes"] < (tmp_path / "net.onnx").stat().st_size
    assert result["positions"] == 120
    assert result["same_first_move"] > 0.7
    assert result["winrate"] < 0.02
    small = OnnxNet(tmp_path / "small.onnx")
    assert small.meta["quantized"] == "int8"
    assert small.meta["feature_set"] == "pocket"
    assert small.names == ["policy", "value"]
    tengen("export", tmp_path / "run", tmp_path / "half.onnx", "--half")
    refused = tengen("quantize", tmp_path / "half.onnx", tmp_path / "no.onnx", "--data", data / "games")
    assert refused.exit_code != 0
    assert "weights in 16 bits" in str(refused.exception)
    assert not (tmp_path / "no.onnx").exists()


def test_policy_alone_trains_policy_alone(data: Path, tmp_path: Path) -> None:
    config = tmp_path / "little.toml"
    config.write_text(CONFIG)
    trained = tengen("policy", config, "--out", tmp_path / "run", "--data", data, "--json")
    assert "winrate_error" not in json.loads(trained.stdout)["validation"]["held-out/19"]


def test_shipped_configs_are_found_by_name_and_read() -> None:
    listed = tengen("configs").stdout
    for name in ("pocket", "desk", "dann", "dann-paper"):
        assert name in listed
        assert load_config(command.find_config(name)).name == name
    with pytest.raises(ConfigError, match="'nothing'"):
        command.find_config("nothing")


def test_table_2_has_the_papers_rows() -> None:
    names = architectures()
    assert len(names) == len(set(names)) == 20
    assert set(names) == set(PAPER)
    table = Table2("games")
    five = config_for(table, "5AL_2FC, T=4", 1, 1.0)
    assert (five.model.layers, five.model.steps) == ("5AL_2FC", 4)
    assert {config_for(table, name, 1, 0.5).steps for name in names} == {1000}, "an equal budget"
    assert {config_for(table, name, 1, 0.01).validation.positions for name in names} == {2000}
    with pytest.raises(ConfigError, match="7AL"):
        config_for(table, "7AL_2FC", 1, 1.0)


def test_table_2_runs_and_goes_on(data: Path, tmp_path: Path) -> None:
    small = {"widths": (4,) * 6, "fully_connected": 8, "board": 19, "positions": 40, "batch": 8}
    table = Table2(str(data / "games"), steps=4, **small)
    only = ["B_6C_2FC", "5AL_2FC, T=2"]
    rows = run_table2(table, tmp_path, scale=0.5, only=only, report=lambda text: None)
    assert [row.architecture for row in rows] == only
    assert all(row.positions == 40 and 0 <= row.right <= 40 for row in rows)
    assert all(row.training_positions == 16 for row in rows)
    said: list[str] = []
    assert run_table2(table, tmp_path, scale=0.5, only=only[:1], report=said.append)[0].right == rows[0].right
    assert any("resumed at step 2" in text for text in said)


def test_table_2_as_an_experiment(data: Path, tmp_path: Path) -> None:
    (row,) = table2_rows(
        0.5,
        3,
        1,
        data=str(data / "games"),
        out=str(tmp_path),
        only=["AL_5C_2FC"],
        steps=2,
        widths=[4] * 6,
        fully_connected=8,
        positions=40,
        batch=8,
    )
    assert row["label"] == "AL_5C_2FC"
    assert 0 <= row["low"] <= row["value"] <= row["high"] <= 100


def test_wilsons_interval() -> None:
    assert wilson(50, 100) == pytest.approx((0.40383, 0.59617), abs=1e-5)
    assert wilson(0, 10)[0] == pytest.approx(0.0)
