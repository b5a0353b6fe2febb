"""Rules by name and by field, with the field names of KataGo's ``kata-set-rules``."""

import json
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from tengen.errors import RulesError
from tengen.go.coords import Color, check_size

__all__ = ["RULE_SETS", "Goal", "Ko", "Rules", "Scoring", "Tax", "WhiteBonus"]


class Ko(Enum):
    """Which repetitions are forbidden."""

    NONE = "NONE"
    SIMPLE = "SIMPLE"
    POSITIONAL = "POSITIONAL"
    SITUATIONAL = "SITUATIONAL"


class Scoring(Enum):
    AREA = "AREA"
    TERRITORY = "TERRITORY"


class Tax(Enum):
    """Eye points that do not count: none, those in seki, or two of every living group."""

    NONE = "NONE"
    SEKI = "SEKI"
    ALL = "ALL"


class WhiteBonus(Enum):
    """What White is paid under area scoring for N handicap stones."""

    ZERO = "0"
    N_MINUS_1 = "N-1"
    N = "N"


class Goal(Enum):
    SCORE = "SCORE"
    FIRST_CAPTURE = "FIRST_CAPTURE"


@dataclass(frozen=True)
class Rules:
    """One game's rules. Immutable: ``replace`` gives a changed copy."""

    width: int = 19
    height: int = 19
    komi: float = 7.5
    ko: Ko = Ko.SIMPLE
    scoring: Scoring = Scoring.AREA
    tax: Tax = Tax.NONE
    suicide: bool = False
    has_button: bool = False
    white_bonus: WhiteBonus = WhiteBonus.ZERO
    friendly_pass_ok: bool = True
    goal: Goal = Goal.SCORE

    def __post_init__(self) -> None:
        check_size(self.width, self.height)
        if not -1000.0 <= self.komi <= 1000.0:
            raise RulesError(f"komi {self.komi}: between -1000 and 1000 expected")

    @staticmethod
    def named(name: str = "chinese", size: int | tuple[int, int] = 19, komi: float | None = None) -> "Rules":
        """A rule set by name (see RULE_SETS); komi None takes the set's usual one."""
        fields = RULE_SETS.get(name.strip().lower())
        if fields is None:
            raise RulesError(f"rules {name!r}: one of {', '.join(sorted(RULE_SETS))} expected")
        width, height = (size, size) if isinstance(size, int) else size
        rules = Rules(width=width, height=height, **fields)
        return rules if komi is None else replace(rules, komi=komi)

    def with_named(self, name: str) -> "Rules":
        """The named rule set on this board with this komi."""
        return Rules.named(name, (self.width, self.height), self.komi)

    def replace(self, **changes: Any) -> "Rules":
        return replace(self, **changes)

    @property
    def size(self) -> int:
        """The side of a square board; of a rectangle the longer one."""
        return max(self.width, self.height)

    @property
    def area(self) -> int:
        return self.width * self.height

    def handicap_bonus(self, stones: int) -> float:
        """Points White is paid for a handicap of that many stones (none for fewer than two)."""
        if stones < 2 or self.white_bonus is WhiteBonus.ZERO:
            return 0.0
        return float(stones - 1 if self.white_bonus is WhiteBonus.N_MINUS_1 else stones)

    def first_to_move(self, handicap: int = 0) -> Color:
        return Color.WHITE if handicap >= 2 else Color.BLACK

    def to_kata(self) -> dict[str, Any]:
        """The fields as KataGo names them, without size and komi."""
        return {
            "friendlyPassOk": self.friendly_pass_ok,
            "hasButton": self.has_button,
            "ko": self.ko.value,
            "scoring": self.scoring.value,
            "suicide": self.suicide,
            "tax": self.tax.value,
            "whiteHandicapBonus": self.white_bonus.value,
        }

    def with_kata(self, rules: str | dict[str, Any]) -> "Rules":
        """These rules changed by a name, a JSON object's text, or the object: unknown fields are refused."""
        if isinstance(rules, str):
            text = rules.strip()
            if not text.startswith("{"):
                return self.with_named(text)
            try:
                parsed = json.loads(text)
            except (json.JSONDecodeError, RecursionError) as error:
                raise RulesError(f"rules {text[:60]!r}: {error}") from None
            return self.with_kata(parsed)
        changed = self
        for key, value in rules.items():
            changed = changed.with_kata_field(key, value)
        return changed

    def with_kata_field(self, key: str, value: Any) -> "Rules":
        """One field changed, named and valued as KataGo does (``ko``, ``POSITIONAL``; ``suicide``, ``true``)."""
        name = _KATA_FIELDS.get(key.strip().lower())
        if name is None:
            raise RulesError(f"rule field {key!r}: one of {', '.join(self.to_kata())} expected")
        kind = _FIELD_KINDS[name]
        try:
            parsed: Any = _parse_bool(value) if kind is bool else kind(_enum_text(value))
        except ValueError:
            raise RulesError(f"rule field {key!r}: {value!r} is not one of its values") from None
        return replace(self, **{name: parsed})


def _enum_text(value: Any) -> str:
    return str(value).strip().strip('"').upper()


def _parse_bool(value: Any) -> bool:
    text = str(value).strip().lower()
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    raise ValueError(text)


_KATA_FIELDS = {
    "ko": "ko",
    "scoring": "scoring",
    "scoringrule": "scoring",
    "tax": "tax",
    "suicide": "suicide",
    "hasbutton": "has_button",
    "whitehandicapbonus": "white_bonus",
    "friendlypassok": "friendly_pass_ok",
}
_FIELD_KINDS: dict[str, Any] = {
    "ko": Ko,
    "scoring": Scoring,
    "tax": Tax,
    "suicide": bool,
    "has_button": bool,
    "white_bonus": WhiteBonus,
    "friendly_pass_ok": bool,
}

_AREA_SUPERKO: dict[str, Any] = {"ko": Ko.POSITIONAL, "komi": 7.5}
_JAPANESE: dict[str, Any] = {"ko": Ko.SIMPLE, "scoring": Scoring.TERRITORY, "tax": Tax.SEKI, "komi": 6.5}
_CHINESE: dict[str, Any] = {"ko": Ko.SIMPLE, "white_bonus": WhiteBonus.N, "komi": 7.5}
_AGA: dict[str, Any] = {"ko": Ko.SITUATIONAL, "white_bonus": WhiteBonus.N_MINUS_1, "komi": 7.5}
_STONE: dict[str, Any] = {"ko": Ko.SIMPLE, "tax": Tax.ALL, "komi": 7.5}

RULE_SETS: dict[str, dict[str, Any]] = {
    "tromp-taylor": _AREA_SUPERKO | {"suicide": True, "friendly_pass_ok": False},
    "chinese": _CHINESE,
    "chinese-ogs": _CHINESE | {"ko": Ko.POSITIONAL},
    "chinese-kgs": _CHINESE | {"ko": Ko.POSITIONAL},
    "japanese": _JAPANESE,
    "korean": _JAPANESE,
    "ancient-territory": _JAPANESE | {"tax": Tax.ALL},
    "ancient-area": _STONE,
    "stone-scoring": _STONE,
    "aga": _AGA,
    "aga-button": _AGA | {"has_button": True, "komi": 7.0},
    "bga": _AGA,
    "french": _AGA,
    "new-zealand": {"ko": Ko.SITUATIONAL, "suicide": True, "komi": 7.5},
    "capture": {"ko": Ko.SIMPLE, "goal": Goal.FIRST_CAPTURE, "komi": 0.0},
}
"""Names a person may type; ``capture`` is Capture Go: the first capture wins."""
