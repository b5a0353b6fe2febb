"""Engines on pipes, in this process and in one of their own."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from transcript import Wire

from tengen.front.gtp.engine import Engine
from tengen.front.gtp.program import interpreter_for
from tengen.front.gtp.protocol import Interpreter
from tengen.front.gtp.settings import EngineSettings
from tengen.front.gtp.wire import Inbox, serve
from tengen.go.rules import Rules


def build_interpreter(
    player: Any, inbox: Inbox | None = None, start_rules: Rules | None = None, **settings: Any
) -> Interpreter[Engine]:
    logged: list[str] = []
    engine = Engine(
        EngineSettings(
            build=lambda repeatable: player,
            rules=lambda: start_rules or Rules.named("chinese", 9),
            log=logged.append,
            **settings,
        ),
        inbox,
    )
    engine.logged = logged  # type: ignore[attr-defined]
    return interpreter_for(engine)


@pytest.fixture
def ask() -> Callable[..., Callable[[str], str]]:
    """``ask(player)`` gives a function from a command to its answer, without ``= `` and blank line."""

    def start(player: Any, **settings: Any) -> Callable[[str], str]:
        interpreter = build_interpreter(player, **settings)

        def question(line: str) -> str:
            data = interpreter.answer(line.encode())
            assert data.endswith(b"\n\n"), data
            assert b"\n\n" not in data[:-2], data
            text = data.decode().rstrip("\n")
            return text[2:] if text.startswith("= ") else text.removeprefix("=")

        question.engine = interpreter.engine  # type: ignore[attr-defined]
        return question

    return start


@pytest.fixture
def served() -> Iterator[Callable[..., Wire]]:
    """``served(player)`` serves an engine in this process; a Wire to it, whose ``status`` comes when it has
    ended."""
    threads: list[threading.Thread] = []
    ends: list[int] = []

    def start(player: Any, **settings: Any) -> Wire:
        to_engine, from_engine = os.pipe(), os.pipe()
        ends.append(to_engine[1])
        inbox = Inbox()
        interpreter = build_interpreter(player, inbox, **settings)

        def run() -> None:
            try:
                wire.status = serve(  # type: ignore[attr-defined]
                    interpreter, inbox, input_descriptor=to_engine[0], output_descriptor=from_engine[1]
                )
            finally:
                os.close(from_engine[1])

        wire = Wire(lambda data: os.write(to_engine[1], data), lambda: os.read(from_engine[0], 1 << 16))
        wire.engine = interpreter.engine  # type: ignore[attr-defined]
        wire.close_input = lambda: os.close(ends.pop())  # type: ignore[attr-defined]
        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return wire

    yield start
    for end in ends:
        os.close(end)
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive(), "the engine did not end with its input"


class ServedProcess(Wire):
    """``tengen gtp`` in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tengen.front.gtp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        output = self.process.stdout
        super().__init__(self.process.stdin.write, lambda: os.read(output.fileno(), 1 << 16))

    def end(self) -> int:
        """Close its input; its exit status. On its stderr nothing may stand that a front end takes for
        GTP."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        errors = self.process.stderr.read().decode()
        status = self.process.wait(20)
        self._thread.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        assert not re.search(r"^(info|play|=|\?)", errors, re.MULTILINE), errors
        return status


@pytest.fixture
def process() -> Iterator[Callable[..., ServedProcess]]:
    started: list[ServedProcess] = []

    def start(*arguments: str) -> ServedProcess:
        started.append(ServedProcess(*arguments))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
