"""The systems by name. Each lives in a module of its own, imported when first asked for."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from typing import Any

from tengen.errors import ConfigError
from tengen.players import Player

__all__ = ["SYSTEMS", "Resources", "System", "make_player", "parse_spec"]


@dataclass(frozen=True)
class Resources:
    """What a player may use: set by whoever runs it, not by its design."""

    threads: int = 1
    memory_mb: float = 256.0
    seed: int = 1
    level: str | None = None
    net: str | None = None
    graph: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.threads <= 256:
            raise ConfigError(f"threads {self.threads}: between 1 and 256 expected")
        if not 8 <= self.memory_mb <= 50_000:
            raise ConfigError(f"memory {self.memory_mb} MB: between 8 and 50000 expected")


@dataclass(frozen=True)
class System:
    """One way of playing. Its module has ``parameters``, a frozen dataclass, and ``build(parameters, resources)``."""

    name: str
    summary: str
    citation: str
    module: str
    parameters: str = "Parameters"
    build: str = "build"

    def parameter_type(self) -> type:
        found: type = getattr(import_module(self.module), self.parameters)
        return found

    def make(self, given: Mapping[str, str], resources: Resources) -> Player:
        """A player with the parameters given as texts; ConfigError for one it does not have."""
        parameters = parse_parameters(self.name, self.parameter_type(), given)
        player: Player = getattr(import_module(self.module), self.build)(parameters, resources)
        return player


_BASELINES = "tengen.systems.baselines"

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System(
            "random",
            "any legal move that fills no own eye",
            "",
            _BASELINES,
            "RandomParameters",
            "build_random",
        ),
        System(
            "greedy",
            "the best-looking move by domain knowledge, no search",
            "",
            _BASELINES,
            "GreedyParameters",
            "build_greedy",
        ),
        System(
            "uct",
            "plain UCT: UCB1 and playouts",
            "Kocsis and Szepesvari 2006",
            _BASELINES,
            "UctParameters",
            "build_uct",
        ),
        System(
            "rave",
            "UCT with RAVE, knowledge priors and guided playouts",
            "Gelly and Silver 2011",
            _BASELINES,
            "RaveParameters",
            "build_rave",
        ),
        System("mucgo", "MCTS for the middle game on a low-cost PC", "mucgo", "tengen.systems.mucgo"),
        System(
            "graph", "the search as a graph kept on disk from game to game", "graph", "tengen.systems.graph"
        ),
        System("dann", "a convolutional-recurrent move predictor, no tree", "dann", "tengen.systems.dann"),
        System(
            "capture", "Capture Go by a bred evaluator and alpha-beta", "capture", "tengen.systems.capture"
        ),
        System(
            "tengen", "the strongest composition of what there is (the default)", "", "tengen.systems.tengen"
        ),
    )
}


def parse_parameters(owner: str, kind: type, given: Mapping[str, str]) -> Any:
    """An instance of a dataclass from texts; each value takes the type of the field's default."""
    known = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for key, text in given.items():
        name = key.strip().replace("-", "_")
        if name not in known:
            raise ConfigError(
                f"{owner} has no parameter {key!r}; it has {', '.join(sorted(known)) or 'none'}"
            )
        field = known[name]
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        values[name] = _value(owner, name, text, default)
    return kind(**values)


def _value(owner: str, name: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[
                text.lower()
            ]
        if isinstance(default, int):
            return int(text)
        if isinstance(default, float):
            return float(text)
    except (ValueError, KeyError):
        raise ConfigError(f"{owner}: {name}={text!r} is no {type(default).__name__}") from None
    return text


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """``mucgo:f=0.6,threads=1`` as a name and its parameters."""
    name, _, rest = spec.partition(":")
    given: dict[str, str] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"{spec!r}: key=value expected at {part!r}")
        given[key.strip()] = value.strip()
    return name.strip(), given


def make_player(spec: str, resources: Resources | None = None) -> Player:
    """A player from ``name`` or ``name:key=value,..``. Resources (threads, seed, net ..) may be named there too."""
    resources = resources or Resources()
    name, given = parse_spec(spec)
    system = SYSTEMS.get(name)
    if system is None:
        raise ConfigError(f"engine {name!r}: one of {', '.join(SYSTEMS)} expected")
    own = {field.name for field in fields(system.parameter_type())}
    shared = {field.name for field in fields(Resources)}
    aliases = {"memory": "memory_mb"}
    changes: dict[str, str] = {}
    for key in list(given):
        alias = aliases.get(key, key)
        if alias in shared and key not in own:
            changes[alias] = given.pop(key)
    if changes:
        merged = {field.name: getattr(resources, field.name) for field in fields(Resources)}
        for key, text in changes.items():
            default = merged[key] if merged[key] is not None else ""
            merged[key] = _value(name, key, text, default)
        resources = Resources(**merged)
    return system.make(given, resources)
