"""GTP version 2 as a language: lines to requests, handlers to answers. Knows no Go and no process."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

__all__ = [
    "Arguments",
    "Command",
    "CommandTable",
    "GtpFailure",
    "Interpreter",
    "Interrupt",
    "Quit",
    "Request",
    "Stream",
    "parse_line",
]

LONGEST_LINE = 1 << 20
"""Bytes of a line that are read; a longer line is answered with an error and forgotten."""

CANNOT_LOAD = "cannot load file"
CANNOT_SCORE = "cannot score"
CANNOT_UNDO = "cannot undo"
ILLEGAL_MOVE = "illegal move"
LINE_TOO_LONG = "line too long"
SYNTAX_ERROR = "syntax error"
UNACCEPTABLE_KOMI = "unacceptable komi"
UNACCEPTABLE_SIZE = "unacceptable size"
UNKNOWN_COMMAND = "unknown command"
BAD_HANDICAP = "invalid number of stones"
BAD_VERTEX_LIST = "bad vertex list"
BOARD_NOT_EMPTY = "board not empty"

_DROPPED = bytes(i for i in range(32) if i not in (9, 10)) + b"\x7f"
_TO_SPACE = bytes.maketrans(b"\t", b" ")
_ID = re.compile(rb"([0-9]+)(?: +|$)")
_INTERRUPT = re.compile(rb"# *interrupt *$", re.IGNORECASE)


class GtpFailure(Exception):
    """A command that answers ``?`` with this text."""


class Quit(Exception):
    """Raised by the handler of ``quit``: answer ``=`` and read no further."""


class Interrupt:
    """What the line ``# interrupt`` is: no command, no answer, but thinking stops."""


class Request(NamedTuple):
    """One command. ``id`` is the text of its number, empty when it had none; ``text`` are the arguments."""

    id: str
    name: str
    text: str
    too_long: bool = False


def parse_line(line: bytes) -> Request | Interrupt | None:
    """A line without its newline. None when it holds no command: blank, or all comment.

    Control characters are dropped (CR and NUL among them), a tab is a space, ``#`` starts a comment; bytes
    that are not UTF-8 survive as surrogates, so that a file name of any encoding can be opened.
    """
    line = line.translate(_TO_SPACE, _DROPPED).strip(b" ")
    if b"#" in line:
        if line[0] == 35 and _INTERRUPT.match(line):
            return Interrupt()
        line = line[: line.index(b"#")].rstrip(b" ")
    if not line:
        return None
    number = _ID.match(line)
    identity = ""
    if number is not None:
        identity = number.group(1).decode("ascii")
        line = line[number.end() :]
    name, _, text = line.partition(b" ")
    return Request(
        identity,
        name.decode("utf-8", "surrogateescape"),
        text.strip(b" ").decode("utf-8", "surrogateescape"),
    )


class Arguments:
    """The words after a command's name, taken from the left. What is missing or malformed: syntax error."""

    __slots__ = ("_next", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = text.split(" ") if text else []
        if "" in self.words:
            self.words = [word for word in self.words if word]
        self._next = 0

    def __len__(self) -> int:
        """How many words are left."""
        return len(self.words) - self._next

    def peek(self) -> str:
        """The next word, empty when there is none; it stays."""
        return self.words[self._next] if self._next < len(self.words) else ""

    def word(self) -> str:
        if self._next >= len(self.words):
            raise GtpFailure(SYNTAX_ERROR)
        self._next += 1
        return self.words[self._next - 1]

    def integer(self) -> int:
        """A whole number; ``5.0`` is one, too, since some front ends write floats everywhere."""
        value = self.number()
        if value != int(value):
            raise GtpFailure(SYNTAX_ERROR)
        return int(value)

    def number(self) -> float:
        """A finite number of plain digits (no ``nan``, ``inf``, ``1_000``)."""
        text = self.word()
        if len(text) > 40 or "_" in text or not text.isascii():
            raise GtpFailure(SYNTAX_ERROR)
        try:
            value = float(text)
        except ValueError:
            raise GtpFailure(SYNTAX_ERROR) from None
        if not -1e15 < value < 1e15:
            raise GtpFailure(SYNTAX_ERROR)
        return value

    def flag(self) -> bool:
        text = self.word().lower()
        if text in ("true", "1", "yes", "on"):
            return True
        if text in ("false", "0", "no", "off"):
            return False
        raise GtpFailure(SYNTAX_ERROR)

    def rest(self) -> list[str]:
        """All words that are left."""
        words = self.words[self._next :]
        self._next = len(self.words)
        return words

    def rest_text(self) -> str:
        """What is left: as it was written if nothing was taken yet, else with single spaces."""
        if self._next == 0:
            self._next = len(self.words)
            return self.text
        return " ".join(self.rest())

    def end(self) -> None:
        """Raise unless every word was taken."""
        if self._next < len(self.words):
            raise GtpFailure(SYNTAX_ERROR)


class Stream:
    """An answer that goes on for a while: ``=id`` at once, then lines, then the blank line (the
    interpreter's)."""

    __slots__ = ("_id", "_write", "begun")

    def __init__(self, identity: str, write: Callable[[bytes], None]) -> None:
        self._id = identity
        self._write = write
        self.begun = False

    def begin(self) -> None:
        """Write the status line; everything that can be refused must have been refused before."""
        if not self.begun:
            self.begun = True
            self._write(f"={self._id}\n".encode())

    def line(self, text: str) -> None:
        self.begin()
        self._write(text.encode("utf-8", "surrogateescape") + b"\n")

    def finish(self) -> None:
        self.begin()
        self._write(b"\n")


E = TypeVar("E")
Handler = Callable[[E, Arguments], str]
StreamHandler = Callable[[E, Arguments, Stream], None]
Condition = Callable[[E], bool]


class Command(NamedTuple, Generic[E]):
    """One command: how it is written, what it is for, what it needs of the engine, what it does."""

    name: str
    usage: str
    purpose: str
    run: Handler[E] | None
    stream: StreamHandler[E] | None
    available: Condition[E] | None

    def works_for(self, engine: E) -> bool:
        return self.available is None or self.available(engine)


class CommandTable(Generic[E]):
    """The commands of a family, filled by decorators; ``+`` of tables is a bigger one."""

    def __init__(self) -> None:
        self._commands: dict[str, Command[E]] = {}

    def add(
        self, usage: str, purpose: str, available: Condition[E] | None = None
    ) -> Callable[[Handler[E]], Handler[E]]:
        """Register a handler under the first word of ``usage``; the rest says how its arguments are written.

        ``available`` says whether this engine can do it: a command that cannot work is not there at all.
        """

        def register(handler: Handler[E]) -> Handler[E]:
            self._put(Command(usage.split()[0], usage, purpose, handler, None, available))
            return handler

        return register

    def add_stream(
        self, usage: str, purpose: str, available: Condition[E] | None = None
    ) -> Callable[[StreamHandler[E]], StreamHandler[E]]:
        """The same for a command that writes its answer itself, line by line."""

        def register(handler: StreamHandler[E]) -> StreamHandler[E]:
            self._put(Command(usage.split()[0], usage, purpose, None, handler, available))
            return handler

        return register

    def _put(self, command: Command[E]) -> None:
        if command.name in self._commands:
            raise ValueError(f"GTP command {command.name!r} is there twice")
        self._commands[command.name] = command

    def __add__(self, other: CommandTable[E]) -> CommandTable[E]:
        table: CommandTable[E] = CommandTable()
        for command in [*self._commands.values(), *other._commands.values()]:
            table._put(command)
        return table

    def find(self, name: str, engine: E) -> Command[E] | None:
        """The command of this name, None when there is none or this engine cannot do it."""
        command = self._commands.get(name)
        return command if command is not None and command.works_for(engine) else None

    def names(self, engine: E) -> list[str]:
        """Every command that works for this engine, in alphabetical order."""
        return sorted(name for name, command in self._commands.items() if command.works_for(engine))


class Interpreter(Generic[E]):
    """Lines in, answers out, one answer for every command whatever happens inside it.

    ``report`` is given every exception that is no GtpFailure and not of ``expected``: the answer is then
    ``? internal error: ...`` and the next line is read as if nothing had been. Exceptions of ``expected``
    (an error of ours with a text for people) become ``?`` with their text.
    """

    def __init__(
        self,
        engine: E,
        table: CommandTable[E],
        *,
        expected: tuple[type[Exception], ...] = (),
        report: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        self.engine = engine
        self.table = table
        self._expected = expected
        self._report = report

    def run(self, request: Request, write: Callable[[bytes], None]) -> bool:
        """Answer a request; False after ``quit``."""
        if request.too_long:
            write(_answer("?", request.id, LINE_TOO_LONG))
            return True
        stream: Stream | None = None
        good, text, more = True, "", True
        try:
            command = self.table.find(request.name, self.engine)
            if command is None:
                raise GtpFailure(UNKNOWN_COMMAND if request.name else SYNTAX_ERROR)
            arguments = Arguments(request.text)
            if command.run is not None:
                text = command.run(self.engine, arguments)
            elif command.stream is not None:
                stream = Stream(request.id, write)
                command.stream(self.engine, arguments, stream)
        except Quit:
            more = False
        except GtpFailure as failure:
            good, text = False, str(failure)
        except self._expected as error:
            good, text = False, str(error)
        except BrokenPipeError:
            raise
        except (Exception, RecursionError) as error:
            self._report(error)
            good, text = False, f"internal error: {type(error).__name__}: {error}"
        if stream is not None and (good or stream.begun):
            stream.finish()
        else:
            write(_answer("=" if good else "?", request.id, text))
        return more

    def answer(self, line: bytes) -> bytes:
        """The whole answer to a line, in process; empty when the line holds no command."""
        request = parse_line(line)
        if not isinstance(request, Request):
            return b""
        parts: list[bytes] = []
        self.run(request, parts.append)
        return b"".join(parts)


_EMPTY_LINES = re.compile(r"\n(?:[ \r]*\n)+")


def _answer(status: str, identity: str, text: str) -> bytes:
    """The bytes of an answer; a text can never hold the blank line that would end it early."""
    if status == "?":
        text = " ".join(text.split()) or "failed"
    elif "\n" in text:
        text = _EMPTY_LINES.sub("\n", text).rstrip()
    else:
        text = text.strip()
    gap = " " if text and text[0] != "\n" else ""
    return f"{status}{identity}{gap}{text}\n\n".encode("utf-8", "surrogateescape")
