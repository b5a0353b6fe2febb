"""Commands that set a game up, play it, take it back, show it, read and write it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.protocol import (
    BAD_HANDICAP,
    BAD_VERTEX_LIST,
    BOARD_NOT_EMPTY,
    CANNOT_LOAD,
    CANNOT_UNDO,
    SYNTAX_ERROR,
    UNACCEPTABLE_KOMI,
    UNACCEPTABLE_SIZE,
    Arguments,
    CommandTable,
    GtpFailure,
)

if TYPE_CHECKING:
    from tengen.go.coords import Color, Move

__all__ = ["BOARD"]

BOARD: CommandTable[Engine] = CommandTable()

SMALLEST, LARGEST = 2, 25


@BOARD.add("boardsize SIZE [HEIGHT]", "an empty board of this size, 2 to 25 each way")
def boardsize(engine: Engine, arguments: Arguments) -> str:
    width = arguments.integer()
    height = arguments.integer() if len(arguments) else width
    arguments.end()
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise GtpFailure(UNACCEPTABLE_SIZE)
    if not engine.plays_on(width, height):
        raise GtpFailure(UNACCEPTABLE_SIZE)
    engine.session.resize(width, height)
    engine.new_game()
    return ""


@BOARD.add("rectangular_boardsize WIDTH HEIGHT", "an empty board of this size, 2 to 25 each way")
def rectangular_boardsize(engine: Engine, arguments: Arguments) -> str:
    if len(arguments) != 2:
        raise GtpFailure(SYNTAX_ERROR)
    return boardsize(engine, arguments)


@BOARD.add("query_boardsize", "the size of the board")
def query_boardsize(engine: Engine, arguments: Arguments) -> str:
    rules = engine.session.rules
    return str(rules.width) if rules.width == rules.height else f"{rules.width} {rules.height}"


@BOARD.add("clear_board", "an empty board for a new game")
def clear_board(engine: Engine, arguments: Arguments) -> str:
    engine.session.clear()
    engine.new_game()
    return ""


@BOARD.add("komi NEW_KOMI", "sets the komi")
def komi(engine: Engine, arguments: Arguments) -> str:
    value = arguments.number()
    arguments.end()
    if not -1000 <= value <= 1000:
        raise GtpFailure(UNACCEPTABLE_KOMI)
    engine.change_rules(engine.session.rules.replace(komi=value))
    return ""


@BOARD.add("get_komi", "the komi")
def komi_now(engine: Engine, arguments: Arguments) -> str:
    return f"{engine.session.rules.komi:g}"


@BOARD.add("play COLOR VERTEX", "a move of either colour")
def play(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.coords import RESIGN

    color, move = engine.color(arguments), engine.vertex(arguments)
    arguments.end()
    if move == RESIGN:
        engine.resigned = color
        return ""
    engine.play(color, move)
    return ""


@BOARD.add("undo", "takes the last move back")
def undo(engine: Engine, arguments: Arguments) -> str:
    if not engine.session.undo():
        raise GtpFailure(CANNOT_UNDO)
    engine.moved()
    return ""


@BOARD.add("gg-undo [NUMBER]", "takes back so many moves, one without a number")
def gg_undo(engine: Engine, arguments: Arguments) -> str:
    count = arguments.integer() if len(arguments) else 1
    arguments.end()
    if not engine.session.undo(count):
        raise GtpFailure(CANNOT_UNDO)
    engine.moved()
    return ""


# ---- handicap
# -------------------------------------------------------------------------------------------------


def _handicap_count(engine: Engine, arguments: Arguments) -> int:
    count = arguments.integer()
    arguments.end()
    if not engine.session.empty:
        raise GtpFailure(BOARD_NOT_EMPTY)
    if count < 2:
        raise GtpFailure(BAD_HANDICAP)
    return count


def _place(engine: Engine, stones: list[Move]) -> str:
    from tengen.go.coords import Color

    engine.session.set_up(stones, (), Color.WHITE)
    engine.new_game()
    return " ".join(engine.format(move) for move in stones)


@BOARD.add("fixed_handicap NUMBER", "handicap stones on the standard's points; answers them")
def fixed_handicap(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.handicap import fixed_handicap as points_for

    count = _handicap_count(engine, arguments)
    rules = engine.session.rules
    try:
        stones = points_for(count, rules.width, rules.height)
    except ValueError:
        raise GtpFailure(BAD_HANDICAP) from None
    return _place(engine, stones)


@BOARD.add("place_free_handicap NUMBER", "handicap stones where the program wants them; answers them")
def place_free_handicap(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.handicap import free_handicap

    count = _handicap_count(engine, arguments)
    rules = engine.session.rules
    return _place(engine, free_handicap(count, rules.width, rules.height))


@BOARD.add("set_free_handicap VERTEX VERTEX ..", "handicap stones on these points, two or more")
def set_free_handicap(engine: Engine, arguments: Arguments) -> str:
    if not engine.session.empty:
        raise GtpFailure(BOARD_NOT_EMPTY)
    stones = []
    for word in arguments.rest():
        move = engine.parse_vertex(word)
        if move is None or move < 0 or move in stones:
            raise GtpFailure(BAD_VERTEX_LIST)
        stones.append(move)
    if not 2 <= len(stones) < engine.session.rules.area:
        raise GtpFailure(BAD_VERTEX_LIST)
    _place(engine, stones)
    return ""


@BOARD.add(
    "get_handicap", "the number of handicap stones, those sent as several first moves of Black included"
)
def handicap_now(engine: Engine, arguments: Arguments) -> str:
    return str(engine.session.handicap)


# ---- positions
# ------------------------------------------------------------------------------------------------


@BOARD.add(
    "set_position COLOR VERTEX COLOR VERTEX ..", "these stones and no history; no pairs empty the board"
)
def set_position(engine: Engine, arguments: Arguments) -> str:
    from tengen.errors import IllegalMove
    from tengen.go.coords import Color

    stones: dict[Move, Color] = {}
    while len(arguments):
        color, move = engine.color(arguments), engine.vertex(arguments)
        if move < 0 or move in stones:
            raise GtpFailure(SYNTAX_ERROR)
        stones[move] = color
    try:
        engine.session.set_up(
            [move for move, color in stones.items() if color is Color.BLACK],
            [move for move, color in stones.items() if color is Color.WHITE],
            Color.BLACK,
        )
    except IllegalMove:
        raise GtpFailure("illegal position") from None
    engine.new_game()
    return ""


@BOARD.add("showboard", "a picture of the board")
def showboard(engine: Engine, arguments: Arguments) -> str:
    from tengen.front.gtp.describe import picture

    return picture(engine)


@BOARD.add("list_stones COLOR", "every stone of a colour")
def list_stones(engine: Engine, arguments: Arguments) -> str:
    color = engine.color(arguments)
    arguments.end()
    position = engine.session.position
    points = range(engine.session.rules.area)
    return " ".join(engine.format(move) for move in points if position.color_at(move) == color)


@BOARD.add("color VERTEX", "what stands there: black, white or empty")
def color_of(engine: Engine, arguments: Arguments) -> str:
    move = engine.point(arguments)
    arguments.end()
    return ("empty", "black", "white")[engine.session.position.color_at(move)]


@BOARD.add("is_legal COLOR VERTEX", "1 if the rules, superko included, allow the move, else 0")
def is_legal(engine: Engine, arguments: Arguments) -> str:
    color, move = engine.color(arguments), engine.vertex(arguments)
    arguments.end()
    if move < 0:
        return "1"
    return "1" if engine.session.position.is_legal(move, color) else "0"


@BOARD.add("all_legal COLOR", "every point a colour may play on")
def all_legal(engine: Engine, arguments: Arguments) -> str:
    color = engine.color(arguments)
    arguments.end()
    return " ".join(engine.format(move) for move in engine.session.position.legal_moves(color))


@BOARD.add("captures COLOR", "how many stones a colour has captured")
def captures(engine: Engine, arguments: Arguments) -> str:
    color = engine.color(arguments)
    arguments.end()
    return str(engine.session.position.captures[color - 1])


@BOARD.add("countlib VERTEX", "the number of liberties of the chain there")
def countlib(engine: Engine, arguments: Arguments) -> str:
    move = _stone(engine, arguments)
    return str(engine.session.position.board.liberties(move))


@BOARD.add("last_move", "colour and point of the last move")
def last_move(engine: Engine, arguments: Arguments) -> str:
    moves = engine.session.moves
    if not moves:
        raise GtpFailure("no previous move known")
    return _pair(engine, moves[-1])


@BOARD.add("move_history", "every move, the last one first")
def move_history(engine: Engine, arguments: Arguments) -> str:
    return "\n".join(_pair(engine, played) for played in reversed(engine.session.moves))


def _pair(engine: Engine, played: tuple[Color, Move]) -> str:
    color, move = played
    return f"{'black' if color == 1 else 'white'} {engine.format(move)}"


def _stone(engine: Engine, arguments: Arguments) -> Move:
    move = engine.point(arguments)
    arguments.end()
    if not engine.session.position.color_at(move):
        raise GtpFailure("vertex must not be empty")
    return move


# ---- rules
# ----------------------------------------------------------------------------------------------------


@BOARD.add("kata-get-rules", "the rules as a JSON object")
def rules_now(engine: Engine, arguments: Arguments) -> str:
    import json

    return json.dumps(engine.session.rules.to_kata(), separators=(",", ":"))


@BOARD.add("kata-set-rules RULES", "rules by name, or by a JSON object of fields")
def kata_set_rules(engine: Engine, arguments: Arguments) -> str:
    if not len(arguments):
        raise GtpFailure(SYNTAX_ERROR)
    engine.change_rules(engine.session.rules.with_kata(arguments.rest_text()))
    return ""


@BOARD.add("kata-set-rule FIELD VALUE", "one field of the rules")
def kata_set_rule(engine: Engine, arguments: Arguments) -> str:
    field, value = arguments.word(), arguments.rest_text()
    if not value:
        raise GtpFailure(SYNTAX_ERROR)
    engine.change_rules(engine.session.rules.with_kata_field(field, value))
    return ""


_KGS_RULES = {
    "chinese": "chinese-kgs",
    "japanese": "japanese",
    "aga": "aga",
    "new_zealand": "new-zealand",
    "new-zealand": "new-zealand",
}


@BOARD.add("kgs-rules NAME", "chinese, japanese, aga or new_zealand")
def kgs_rules(engine: Engine, arguments: Arguments) -> str:
    name = arguments.word().lower()
    arguments.end()
    if name not in _KGS_RULES:
        raise GtpFailure(f"unknown rules {name!r}")
    engine.change_rules(engine.session.rules.with_named(_KGS_RULES[name]))
    return ""


# ---- records
# --------------------------------------------------------------------------------------------------


@BOARD.add("loadsgf FILE [MOVE_NUMBER]", "the game in a file, to the position before that move or its end")
def loadsgf(engine: Engine, arguments: Arguments) -> str:
    from tengen.errors import TengenError
    from tengen.go.sgf import load_sgf, record_of

    words = arguments.rest()
    if not words:
        raise GtpFailure(SYNTAX_ERROR)
    moves: int | None = None
    # A file name may hold blanks, and end in a number: the file that exists decides.
    name = arguments.text
    if not _is_file(name) and len(words) > 1 and words[-1].isascii() and words[-1].isdigit():
        name = name[: name.rindex(words[-1])].rstrip(" ")
        moves = max(0, int(words[-1][:9]) - 1)
    name = _unquoted(name)
    try:
        if not _is_file(name):
            raise GtpFailure(CANNOT_LOAD)
        collection = load_sgf(name)
        if not collection.games:
            raise GtpFailure(CANNOT_LOAD)
        record = record_of(collection.games[0])
        if not (SMALLEST <= record.rules.width <= LARGEST and SMALLEST <= record.rules.height <= LARGEST):
            raise GtpFailure(CANNOT_LOAD)
        engine.session.load(record, moves)
    except (TengenError, OSError, ValueError) as error:
        engine.log(f"loadsgf {name}: {error}")
        raise GtpFailure(CANNOT_LOAD) from None
    engine.new_game()
    return ""


@BOARD.add("printsgf [FILE]", "the game as SGF, into a file or as the answer")
def printsgf(engine: Engine, arguments: Arguments) -> str:
    from tengen.go.sgf import sgf_of

    arguments.rest()
    record = engine.session.record()
    if engine.resigned is not None:
        record.result = "W+R" if engine.resigned == 1 else "B+R"
    data = sgf_of(record)
    name = _unquoted(arguments.text)
    if name in ("", "-"):
        return data.decode("utf-8", "replace")
    try:
        with open(name, "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        engine.log(f"printsgf {name}: {error}")
        raise GtpFailure(f"cannot write file {name}") from None
    return ""


def _is_file(name: str) -> bool:
    try:
        return os.path.isfile(_unquoted(name))
    except (OSError, ValueError):
        return False


def _unquoted(name: str) -> str:
    if len(name) >= 2 and name[0] == name[-1] == '"':
        return name[1:-1]
    return name
