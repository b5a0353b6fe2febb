"""GoGui's commands: set-up in one line, its analyze menu, and the pictures the menu asks for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.protocol import ILLEGAL_MOVE, SYNTAX_ERROR, Arguments, CommandTable, GtpFailure

if TYPE_CHECKING:
    from tengen.go.coords import Color, Move
    from tengen.go.position import Position
    from tengen.players import AnalysisReport, Teacher

__all__ = ["GOGUI"]

GOGUI: CommandTable[Engine] = CommandTable()

SHOWN_MOVES = 10

_MENU = (
    "dboard/Ownership/tengen-ownership",
    "cboard/Policy Colours/tengen-policy_colors",
    "sboard/Visits/tengen-visits",
    "gfx/Best Moves/tengen-gfx",
    "pspairs/Win Rates/tengen-winrates",
    "varc/Best Line/tengen-pv %c",
    "hpstring/Why/tengen-explain %p",
    "string/Last Decision/gomill-explain_last_move",
    "hstring/Hint/tengen-hint",
    "gfx/In Atari/tengen-threats",
    "string/How It Ended/tengen-ending",
    "plist/Dead Stones/final_status_list dead",
    "plist/Stones in Seki/final_status_list seki",
    "plist/All Legal/all_legal %c",
    "string/Final Score/final_score",
    "param/Settings/tengen-param",
    "none/Clear Cache/clear_cache",
    "hstring/Rules/kata-get-rules",
    "none/Set Rules/kata-set-rules %s",
)


def _analyses(engine: Engine) -> bool:
    return engine.can("analyze")


def _teaches(engine: Engine) -> bool:
    return engine.can("hint") and engine.can("threatened")


@GOGUI.add("gogui-analyze_commands", "the analyze menu: type, label and command, one a line")
def gogui_analyze_commands(engine: Engine, arguments: Arguments) -> str:
    return "\n".join(line for line in _MENU if engine.table.find(line.split("/")[2].split()[0], engine))


@GOGUI.add("gogui-interrupt", "the comment line '# interrupt' stops thinking")
def gogui_interrupt(engine: Engine, arguments: Arguments) -> str:
    return ""


@GOGUI.add("gogui-sigint", "an interrupt signal to the process answered stops thinking")
def gogui_sigint(engine: Engine, arguments: Arguments) -> str:
    return str(os.getpid())


@GOGUI.add("gogui-title", "a title for the window")
def gogui_title(engine: Engine, arguments: Arguments) -> str:
    return f"tengen {engine.settings.title}"


@GOGUI.add("gogui-play_sequence COLOR VERTEX ..", "several moves; all of them or none")
def gogui_play_sequence(engine: Engine, arguments: Arguments) -> str:
    from tengen.errors import IllegalMove

    moves = _pairs(engine, arguments, points_only=False)
    try:
        for count, (color, move) in enumerate(moves):
            try:
                engine.session.play(color, move)
            except IllegalMove:
                engine.session.undo(count)
                raise GtpFailure(ILLEGAL_MOVE) from None
    finally:
        engine.moved()
    return ""


@GOGUI.add("gogui-setup COLOR VERTEX ..", "these stones on an empty board")
def gogui_setup(engine: Engine, arguments: Arguments) -> str:
    from tengen.errors import IllegalMove
    from tengen.go.coords import Color

    stones = {move: color for color, move in _pairs(engine, arguments, points_only=True)}
    session = engine.session
    try:
        session.set_up(
            [move for move, color in stones.items() if color is Color.BLACK],
            [move for move, color in stones.items() if color is Color.WHITE],
            session.to_move,
        )
    except IllegalMove:
        raise GtpFailure("illegal position") from None
    engine.new_game()
    return ""


@GOGUI.add("gogui-setup_player COLOR", "whose turn it is")
def gogui_setup_player(engine: Engine, arguments: Arguments) -> str:
    color = engine.color(arguments)
    arguments.end()
    engine.session.set_to_move(color)
    engine.moved()
    return ""


def _pairs(engine: Engine, arguments: Arguments, *, points_only: bool) -> list[tuple[Color, Move]]:
    pairs = []
    while len(arguments):
        color, move = engine.color(arguments), engine.vertex(arguments)
        if move < -1 or (points_only and move < 0):
            raise GtpFailure(SYNTAX_ERROR)
        pairs.append((color, move))
    return pairs


# ---- pictures
# -------------------------------------------------------------------------------------------------


def _board(engine: Engine, values: list[str]) -> str:
    """Values row by row from the top, as dboard, cboard and sboard want them."""
    width = engine.session.rules.width
    rows = [values[start : start + width] for start in range(0, len(values), width)]
    return "\n".join(" ".join(row) for row in rows)


def _look(engine: Engine) -> AnalysisReport:
    report = engine.look()
    if report is None or not report.moves:
        raise GtpFailure("nothing to show")
    return report


@GOGUI.add("tengen-ownership", "whose every point will be: 1 Black's, -1 White's (dboard)")
def ownership(engine: Engine, arguments: Arguments) -> str:
    return _board(engine, [f"{value:.3f}" for value in engine.ownership()])


@GOGUI.add(
    "tengen-policy_colors", "moves coloured by how likely they look before any search (cboard)", _analyses
)
def policy_colors(engine: Engine, arguments: Arguments) -> str:
    report = _look(engine)
    colors = ['""'] * engine.session.rules.area
    largest = max(info.prior for info in report.moves) or 1.0
    for info in report.moves:
        if info.move >= 0:
            colors[info.move] = _heat(info.prior / largest)
    return _board(engine, colors)


@GOGUI.add("tengen-visits", "the number of visits of every move searched (sboard)", _analyses)
def visits(engine: Engine, arguments: Arguments) -> str:
    report = _look(engine)
    texts = ['""'] * engine.session.rules.area
    for info in report.moves:
        if info.move >= 0 and info.visits:
            texts[info.move] = str(info.visits)
    return _board(engine, texts)


@GOGUI.add("tengen-winrates", "the win rates of the best moves (pspairs)", _analyses)
def winrates(engine: Engine, arguments: Arguments) -> str:
    best = sorted(_look(engine).moves, key=lambda info: info.order)[:SHOWN_MOVES]
    return "\n".join(
        f"{engine.format(info.move)} {info.winrate * 100:.0f}" for info in best if info.move >= 0
    )


@GOGUI.add("tengen-pv [COLOR]", "the best line for a colour (varc)", _analyses)
def principal_variation(engine: Engine, arguments: Arguments) -> str:
    color = engine.color(arguments) if len(arguments) else engine.session.to_move
    arguments.end()
    report = engine.look(color)
    if report is None or not report.moves:
        raise GtpFailure("nothing to show")
    best = min(report.moves, key=lambda info: info.order)
    return " ".join(engine.format(move) for move in best.pv or (best.move,) if move >= -1)


@GOGUI.add("tengen-gfx", "the best moves with their win rates, and a line of text (gfx)", _analyses)
def gfx(engine: Engine, arguments: Arguments) -> str:
    report = _look(engine)
    best = sorted(report.moves, key=lambda info: info.order)[:SHOWN_MOVES]
    points = [info for info in best if info.move >= 0]
    largest = max((info.visits for info in points), default=0) or 1
    lines = [f"LABEL {engine.format(info.move)} {info.winrate * 100:.0f}" for info in points]
    lines += [f"COLOR {_heat(info.visits / largest)} {engine.format(info.move)}" for info in points]
    if report.ownership is not None:
        sign = 1 if report.to_move == 1 else -1
        pairs = (f"{engine.format(move)} {sign * value:.2f}" for move, value in enumerate(report.ownership))
        lines.append("INFLUENCE " + " ".join(pairs))
    if best:
        line = (
            f"{'bw'[(report.to_move + i + 1) % 2]} {engine.format(m)}"
            for i, m in enumerate(best[0].pv)
            if m >= -1
        )
        lines.append("VAR " + " ".join(line))
    value = f"win rate {report.root_winrate:.1%}, score {report.root_score:+.1f}"
    lines.append(f"TEXT {report.root_visits} visits, {value}")
    return "\n".join(lines)


@GOGUI.add("tengen-explain VERTEX", "why a move is good or bad, in words (hpstring)")
def explain(engine: Engine, arguments: Arguments) -> str:
    move = engine.vertex(arguments)
    arguments.end()
    return engine.explain(move)


def _lesson(engine: Engine) -> tuple[Teacher, Position]:
    engine.stop_pondering()
    teacher: Any = engine.player
    return teacher, engine.session.position_for()


@GOGUI.add("tengen-hint", "a good move for the side to move, and why (hstring)", _teaches)
def hint(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.teaching import threat_lines

    arguments.end()
    teacher, position = _lesson(engine)
    found = teacher.hint(position)
    first = f"{engine.format(found.move)}. {found.text}"
    return "\n".join([first, *threat_lines(position, found.threats)])


@GOGUI.add("tengen-threats", "every chain in atari, and where it is taken or saved (gfx)", _teaches)
def shown_threats(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.teaching import threat_lines

    arguments.end()
    teacher, position = _lesson(engine)
    lines = []
    for threat in teacher.threatened(position):
        lines.append("COLOR #ff0000 " + " ".join(engine.format(stone) for stone in threat.stones))
        lines.append(f"CIRCLE {engine.format(threat.liberty)}")
    words = threat_lines(position, teacher.threatened(position))
    return "\n".join([*lines, "TEXT " + (" ".join(words) or "No chain is in atari.")])


@GOGUI.add("tengen-ending", "how the game ended, in words (string)", _teaches)
def ending(engine: Engine, arguments: Arguments) -> str:
    arguments.end()
    teacher, position = _lesson(engine)
    return teacher.ending(position) or "The game goes on."


@GOGUI.add("tengen-param [NAME VALUE]", "the settings, or a new value of one (param)")
def param(engine: Engine, arguments: Arguments) -> str:
    settings = engine.settings
    if not len(arguments):
        return "\n".join(
            [
                f"[string] seconds {_shown(settings.seconds)}",
                f"[string] playouts {_shown(settings.playouts)}",
                f"[string] visits {_shown(settings.visits)}",
                f"[bool] ponder {int(settings.ponder)}",
            ]
        )
    name = arguments.word()
    if name == "ponder":
        settings.ponder = arguments.flag()
    elif name in ("seconds", "playouts", "visits"):
        setattr(settings, name, _limit_value(arguments, whole=name != "seconds"))
    else:
        raise GtpFailure(f"unknown parameter {name!r}")
    arguments.end()
    return ""


def _shown(value: float | None) -> str:
    return "default" if value is None else f"{value:g}"


def _limit_value(arguments: Arguments, *, whole: bool) -> float | None:
    if not len(arguments) or arguments.peek() == "default":
        arguments.rest()
        return None
    value = arguments.integer() if whole else arguments.number()
    if value <= 0:
        raise GtpFailure(SYNTAX_ERROR)
    return value


def _heat(share: float) -> str:
    """A colour from blue (0) over green to red (1)."""
    share = max(0.0, min(1.0, share))
    red, green, blue = share, 1 - abs(2 * share - 1), 1 - share
    return f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}"
