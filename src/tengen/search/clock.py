"""From what a clock says to how long this move may take."""

from dataclasses import dataclass

from tengen.go.position import Position

__all__ = ["Clock", "moves_left"]


@dataclass(frozen=True)
class Clock:
    """What one side has on the clock, under any of GTP's time systems. Seconds.

    ``system``: none (no limit), absolute, canadian, byoyomi, fischer. ``stones`` are those left in a Canadian
    period, or the byo-yomi periods left; 0 while in main time. ``byo`` is the period's length or Fischer's
    increment, ``byo_stones`` what a fresh period asks (canadian) or the periods there are (byoyomi).
    """

    system: str
    left: float
    stones: int = 0
    main: float = 0.0
    byo: float = 0.0
    byo_stones: int = 0

    def budget(self, position: Position, lag: float = 0.3) -> float | None:
        """Seconds to think on this move so that the clock outlasts the game; None where there is no limit.

        ``lag`` is kept back on every move for what passes between engine and clock.
        """
        if self.system == "none":
            return None
        soon = moves_left(position)
        left = max(self.left, 0.0)
        if self.system == "absolute":
            return _after_lag(left / soon, left, lag)
        if self.system == "fischer":
            return _after_lag(left / soon + self.byo * 0.9, left, lag)
        if self.stones > 0:
            stones = self.stones if self.system == "canadian" else 1
            return _after_lag(left / stones, left, lag)
        # Main time with byo-yomi behind it: it may be used up a little sooner, and never pace below the period.
        pace = self.byo / self.byo_stones if self.system == "canadian" and self.byo_stones else self.byo
        return _after_lag(max(1.5 * left / soon, min(pace, left)), left + pace, lag)

    def most(self, lag: float = 0.3) -> float | None:
        """Seconds no thought on this move may ever take, whatever it finds; None where there is no limit."""
        if self.system == "none":
            return None
        behind = self.byo if self.stones == 0 and self.system in ("canadian", "byoyomi") else 0.0
        return max(max(self.left, 0.0) + behind - lag, 0.01)


def _after_lag(seconds: float, left: float, lag: float) -> float:
    """The share less the lag; never more than half of what is left beyond the lag, never nothing."""
    return max(min(seconds - lag, (left - lag) * 0.9), 0.01)


def moves_left(position: Position) -> int:
    """How many moves this side still has to make, at a guess: half the points not yet settled, never under 10."""
    area = position.width * position.height
    expected = 0.45 * area - 0.5 * position.move_number
    return max(int(expected), area // 14, 10)
