"""Commands that think: moves, analysis, time, and the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.protocol import CANNOT_SCORE, SYNTAX_ERROR, Arguments, CommandTable, GtpFailure, Stream

if TYPE_CHECKING:
    from tengen.go.coords import Color, Move

__all__ = ["PLAY"]

PLAY: CommandTable[Engine] = CommandTable()


def _color_to_move(engine: Engine, arguments: Arguments) -> Color:
    color = engine.color(arguments)
    arguments.end()
    return color


@PLAY.add("genmove COLOR", "thinks of a move, plays it, and answers it; or answers resign")
def genmove(engine: Engine, arguments: Arguments) -> str:
    color = _color_to_move(engine, arguments)
    return engine.play_decision(color, engine.think(color))


@PLAY.add("reg_genmove COLOR", "the move a fresh player would make, the same each time; it is not played")
def reg_genmove(engine: Engine, arguments: Arguments) -> str:
    color = _color_to_move(engine, arguments)
    return engine.format(engine.think_afresh(color).move)


@PLAY.add("kgs-genmove_cleanup COLOR", "like genmove, but captures all dead stones before it passes")
def genmove_cleanup(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.cleanup import cleanup_move
    from tengen.go.coords import PASS

    color = _color_to_move(engine, arguments)
    decision = engine.think(color)
    if decision.move >= 0:
        return engine.play_decision(color, decision)
    move = cleanup_move(engine.session.position_for(color), engine.dead_stones())
    if move == PASS:
        engine.play(color, PASS)
        return "pass"
    engine.play(color, move)
    return engine.format(move)


# ---- time
# -----------------------------------------------------------------------------------------------------


@PLAY.add("time_settings MAIN BYO_YOMI STONES", "Canadian time; 0 stones in a byo-yomi above 0: no limit")
def time_settings(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.time_control import parse_time_settings

    engine.session.time.set(parse_time_settings(arguments))
    return ""


@PLAY.add("kgs-time_settings none | absolute M | canadian M T S | byoyomi M T P", "the time system")
def kgs_time_settings(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.time_control import parse_kgs_time

    engine.session.time.set(parse_kgs_time(arguments))
    return ""


@PLAY.add("kata-time_settings SYSTEM ..", "as kgs-time_settings, and fischer M I, fischer-capped M I CAP MAX")
def kata_time_settings(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.time_control import parse_kata_time

    engine.session.time.set(parse_kata_time(arguments))
    return ""


@PLAY.add("kata-list_time_settings", "the time systems there are")
def kata_list_time_settings(engine: Engine, arguments: Arguments) -> str:
    return "none absolute byoyomi canadian fischer fischer-capped"


@PLAY.add("time_left COLOR SECONDS STONES", "what a colour has left; 0 stones while in main time")
def time_left(engine: Engine, arguments: Arguments) -> str:
    color, seconds = engine.color(arguments), arguments.number()
    # Some servers leave the stones out in main time.
    stones = arguments.integer() if len(arguments) else 0
    arguments.end()
    engine.session.time.tell(color, seconds, stones)
    return ""


# ---- the end of the game
# --------------------------------------------------------------------------------------


@PLAY.add("final_score", "the score with dead stones taken off: B+3.5, W+0.5 or 0")
def final_score(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.coords import Color
    from tengen.go.rules import Goal
    from tengen.go.scoring import format_result, score_position

    position = engine.session.position_for()
    if position.rules.goal is Goal.FIRST_CAPTURE:
        winner = position.capture_winner
        if winner is Color.EMPTY:
            raise GtpFailure(CANNOT_SCORE)
        return "B+" if winner is Color.BLACK else "W+"
    return format_result(score_position(position, engine.dead_stones()))


@PLAY.add("final_status_list alive|dead|seki", "the stones of that status, one chain a line")
def final_status_list(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.cleanup import seki_chains

    status = arguments.word().lower()
    arguments.end()
    if status not in ("alive", "dead", "seki"):
        raise GtpFailure(SYNTAX_ERROR)
    position = engine.session.position
    dead = engine.dead_stones()
    chains = _chains(engine)
    if status == "dead":
        wanted = [chain for chain in chains if chain[0] in dead]
    else:
        seki = seki_chains(position, dead)
        living = [chain for chain in chains if chain[0] not in dead]
        wanted = [chain for chain in living if (chain[0] in seki) == (status == "seki")]
    return "\n".join(" ".join(engine.format(move) for move in chain) for chain in wanted)


def _chains(engine: Engine) -> list[list[Move]]:
    position = engine.session.position
    seen: set[Move] = set()
    chains = []
    for move in range(position.rules.area):
        if move not in seen and position.color_at(move):
            chain = position.board.chain(move)
            seen.update(chain)
            chains.append(chain)
    return chains


# ---- analysis
# -------------------------------------------------------------------------------------------------

_GRAMMAR = (
    "[COLOR] [CENTISECONDS] {interval N | minmoves N | maxmoves N | avoid C V,.. DEPTH | allow C V,.. DEPTH"
)
_LZ_GRAMMAR = _GRAMMAR + "}"
_KATA_GRAMMAR = _GRAMMAR + " | ownership true | rootInfo true}"


def _analyses(engine: Engine) -> bool:
    return engine.can("analyze")


@PLAY.add_stream(
    f"lz-analyze {_LZ_GRAMMAR}", "analyses until any input comes, in Leela Zero's form", _analyses
)
def lz_analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze(arguments, stream, kata=False)


@PLAY.add_stream(
    f"kata-analyze {_KATA_GRAMMAR}", "analyses until any input comes, in KataGo's form", _analyses
)
def kata_analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze(arguments, stream, kata=True)


@PLAY.add_stream(f"analyze {_KATA_GRAMMAR}", "the same as kata-analyze", _analyses)
def analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze(arguments, stream, kata=True)


@PLAY.add_stream(
    f"lz-genmove_analyze {_LZ_GRAMMAR}", "genmove with analysis; ends with play VERTEX", _analyses
)
def lz_genmove_analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze_move(arguments, stream, kata=False)


@PLAY.add_stream(
    f"kata-genmove_analyze {_KATA_GRAMMAR}", "genmove with analysis; ends with play VERTEX", _analyses
)
def kata_genmove_analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze_move(arguments, stream, kata=True)


@PLAY.add_stream(f"genmove_analyze {_KATA_GRAMMAR}", "the same as kata-genmove_analyze", _analyses)
def genmove_analyze(engine: Engine, arguments: Arguments, stream: Stream) -> None:
    engine.analyze_move(arguments, stream, kata=True)


@PLAY.add(
    "kata-raw-nn [SYMMETRY]",
    "what the network says of the position, no search",
    lambda engine: engine.can("net"),
)
def kata_raw_nn(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.coords import Color

    arguments.rest()
    judged = engine.evaluate()
    rules = engine.session.rules
    sign = 1 if engine.session.to_move is Color.WHITE else -1
    lines = ["symmetry 0"]
    if judged.winrate is not None:
        white = judged.winrate if sign > 0 else 1 - judged.winrate
        lines += [f"whiteWin {white:.6f}", f"whiteLoss {1 - white:.6f}", "noResult 0.000000"]
    if judged.score is not None:
        lines.append(f"whiteLead {sign * judged.score:.3f}")
    policy = [float(share) for share in judged.policy]
    lines += [
        "policy",
        *_rows([f"{share:.6f}" if share > 0 else "NAN" for share in policy[:-1]], rules.width),
    ]
    lines.append(f"policyPass {policy[-1]:.6f}")
    if judged.ownership is not None:
        owners = [f"{sign * float(value):.7f}" for value in judged.ownership.reshape(-1)]
        lines += ["whiteOwnership", *_rows(owners, rules.width)]
    return "\n".join(lines)


def _rows(words: list[str], width: int) -> list[str]:
    return [" ".join(words[start : start + width]) for start in range(0, len(words), width)]
