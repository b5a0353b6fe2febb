"""Dialogues between a front end and the engine, as text, and what replays them.

A transcript is a file of lines::

    # a comment; `# needs: ability ..` at the top names what the player must be able to do
    > komi 6.5        sent as it is
    < =               the next line of output; * stands for any text
    < ...             the rest of the answer begun, or all of the next one
    <+ play genmove   each of these words is a line of the answer, which is read to its end
    ~ 0.2             wait so many seconds before going on

An answer must be ended by its blank line before the first line of the next one is looked for, and at the end
of the file nothing may be left unread.
"""

import re
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent / "transcripts"
PATIENCE = 20.0


class Wire:
    """The front end's side of two descriptors: lines out, lines in, nothing waited for longer than
    PATIENCE."""

    def __init__(self, write: Callable[[bytes], object], read: Callable[[], bytes]) -> None:
        self._write = write
        self._lines: deque[str | None] = deque()
        self._changed = threading.Condition()
        self.seen: list[str] = []
        self._thread = threading.Thread(target=self._read_all, args=(read,), daemon=True)
        self._thread.start()

    def send(self, line: str) -> None:
        self.seen.append(f"> {line}")
        self._write(line.encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        self._write(data)

    def line(self) -> str | None:
        """The next line of output; None at its end. Fails the test when nothing comes."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._lines), PATIENCE), (
                "no output; so far:\n" + self.story()
            )
            line = self._lines.popleft()
        self.seen.append("(end)" if line is None else f"< {line}")
        return line

    def answer(self) -> list[str]:
        """The lines of one whole answer, without the blank one."""
        lines: list[str] = []
        while (line := self.line()) not in ("", None):
            assert line is not None
            lines.append(line)
        return lines

    def story(self) -> str:
        return "\n".join(text[:200] for text in self.seen[-30:])

    def _read_all(self, read: Callable[[], bytes]) -> None:
        rest = b""
        while data := read():
            *lines, rest = (rest + data).split(b"\n")
            with self._changed:
                self._lines.extend(line.decode() for line in lines)
                self._changed.notify_all()
        with self._changed:
            self._lines.append(None)
            self._changed.notify_all()


def abilities_needed(path: Path) -> list[str]:
    match = re.search(r"^# needs: (.*)$", path.read_text(), re.MULTILINE)
    return match[1].split() if match else []


def replay(path: Path, wire: Wire) -> None:
    """Play the front end's part; AssertionError, with the dialogue so far, where an answer is another one."""
    inside = False

    def fail(number: int, expected: str, got: object) -> None:
        raise AssertionError(
            f"{path.name}:{number}: expected {expected!r}, got {got!r}; so far:\n{wire.story()}"
        )

    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(">"):
            wire.send(line[2:])
        elif line.startswith("~"):
            time.sleep(float(line[1:]))
        elif line.startswith("<+"):
            if inside and (got := wire.line()) != "":
                fail(number, "the blank line that ends an answer", got)
            lines = wire.answer()
            lines[0] = lines[0].lstrip("=0123456789").strip()
            missing = set(line[2:].split()) - set(lines)
            if missing:
                fail(number, f"with {missing}", lines)
            inside = False
        elif line.strip() == "< ...":
            wire.answer()
            inside = False
        else:
            pattern = line[2:].rstrip()
            got = wire.line()
            if inside and re.match(r"[=?]\d*(?:\s|$)", pattern):
                if got != "":
                    fail(number, "the blank line that ends an answer", got)
                got = wire.line()
            if got is None or not re.fullmatch(_regex(pattern), got.rstrip()):
                fail(number, pattern, got)
            inside = True
    if inside and (got := wire.line()) != "":
        raise AssertionError(f"{path.name}: expected the blank line that ends an answer, got {got!r}")


def _regex(pattern: str) -> str:
    return ".*".join(re.escape(part) for part in pattern.split("*"))
