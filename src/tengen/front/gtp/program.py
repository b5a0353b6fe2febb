"""The command ``tengen gtp``: its options, and the process around the engine."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

from tengen.errors import ConfigError, TengenError
from tengen.front.gtp.engine import Engine
from tengen.front.gtp.protocol import CommandTable, Interpreter
from tengen.front.gtp.settings import COMPATS, EngineSettings
from tengen.front.gtp.wire import Inbox, serve

if TYPE_CHECKING:
    from tengen.go.rules import Rules
    from tengen.players import Player

__all__ = ["build_parser", "commands", "interpreter_for", "main"]

DESCRIPTION = """\
Speak the Go Text Protocol (version 2) on standard input and output, for Sabaki, GoGui, Lizzie,
LizzieYzy, q5Go, kgsGtp, gtp2ogs, twogtp, or a person at a terminal (try: help)."""
EPILOG = """\
examples:
  tengen gtp                                      the default engine
  tengen gtp --engine random --seed 1
  tengen gtp --engine mucgo:f=0.6 --time-per-move 1
  tengen gtp --engine uct --playouts 5000 --threads 2 --ponder
  tengen gtp --engine "cmd:gnugo --mode gtp"      another program behind our front

Without --time-per-move, --playouts, --visits and without any time command of the front end, the engine uses
its own limit for each move. Everything but answers is written to standard error."""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tengen gtp",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--engine",
        default="tengen",
        metavar="NAME",
        help="an engine by name, with parameters: mucgo:f=0.6,threads=1",
    )
    add(
        "--param",
        action="extend",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="one more parameter of the engine; repeatable",
    )
    add(
        "--champion",
        default=None,
        metavar="NAME",
        help="of --engine capture: best, hybrid, pso ..., defensive, random, or a file of tengen evolve",
    )
    add(
        "--size",
        type=_size,
        default=(19, 19),
        metavar="N|WxH",
        help="the board until a boardsize command (19)",
    )
    add("--komi", type=float, default=None, metavar="K", help="komi until a komi command (the rules' own)")
    add(
        "--rules",
        default="chinese",
        metavar="NAME",
        help="chinese, japanese, aga, tromp-taylor, capture ... (chinese)",
    )
    add("--time-per-move", type=_positive, default=None, metavar="S", help="seconds for each move")
    add("--playouts", type=_count, default=None, metavar="N", help="simulations for each move")
    add("--visits", type=_count, default=None, metavar="N", help="visits of the root for each move")
    add("--threads", type=_count, default=None, metavar="N", help="search threads")
    add("--memory", type=_count, default=None, metavar="MB", help="memory for the search tree")
    add("--level", default=None, metavar="L", help="playing level, weaker than full strength")
    add("--seed", type=int, default=None, metavar="S", help="the same seed, the same game (with one thread)")
    add("--net", default=None, metavar="FILE", help="a network for engines that use one")
    add("--graph", default=None, metavar="URL", help="the game graph on disk: sqlite:///my.db")
    add("--ponder", action="store_true", help="think on the opponent's time")
    add(
        "--compat",
        choices=[name for name in COMPATS if name],
        default="",
        help="the name a front end insists on",
    )
    add(
        "--log",
        default=None,
        metavar="FILE",
        help="append everything said on the wire, with times, to a file",
    )
    add("--debug", action="store_true", help="on an error at start show where it comes from")
    return parser


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        sides = int(width), int(height or width)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: a number such as 19, or 13x9, expected") from None
    if not all(2 <= side <= 25 for side in sides):
        raise argparse.ArgumentTypeError(f"{text!r}: sides go from 2 to 25")
    return sides


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r}: a number above 0 expected")
    return value


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number above 0 expected")
    return int(text)


def commands() -> CommandTable[Engine]:
    """All commands of all families."""
    from tengen.front.gtp.commands_admin import ADMIN
    from tengen.front.gtp.commands_board import BOARD
    from tengen.front.gtp.commands_play import PLAY
    from tengen.front.gtp.gogui import GOGUI

    return ADMIN + BOARD + PLAY + GOGUI


def interpreter_for(engine: Engine) -> Interpreter[Engine]:
    """The engine with its commands, ready to be asked."""
    engine.table = commands()

    def report(error: BaseException) -> None:
        import traceback

        for line in traceback.format_exception(error):
            for part in line.rstrip().splitlines():
                engine.log(part)

    return Interpreter(engine, engine.table, expected=(TengenError,), report=report)


class _Log:
    """Lines for people: to stderr, never to be taken for GTP, and with the traffic to a file."""

    def __init__(self, file: BinaryIO | None) -> None:
        self._file = file
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        data = f"tengen: {text}\n".encode("utf-8", "backslashreplace")
        try:
            os.write(2, data)
        except OSError:
            return
        finally:
            self.record("!", data[8:])

    def record(self, mark: str, data: bytes) -> None:
        """One line or answer that went over the wire."""
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%H:%M:%S", time.localtime(now)) + f".{int(now * 1000) % 1000:03d}"
        with self._lock:
            if self._file.closed:
                return
            for line in data.rstrip(b"\n").split(b"\n"):
                self._file.write(f"{stamp} {mark} ".encode() + line + b"\n")
            self._file.flush()


def _builder(options: argparse.Namespace) -> Callable[[bool], Player]:
    """What makes the player the options name; with a fixed seed and one thread when asked for."""
    # A front end that sets no seed wants another game each time.
    seed = int.from_bytes(os.urandom(4), "big") if options.seed is None else options.seed

    def build(repeatable: bool) -> Player:
        if options.engine.startswith("cmd:"):
            from tengen.front.gtp.client import ProgramPlayer

            program = ProgramPlayer(options.engine[4:])
            program.start()
            return program
        from tengen.systems import Resources, make_player

        given = {
            "threads": 1 if repeatable and options.threads is None else options.threads,
            "memory_mb": options.memory,
            "seed": 1 if repeatable and options.seed is None else seed,
            "level": options.level,
            "net": options.net,
            "graph": options.graph,
        }
        resources = Resources(**{key: value for key, value in given.items() if value is not None})
        return make_player(_spec(options), resources)

    return build


def _spec(options: argparse.Namespace) -> str:
    """Engine and parameters in one text, as make_player takes it."""
    for parameter in options.param:
        if "=" not in parameter:
            raise ConfigError(f"--param {parameter}: KEY=VALUE expected")
    given = [*options.param, *([f"champion={options.champion}"] if options.champion else [])]
    if not given:
        return str(options.engine)
    return f"{options.engine}{',' if ':' in options.engine else ':'}{','.join(given)}"


def _rules_maker(options: argparse.Namespace) -> Callable[[], Rules]:
    def rules() -> Rules:
        from tengen.go.rules import Rules

        return Rules.named(options.rules, options.size, options.komi)

    return rules


def main(argv: Sequence[str]) -> int:
    """Run the engine on this process's standard streams until ``quit`` or the end of input."""
    options = build_parser().parse_args(argv)
    try:
        return _run(options)
    except (TengenError, OSError) as error:
        if options.debug:
            raise
        print(f"tengen: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    if options.rules != "chinese" or options.komi is not None:
        _rules_maker(options)()
    _spec(options)
    with contextlib.ExitStack() as files:
        log = _Log(files.enter_context(open(options.log, "ab")) if options.log else None)
        return _serve(options, log)


def _serve(options: argparse.Namespace, log: _Log) -> int:
    output = _claim_stdout()
    inbox = Inbox()
    settings = EngineSettings(
        build=_builder(options),
        rules=_rules_maker(options),
        title=options.engine,
        seconds=options.time_per_move,
        playouts=options.playouts,
        visits=options.visits,
        ponder=options.ponder,
        compat=COMPATS[options.compat],
        log=log.line,
    )
    engine = Engine(settings, inbox)
    status = serve(
        interpreter_for(engine), inbox, input_descriptor=0, output_descriptor=output, record=log.record
    )
    return 1 if status == 0 and engine.failed else status


def _claim_stdout() -> int:
    """A descriptor for answers alone: what else is written to standard output goes to standard error now."""
    output = os.dup(1)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(0, os.O_BINARY)
        msvcrt.setmode(output, os.O_BINARY)
    return output
