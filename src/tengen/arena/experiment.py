"""The papers' tables and figures as data, and our figures beside theirs.

An experiment is a TOML file: what to play or to measure, and under ``[[value]]`` each number of the paper
with where ours comes from. Three kinds:

* ``matches``: one or more tournaments (``[[part]]``); a value is a measure of one of them. ``{out}`` in a
  player's specification is the run's folder;
* ``command``: a value is a key of the JSON object a command of ours prints (``tengen bench ... --json``). In
  the command ``{data}`` is the folder given by ``--data``, ``{package}`` the package's own, and
  ``{scaled:500}`` that number times the scale;
* ``python``: a function by dotted name gives rows ``{"label", "value", "low", "high"}`` (for curves also
  ``x`` and ``series``); it is called with ``scale``, ``seed``, ``workers`` and the file's ``[options]``, with
  ``data`` where it takes one and ``--data`` was given, and with ``out``, a folder to work in, where it takes
  one.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from tengen.arena.conditions import Strict, validation_text
from tengen.arena.specs import PlayerSpec
from tengen.arena.tournament import TournamentConfig, make_schedule, read_toml
from tengen.errors import ConfigError, TengenError

__all__ = ["Experiment", "Part", "Value", "find_experiment", "load_experiment", "shipped_experiments"]

MEASURES = (
    "score",
    "wins",
    "draws",
    "losses",
    "seconds_per_move",
    "slowest_move",
    "peak_memory_mib",
    "moves_per_game",
)
"""``score``, ``wins``, ``draws`` and ``losses`` are shares of the player's games, the others his means or
maxima.
"""

PERCENT = frozenset({"score", "wins", "draws", "losses"})


class Part(Strict):
    """One tournament of an experiment."""

    name: str = "games"
    tournament: TournamentConfig


class Value(Strict):
    """A number of the paper (where it has one) and what of ours to put beside it."""

    label: str
    paper: float | None = None
    part: str = "games"
    measure: str = "score"
    player: str | None = None
    opponent: str | None = None
    color: Literal["black", "white"] | None = None
    command: str | None = None
    key: str | None = None
    of: str | None = None
    """Key of the number of trials, where the value is a share of them: then it gets an interval."""


class Experiment(Strict):
    """A table or figure of a paper."""

    name: str
    title: str
    paper: Literal["mucgo", "dann", "cygo", "graph", "capture", "tengen"]
    source: str
    kind: Literal["matches", "command", "python"] = "matches"
    about: str = ""
    unit: str = ""
    figure: Literal["intervals", "bars", "stacked", "curves"] = "intervals"
    x_name: str = ""
    call: str | None = None
    options: dict[str, Any] = {}
    separate: bool = False
    """Whether our systems must have processes of their own, as a comparison of memory needs."""
    needs: list[str] = []
    """Python modules, or systems as ``system:NAME``, without which it cannot run."""
    part: list[Part] = []
    value: Annotated[list[Value], Field(min_length=1)]

    @model_validator(mode="after")
    def _whole(self) -> Experiment:
        if self.kind == "matches":
            if not self.part:
                raise ValueError("kind matches: a [[part]] expected")
            self._check_values()
        elif self.kind == "python" and not self.call:
            raise ValueError("kind python: call expected")
        elif self.kind == "command" and not all(value.command and value.key for value in self.value):
            raise ValueError("kind command: every value has a command and a key")
        return self

    def _check_values(self) -> None:
        parts = {part.name: part for part in self.part}
        if len(parts) != len(self.part):
            raise ValueError("parts need different names")
        for value in self.value:
            if value.part not in parts:
                raise ValueError(f"value {value.label!r}: no part {value.part!r}")
            if value.measure not in MEASURES:
                raise ValueError(
                    f"value {value.label!r}: measure {value.measure!r}: one of {', '.join(MEASURES)}"
                )
            names = {entry.player().name for entry in parts[value.part].tournament.players}
            for name in (value.player, value.opponent):
                if name is not None and name not in names:
                    raise ValueError(f"value {value.label!r}: no player {name!r} in part {value.part!r}")
            if value.player is None and value.measure != "moves_per_game":
                raise ValueError(f"value {value.label!r}: whose {value.measure}?")

    @property
    def games(self) -> int:
        """At full scale."""
        return sum(make_schedule(part.tournament).most_games for part in self.part)

    def missing(self, systems: Collection[str]) -> list[str]:
        """What is not there: systems, programs, modules. A missing program is left out of a run, not an
        obstacle.
        """
        lacking = [f"system {name}" for name in self.systems() if name not in systems]
        lacking += [f"program {name}" for name in self.programs() if program_path(name) is None]
        for need in self.needs:
            if need.startswith("system:"):
                if need.removeprefix("system:") not in systems:
                    lacking.append(f"system {need.removeprefix('system:')}")
            elif not _importable(need):
                lacking.append(f"module {need}")
        return list(dict.fromkeys(lacking))

    def systems(self) -> list[str]:
        """Engine names its players are of, in order."""
        return list(dict.fromkeys(spec.system for spec in self.specs() if spec.system))

    def programs(self) -> list[str]:
        return list(dict.fromkeys(shlex.split(spec.command)[0] for spec in self.specs() if spec.command))

    def specs(self) -> Iterator[PlayerSpec]:
        """Every player of every part."""
        for part in self.part:
            for entry in part.tournament.players:
                yield entry.player()


def program_path(name: str) -> str | None:
    """Where a program is, Debian's games folder included."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")


def _importable(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def load_experiment(path: Path) -> Experiment:
    """ConfigError names the file and the path of every wrong key."""
    fields = {"name": path.stem, **read_toml(path)}
    try:
        return Experiment.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{path}: {validation_text(error)}") from None
    except TengenError as error:
        raise ConfigError(f"{path}: {error}") from None


def shipped_experiments() -> dict[str, Path]:
    """The experiments that come with the package, by name."""
    folder = Path(str(resources.files("tengen"))) / "data" / "experiments"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_experiment(name: str) -> Path:
    """A file as given, or the shipped experiment of that name."""
    path = Path(name)
    if path.suffix == ".toml":
        return path
    shipped = shipped_experiments()
    if name not in shipped:
        raise ConfigError(
            f"experiment {name!r}: no such file, and the package has {', '.join(sorted(shipped))}"
        )
    return shipped[name]


def resolve_call(dotted: str) -> Callable[..., Any]:
    """The function ``package.module:name`` names. ConfigError when there is none."""
    from importlib import import_module

    module, _, name = dotted.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"call {dotted!r}: {error}") from None
    if not callable(found):
        raise ConfigError(f"call {dotted!r}: not a function")
    function: Callable[..., Any] = found
    return function


def without_missing(config: TournamentConfig, absent: Collection[str]) -> TournamentConfig | None:
    """The tournament without players whose program is absent; None when fewer than two are left."""
    kept = []
    for entry in config.players:
        spec = entry.player()
        if spec.command is None or shlex.split(spec.command)[0] not in absent:
            kept.append(entry)
    if len(kept) < 2 or (config.kind == "gauntlet" and kept[0] is not config.players[0]):
        return None
    return config.model_copy(update={"players": kept})


def override(config: TournamentConfig, changes: Mapping[str, Any]) -> TournamentConfig:
    """The tournament under changed conditions (``seconds``, ``playouts``), for every player alike."""
    if not changes:
        return config
    conditions = config.conditions.model_copy(update=dict(changes))
    return config.model_copy(update={"conditions": conditions})
