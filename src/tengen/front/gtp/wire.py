"""The two ends of the pipe: a thread that reads whatever comes, and the loop that answers in order."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from tengen.front.gtp.protocol import LONGEST_LINE, Interpreter, Interrupt, Request, parse_line

__all__ = ["Inbox", "LineCutter", "read_lines", "serve"]

HURRY_EVERY = 0.05
CLOSING_TIME = 3.0
"""Seconds a terminated engine has to end its command and close what it has open."""


class LineCutter:
    """Bytes in pieces of any size to lines; of a line longer than ``longest`` only so much is kept."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """(line, whether it was cut) for every line that ends in ``data``."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            yield self._take()
            start = end + 1
        self._keep(data[start:])

    def rest(self) -> Iterator[tuple[bytes, bool]]:
        """The line the input ended in, if it did not end in a newline."""
        if self._parts:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        room = self._longest - self._size
        self._size += len(part)
        if part and room > 0:
            self._parts.append(part[:room])

    def _take(self) -> tuple[bytes, bool]:
        line, cut = b"".join(self._parts), self._size > self._longest
        self._parts, self._size = [], 0
        return line, cut


class Inbox:
    """Requests in order, and who must know at once that something has come.

    While the engine analyses, any input stops it; while it thinks about a move, only ``# interrupt``,
    ``stop`` and an interrupt signal do. The event that says so is the one ``work`` gives. An interrupt that
    comes before its move is begun counts for it, too.
    """

    def __init__(self) -> None:
        self._requests: deque[Request | None] = deque()
        self._changed = threading.Condition()
        self._stop: threading.Event | None = None
        self._by_anything = False
        self._put = 0
        self._taken = 0
        self._busy = False
        self._interrupted_until = 0

    def put(self, request: Request | None) -> None:
        """Queue a request; None is the end of the input."""
        with self._changed:
            self._requests.append(request)
            if request is not None and request.name == "stop":
                self._interrupted_until = self._put
            self._put += 1
            self._set_stop()
            self._changed.notify()

    def nudge(self) -> None:
        """An empty line: ends an analysis, and nothing else."""
        with self._changed:
            if self._stop is not None and self._by_anything:
                self._stop.set()

    def interrupt(self) -> bool:
        """Stop whatever is under way or asked for already; False when nothing is."""
        with self._changed:
            if not self._busy and not self._requests:
                return False
            self._interrupted_until = self._put
            self._set_stop()
            return True

    def _set_stop(self) -> None:
        if self._stop is not None and (
            self._interrupted_until >= self._taken or (self._by_anything and self._requests)
        ):
            self._stop.set()

    def take(self, timeout: float | None = None) -> tuple[bool, Request | None]:
        """(True, request); (True, None) is the end of the input; (False, None) when nothing came in time."""
        with self._changed:
            self._busy = False
            if not self._changed.wait_for(lambda: bool(self._requests), timeout):
                return False, None
            self._busy = True
            self._taken += 1
            return True, self._requests.popleft()

    @contextlib.contextmanager
    def work(
        self, *, by_anything: bool, hurry: Callable[[], None] | None = None
    ) -> Iterator[threading.Event]:
        """The event that ends the work inside this block; set already when its reason has come before.

        ``hurry`` is called, again and again until the block is left, once it is set: for a player that is
        told to stop by a call and might be told a moment before it begins.
        """
        with self._changed:
            stop = self._stop = threading.Event()
            self._by_anything = by_anything
            self._set_stop()
        over = threading.Event()
        if hurry is not None:
            threading.Thread(target=_keep_hurrying, args=(hurry, stop, over), daemon=True).start()
        try:
            yield stop
        finally:
            over.set()
            stop.set()
            with self._changed:
                self._stop = None


def _keep_hurrying(hurry: Callable[[], None], stop: threading.Event, over: threading.Event) -> None:
    stop.wait()
    while not over.is_set():
        hurry()
        over.wait(HURRY_EVERY)


class Idler(Protocol):
    """What the loop asks of an engine besides its commands."""

    @property
    def idle_after(self) -> float:
        """Seconds without input before ``idle`` is called."""

    def idle(self) -> None:
        """No input for a while: load, ponder. Must return when it is done or leave its work to a thread."""

    def close(self) -> None:
        """No more commands will come. Does not raise."""


E = TypeVar("E", bound=Idler)


def read_lines(descriptor: int, inbox: Inbox, record: Callable[[str, bytes], None]) -> None:
    """Feed the inbox from a file descriptor to its end; for a thread of its own."""
    cutter = LineCutter()

    def deliver(line: bytes, cut: bool) -> None:
        record(">", line[:2000])
        request = parse_line(line)
        if isinstance(request, Interrupt):
            inbox.interrupt()
        elif request is not None:
            inbox.put(Request(request.id, request.name, "", True) if cut else request)
        elif not line.strip():
            inbox.nudge()

    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except OSError:
            data = b""
        for line, cut in cutter.feed(data):
            deliver(line, cut)
        if not data:
            for line, cut in cutter.rest():
                deliver(line, cut)
            inbox.put(None)
            return


def serve(
    interpreter: Interpreter[E],
    inbox: Inbox,
    *,
    input_descriptor: int,
    output_descriptor: int,
    record: Callable[[str, bytes], None] = lambda mark, data: None,
) -> int:
    """Answer everything that comes on a descriptor until ``quit`` or its end; the exit status.

    Commands run in a thread of their own, so that an interrupt signal is seen by the main thread even while
    compiled code is at work. Ctrl-C stops thinking; when nothing is under way and a person types at a
    terminal, it ends the program. So does a termination signal, at any time, and the engine is closed after.
    """
    over = threading.Event()
    status = 0

    def write(data: bytes) -> None:
        record("<", data)
        view = memoryview(data)
        while view:
            view = view[os.write(output_descriptor, view) :]

    def answer_all() -> None:
        nonlocal status
        try:
            while not over.is_set():
                come, request = inbox.take(interpreter.engine.idle_after)
                if not come:
                    interpreter.engine.idle()
                    _, request = inbox.take()
                if request is None or not interpreter.run(request, write):
                    return
        except OSError:
            # Nobody reads our answers any more.
            status = 1
        finally:
            # Here, and not in the main thread: what it has open (a database) may belong to this thread.
            interpreter.engine.close()
            over.set()

    def end(code: int) -> None:
        nonlocal status
        status = code
        inbox.interrupt()
        inbox.put(None)
        # Not from the handler itself: the main thread may hold the event's lock this very moment.
        threading.Thread(target=over.set, daemon=True).start()

    def on_interrupt(number: int, frame: object) -> None:
        if not inbox.interrupt() and os.isatty(input_descriptor):
            end(130)

    def on_termination(number: int, frame: object) -> None:
        end(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, on_interrupt)
        signal.signal(signal.SIGTERM, on_termination)
    threading.Thread(target=read_lines, args=(input_descriptor, inbox, record), daemon=True).start()
    worker = threading.Thread(target=answer_all, daemon=True)
    worker.start()
    # A wait without an end cannot be interrupted by a signal on Windows.
    while not over.wait(1.0 if sys.platform == "win32" else 3600.0):
        pass
    worker.join(CLOSING_TIME)
    return status
