"""A long fuzz of the protocol, in process and seeded: one answer to whatever is said, and nothing grows."""

from __future__ import annotations

import gc
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tengen.errors import TengenError
from tengen.front.gtp.engine import Engine
from tengen.front.gtp.program import interpreter_for
from tengen.front.gtp.protocol import Interpreter, Request, parse_line
from tengen.front.gtp.settings import EngineSettings
from tengen.front.gtp.wire import LineCutter

if TYPE_CHECKING:
    from tengen.go.position import Position
    from tengen.go.rules import Rules
    from tengen.players import Clock, Decision, Limit

__all__ = ["FuzzFailure", "fuzz_gtp", "fuzz_lines"]

SLOWEST_ANSWER = 20.0
"""Seconds of processor time, so that a busy machine is no failure; a quarter million lines had none above four."""
GROWTH_ALLOWED = 8 << 20
"""Bytes that Python and the C heap may have grown between the first tenth of the run and its end."""

_COLORS = ["b", "w", "B", "W", "black", "White", "BLACK", "white"]
_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SIZES = ["2", "3", "5", "7", "9", "9", "13", "19", "25"]
_WORDS = [
    "0",
    "-1",
    "1",
    "26",
    "1e400",
    "nan",
    "inf",
    "pass",
    "resign",
    "i9",
    "A0",
    "zz",
    "9999999999999999",
    "true",
    "é",
    "囲碁",
    "0x10",
    "1_0",
    "{}",
    "dead",
]
_WORDS += ["", "\x7f", "a" * 300, '{"ko":', "..", "B4,C4", "-", "+5", "1.5.5", "\udc80", "#"]


class FuzzFailure(TengenError):
    """The engine broke its promise on a line; the text says which, and with what seed."""


class _Chooser:
    """Plays a random legal move: enough of a player for a protocol that is to be fuzzed."""

    name = "chooser"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def new_game(self, rules: Rules) -> None:
        pass

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        from tengen.players import Decision

        points = position.board.empty_points()
        for _ in range(5):
            if points and position.is_legal(move := self._random.choice(points)):
                return Decision(move)
        return Decision(-1)

    def close(self) -> None:
        pass


def _vertex(source: random.Random) -> str:
    if source.random() < 0.04:
        return source.choice(["pass", "PASS", "resign", "i5", "T0", "a26"])
    letter = source.choice(_LETTERS[: source.choice([5, 9, 9, 19, 25])])
    row = source.randint(1, source.choice([5, 9, 9, 19, 25]))
    return f"{letter.lower() if source.random() < 0.5 else letter}{row}"


def _stones(source: random.Random) -> str:
    return " ".join(f"{source.choice(_COLORS)} {_vertex(source)}" for _ in range(source.randint(0, 6)))


_FILLERS: dict[str, Callable[[random.Random], str]] = {
    "COLOR": lambda source: source.choice(_COLORS),
    "VERTEX": _vertex,
    "VERTICES": lambda source: " ".join(_vertex(source) for _ in range(source.randint(0, 5))),
    "STONES": _stones,
    "SIZE": lambda source: source.choice(_SIZES),
    "COUNT": lambda source: str(source.randint(0, 10)),
    "WORD": lambda source: source.choice(_WORDS),
}

_TEMPLATES = """
300 play COLOR VERTEX
 60 genmove COLOR
 40 undo
 10 gg-undo COUNT
 12 clear_board
  8 boardsize SIZE
  3 rectangular_boardsize SIZE SIZE
 10 komi 0|-3|6.5|7|375.5|1e300|WORD
  4 fixed_handicap COUNT
  3 place_free_handicap COUNT
  4 set_free_handicap VERTICES
  4 set_position STONES
  4 gogui-setup STONES
  4 gogui-play_sequence STONES
  4 gogui-setup_player COLOR
 10 is_legal COLOR VERTEX
 10 color VERTEX
  5 countlib VERTEX
  1 all_legal COLOR
  2 list_stones COLOR
  5 captures COLOR
  5 known_command play|genmove|x|
  5 time_settings 0 5 1|300 0 0|0 0 0|1 1 0|600 300 25|1 2
  4 kgs-time_settings none|absolute 5|byoyomi 60 5 5|canadian 1 2 3|x
  3 kata-time_settings fischer 5 1|fischer-capped 1 2 3 4|none|
  5 time_left COLOR 0 0|COLOR 1.5 5|COLOR -1|COLOR 60 COUNT
  4 kata-set-rules japanese|tromp-taylor|aga|capture|x|{}|[1]
  3 kata-set-rule ko SIMPLE|suicide true|tax ALL|x y|ko WORD
  2 kgs-rules chinese|japanese|x
  1 final_score
  1 final_status_list dead|alive|seki|x
  1 kgs-genmove_cleanup COLOR
  1 showboard
  1 printsgf
  1 loadsgf |/|/no/such.sgf|/no/such.sgf 7|WORD
  1 reg_genmove COLOR
  1 tengen-ownership
  2 kgs-chat game someone WORD|private|x WORD
  2 lz-analyze COLOR WORD
  1 list_commands
  1 help
  1 move_history
  1 gogui-analyze_commands
  3 name
  3 version
  2 stop
  2 last_move
  2 query_boardsize
  2 get_handicap
  2 kata-get-rules
  1 cputime
  1 gomill-explain_last_move
  3 tengen-param |playouts 5|seconds -1|ponder 1|x y
 30 WORD WORD
  5 # interrupt
  5 #
  5 WORD
"""
"""A weight, a command, and what may follow it: tails between bars, words in capitals filled in.

The weights keep games long enough to be games and short enough to be many.
"""


def _makers() -> tuple[list[int], list[Callable[[random.Random], str]]]:
    weights, makers = [], []
    for line in _TEMPLATES.strip("\n").splitlines():
        weight, name, *rest = line.split(" " if line[0] != " " else None, 2)
        weights.append(int(weight))
        makers.append(_maker(name, (rest or [""])[0].split("|")))
    return weights, makers


def _maker(name: str, tails: list[str]) -> Callable[[random.Random], str]:
    def make(source: random.Random) -> str:
        words = f"{name} {source.choice(tails)}".split(" ")
        return " ".join(_FILLERS[word](source) if word in _FILLERS else word for word in words)

    return make


def fuzz_lines(count: int, seed: int) -> Iterator[bytes]:
    """Lines to throw at an engine: mostly commands that make sense, a third of them then broken somehow."""
    source = random.Random(seed)
    weights, makers = _makers()
    done = 0
    while done < count:
        for maker in source.choices(makers, weights, k=min(1000, count - done)):
            line = maker(source).encode("utf-8", "surrogateescape")
            if source.random() < 0.3:
                line = _broken(line, source)
            if source.random() < 0.2:
                line = str(source.randint(0, 10 ** source.randint(0, 12))).encode() + b" " + line
            yield line
        done += 1000


def _broken(line: bytes, source: random.Random) -> bytes:
    """One small damage of the kinds seen on real wires, now and then a big one."""
    kind = source.randrange(10)
    at = source.randint(0, len(line))
    if kind == 0:
        return line[:at] + bytes([source.randrange(256)]) + line[at:]
    if kind == 1:
        return line[:at] + line[at + source.randint(1, 3) :]
    if kind == 2:
        return line.replace(b" ", b"\t") + b"\r"
    if kind == 3:
        return line + b" " + source.choice(_WORDS).encode("utf-8", "surrogateescape")
    if kind == 4:
        return line[:at] + b"\0" * source.randint(1, 5) + line[at:]
    if kind == 5:
        return line.upper()
    if kind == 6:
        return line + b" # " + line
    if kind == 7 and source.random() < 0.002:
        return line + b" " + b"9" * (1 << 21)
    if kind == 8:
        return source.randbytes(source.randint(1, 40))
    return b"  " + line.replace(b" ", b"   ") + b"  "


def fuzz_gtp(
    count: int = 1_000_000,
    seed: int = 1,
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Throw ``count`` lines at an engine with a random player; what came of it, as numbers.

    Keys: lines, commands, answers, good, refused, seconds, lines_per_second, slowest (processor seconds of one answer),
    growth (bytes between the first tenth and the end), seed, commands_seen. Raises FuzzFailure at the first
    line that gets no answer, more than one, a malformed one, an internal error, or takes longer than
    SLOWEST_ANSWER.
    """
    from tengen.go.rules import Rules

    interpreter = _fresh_interpreter(Rules.named("chinese", 9), seed)
    counts: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    slowest = 0.0
    first_memory = 0
    began = time.perf_counter()
    for number, line in enumerate(_through_the_wire(fuzz_lines(count, seed)), 1):
        request = parse_line(line)
        before = time.process_time()
        answer = interpreter.answer(line)
        slowest = max(slowest, time.process_time() - before)
        _check(line, request, answer, number, seed)
        if isinstance(request, Request):
            counts["good" if answer[:1] == b"=" else "refused"] += 1
            seen[request.name if interpreter.table.find(request.name, interpreter.engine) else "?"] += 1
        if slowest > SLOWEST_ANSWER:
            raise FuzzFailure(f"seed {seed}, line {number}: {line[:80]!r} took {slowest:.1f} s")
        if number == max(1, count // 10):
            first_memory = _memory_in_use()
        if number % 10_000 == 0:
            progress(number)
    seconds = time.perf_counter() - began
    interpreter.engine.session.clear()
    growth = _memory_in_use() - first_memory
    if growth > GROWTH_ALLOWED:
        raise FuzzFailure(
            f"seed {seed}: {growth} bytes more in use at the end than after a tenth of {count} lines"
        )
    return {
        "lines": count,
        "commands": counts.total(),
        "answers": counts.total(),
        "good": counts["good"],
        "refused": counts["refused"],
        "seconds": round(seconds, 2),
        "lines_per_second": round(count / seconds),
        "slowest": round(slowest, 3),
        "growth": growth,
        "seed": seed,
        "commands_seen": len(seen),
    }


def _fresh_interpreter(rules: Rules, seed: int) -> Interpreter[Engine]:
    return interpreter_for(
        Engine(EngineSettings(build=lambda repeatable: _Chooser(seed), rules=lambda: rules, title="chooser"))
    )


def _through_the_wire(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines as the reader would cut them: one with a newline in it is several, a long one is
    shortened."""
    cutter = LineCutter()
    for line in lines:
        for part, _ in cutter.feed(line + b"\n"):
            request = parse_line(part)
            # What ends the run or writes a file is not said.
            if not isinstance(request, Request) or not (
                request.name == "quit" or (request.name == "printsgf" and request.text)
            ):
                yield part


def _check(line: bytes, request: object, answer: bytes, number: int, seed: int) -> None:
    where = f"seed {seed}, line {number}: {line[:80]!r}"
    if not isinstance(request, Request):
        if answer:
            raise FuzzFailure(f"{where}: no command, and yet an answer {answer[:80]!r}")
        return
    head = f"={request.id}".encode(), f"?{request.id}".encode()
    if not answer.startswith(head) or not answer.endswith(b"\n\n") or b"\n\n" in answer[:-2]:
        raise FuzzFailure(f"{where}: malformed answer {answer[:200]!r}")
    if b"internal error" in answer:
        raise FuzzFailure(f"{where}: {answer[:200]!r}")


def _memory_in_use() -> int:
    """Bytes resident, without what the allocator keeps in reserve; 0 where the system does not tell."""
    gc.collect()
    try:
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        pass
    try:
        with open("/proc/self/statm", "rb") as file:
            import os

            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
