"""The exceptions of tengen. Every one quotes the input and the place it was found in."""

__all__ = [
    "ConfigError",
    "CoordinateError",
    "DataError",
    "EngineError",
    "IllegalMove",
    "RulesError",
    "SgfError",
    "TengenError",
]


class TengenError(Exception):
    """Base of every error a caller may want to catch. Its text is one line for a person."""


class CoordinateError(TengenError, ValueError):
    """A text or a number that names no point of the board at hand."""


class RulesError(TengenError, ValueError):
    """An unknown rule set or a field value no rule set has."""


class IllegalMove(TengenError, ValueError):
    """A move the rules forbid in this position."""


class SgfError(TengenError, ValueError):
    """A record that cannot be read in full: says which file, at which byte, and why."""

    def __init__(self, reason: str, *, source: str = "<text>", offset: int | None = None) -> None:
        self.reason = reason
        self.source = source
        self.offset = offset
        place = source if offset is None else f"{source}, byte {offset}"
        super().__init__(f"{place}: {reason}")


class ConfigError(TengenError, ValueError):
    """A parameter, an option or a configuration file that makes no sense."""


class DataError(TengenError):
    """A data file (net, graph, labels, checkpoint) that is corrupt, foreign or missing."""


class EngineError(TengenError):
    """Another program that died, hung, or answered what it should not."""
