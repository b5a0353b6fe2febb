"""The training loop: one for every net, on two CPU cores or a GPU."""

from __future__ import annotations

import contextlib
import copy
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from tengen.errors import ConfigError, DataError
from tengen.learn.checkpoint import load_checkpoint, save_checkpoint
from tengen.learn.config import TrainConfig, as_dict
from tengen.learn.feed import BatchSource, Feed, ValidationSet, open_samplers, open_validation
from tengen.learn.journal import Journal
from tengen.learn.losses import hard_policy, head_losses, total_loss
from tengen.learn.models import Net, build_net, parameter_count
from tengen.learn.optimizers import WeightAverage, apply_rate, build_optimizer
from tengen.learn.validation import measures

__all__ = ["Device", "Trainer", "TrainingResult", "choose_device", "train"]

Report = Callable[[str], None]


@dataclass(frozen=True)
class Device:
    """Where and how the net computes."""

    device: torch.device
    dtype: torch.dtype
    compile: bool
    threads: int

    @property
    def on_gpu(self) -> bool:
        return self.device.type == "cuda"


@dataclass(frozen=True)
class TrainingResult:
    """What a run came to."""

    directory: Path
    steps: int
    positions: int
    seconds: float
    """Time spent training and validating, over all resumptions."""
    finished: bool
    """False where the run was interrupted before its budget was spent."""
    validation: dict[str, dict[str, float]] = field(default_factory=dict)


def choose_device(config: TrainConfig) -> Device:
    """``auto`` resolved: CUDA where there is one; bf16 where the hardware multiplies it; torch.compile on
    CUDA.
    """
    name = config.device
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device {name!r}: {str(error).splitlines()[0]}") from error
    bf16 = config.precision == "bf16"
    if config.precision == "auto":
        bf16 = torch.cuda.is_bf16_supported() if device.type == "cuda" else _cpu_has_bf16(device)
    # Compiling takes minutes for each board size: a short run is over sooner without.
    worth = device.type == "cuda" and config.hours >= 1.0
    compiled = config.compile == "on" or (config.compile == "auto" and worth)
    threads = config.threads or (_cores() - 1 if device.type == "cuda" else 1)
    return Device(device, torch.bfloat16 if bf16 else torch.float32, compiled, max(1, threads))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu_has_bf16(device: torch.device) -> bool:
    if device.type != "cpu":
        return False
    asks = (
        getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return any(ask is not None and ask() for ask in asks)


@contextlib.contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a polite kill sets, so that the step at hand is finished; a second Ctrl-C
    interrupts.
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def stop(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Trainer:
    """One run in one directory: ``checkpoint.pt``, ``weights.pt`` (averaged weights only), ``log.jsonl``.

    The state after n steps depends on the config alone where the budget is in steps; where it is in hours
    the learning rate follows the clock. A resumed run continues with the batch after the checkpoint's.
    """

    def __init__(
        self,
        config: TrainConfig,
        directory: Path,
        samplers: Mapping[int, BatchSource],
        validation: Sequence[ValidationSet],
        *,
        planes: int,
        globals_: int,
        resume: bool = False,
        report: Report | None = None,
    ) -> None:
        if not config.hours and not config.steps:
            raise ConfigError(f"{config.name}: give hours or steps, or the run would never end")
        self.config = config
        self.directory = directory
        self.report = report or (lambda text: None)
        self.device = choose_device(config)
        self.validation = list(validation)
        self.inputs = {"planes": planes, "globals": globals_}
        self.step = 0
        self.positions = 0
        self.spent_seconds = 0.0
        self.figures: dict[str, dict[str, float]] = {}
        self._validated_at = -1
        self.factors = self._source_factors()

        if self.device.on_gpu:
            torch.backends.cudnn.benchmark = True
            torch.set_float32_matmul_precision("high")
        torch.manual_seed(config.seed)
        board = max(board for board, _ in config.board_shares)
        net = build_net(config.model, planes, globals_, config.heads, board)
        if config.init:
            from tengen.learn.export import load_weights

            net.load_state_dict(load_weights(Path(config.init)))
        self.net: Net = cast(Any, net.to(self.device.device)).to(memory_format=torch.channels_last)
        self.average_net: Net = copy.deepcopy(self.net)
        for weight in self.average_net.parameters():
            weight.requires_grad_(False)
        self.average = WeightAverage(self.net, self.average_net, config.ema)
        self.optimizer = build_optimizer(self.net, config.optimizer, fused=self.device.on_gpu)
        feed_state = self._restore() if resume else None
        self.feed = Feed(samplers, config.board_shares, state=feed_state, pin=self.device.on_gpu)
        self.journal = Journal(directory, self.step if feed_state is not None else None)
        self.forward: Callable[[Tensor, Tensor], dict[str, Tensor]] = self.net
        if self.device.compile:
            self.forward = torch.compile(self.net, dynamic=False)

    @property
    def checkpoint(self) -> Path:
        return self.directory / "checkpoint.pt"

    def spent(self) -> float:
        """Share of the budget that is used: the larger of the shares of the steps and of the hours."""
        config = self.config
        by_steps = self.step / config.steps if config.steps else 0.0
        by_hours = self.spent_seconds / (config.hours * 3600.0) if config.hours else 0.0
        return max(by_steps, by_hours)

    def run(self) -> TrainingResult:
        """Trains until the budget is spent. Ctrl-C keeps what was done; ``finished`` is then False."""
        config = self.config
        self.report(
            f"{config.name}: {parameter_count(self.net):,} weights, {', '.join(config.heads)}; "
            f"{self.device.device}, {str(self.device.dtype).removeprefix('torch.')}, "
            f"{'compiled, ' if self.device.compile else ''}batch {config.batch} x {config.accumulate}"
        )
        self.journal.write("event", self.step, {"event": "start", "config": as_dict(config)})
        try:
            with _asked_to_stop() as asked:
                self._loop(asked)
        finally:
            self.feed.close()
        finished = self.spent() >= 1.0
        self.save()
        if not finished:
            self.report(f"interrupted after step {self.step}: kept in {self.checkpoint}")
        self._validate()
        self.save()
        self.journal.write("event", self.step, {"event": "end" if finished else "interrupted"})
        self.journal.close()
        return TrainingResult(
            self.directory, self.step, self.positions, self.spent_seconds, finished, self.figures
        )

    def save(self) -> None:
        """Writes checkpoint and weights now."""
        shared = {
            "config": as_dict(self.config),
            "inputs": self.inputs,
            "step": self.step,
            "positions": self.positions,
            "seconds": self.spent_seconds,
            "validation": self.figures,
            "validated_at": self._validated_at,
        }
        average = {name: item.detach().cpu() for name, item in self.average_net.state_dict().items()}
        save_checkpoint(
            self.checkpoint,
            {
                **shared,
                "net": self.net.state_dict(),
                "average": average,
                "optimizer": self.optimizer.state_dict(),
                "feed": self.feed.state,
            },
        )
        save_checkpoint(self.directory / "weights.pt", {**shared, "average": average})

    def _restore(self) -> dict[str, Any] | None:
        if not self.checkpoint.exists():
            self.report(f"{self.checkpoint}: none yet, starting from the beginning")
            return None
        saved = load_checkpoint(self.checkpoint, str(self.device.device))
        if saved["config"]["model"] != as_dict(self.config)["model"] or saved["inputs"] != self.inputs:
            raise DataError(f"{self.checkpoint}: made with another model or feature set than the config's")
        self.net.load_state_dict(saved["net"])
        self.average_net.load_state_dict(saved["average"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.step = int(saved["step"])
        self.positions = int(saved["positions"])
        self.spent_seconds = float(saved["seconds"])
        self.figures = saved["validation"]
        self._validated_at = int(saved["validated_at"])
        self.report(f"resumed at step {self.step}, {self.spent_seconds / 60:.1f} minutes spent")
        feed: dict[str, Any] = saved["feed"]
        return feed

    def _source_factors(self) -> dict[str, Tensor]:
        """By head, a factor a source; only the heads for which some source has one other than 1."""
        factors = {}
        for head in self.config.heads:
            row = [source.heads.get(head, 1.0) for source in self.config.source]
            if any(factor != 1.0 for factor in row):
                factors[head] = torch.tensor(row, device=self.device.device)
        return factors

    def _loop(self, asked: threading.Event) -> None:
        config = self.config
        began = time.monotonic() - self.spent_seconds
        saved_at = looked_at = time.monotonic()
        logged = (time.monotonic(), self.positions)
        sums: dict[str, Tensor] = {}
        count = 0
        while self.spent() < 1.0 and not asked.is_set():
            rate = apply_rate(self.optimizer, config.optimizer, config.schedule, self.step, self.spent())
            for name, loss in self._one_step().items():
                sums[name] = sums[name] + loss if name in sums else loss
            count += 1
            self.step += 1
            self.average.update(self.step)
            if self.step % config.log_steps == 0:
                figures = {name: float(total) / count for name, total in sums.items()}
                now = time.monotonic()
                speed = (self.positions - logged[1]) / max(1e-9, now - logged[0])
                self._log(figures, rate, speed)
                sums, count, logged = {}, 0, (now, self.positions)
            now = time.monotonic()
            self.spent_seconds = now - began
            every = config.validation.every_steps
            if (self.step % every == 0) if every else now - looked_at >= config.validation.every_seconds:
                self._validate()
                looked_at = time.monotonic()
                logged = (looked_at, self.positions)
            if now - saved_at >= config.checkpoint_seconds:
                self.save()
                saved_at = time.monotonic()

    def _one_step(self) -> dict[str, Tensor]:
        """One optimizer step over ``accumulate`` batches; the heads' losses, averaged, on the device."""
        config = self.config
        self.net.train()
        self.optimizer.zero_grad(set_to_none=True)
        sums: dict[str, Tensor] = {}
        for _ in range(config.accumulate):
            _, stored = next(self.feed)
            batch = {name: item.to(self.device.device, non_blocking=True) for name, item in stored.items()}
            losses = self._losses(batch)
            torch.autograd.backward(total_loss(losses, config.heads) / config.accumulate)
            for name, loss in losses.items():
                part = loss.detach() / config.accumulate
                sums[name] = sums[name] + part if name in sums else part
            self.positions += config.batch
        if config.optimizer.clip:
            nn.utils.clip_grad_norm_(self.net.parameters(), config.optimizer.clip)
        self.optimizer.step()
        return sums

    def _losses(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        device, dtype = self.device.device, self.device.dtype
        planes = batch["planes"].to(dtype).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == torch.bfloat16):
            out = self._outputs(planes, batch["globals"].to(dtype))
        if not self.config.soft:
            batch["policy_prob"] = hard_policy(batch["policy_prob"])
        return head_losses(out, batch, self.factors)

    def _outputs(self, planes: Tensor, globals_: Tensor) -> dict[str, Tensor]:
        if self.forward is self.net:
            return self.net(planes, globals_)  # type: ignore[no-any-return]
        try:
            return self.forward(planes, globals_)
        except Exception as error:
            if self.step > 0:
                raise
            # A machine without a working compiler for kernels still trains, more slowly.
            self.report(f"torch.compile failed, going on without: {str(error).splitlines()[0][:160]}")
            self.forward = self.net
            return self.net(planes, globals_)  # type: ignore[no-any-return]

    def _log(self, figures: dict[str, float], rate: float, speed: float) -> None:
        total = sum(figures[head] * weight for head, weight in self.config.heads.items() if head in figures)
        if total != total:
            raise DataError(f"step {self.step}: the loss is not a number; lower the learning rate or clip")
        entry = {"loss": total, **figures, "learning_rate": rate, "positions_per_second": speed}
        self.journal.write("train", self.step, {**entry, "positions": self.positions, "spent": self.spent()})
        parts = " ".join(f"{name} {value:.3f}" for name, value in figures.items())
        self.report(f"step {self.step} {100 * self.spent():.1f}% {speed:,.0f} positions/s  {parts}")

    def _validate(self) -> None:
        if not self.validation or self._validated_at == self.step:
            return
        self._validated_at = self.step
        self.figures = measures(self.average_net, self.validation, self.device.device, self.device.dtype)
        self.journal.write(
            "validation",
            self.step,
            {"positions": self.positions, "seconds": self.spent_seconds, "sets": self.figures},
        )
        for title, row in self.figures.items():
            parts = " ".join(f"{name} {value:.4f}" for name, value in row.items() if name != "positions")
            self.report(f"  {title}: {parts}")


def train(
    config: TrainConfig,
    directory: Path,
    *,
    data: Path | None = None,
    resume: bool = False,
    report: Report | None = None,
) -> TrainingResult:
    """Trains as the config says, in ``directory``; ``data`` is where relative source paths begin.

    Draws the learning curve where matplotlib is installed. Raises ConfigError and DataError before any work
    is done.
    """
    from tengen.learn.curves import draw_curves
    from tengen.nets.feature_sets import feature_spec

    spec = feature_spec(config.feature_set)
    device = choose_device(config)
    if device.device.type == "cpu":
        torch.set_num_threads(max(1, device.threads))
    samplers = open_samplers(config, data, device.threads, config.symmetries)
    validation = open_validation(config, data, device.threads)
    trainer = Trainer(
        config,
        directory,
        samplers,
        validation,
        planes=spec.planes,
        globals_=spec.globals,
        resume=resume,
        report=report or (lambda text: print(text, file=sys.stderr, flush=True)),
    )
    result = trainer.run()
    draw_curves([directory], directory / "curve.png")
    return result
