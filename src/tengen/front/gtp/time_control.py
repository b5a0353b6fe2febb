"""What a front end says about time: settings by command, and what each colour has left."""

from dataclasses import dataclass

from tengen.front.gtp.protocol import SYNTAX_ERROR, Arguments, GtpFailure
from tengen.go.coords import Color

__all__ = [
    "ColorTime",
    "TimeControl",
    "TimeSettings",
    "parse_kata_time",
    "parse_kgs_time",
    "parse_time_settings",
]


@dataclass(frozen=True)
class TimeSettings:
    """A time system. ``stones`` are the stones of a Canadian period, or the number of byo-yomi periods.

    ``byo`` is the length of a period, or Fischer's increment. Seconds everywhere.
    """

    system: str = "none"
    main: float = 0.0
    byo: float = 0.0
    stones: int = 0


def _seconds(arguments: Arguments) -> float:
    value = arguments.number()
    if value < 0:
        raise GtpFailure(SYNTAX_ERROR)
    return value


def _stones(arguments: Arguments) -> int:
    value = arguments.integer()
    if value < 0:
        raise GtpFailure(SYNTAX_ERROR)
    return value


def parse_time_settings(arguments: Arguments) -> TimeSettings:
    """``M B S``: no stones but a period means no limit at all, no period means M seconds for the game."""
    main, byo, stones = _seconds(arguments), _seconds(arguments), _stones(arguments)
    arguments.end()
    if byo > 0 and stones == 0:
        return TimeSettings()
    if byo == 0:
        return TimeSettings("absolute", main)
    return TimeSettings("canadian", main, byo, stones)


def parse_kgs_time(arguments: Arguments) -> TimeSettings:
    """``none`` | ``absolute M`` | ``canadian M T S`` | ``byoyomi M T P``."""
    system = arguments.word().lower()
    if system == "none":
        settings = TimeSettings()
    elif system == "absolute":
        settings = TimeSettings("absolute", _seconds(arguments))
    elif system in ("canadian", "byoyomi"):
        main, byo, stones = _seconds(arguments), _seconds(arguments), _stones(arguments)
        if byo == 0 or stones == 0:
            settings = TimeSettings("absolute", main)
        else:
            settings = TimeSettings(system, main, byo, stones)
    else:
        raise GtpFailure(SYNTAX_ERROR)
    arguments.end()
    return settings


def parse_kata_time(arguments: Arguments) -> TimeSettings:
    """KGS's four and ``fischer M I``, ``fischer-capped M I CAP MAX`` (its caps are the clock's business)."""
    system = arguments.peek().lower()
    if system not in ("fischer", "fischer-capped"):
        return parse_kgs_time(arguments)
    arguments.word()
    main, increment = _seconds(arguments), _seconds(arguments)
    if system == "fischer-capped":
        _seconds(arguments)
        _seconds(arguments)
    arguments.end()
    return TimeSettings("fischer", main, increment)


@dataclass(frozen=True)
class ColorTime:
    """What one colour has: seconds, and the stones or periods left (0 while in main time)."""

    left: float
    stones: int


class TimeControl:
    """The settings, and both colours' time: as a front end told it, else counted from the moves made here."""

    def __init__(self) -> None:
        self.settings: TimeSettings | None = None
        self._times: dict[Color, ColorTime] = {}

    def set(self, settings: TimeSettings) -> None:
        """New settings: both colours have all their time again."""
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        """A new game under the same settings."""
        self._times = {}

    def tell(self, color: Color, seconds: float, stones: int) -> None:
        """What ``time_left`` said. Without any settings it is as good as an absolute time."""
        if self.settings is None:
            self.settings = TimeSettings("absolute", max(0.0, seconds))
        self._times[color] = ColorTime(max(0.0, seconds), max(0, stones))

    def left(self, color: Color) -> ColorTime | None:
        """None without settings or without a limit."""
        settings = self.settings
        if settings is None or settings.system == "none":
            return None
        known = self._times.get(color)
        if known is not None:
            return known
        if settings.main == 0 and settings.system in ("canadian", "byoyomi"):
            return ColorTime(settings.byo, settings.stones)
        return ColorTime(settings.main, 0)

    def spend(self, color: Color, seconds: float) -> None:
        """Count a move made here; the front end's next ``time_left`` corrects it."""
        now, settings = self.left(color), self.settings
        if now is None or settings is None:
            return
        left, stones = now.left - seconds, now.stones
        if settings.system == "fischer":
            left += settings.byo
        elif settings.system == "byoyomi":
            if stones == 0 and left <= 0:
                left, stones = left + settings.byo, settings.stones
            while left <= 0 and stones > 1:
                left, stones = left + settings.byo, stones - 1
            if stones > 0:
                left = settings.byo
        elif settings.system == "canadian":
            if stones > 0:
                stones -= 1
            elif left <= 0:
                left, stones = left + settings.byo, settings.stones - 1
            if stones == 0 and (now.stones > 0 or left <= 0):
                left, stones = settings.byo, settings.stones
        self._times[color] = ColorTime(max(0.0, left), stones)
