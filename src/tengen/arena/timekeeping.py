"""The referee's clock: what a player may use, and when his flag falls."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tengen.errors import ConfigError

__all__ = ["ClockSettings", "GameClock"]

_FORM = (
    "60 (absolute), 60/30/10 (Canadian: 10 stones in 30 s), 60/10x5 (five periods of 10 s) or 60+2 (Fischer)"
)


@dataclass(frozen=True)
class ClockSettings:
    """A time system. ``byo_stones`` is the number of periods when the system is ``byoyomi``."""

    system: str
    main_time: float
    byo_time: float = 0.0
    byo_stones: int = 0

    @staticmethod
    def parse(text: str) -> ClockSettings:
        """See ``_FORM``; ``format`` gives the text back."""
        number = r"(\d+(?:\.\d+)?)"
        forms = {
            "absolute": rf"{number}",
            "canadian": rf"{number}/{number}/(\d+)",
            "byoyomi": rf"{number}/{number}x(\d+)",
            "fischer": rf"{number}\+{number}",
        }
        for system, form in forms.items():
            if match := re.fullmatch(form, text.strip()):
                main, *rest = match.groups()
                byo = float(rest[0]) if rest else 0.0
                stones = int(rest[1]) if len(rest) > 1 else 0
                if (system in ("canadian", "byoyomi") and not (byo > 0 and stones > 0)) or float(
                    main
                ) + byo <= 0:
                    break
                return ClockSettings(system, float(main), byo, stones)
        raise ConfigError(f"clock {text!r}: {_FORM} expected")

    def format(self) -> str:
        main, byo = f"{self.main_time:g}", f"{self.byo_time:g}"
        forms = {
            "absolute": main,
            "canadian": f"{main}/{byo}/{self.byo_stones}",
            "byoyomi": f"{main}/{byo}x{self.byo_stones}",
            "fischer": f"{main}+{byo}",
        }
        return forms[self.system]


class GameClock:
    """One player's clock in one game.

    ``spend`` books a move and says whether the flag is still up; ``grace`` seconds of every move are forgiven
    (the referee's own delay and the pipe's).
    """

    def __init__(self, settings: ClockSettings, grace: float = 0.0) -> None:
        self.settings = settings
        self._grace = grace
        self.in_overtime = settings.main_time <= 0 and settings.system in ("canadian", "byoyomi")
        self.time_left = settings.byo_time if self.in_overtime else settings.main_time
        self.stones_left = settings.byo_stones if self.in_overtime else 0

    @property
    def longest_move(self) -> float:
        """Seconds until the flag falls if the player moved now and never again."""
        left = self.time_left
        if self.settings.system == "byoyomi":
            periods = self.stones_left - 1 if self.in_overtime else self.settings.byo_stones
            left += max(0, periods) * self.settings.byo_time
        elif self.settings.system == "canadian" and not self.in_overtime:
            left += self.settings.byo_time
        return left + self._grace

    def spend(self, seconds: float) -> bool:
        """Book a move that took this long; False when the flag fell."""
        seconds = max(0.0, seconds - self._grace)
        match self.settings.system:
            case "absolute":
                self.time_left -= seconds
                return self.time_left >= 0
            case "fischer":
                self.time_left -= seconds
                if self.time_left < 0:
                    return False
                self.time_left += self.settings.byo_time
                return True
            case "canadian":
                return self._spend_canadian(seconds)
            case _:
                return self._spend_byoyomi(seconds)

    def _enter_overtime(self) -> float:
        """Leave main time; what of the move's time runs on into the overtime."""
        over = -self.time_left
        self.in_overtime = True
        self.time_left = self.settings.byo_time
        self.stones_left = self.settings.byo_stones
        return over

    def _spend_canadian(self, seconds: float) -> bool:
        self.time_left -= seconds
        if not self.in_overtime:
            if self.time_left > 0:
                return True
            over = self._enter_overtime()
            self.time_left -= over
        if self.time_left < 0:
            return False
        self.stones_left -= 1
        if self.stones_left == 0:
            self.time_left, self.stones_left = self.settings.byo_time, self.settings.byo_stones
        return True

    def _spend_byoyomi(self, seconds: float) -> bool:
        if not self.in_overtime:
            self.time_left -= seconds
            if self.time_left > 0:
                return True
            seconds = self._enter_overtime()
        used = math.ceil(seconds / self.settings.byo_time) - 1 if seconds > 0 else 0
        self.stones_left -= max(0, used)
        self.time_left = self.settings.byo_time
        return self.stones_left > 0
