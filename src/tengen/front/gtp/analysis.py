"""The live analysis grammar that Sabaki, Lizzie, q5Go and KaTrain parse: its questions read, its lines
written.

One line an update with every move on it; ``pv`` last in a move's block; values for the side to move. The lz-
form has integers from 0 to 10000, the kata- form floats with a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.errors import CoordinateError
from tengen.front.gtp.protocol import SYNTAX_ERROR, Arguments, GtpFailure
from tengen.go.coords import PASS, RESIGN, Color, Move, format_gtp, parse_color, parse_gtp

if TYPE_CHECKING:
    from tengen.players import AnalysisReport, AnalysisRequest, Limit, MoveInfo

__all__ = ["AnalysisQuestion", "Restriction", "format_kata", "format_lz", "parse_question"]

_SHOWN = {"ownership": "ownership", "rootinfo": "root_info"}
_IGNORED = {
    "ownershipstdev",
    "movesownership",
    "movesownershipstdev",
    "pvvisits",
    "pvedgevisits",
    "noresultvalue",
}
"""Keys with true or false that KataGo takes and that change nothing here."""


@dataclass(frozen=True)
class Restriction:
    """Moves a colour may not play (``avoid``), or the only ones it may (``allow``), for ``depth`` moves."""

    color: Color
    moves: frozenset[Move]
    depth: int


@dataclass(frozen=True)
class AnalysisQuestion:
    """What an analyze command asks for. ``interval`` in seconds; ``max_moves`` None is all of them."""

    color: Color
    interval: float = 1.0
    min_moves: int = 0
    max_moves: int | None = None
    avoid: tuple[Restriction, ...] = ()
    allow: tuple[Restriction, ...] = ()
    ownership: bool = False
    root_info: bool = False

    def request(self, limit: Limit, area: int) -> AnalysisRequest:
        """The same for an Analyst."""
        from tengen.players import AnalysisRequest

        return AnalysisRequest(
            interval=self.interval,
            min_moves=self.min_moves,
            max_moves=self.max_moves or 0,
            ownership=self.ownership,
            limit=limit,
            allow=_by_color(self.allow),
            avoid=_by_color(self.avoid),
            barred=_barred(self.avoid, self.allow, area),
        )

    def admits(self, color: Color, move: Move) -> bool:
        """Whether a first move of a colour may be considered."""
        if any(r.color is color and move in r.moves for r in self.avoid):
            return False
        allowing = [r for r in self.allow if r.color is color]
        return not allowing or any(move in r.moves for r in allowing)


def _by_color(restrictions: tuple[Restriction, ...]) -> dict[Color, frozenset[Move]]:
    found: dict[Color, frozenset[Move]] = {}
    for restriction in restrictions:
        found[restriction.color] = found.get(restriction.color, frozenset()) | restriction.moves
    return found


def _barred(
    avoid: tuple[Restriction, ...], allow: tuple[Restriction, ...], area: int
) -> dict[Color, dict[Move, int]]:
    """What a colour may not play below the first move, and until which depth; what is allowed bars all else."""
    barred: dict[Color, dict[Move, int]] = {}

    def bar(color: Color, moves: frozenset[Move], depth: int) -> None:
        until = barred.setdefault(color, {})
        until.update({move: max(depth, until.get(move, 0)) for move in moves})

    for restriction in avoid:
        if restriction.depth > 1:
            bar(restriction.color, restriction.moves, restriction.depth)
    for color, moves in _by_color(allow).items():
        depth = max(restriction.depth for restriction in allow if restriction.color is color)
        if depth > 1:
            bar(color, frozenset([PASS, *range(area)]) - moves, depth)
    return barred


def parse_question(arguments: Arguments, to_move: Color, width: int, height: int) -> AnalysisQuestion:
    """Read ``[colour] [centiseconds] {key value..}`` in any order front ends write it.

    A bare number is the interval. Without an interval an update comes every second.
    """
    fields: dict[str, object] = {"color": to_move}
    avoid: list[Restriction] = []
    allow: list[Restriction] = []
    while len(arguments):
        key = arguments.peek().lower()
        if key in ("b", "w", "black", "white"):
            fields["color"] = parse_color(arguments.word())
            continue
        if key[:1].isdigit():
            fields["interval"] = _interval(arguments)
            continue
        arguments.word()
        if key == "interval":
            fields["interval"] = _interval(arguments)
        elif key == "minmoves":
            fields["min_moves"] = _count(arguments)
        elif key == "maxmoves":
            fields["max_moves"] = _count(arguments)
        elif key in ("avoid", "allow"):
            (avoid if key == "avoid" else allow).append(_restriction(arguments, width, height))
        elif key in _SHOWN:
            fields[_SHOWN[key]] = arguments.flag()
        elif key in _IGNORED:
            arguments.flag()
        else:
            raise GtpFailure(SYNTAX_ERROR)
    return AnalysisQuestion(avoid=tuple(avoid), allow=tuple(allow), **fields)  # type: ignore[arg-type]


def _interval(arguments: Arguments) -> float:
    centiseconds = arguments.number()
    if centiseconds < 0:
        raise GtpFailure(SYNTAX_ERROR)
    return max(0.01, min(centiseconds, 1e7) / 100)


def _count(arguments: Arguments) -> int:
    count = arguments.integer()
    if count < 0:
        raise GtpFailure(SYNTAX_ERROR)
    return count


def _restriction(arguments: Arguments, width: int, height: int) -> Restriction:
    try:
        color = parse_color(arguments.word())
        words = [word for word in arguments.word().split(",") if word]
        moves = frozenset(parse_gtp(word, width, height) for word in words)
    except CoordinateError:
        raise GtpFailure(SYNTAX_ERROR) from None
    depth = arguments.integer()
    if depth < 1 or not moves or RESIGN in moves:
        raise GtpFailure(SYNTAX_ERROR)
    return Restriction(color, moves, depth)


def format_lz(report: AnalysisReport, question: AnalysisQuestion, width: int, height: int) -> str:
    """Leela Zero's line: integers only, no score; empty when there is no move to show."""
    blocks = []
    for order, info in enumerate(_shown(report, question)):
        blocks.append(
            f"info move {format_gtp(info.move, width, height)} visits {info.visits}"
            f" winrate {_permyriad(info.winrate)} prior {_permyriad(info.prior)} lcb {_permyriad(info.lcb)}"
            f" order {order} pv {_line(info, width, height)}"
        )
    return " ".join(blocks) + _ownership(report, question) if blocks else ""


def format_kata(report: AnalysisReport, question: AnalysisQuestion, width: int, height: int) -> str:
    """KataGo's line; ``rootInfo`` and ``ownership`` at its end when they were asked for."""
    blocks = []
    for order, info in enumerate(_shown(report, question)):
        lead = _real(info.score_lead)
        block = (
            f"info move {format_gtp(info.move, width, height)} visits {info.visits} edgeVisits {info.visits}"
            f" utility {_real(2 * info.winrate - 1)} winrate {_real(info.winrate)}"
            f" scoreMean {lead} scoreStdev {_real(info.score_stdev)} scoreLead {lead}"
            f" prior {_real(info.prior)} lcb {_real(info.lcb)} utilityLcb {_real(2 * info.lcb - 1)}"
            f" order {order} pv {_line(info, width, height)}"
        )
        blocks.append(block)
    if not blocks:
        return ""
    if question.root_info:
        root = f"rootInfo visits {report.root_visits} winrate {_real(report.root_winrate)}"
        root += f" utility {_real(2 * report.root_winrate - 1)} scoreLead {_real(report.root_score)}"
        blocks.append(root)
    return " ".join(blocks) + _ownership(report, question)


def _shown(report: AnalysisReport, question: AnalysisQuestion) -> Sequence[MoveInfo]:
    """The moves of a report in order: those that were allowed, visited (or among the first ``min_moves``),
    and at most as many as were asked for."""
    moves = sorted(report.moves, key=lambda info: info.order)
    if question.avoid or question.allow:
        moves = [info for info in moves if question.admits(question.color, info.move)]
    least = max(1, question.min_moves)
    moves = [info for place, info in enumerate(moves) if info.visits > 0 or place < least]
    return moves if question.max_moves is None else moves[: max(1, question.max_moves)]


def _line(info: MoveInfo, width: int, height: int) -> str:
    """The principal variation, which begins with the move itself and never is empty."""
    moves = info.pv if info.pv and info.pv[0] == info.move else (info.move, *info.pv)
    return " ".join(format_gtp(move, width, height) for move in moves if move >= PASS)


def _ownership(report: AnalysisReport, question: AnalysisQuestion) -> str:
    if not question.ownership or report.ownership is None:
        return ""
    return " ownership " + " ".join(_real(value) for value in report.ownership)


def _permyriad(value: float) -> int:
    return max(0, min(10000, round(value * 10000)))


def _real(value: float) -> str:
    """A float with a point and no exponent, never ``-0``, ``nan`` or ``inf``."""
    text = f"{value:.6f}".rstrip("0") if abs(value) < 1e9 else "0."
    text = text + "0" if text.endswith(".") else text
    return "0.0" if text == "-0.0" else text
