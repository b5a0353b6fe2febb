"""What a training run is asked to do, as frozen dataclasses read from TOML.

Plain dataclasses rather than pydantic: the training core runs wherever torch and numpy are, nothing else
installed.
"""

from __future__ import annotations

import dataclasses
import tomllib
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.errors import ConfigError

__all__ = [
    "HEADS",
    "DataSource",
    "ModelConfig",
    "OptimizerConfig",
    "ScheduleConfig",
    "TrainConfig",
    "ValidationConfig",
    "as_dict",
    "config_from",
    "load_config",
    "parse_config",
    "train_only",
]

HEADS = ("policy", "played", "value", "score", "ownership")
"""What a net may be asked: teacher's policy, the move that was played, who wins, by how much, whose each
point is.
"""

POLICY_HEADS = ("policy", "played")

Config = typing.TypeVar("Config")


def _between(owner: object, name: str, low: float, high: float) -> None:
    value = getattr(owner, name)
    if not low <= value <= high:
        raise ConfigError(f"{name} = {value}: between {low:g} and {high:g} expected")


def _one_of(owner: object, name: str, choices: tuple[str, ...]) -> None:
    value = getattr(owner, name)
    if value not in choices:
        raise ConfigError(f"{name} = {value!r}: one of {', '.join(choices)} expected")


@dataclass(frozen=True)
class ModelConfig:
    """The shape of a net. Fields that a kind does not use are ignored by it."""

    kind: str = "residual"
    """residual, convolution (plain) or dann."""
    channels: int = 64
    """Feature maps of the trunk (residual, convolution)."""
    blocks: int = 6
    """Residual blocks of two convolutions, or plain convolutions."""
    norm: str = "none"
    """batch, standardized or none. ``batch`` suits one board size; by turns of several its averages fit
    none.
    """
    pool_every: int = 3
    """Every so many residual blocks one has a pooled bias; 0 = none."""
    pool_channels: int = 16
    """Maps such a bias is computed from."""
    stem: int = 3
    """Kernel of the first convolution (residual, convolution)."""
    layers: str = "6AL"
    """dann: the order of layers as in Table 2, e.g. ``2C_AL_3C``."""
    widths: tuple[int, ...] = (64, 128, 256, 512, 512, 512)
    """dann: kernels of each layer. The paper sizes five of its six; the sixth is as the fifth here."""
    steps: int = 3
    """dann: T of Eq. 1, 0..16."""
    lrn: bool = True
    """dann: Eq. 2 after every ReLU."""
    lrn_alpha: float = 1e-3
    lrn_beta: float = 0.75
    recurrent_gain: float = 0.3
    """dann: scale of the recurrent kernels at the start, times He's."""
    max_pool: tuple[int, ...] = ()
    """dann: 1-based layers followed by a 2x2 maximum, stride 2 (needs ``fully_connected``)."""
    fully_connected: int = 0
    """dann: units of the two fully connected layers before the softmax (1024 in the paper); 0 =
    convolutional heads, which serve every board size.
    """
    head_channels: int = 32
    """Maps inside the heads."""
    value_units: int = 64
    """Units between the pooled maps and the value and the score."""

    def __post_init__(self) -> None:
        _one_of(self, "kind", ("residual", "convolution", "dann"))
        _one_of(self, "norm", ("batch", "standardized", "none"))
        _between(self, "channels", 1, 4096)
        _between(self, "blocks", 1, 200)
        _between(self, "steps", 0, 16)
        _between(self, "head_channels", 1, 1024)
        _between(self, "value_units", 1, 4096)
        _between(self, "fully_connected", 0, 16384)
        if self.stem not in (1, 3, 5, 7):
            raise ConfigError(f"stem = {self.stem}: 1, 3, 5 or 7 expected")
        if self.max_pool and not self.fully_connected:
            raise ConfigError("max_pool shrinks the board: it needs fully_connected heads")


@dataclass(frozen=True)
class OptimizerConfig:
    kind: str = "adamw"
    """adamw, or sgd (the paper: momentum 0.9, learning rate 3e-3, weight decay 5e-3)."""
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    momentum: float = 0.9
    """sgd only."""
    beta1: float = 0.9
    beta2: float = 0.99
    clip: float = 1.0
    """Longest gradient allowed (norm over all weights); 0 = any."""

    def __post_init__(self) -> None:
        _one_of(self, "kind", ("adamw", "sgd"))
        _between(self, "learning_rate", 0.0, 100.0)
        _between(self, "weight_decay", 0.0, 10.0)


@dataclass(frozen=True)
class ScheduleConfig:
    """Learning rate by the share of the budget (steps or hours) that is spent."""

    kind: str = "cosine"
    """cosine, drops or constant."""
    warmup_steps: int = 200
    """Linear from 0; 0 = none."""
    final: float = 0.01
    """cosine: the rate at the end, as a share of the full rate."""
    drops: tuple[float, ...] = (0.5, 0.75, 0.9)
    """drops: shares of the budget at which rate (and, for sgd, weight decay, as in the paper) fall by ten."""

    def __post_init__(self) -> None:
        _one_of(self, "kind", ("cosine", "drops", "constant"))
        _between(self, "final", 0.0, 1.0)
        _between(self, "warmup_steps", 0, 10**9)


@dataclass(frozen=True)
class DataSource:
    """A directory made by ``tengen data build``, and how often a position is drawn from it."""

    path: str
    weight: float = 1.0
    targets: str | None = None
    """labels, moves, or what the directory has."""
    names: tuple[str, ...] | None = None
    """Patterns of the source files' names to take, e.g. ``train-*``."""
    label: str = ""
    """Its name in logs; by default the directory's and the targets'."""
    heads: dict[str, float] = field(default_factory=dict)
    """Factors on the losses of this source by head, default 1; 0 = this source does not teach that head."""

    def __post_init__(self) -> None:
        _between(self, "weight", 0.0, 1e9)
        if self.targets not in (None, "labels", "moves"):
            raise ConfigError(f"targets = {self.targets!r}: labels or moves expected")
        _check_heads(self.heads)

    @property
    def title(self) -> str:
        return self.label or f"{Path(self.path).name}-{self.targets or 'auto'}"


@dataclass(frozen=True)
class ValidationConfig:
    positions: int = 4096
    """Positions per source and board size, the same at every look."""
    every_seconds: float = 120.0
    every_steps: int = 0
    """Instead of seconds, where given: then a run can be repeated exactly."""
    source: tuple[DataSource, ...] = ()
    """What to validate on; by default the training sources' own held-out games."""


@dataclass(frozen=True)
class TrainConfig:
    """One run. ``hours`` and ``steps`` both bound it: whichever is reached first (0 = not a bound)."""

    name: str
    source: tuple[DataSource, ...] = ()
    seed: int = 1
    feature_set: str = "pocket"
    batch: int = 256
    """Positions a forward pass."""
    accumulate: int = 1
    """Passes (each a batch) a step."""
    hours: float = 0.0
    steps: int = 0
    boards: dict[str, float] = field(default_factory=lambda: {"19": 1.0})
    """Share of the batches that each board size gets."""
    heads: dict[str, float] = field(default_factory=lambda: {"policy": 1.0})
    """The heads to train, each with the weight of its loss."""
    model: ModelConfig = field(default_factory=ModelConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)
    symmetries: bool = True
    """Each position turned by one of the board's eight symmetries, drawn anew whenever it is."""
    soft: bool = True
    """A judge's policy as its probabilities; false: its most probable move alone, as if that had been played."""
    ema: float = 0.999
    """Decay a step of the averaged weights, which are those validated and exported; 0 = the last weights."""
    checkpoint_seconds: float = 60.0
    log_steps: int = 50
    threads: int = 0
    """Threads of the input pipeline; 0 = all cores but one where there is a GPU, else one."""
    device: str = "auto"
    """auto, cpu, cuda, mps."""
    precision: str = "auto"
    """auto (bf16 where the device has it in hardware), bf16 or fp32."""
    compile: str = "auto"
    """auto (on CUDA for an hour or more), on, off: torch.compile."""
    init: str = ""
    """A .safetensors file to start from (same shape), e.g. to fine-tune."""

    def __post_init__(self) -> None:
        _between(self, "batch", 1, 10**6)
        _between(self, "accumulate", 1, 10**4)
        _between(self, "hours", 0.0, 10**5)
        _between(self, "steps", 0, 10**12)
        _between(self, "ema", 0.0, 0.999999)
        _one_of(self, "precision", ("auto", "bf16", "fp32"))
        _one_of(self, "compile", ("auto", "on", "off"))
        _check_heads(self.heads)
        if not self.heads:
            raise ConfigError("heads: at least one of " + ", ".join(HEADS) + " expected")
        for board, share in self.boards.items():
            if not (board.isdigit() and 2 <= int(board) <= 25) or share < 0:
                raise ConfigError(
                    f"boards: {board} = {share}: a size 2..25 and a share of 0 or more expected"
                )
        if sum(self.boards.values()) <= 0:
            raise ConfigError("boards: no size has a share above 0")
        if self.model.fully_connected and len(self.board_shares) > 1:
            raise ConfigError("fully_connected heads serve one board size only")

    @property
    def board_shares(self) -> tuple[tuple[int, float], ...]:
        """Board sizes trained on with their share of batches, largest board first; shares sum to 1."""
        total = sum(self.boards.values())
        pairs = [(int(board), share / total) for board, share in self.boards.items() if share > 0]
        return tuple(sorted(pairs, reverse=True))


def _check_heads(heads: dict[str, float]) -> None:
    for head, weight in heads.items():
        if head not in HEADS:
            raise ConfigError(f"heads: {head!r}: one of {', '.join(HEADS)} expected")
        if not weight >= 0:
            raise ConfigError(f"heads: {head} = {weight}: 0 or more expected")


def train_only(config: TrainConfig, what: str) -> TrainConfig:
    """The same run for ``policy`` heads only, the ``value`` side only (value, score, ownership), or ``both``.

    A head that ``what`` calls for and the file does not name is added with weight 1.
    """
    if what == "both":
        wanted = dict(config.heads)
        for head in ("policy", "value"):
            if not any(name in wanted for name in (POLICY_HEADS if head == "policy" else ("value",))):
                wanted[head] = 1.0
    elif what == "policy":
        wanted = {head: weight for head, weight in config.heads.items() if head in POLICY_HEADS} or {
            "policy": 1.0
        }
    elif what == "value":
        wanted = {head: weight for head, weight in config.heads.items() if head not in POLICY_HEADS}
        wanted.setdefault("value", 1.0)
    else:
        raise ConfigError(f"train {what!r}: policy, value or both expected")
    return dataclasses.replace(config, heads=wanted)


def load_config(path: Path) -> TrainConfig:
    """Reads a TOML file. Raises ConfigError naming the file, the table and the key that is wrong."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return parse_config(table, str(path))


def parse_config(table: dict[str, Any], place: str = "<config>") -> TrainConfig:
    """A table as TOML gives it; ``model`` may be a preset's name, or a table with a ``preset`` and changes
    to it.
    """
    from tengen.learn.presets import model_table

    table = dict(table)
    if "model" in table:
        table["model"] = model_table(table["model"], f"{place}: model")
    return config_from(TrainConfig, table, place)


def as_dict(config: Any) -> dict[str, Any]:
    """Plain data that ``parse_config`` reads back to an equal config."""
    return dataclasses.asdict(config)


def config_from(kind: type[Config], table: dict[str, Any], place: str) -> Config:
    """A dataclass from a table; unknown keys, missing keys and wrong types are ConfigErrors with their
    place.
    """
    hints = typing.get_type_hints(kind)
    fields = {item.name: item for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(table) - set(fields))
    if unknown:
        raise ConfigError(f"{place}: unknown key {unknown[0]!r}; known: {', '.join(fields)}")
    values = {key: _typed(hints[key], value, f"{place}: {key}") for key, value in table.items()}
    for name, item in fields.items():
        required = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if required and name not in values:
            raise ConfigError(f"{place}: {name} is missing")
    try:
        return kind(**values)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from error


def _typed(hint: Any, value: Any, place: str) -> Any:
    """``value`` as the type ``hint``; whole numbers pass as floats, lists as tuples."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _typed(next(item for item in arguments if item is not type(None)), value, place)
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{place}: a table expected, not {value!r}")
        return config_from(typing.cast(type, hint), value, place)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{place}: a list expected, not {value!r}")
        return tuple(_typed(arguments[0], item, f"{place}[{index}]") for index, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{place}: a table expected, not {value!r}")
        return {str(key): _typed(arguments[1], item, f"{place}.{key}") for key, item in value.items()}
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise ConfigError(f"{place}: {hint.__name__} expected, not {value!r}")
    return value
