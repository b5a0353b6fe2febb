"""One game as it was played: rules, setup, moves, result and who played; no variations."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.go.coords import Color, Move
from tengen.go.rules import Rules

if TYPE_CHECKING:
    from tengen.go.position import Position

__all__ = ["GameRecord", "Result", "parse_result"]


@dataclass(frozen=True)
class Result:
    """Who won and how: ``winner`` EMPTY for a draw, None where nobody won or nobody knows.

    ``margin`` is in points, for the winner; None for a win without counting. ``how`` is one of score, resign,
    time, forfeit, draw, void, unknown.
    """

    winner: Color | None
    margin: float | None = None
    how: str = "unknown"

    def __str__(self) -> str:
        """The result as FF[4] writes it: ``B+3.5``, ``W+R``, ``0``, ``Void``, ``?``."""
        if self.winner is None:
            return "Void" if self.how == "void" else "?"
        if self.winner is Color.EMPTY:
            return "0"
        if self.margin is not None:
            return f"{'?BW'[self.winner]}+{self.margin:g}"
        return f"{'?BW'[self.winner]}+{ {'resign': 'R', 'time': 'T', 'forfeit': 'F'}.get(self.how, '') }"


def parse_result(text: str) -> Result:
    """The result in any spelling known: ``B+R``, ``W+Time``, ``black wins by 5 3/4 points``, ``Jigo``,
    白中押し勝ち, 흑 불계승, 黑胜1又3/4子 (counted in stones: 3.5 points).

    What is not understood gives a Result that names nobody; nothing is raised.
    """
    folded = unicodedata.normalize("NFKC", text).strip().casefold()
    if folded in ("0", "draw", "jigo", "tie") or re.search(r"\b(?:jigo|draw)\b|持碁|和棋|무승부|빅", folded):
        return Result(Color.EMPTY, 0.0, "draw")
    if re.match(r"void|no result|annul", folded) or re.search(r"無勝負|无胜负|무효", folded):
        return Result(None, None, "void")
    winner = _winner(folded)
    if winner is None:
        return Result(None)
    if re.search(
        r"\+\s*r(?!\w)|resig|resyg|aufg|abandon|中押|中盘|中盤|不計|不计|投了|投子|认输|불계|기권", folded
    ):
        return Result(winner, None, "resign")
    if re.search(r"\+\s*t(?!\w)|time|zeit|超时|超時|時間|时间|切れ|시간", folded):
        return Result(winner, None, "time")
    if re.search(r"\+\s*f(?!\w)|forfe|kampflos|反則|反则|弃权|棄権|반칙", folded):
        return Result(winner, None, "forfeit")
    amount = re.sub(r"\{.*|\(.*|.*?(?:手完|手終)", "", folded)
    margin = parse_amount(amount.split("+", 1)[-1])
    if margin is None:
        return Result(winner)
    if "子" in amount:
        margin *= 2.0
    return Result(winner, margin, "score") if margin else Result(Color.EMPTY, 0.0, "draw")


def _winner(folded: str) -> Color | None:
    if match := re.match(r"([bw])(?:lack|hite)?\s*\+", folded):
        return Color.BLACK if match[1] == "b" else Color.WHITE
    if match := re.search(r"\b(?:(b|black)|(w|white))\s+(?:wins?|won|by)\b", folded):
        return Color.BLACK if match[1] else Color.WHITE
    if match := re.search(r"(?:([黑黒흑])|[白백])(?:番)?[^黑黒白흑백]*(?:勝|胜|贏|赢|승|かち|ち)", folded):
        return Color.BLACK if match[1] else Color.WHITE
    return None


_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}


def parse_amount(text: str) -> float | None:
    """The first amount in a text: ``6.5``, ``6,5``, ``5 1/2``, ``3又3/4``, ``6目半``, ``三目半``; else None.

    Figures may be Chinese or full-width.
    """
    folded = unicodedata.normalize("NFKC", re.sub("([¼-¾⅓-⅞])", r" \1", text)).casefold()
    half = 0.5 if re.search(r"半|반", folded) else 0.0
    mixed = re.search(r"(-?\d{1,4})\s*(?:\s|又|と|and)\s*([1-9])\s*[/⁄]\s*([2-9])(?!\d)", folded)
    if mixed:
        return float(mixed[1]) + int(mixed[2]) / int(mixed[3])
    if fraction := re.search(r"(?<![\d.])([1-9])\s*[/⁄]\s*([2-9])(?!\d)", folded):
        return int(fraction[1]) / int(fraction[2])
    if quarters := re.search(r"([〇零一二三四五六七八九十两兩\d]+)\s*又\s*四分之([一二三])", folded):
        whole = _chinese_number(quarters[1])
        return None if whole is None else whole + _DIGITS[quarters[2]] / 4
    if plain := re.search(r"-?(?:\d{1,9}(?:[.,]\d{1,9})?|[.,]\d{1,9})", folded):
        return float(plain[0].replace(",", ".")) + half
    if words := re.search(r"[〇零一二三四五六七八九十两兩]+", folded):
        number = _chinese_number(words[0])
        return None if number is None else number + half
    return half or None


def _chinese_number(text: str) -> float | None:
    if text.isdigit() and text.isascii():
        return float(text)
    tens, ten, units = text.rpartition("十")
    if any(digit not in _DIGITS for digit in tens + units) or len(tens) > 1 or len(units) > 1:
        return None
    return float((_DIGITS[tens] if tens else 1) * 10 * bool(ten) + (_DIGITS[units] if units else 0))


@dataclass
class GameRecord:
    """One line of play from a setup. ``comments`` are by the number of moves played when they were made.

    ``moves`` are legal under simple ko and the suicide rule as ``record_of`` gives them; ``warnings`` say
    what of the source was assumed, skipped, or where the record stops short of it.
    """

    rules: Rules = field(default_factory=Rules)
    handicap: int = 0
    setup_black: tuple[Move, ...] = ()
    setup_white: tuple[Move, ...] = ()
    first: Color = Color.BLACK
    moves: list[tuple[Color, Move]] = field(default_factory=list)
    result: str | None = None
    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    date: str = ""
    event: str = ""
    round: str = ""
    place: str = ""
    name: str = ""
    main_time: float | None = None
    overtime: str = ""
    comments: dict[int, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def outcome(self) -> Result:
        return parse_result(self.result or "")

    @property
    def winner(self) -> Color | None:
        """BLACK or WHITE, EMPTY for a draw, None where the record does not say."""
        return self.outcome.winner

    def start(self) -> "Position":
        """The position before the first move."""
        from tengen.go.position import Position

        return Position.setup(self.rules, self.setup_black, self.setup_white, self.first, self.handicap)

    def positions(self) -> Iterator["Position"]:
        """The position before each move, and the last one: one more than there are moves.

        Raises IllegalMove at a move the rules forbid; superko is not held against a game that was played.
        """
        position = self.start()
        yield position
        for color, move in self.moves:
            position = position.play(move, color, superko=False)
            yield position

    def final_position(self) -> "Position":
        """The position after the last move. Raises IllegalMove as ``positions`` does."""
        *_, last = self.positions()
        return last
