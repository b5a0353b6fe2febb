"""The parameters of guided playouts."""

from dataclasses import dataclass, fields

from tengen.errors import ConfigError

__all__ = ["GuidedParameters"]


@dataclass(frozen=True)
class GuidedParameters:
    """How often each rule of a guided playout is tried, and how strongly shapes pull.

    Chances are 0..1. Set by experiment on 9x9 (docs/knowledge.md).
    """

    capture: float = 0.9
    """Take the chain of the last move when it is in atari."""
    save: float = 0.9
    """Save own chains the last move put in atari, by a capture or by running out to two liberties or more."""
    ladder: float = 0.25
    """Read whether a run to two liberties ends in a ladder; otherwise such a run counts as safe."""
    attack: float = 0.7
    """Put the last move's chain of two liberties in atari where it has no good way out; guard own such
    chains."""
    nakade: float = 1.0
    """Play the vital point of a small eye beside the last move."""
    local_factor: float = 10.0
    """Weight of a point beside the last move, times that of its shape. 0: such points are left to chance."""
    diagonal_factor: float = 6.0
    """The same for the four diagonal points."""
    elsewhere: float = 0.6
    """What an empty point of the whole board weighs against those round the last move, on 9x9; on a larger board
    less, so that a move is answered nearby as often."""
    throw_in: float = 1.0
    """Allow a self-atari that gains nothing, of one stone, where it was drawn anyway."""
    reply: float = 0.0
    """Before all else answer as in the last playout of this search that was won with an answer to this move (last good
    reply with forgetting, Baier and Drake 2010). Off: it lost games on 9x9."""
    candidates: int = 3
    """Points drawn for a move anywhere; one is chosen by the weight of its shape. 1: uniform."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("local_factor", "diagonal_factor", "elsewhere"):
                good = value >= 0.0
            elif field.name == "candidates":
                good = 1 <= value <= 16
            else:
                good = 0.0 <= value <= 1.0
            if not good:
                raise ConfigError(f"guided playouts: {field.name}={value} is out of range")
