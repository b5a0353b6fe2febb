"""What an engine is started with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tengen.go.rules import Rules
    from tengen.players import Player

__all__ = ["COMPATS", "Compat", "EngineSettings"]


class Compat(NamedTuple):
    """The name and version a front end insists on."""

    name: str = "tengen"
    version: str = ""


COMPATS = {
    "": Compat(),
    # Lizzie 0.7.4 reads kata-analyze from what calls itself KataGo and asks nothing of its version.
    "lizzie": Compat("KataGo (tengen)", "1.15.0"),
}


class EngineSettings:
    """What the command line says, as far as the engine itself needs it; see ``tengen gtp --help``.

    ``build`` makes the player; its argument asks for one that plays the same move every time it is built.
    ``rules`` gives those of the first game. ``seconds``, ``playouts``, ``visits`` (None: no such limit) and
    ``ponder`` may be changed while the engine runs.
    """

    # Not a dataclass: that import alone takes as long as everything else before `name` is answered.
    def __init__(
        self,
        *,
        build: Callable[[bool], Player],
        rules: Callable[[], Rules],
        title: str = "tengen",
        seconds: float | None = None,
        playouts: int | None = None,
        visits: int | None = None,
        ponder: bool = False,
        compat: Compat = COMPATS[""],
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.build = build
        self.rules = rules
        self.title = title
        self.seconds = seconds
        self.playouts = playouts
        self.visits = visits
        self.ponder = ponder
        self.compat = compat
        self.log = log
