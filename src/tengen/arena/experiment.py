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

from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from tengen.arena.conditions import Strict, validation_text
from tengen.arena.specs import PlayerSpec, program_path
from tengen.arena.tournament import TournamentConfig, make_schedule, read_toml
from tengen.errors import ConfigError, TengenError

__all__ = ["Experiment", "Part", "Value", "find_experiment", "load_experiment", "shipped_experiments"]

PERCENT = frozenset({"score", "wins", "draws", "losses"})
"""Measures that are shares of the player's games; the others are his means or maxima."""

UNITS = dict.fromkeys(sorted(PERCENT), ("%", 100.0)) | {
    "seconds_per_move": ("s", 1.0),
    "slowest_move": ("s", 1.0),
    "peak_memory_mib": ("MiB", 1.0),
    "moves_per_game": ("moves", 1.0),
}
"""Every measure of a tournament: its unit, and the factor from the number as it is kept."""


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
    """Key of the number of trials, where the value is a share of them or a mean over them: then it gets an
    interval.
    """
    deviation: str | None = None
    """Key of the standard deviation of the trials, where the value is their mean."""
    unless: str | None = None
    """Key that says why the value is not there, where the command gives one."""


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
            if value.measure not in UNITS:
                raise ValueError(
                    f"value {value.label!r}: measure {value.measure!r}: one of {', '.join(UNITS)}"
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

    def missing(self, systems: Collection[str] | None) -> list[str]:
        """What is not there: ``system X``, ``program Y``, ``module Z``. ``systems`` are those there are; None:
        whatever is asked for.
        """
        return list(dict.fromkeys([*self.absent(systems), *self.obstacles(systems)]))

    def can_run(self, systems: Collection[str] | None) -> bool:
        """Whether anything of it can be played or measured with what is here."""
        absent = self.absent(systems)
        parts = [without_missing(part.tournament, absent) for part in self.part]
        return not self.obstacles(systems) and (not parts or any(part is not None for part in parts))

    def absent(self, systems: Collection[str] | None) -> list[str]:
        """What its players need and is not there; a run leaves those players out."""
        found = []
        for spec in self.specs():
            if spec.system is not None:
                here = systems is None or spec.system in systems
            else:
                here = program_path(spec.needs.removeprefix("program ")) is not None
            if not here:
                found.append(spec.needs)
        return list(dict.fromkeys(found))

    def obstacles(self, systems: Collection[str] | None) -> list[str]:
        """What of ``needs`` is not there; without it nothing can be run."""
        found = []
        for need in self.needs:
            system = need.removeprefix("system:")
            if system == need:
                found += [] if _importable(need) else [f"module {need}"]
            elif systems is not None and system not in systems:
                found.append(f"system {system}")
        return found

    def specs(self) -> Iterator[PlayerSpec]:
        """Every player of every part."""
        for part in self.part:
            for entry in part.tournament.players:
                yield entry.player()


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
    """The tournament without players whose program or system is absent (``PlayerSpec.needs``); None when fewer
    than two are left, or a gauntlet has lost its first.
    """
    kept = [entry for entry in config.players if entry.player().needs not in absent]
    if len(kept) < 2 or (config.kind == "gauntlet" and kept[0] is not config.players[0]):
        return None
    return config.model_copy(update={"players": kept})


def override(config: TournamentConfig, changes: Mapping[str, Any]) -> TournamentConfig:
    """The tournament under changed conditions (``seconds``, ``playouts``), for every player alike."""
    if not changes:
        return config
    return config.changed(conditions=config.conditions.changed(**changes))
