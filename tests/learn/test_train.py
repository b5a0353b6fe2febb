"""The training loop: learns, stops on time, resumes exactly, exports what it trained."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from synthetic import GLOBALS, PLANES, SyntheticSampler  # noqa: E402

from tengen.errors import ConfigError, DataError  # noqa: E402
from tengen.learn import ablation  # noqa: E402
from tengen.learn.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402
from tengen.learn.config import (  # noqa: E402
    OptimizerConfig,
    ScheduleConfig,
    TrainConfig,
    as_dict,
    load_config,
    parse_config,
    train_only,
)
from tengen.learn.curves import curve_points, draw_curves  # noqa: E402
from tengen.learn.export import export_run, load_run  # noqa: E402
from tengen.learn.feed import BoardTurns, Feed, ValidationSet, tensors  # noqa: E402
from tengen.learn.journal import Journal, read_journal  # noqa: E402
from tengen.learn.losses import hard_policy, head_losses, total_loss  # noqa: E402
from tengen.learn.optimizers import (  # noqa: E402
    WeightAverage,
    apply_rate,
    build_optimizer,
    learning_rate_factor,
)
from tengen.learn.supervised import Trainer, TrainingResult  # noqa: E402
from tengen.learn.validation import Tally, measure  # noqa: E402

HEADS = {"policy": 1.0, "value": 1.0, "score": 1.0, "ownership": 0.5}


def config_of(**changes: Any) -> TrainConfig:
    table: dict[str, Any] = {
        "name": "test",
        "batch": 32,
        "steps": 10,
        "boards": {"5": 2.0, "7": 1.0},
        "heads": HEADS,
        "model": {"blocks": 2, "channels": 12, "norm": "none", "pool_every": 2, "pool_channels": 4},
        "optimizer": {"learning_rate": 5e-3},
        "schedule": {"warmup_steps": 4},
        "precision": "fp32",
        "log_steps": 5,
    }
    return parse_config({**table, **changes})


def trainer(config: TrainConfig, directory: Path, **options: Any) -> Trainer:
    board = min(board for board, _ in config.board_shares)
    held_out = ValidationSet("made", board, (tensors(SyntheticSampler(board, 64, seed=9).next_batch()),))
    samplers = {board: SyntheticSampler(board, config.batch, board) for board, _ in config.board_shares}
    return Trainer(config, directory, samplers, [held_out], planes=PLANES, globals_=GLOBALS, **options)


def run(config: TrainConfig, directory: Path, **options: Any) -> TrainingResult:
    return trainer(config, directory, **options).run()


@pytest.fixture(autouse=True)
def _one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_it_learns_every_head(tmp_path: Path) -> None:
    first = run(config_of(steps=2), tmp_path / "short").validation["made/5"]
    last = run(config_of(steps=100, boards={"5": 1.0}), tmp_path / "long").validation["made/5"]
    assert first["top1"] < 0.3
    assert last["top1"] > 0.9
    assert last["winrate_error"] < 0.6 * first["winrate_error"]
    assert last["score_error"] < 0.6 * first["score_error"]
    assert last["ownership_error"] < 0.85 * first["ownership_error"]
    kinds = [entry["kind"] for entry in read_journal(tmp_path / "long" / "log.jsonl")]
    assert kinds.count("train") == 20
    assert kinds.count("validation") == 1


def test_a_resumed_run_is_the_uninterrupted_run(tmp_path: Path) -> None:
    whole = config_of(steps=20, accumulate=2, schedule={"kind": "constant"})
    run(whole, tmp_path / "whole")
    run(dataclasses.replace(whole, steps=12), tmp_path / "parts")
    result = run(whole, tmp_path / "parts", resume=True)
    assert result.steps == 20
    assert result.positions == 20 * 2 * 32
    one, other = (load_checkpoint(tmp_path / name / "checkpoint.pt") for name in ("whole", "parts"))
    for part in ("net", "average"):
        for name in one[part]:
            assert torch.equal(one[part][name], other[part][name]), name
    assert one["feed"] == other["feed"]


SLOW_RUN = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
import torch
torch.set_num_threads(1)
import test_train
config = test_train.config_of(steps=40, checkpoint_seconds=0.0, schedule={{"kind": "constant"}})
test_train.run(config, Path({out!r}), resume=True)
"""


@pytest.mark.slow
def test_kill_9_loses_nothing_but_the_steps_since_the_checkpoint(tmp_path: Path) -> None:
    out = tmp_path / "killed"
    code = SLOW_RUN.format(tests=str(Path(__file__).parent), out=str(out))
    kills = 0
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        seen = (out / "checkpoint.pt").stat().st_mtime_ns if (out / "checkpoint.pt").exists() else 0
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
            now = (out / "checkpoint.pt").stat().st_mtime_ns if (out / "checkpoint.pt").exists() else 0
            if now != seen and kills < 3:
                process.kill()
                kills += 1
                break
        if process.wait() == 0:
            break
    assert kills == 3
    run(config_of(steps=40, schedule={"kind": "constant"}), tmp_path / "whole")
    one, other = (load_checkpoint(folder / "checkpoint.pt") for folder in (out, tmp_path / "whole"))
    assert one["step"] == other["step"] == 40
    assert all(torch.equal(one["net"][name], other["net"][name]) for name in one["net"])


def test_the_clock_ends_a_run(tmp_path: Path) -> None:
    began = time.monotonic()
    result = run(config_of(steps=0, hours=1.5 / 3600), tmp_path)
    assert result.finished
    assert 1.4 < time.monotonic() - began < 15
    assert result.steps > 0
    with pytest.raises(ConfigError, match="hours or steps"):
        run(config_of(steps=0), tmp_path)


def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    learner = trainer(config_of(steps=10**6), tmp_path)
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    result = learner.run()
    assert not result.finished
    assert 0 < result.steps < 10**6
    assert load_checkpoint(tmp_path / "checkpoint.pt")["step"] == result.steps


def test_resuming_another_model_is_refused(tmp_path: Path) -> None:
    run(config_of(steps=1), tmp_path)
    with pytest.raises(DataError, match="another model"):
        trainer(config_of(model={"channels": 20}), tmp_path, resume=True)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        {"blocks": 1, "channels": 12, "pool_every": 1, "pool_channels": 4, "norm": "batch"},
        {"kind": "dann", "layers": "AL_C", "widths": [12, 12], "steps": 2},
        {
            "kind": "dann",
            "layers": "2AL",
            "widths": [8, 8],
            "steps": 1,
            "fully_connected": 16,
            "max_pool": [2],
        },
    ],
    ids=["residual", "dann", "dann-paper-heads"],
)
def test_the_exported_net_answers_like_the_trained_one(
    tmp_path: Path, model: dict[str, Any], half: bool
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    run(config_of(steps=6, boards={"7": 1.0}, model=model), tmp_path)
    exported = export_run(tmp_path, tmp_path / "net.onnx", half=half)
    assert exported.largest_difference < 1e-3
    session = onnxruntime.InferenceSession(str(exported.onnx), providers=["CPUExecutionProvider"])
    meta = session.get_modelmeta().custom_metadata_map
    assert meta["feature_set"] == "pocket"
    assert meta["heads"] == "policy,value,score,ownership"
    assert json.loads(meta["training"])["steps"] == 6
    net, _, _ = load_run(tmp_path)
    batch = tensors(SyntheticSampler(7, 5, 3).next_batch())
    fed = {"planes": batch["planes"].float().numpy(), "globals": batch["globals"].numpy()}
    taken = {item.name for item in session.get_inputs()}
    policy, value, score, owner = session.run(None, {name: fed[name] for name in fed if name in taken})
    with torch.no_grad():
        out = net(batch["planes"].float(), batch["globals"])
    near = {"rtol": 0, "atol": 0.02 if half else 1e-3}
    np.testing.assert_allclose(policy, out["policy"].numpy(), **near)
    np.testing.assert_allclose(value, np.tanh(out["value"].numpy() / 2), **near)
    np.testing.assert_allclose(score, out["score"].numpy() * 20, rtol=0, atol=0.2)
    np.testing.assert_allclose(owner, np.tanh(out["ownership"].numpy() / 2), **near)


def test_half_precision_halves_the_file(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    run(config_of(steps=1, model={"blocks": 2, "channels": 48}), tmp_path)
    whole = export_run(tmp_path, tmp_path / "whole.onnx")
    half = export_run(tmp_path, tmp_path / "half.onnx", half=True)
    assert half.bytes < 0.6 * whole.bytes


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.pt"
    with pytest.raises(DataError, match="No such file"):
        load_checkpoint(path)
    for content in (b"", b"PK\x03\x04 not a zip", os.urandom(300)):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"checkpoint\.pt"):
            load_checkpoint(path)
    save_checkpoint(path, {"step": 3})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError):
        load_checkpoint(path)


def test_board_sizes_take_turns_by_share() -> None:
    turns = BoardTurns([(19, 0.5), (13, 0.25), (9, 0.25)])
    drawn = [next(turns) for _ in range(100)]
    assert [drawn.count(board) for board in (19, 13, 9)] == [50, 25, 25]
    assert drawn[:4] == [19, 13, 9, 19]


def test_a_feed_continues_where_its_state_was_taken() -> None:
    shares = [(7, 0.5), (5, 0.5)]

    def samplers() -> dict[int, SyntheticSampler]:
        return {board: SyntheticSampler(board, 2, board) for board in (7, 5)}

    feed = Feed(samplers(), shares)
    for _ in range(3):
        next(feed)
    place = json.loads(json.dumps(feed.state))
    wanted = [next(feed) for _ in range(4)]
    feed.close()
    again = Feed(samplers(), shares, state=place)
    for board, batch in wanted:
        other, same = next(again)
        assert other == board
        assert torch.equal(batch["planes"], same["planes"])
    again.close()
    with pytest.raises(DataError, match="board sizes"):
        Feed(samplers(), shares[:1], state=place)


def test_an_error_while_sampling_reaches_the_loop() -> None:
    class Broken(SyntheticSampler):
        def next_batch(self) -> Any:
            raise DataError("games.npy: torn")

    feed = Feed({5: Broken(5, 2)}, [(5, 1.0)])
    with pytest.raises(DataError, match="torn"):
        next(feed)
    feed.close()


def test_losses_by_numbers() -> None:
    batch = {
        "policy_index": torch.tensor([[0, 3], [1, 0], [2, 0]], dtype=torch.int16),
        "policy_prob": torch.tensor([[0.75, 0.25], [1.0, 0.0], [1.0, 0.0]]),
        "policy_weight": torch.tensor([1.0, 1.0, 0.0]),
        "value": torch.tensor([1.0, -1.0, 0.0]),
        "value_weight": torch.tensor([1.0, 0.0, 3.0]),
        "score": torch.tensor([20.0, -4.0, 0.0]),
        "score_weight": torch.ones(3),
        "source": torch.tensor([0, 1, 1], dtype=torch.int16),
        "played": torch.tensor([2, -1, -1], dtype=torch.int16),
    }
    logits = torch.log(torch.tensor([[0.5, 0.1, 0.2, 0.2], [0.25, 0.5, 0.125, 0.125], [0.4, 0.2, 0.2, 0.2]]))
    out = {
        "policy": logits,
        "played": logits,
        "value": torch.zeros(3),
        "score": torch.tensor([0.0, 0.0, 2.0]),
    }
    losses = head_losses(out, batch)
    soft = -(0.75 * math.log(0.5) + 0.25 * math.log(0.2))
    assert losses["policy"] == pytest.approx((soft - math.log(0.5)) / 2)
    assert losses["played"] == pytest.approx(-math.log(0.2))
    assert losses["value"] == pytest.approx(math.log(2))
    # Huber, corner 1/2: |1| -> 3/8, |1/5| -> 1/50, |2| -> 7/8
    assert losses["score"] == pytest.approx((3 / 8 + 1 / 50 + 7 / 8) / 3)
    turned = head_losses(out, batch, {"policy": torch.tensor([0.0, 1.0])})
    assert turned["policy"] == pytest.approx(-math.log(0.5)), "source 0 teaches no policy"
    assert total_loss(losses, {"policy": 2.0, "played": 0.0, "value": 1.0, "score": 0.0}) == pytest.approx(
        2 * losses["policy"] + losses["value"]
    )


def test_a_hard_target_is_the_judges_first_move_alone(tmp_path: Path) -> None:
    prob = torch.tensor([[0.4, 0.6, 0.0], [0.5, 0.3, 0.2]])
    assert hard_policy(prob).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    batch = tensors(SyntheticSampler(5, 32, seed=3).next_batch())
    batch["policy_prob"] = batch["policy_prob"] * 0.5
    batch["policy_prob"][:, -1] = 0.3
    lost = {}
    for soft in (True, False):
        made = trainer(config_of(soft=soft, heads={"policy": 1.0}), tmp_path / str(soft))
        lost[soft] = float(made._losses(dict(batch))["policy"].detach())
        made.feed.close()
        made.journal.close()
    assert lost[True] != pytest.approx(lost[False], rel=1e-3), "the same net and batch, another target"


def test_each_variant_takes_one_part_of_the_signal_away() -> None:
    plans = {name: ablation.config_for(ablation.Signal("d"), name, 1, 0.1) for name in ablation.VARIANTS}
    parts = {name: (plan.symmetries, plan.soft, len(plan.heads)) for name, plan in plans.items()}
    assert list(parts.values()) == [
        (True, True, 4),
        (False, True, 4),
        (True, False, 4),
        (True, True, 1),
        (False, False, 1),
    ]
    assert {plan.steps for plan in plans.values()} == {250}
    with pytest.raises(ConfigError, match="'other'"):
        ablation.config_for(ablation.Signal("d"), "other", 1, 1.0)


def test_measures_by_numbers() -> None:
    batch = {
        "policy_index": torch.tensor([[1, 0], [4, 2]], dtype=torch.int16),
        "policy_prob": torch.tensor([[0.6, 0.4], [0.3, 0.7]]),
        "policy_weight": torch.ones(2),
        "played": torch.tensor([0, -1], dtype=torch.int16),
        "value": torch.tensor([1.0, 0.0]),
        "value_weight": torch.ones(2),
        "score": torch.tensor([5.0, 0.0]),
        "score_weight": torch.tensor([1.0, 0.0]),
    }
    out = {
        "policy": torch.tensor([[2.0, 1.0, 0.0, 0.0, 0.0], [5.0, 4.0, 1.0, 3.0, 2.0]]),
        "value": torch.tensor([0.0, 0.0]),
        "score": torch.tensor([0.15, 9.0]),
    }
    tally = Tally()
    measure(out, batch, tally)
    means = tally.means()
    assert [means[f"top{n}"] for n in (1, 3, 5)] == [0.0, 0.5, 1.0], "ranks 1 and 4, counted from 0"
    assert means["played1"] == 1.0
    assert means["winrate_error"] == pytest.approx(0.25)
    assert means["score_error"] == pytest.approx(2.0)


def test_the_winner_is_asked_for_in_close_positions_too() -> None:
    # Winrates 0.6, 0.45, 0.52 and 1 by the judge, and a drawn game; the net says 0.7, 0.55, 0.5 and 0.99.
    target = torch.tensor([0.2, -0.1, 0.04, 1.0, 0.0])
    said = torch.tensor([0.4, 0.1, 0.0, 0.98, 0.9])
    batch = {"value": target, "value_weight": torch.tensor([1.0, 1.0, 1.0, 1.0, 1.0])}
    tally = Tally()
    measure({"value": 2.0 * torch.atanh(said)}, batch, tally)
    assert tally.means()["value_right"] == pytest.approx(2 / 4), (
        "the first and the last; the draw asks nothing"
    )
    assert tally.means()["winrate_error"] == pytest.approx((0.1 + 0.1 + 0.02 + 0.01 + 0.45) / 5)


def test_learning_rates() -> None:
    cosine = ScheduleConfig(warmup_steps=10, final=0.1)
    assert learning_rate_factor(cosine, 0, 0.0) == pytest.approx(0.1)
    assert learning_rate_factor(cosine, 50, 0.0) == 1.0
    assert learning_rate_factor(cosine, 50, 0.5) == pytest.approx(0.55)
    assert learning_rate_factor(cosine, 50, 1.0) == pytest.approx(0.1)
    drops = ScheduleConfig(kind="drops", warmup_steps=0, drops=(0.5, 0.8))
    assert [learning_rate_factor(drops, 1, at) for at in (0.4, 0.6, 0.9)] == pytest.approx([1, 0.1, 0.01])


def test_the_papers_sgd_lowers_weight_decay_with_the_rate() -> None:
    net = torch.nn.Conv2d(2, 2, 3)
    config = OptimizerConfig(kind="sgd", learning_rate=3e-3, weight_decay=5e-3)
    optimizer = build_optimizer(net, config)
    schedule = ScheduleConfig(kind="drops", warmup_steps=0, drops=(0.5,))
    apply_rate(optimizer, config, schedule, 1, 0.6)
    kernels, biases = optimizer.param_groups
    assert kernels["lr"] == pytest.approx(3e-4)
    assert kernels["weight_decay"] == pytest.approx(5e-4)
    assert biases["weight_decay"] == 0.0
    assert kernels["momentum"] == 0.9


def test_averaged_weights_by_numbers() -> None:
    net, average = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    with torch.no_grad():
        net.weight.fill_(1.0)
        average.weight.fill_(0.0)
    mean = WeightAverage(net, average, decay=0.9)
    mean.update(1)
    assert average.weight.item() == pytest.approx(1 - 2 / 11), "young: (1 + 1) / (10 + 1)"
    with torch.no_grad():
        average.weight.fill_(0.0)
    mean.update(10**6)
    assert average.weight.item() == pytest.approx(0.1)


def test_configs_round_trip_and_say_what_is_wrong(tmp_path: Path) -> None:
    config = config_of(source=[{"path": "x", "names": ["train-*"], "heads": {"policy": 0.0}}])
    assert parse_config(as_dict(config)) == config
    path = tmp_path / "wrong.toml"
    for text, says in (
        ("name = 3", "name: str expected"),
        ("batch = 3", "name is missing"),
        ('name = "a"\nheads = { polcy = 1.0 }', "'polcy'"),
        ('name = "a"\n[model]\nchannls = 3', "model: unknown key 'channls'"),
        ('name = "a"\nboards = { "30" = 1.0 }', "30"),
        ('name = "a"\n[[source]]\npath = 1', r"source\[0\]: path"),
        ("name = ", "wrong.toml"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=says) as caught:
            load_config(path)
        assert "wrong.toml" in str(caught.value)
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.toml")


def test_policy_value_or_both() -> None:
    config = config_of(heads={"policy": 1.0, "played": 0.5, "value": 2.0, "ownership": 1.0})
    assert train_only(config, "policy").heads == {"policy": 1.0, "played": 0.5}
    assert train_only(config, "value").heads == {"value": 2.0, "ownership": 1.0}
    assert train_only(config, "both").heads == config.heads
    assert train_only(config_of(heads={"played": 1.0}), "both").heads == {"played": 1.0, "value": 1.0}


def test_a_log_survives_a_torn_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for step in (5, 10, 15):
        journal.write("train", step, {"loss": 1.0 / step, "positions": step})
    journal.close()
    with open(tmp_path / "log.jsonl", "a") as file:
        file.write('{"kind": "tra')
    Journal(tmp_path, resume_step=10).close()
    assert [entry["step"] for entry in read_journal(tmp_path / "log.jsonl")] == [5, 10]


def test_curves_show_every_set(tmp_path: Path) -> None:
    run(config_of(steps=10, validation={"every_steps": 5}), tmp_path)
    points = curve_points(read_journal(tmp_path / "log.jsonl"))
    assert [seen for seen, _ in points["top1"]["made/5"]] == [160.0, 320.0]
    assert len(points["loss"]["training"]) == 2
    pytest.importorskip("matplotlib")
    assert draw_curves([tmp_path], tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
