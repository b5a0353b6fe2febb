"""Who plays, as text: ``mucgo:f=0.6,threads=1`` is a system of ours, ``cmd:gnugo --mode gtp`` another
program.

Pure data. The commands build players from it; the arena only needs names.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tengen.errors import ConfigError

__all__ = ["PlayerSpec", "command_words", "distinct", "program_path"]

PROGRAM_PREFIX = "cmd:"
_SEED = "{seed}"


@dataclass(frozen=True)
class PlayerSpec:
    """One contestant. ``name`` is how tables call it; the rest says what to build.

    Exactly one of ``system`` and ``command`` is set. The limits are this player's own and override the
    match's. A ``{seed}`` in a command is replaced by the game's seed, so that a program can be made to repeat
    its games; it is then started anew for every game.
    """

    name: str
    system: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None
    playouts: int | None = None
    visits: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if (self.system is None) == (self.command is None):
            raise ConfigError(f"player {self.name!r}: either a system or a command expected")
        object.__setattr__(self, "parameters", dict(self.parameters))

    def __hash__(self) -> int:
        return hash((self.name, self.text, self.playouts, self.visits, self.seconds))

    @staticmethod
    def parse(text: str, name: str | None = None) -> PlayerSpec:
        """``system``, ``system:key=value,...`` or ``cmd:words``; ``label@...`` gives a name of one's own."""
        label, body = _split_label(text.strip())
        name = name or label or body
        if body.startswith(PROGRAM_PREFIX):
            command = body.removeprefix(PROGRAM_PREFIX).strip()
            try:
                words = command_words(command)
            except ValueError as error:
                raise ConfigError(f"player {text!r}: {error}") from None
            if not words:
                raise ConfigError(f"player {text!r}: a command expected after {PROGRAM_PREFIX}")
            return PlayerSpec(name, command=command)
        system, _, rest = body.partition(":")
        if not system or any(letter.isspace() for letter in system):
            raise ConfigError(
                f"player {text!r}: a system (mucgo:f=0.6,threads=1) or a command "
                "(cmd:gnugo --mode gtp) expected"
            )
        return PlayerSpec(name, system=system, parameters=_parse_parameters(rest, text))

    @property
    def text(self) -> str:
        """The form ``parse`` takes, without the label."""
        if self.command is not None:
            return PROGRAM_PREFIX + self.command
        rest = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.system}:{rest}" if rest else str(self.system)

    @property
    def is_program(self) -> bool:
        return self.command is not None

    @property
    def needs(self) -> str:
        """What must be there for this player: ``system mucgo`` or ``program gnugo``."""
        if self.command is not None:
            return f"program {command_words(self.command)[0]}"
        return f"system {self.system}"

    @property
    def takes_seed(self) -> bool:
        """Whether the command must be started anew for every game, with that game's seed."""
        return self.command is not None and _SEED in self.command

    def command_with_seed(self, seed: int) -> str:
        """The command line to run; programs are given 31 bits, since many read an int."""
        if self.command is None:
            raise ConfigError(f"player {self.name!r} is a system of ours, no command")
        return self.command.replace(_SEED, str(seed & 0x7FFFFFFF))

    def renamed(self, name: str) -> PlayerSpec:
        return replace(self, name=name)


def command_words(text: str, *, windows: bool = os.name == "nt") -> list[str]:
    """A command line as the words to run, quoted as in a shell; on Windows a backslash is part of a path, and
    double quotes hold words together. ValueError for a quote that does not end.
    """
    if not windows:
        return shlex.split(text)
    if text.count('"') % 2:
        raise ValueError("No closing quotation")
    return [word.replace('"', "") for word in re.findall(r'(?:[^\s"]|"[^"]*")+', text)]


def _split_label(text: str) -> tuple[str | None, str]:
    label, at, rest = text.partition("@")
    if at and label.strip() and ":" not in label:
        return label.strip(), rest.strip()
    return None, text


def _parse_parameters(text: str, whole: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"player {whole!r}: key=value expected, not {part!r}")
        if key.strip() in parameters:
            raise ConfigError(f"player {whole!r}: {key.strip()!r} stands twice")
        parameters[key.strip()] = value.strip()
    return parameters


def program_path(name: str) -> str | None:
    """Where a program is, Debian's games folder included, which many PATHs leave out; None where it is not."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")


def distinct(specs: list[PlayerSpec]) -> list[PlayerSpec]:
    """The same players with names no two share: the second of a name gets ``#2``."""
    seen: dict[str, int] = {}
    renamed = []
    for spec in specs:
        seen[spec.name] = seen.get(spec.name, 0) + 1
        renamed.append(spec if seen[spec.name] == 1 else spec.renamed(f"{spec.name}#{seen[spec.name]}"))
    return renamed
