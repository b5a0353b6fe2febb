"""The wire to another GTP program: one process, one question at a time, nothing it does can hang us."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import EngineError

__all__ = ["ProgramConnection", "Refusal"]

LONGEST_ANSWER = 16 << 20
"""Bytes; a program that writes more than this without ending its answer is taken for mad."""
CHATTER_LINES = 200
"""Lines outside any answer that are skipped (banners, logs on the wrong stream) before we give up."""
STDERR_LINES = 40
LAST_WORDS = 5


class Refusal(EngineError):
    """The program answered ``?``: it is alive and in step, it only would not do this."""


@dataclass(frozen=True)
class _Answer:
    good: bool
    id: int | None
    text: str


@dataclass(frozen=True)
class _Broken:
    """The stream can no longer be trusted; ``reason`` says why."""

    reason: str


class _AnswerReader:
    """Cuts the bytes of a program's stdout into answers. Pure: bytes in, answers out."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._lines: list[str] = []
        self._size = 0
        self.chatter: list[str] = []

    @property
    def unfinished(self) -> str:
        """What has come of an answer without its end, for the message when it never comes."""
        return "\n".join(self._lines)[:200]

    def feed(self, data: bytes) -> list[_Answer | _Broken]:
        found: list[_Answer | _Broken] = []
        self._size += len(data)
        if self._size > LONGEST_ANSWER:
            return [_Broken(f"more than {LONGEST_ANSWER >> 20} MB without the end of an answer")]
        self._rest.append(data)
        if b"\n" not in data:
            return found
        lines = b"".join(self._rest).split(b"\n")
        self._rest = [lines.pop()]
        for raw in lines:
            line = raw.replace(b"\r", b"").decode("utf-8", "replace")
            if line.strip():
                if self._lines or line[0] in "=?":
                    self._lines.append(line)
                else:
                    self.chatter.append(line[:200])
                    if len(self.chatter) > CHATTER_LINES:
                        return [*found, _Broken(f"it writes what is no GTP: {self.chatter[-1]!r}")]
            elif self._lines:
                found.append(_parse_answer(self._lines))
                self._lines = []
                self._size = len(self._rest[0])
        return found


def _parse_answer(lines: list[str]) -> _Answer:
    head = lines[0][1:]
    digits = len(head) - len(head.lstrip("0123456789"))
    number = int(head[:digits]) if 0 < digits < 12 else None
    text = "\n".join([head[digits:].strip(), *lines[1:]]).strip()
    return _Answer(lines[0][0] == "=", number, text)


class ProgramConnection:
    """A running program and its two pipes.

    Every method but ``close``, ``cpu_seconds`` and ``peak_memory`` raises EngineError when the program is
    dead, silent or incomprehensible, with the last lines of its stderr in the text; after that it has been
    killed. The program lives in a process group of its own, which ``close`` ends with everything it started.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        directory: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not words:
            raise EngineError("an empty command runs no program")
        self.name = name or Path(words[0]).name
        self.command = tuple(words)
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=None if environment is None else {**os.environ, **environment},
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise EngineError(f"{shlex.join(words)}: cannot be started: {error.strerror or error}") from None
        self._answers: queue.SimpleQueue[_Answer | _Broken] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._reader = _AnswerReader()
        self._next_id = 1
        self._broken: str | None = None
        self._usage = _Usage(self._process.pid)
        self._threads = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._end = weakref.finalize(self, _end_group, self._process)

    @property
    def alive(self) -> bool:
        return self._broken is None and not _has_exited(self._process)

    def ask(self, line: str, timeout: float) -> str:
        """The text of the answer to one command (without id and blank line).

        Raises Refusal on ``?``; EngineError on death, garbage, or no complete answer within ``timeout``
        seconds.
        """
        if self._broken is not None:
            raise EngineError(f"{self.name}: {self._broken}")
        number = self._next_id
        self._next_id += 1
        until = time.monotonic() + timeout
        try:
            _write_all(self._process, f"{number} {line}\n".encode())
        except OSError:
            raise self._failure(f"it has closed its input before {line!r}") from None
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                so_far = self._reader.unfinished
                part = f", only {so_far!r}" if so_far else ""
                raise self._failure(f"no complete answer to {line!r} within {timeout:g} s{part}") from None
            if isinstance(answer, _Broken):
                raise self._failure(f"{answer.reason}, asked {line!r}")
            if answer.id is not None and answer.id < number:
                continue
            if answer.id is not None and answer.id > number:
                raise self._failure(f"answer {answer.id} to question {number}, {line!r}")
            if not answer.good:
                raise Refusal(f"{self.name}: {line!r} refused: {answer.text or 'without a reason'}")
            return answer.text

    def last_words(self) -> str:
        """The last lines of its stderr, in one line; empty when it wrote none."""
        return " | ".join(list(self._stderr)[-LAST_WORDS:])

    def cpu_seconds(self) -> float:
        """User and system time of the program and what it started; 0.0 where the system does not tell."""
        self._usage.sample()
        return self._usage.cpu

    def peak_memory(self) -> int:
        """Largest resident size in bytes, its own processes added up; 0 where the system does not tell."""
        self._usage.sample()
        return self._usage.memory

    def close(self, patience: float = 2.0) -> None:
        """Ask it to quit, then end its whole process group. May be called twice; never raises."""
        if self._end.alive:
            self._usage.sample()
            if self.alive:
                with contextlib.suppress(OSError):
                    _write_all(self._process, b"quit\n")
                    self._process.stdin.close()  # type: ignore[union-attr]
                until = time.monotonic() + patience
                while not _has_exited(self._process) and time.monotonic() < until:
                    time.sleep(0.01)
        self._finish("it was closed")

    def _failure(self, reason: str) -> EngineError:
        """Kill what cannot be trusted any more and say why, with its last words."""
        if _has_exited(self._process, patience=0.2):
            status = _finished(self._process)
            how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
            reason = f"{reason} (it ended, {how})"
        self._finish(reason)
        words = self.last_words()
        return EngineError(f"{self.name}: {reason}" + (f"; its last words: {words}" if words else ""))

    def _finish(self, reason: str) -> None:
        if self._broken is None:
            self._broken = reason
        self._usage.sample()
        self._end()
        self._usage.add_final(self._process)
        for thread in self._threads:
            thread.join(0.5)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _read_answers(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            try:
                data = os.read(stream.fileno(), 1 << 16)
            except (OSError, ValueError):
                data = b""
            if not data:
                self._answers.put(_Broken("it has ended its output"))
                return
            for answer in self._reader.feed(data):
                self._answers.put(answer)
                if isinstance(answer, _Broken):
                    return

    def _read_stderr(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        rest = b""
        while True:
            try:
                data = os.read(stream.fileno(), 1 << 16)
            except (OSError, ValueError):
                data = b""
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[-1000:]
            if not data:
                lines.append(rest)
            for line in lines:
                text = line.decode("utf-8", "replace").strip()
                if text:
                    self._stderr.append(text[:300])
            if not data:
                return


def _write_all(process: subprocess.Popen[bytes], data: bytes) -> None:
    stream = process.stdin
    assert stream is not None
    if stream.closed:
        raise BrokenPipeError
    view = memoryview(data)
    while view:
        view = view[os.write(stream.fileno(), view) :]


def _has_exited(process: subprocess.Popen[bytes], patience: float = 0.0) -> bool:
    """Whether it is over, without reaping it: its group's number stays ours until we have ended the group."""
    until = time.monotonic() + patience
    while True:
        if process.returncode is not None:
            return True
        if hasattr(os, "waitid"):
            try:
                if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                    return True
            except ChildProcessError:
                return True
        elif process.poll() is not None:
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.01)


def _finished(process: subprocess.Popen[bytes]) -> int:
    """The exit status of a program that has exited (negative: the signal), the group ended with it."""
    _end_group(process)
    return process.returncode or 0


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and whatever it started, and reap it."""
    if process.returncode is not None:
        return
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    _reap(process)


def _reap(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(os, "wait4"):
        process.wait()
        return
    with contextlib.suppress(ChildProcessError):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.tengen_usage = usage  # type: ignore[attr-defined]
    if process.returncode is None:
        process.returncode = 0


class _Usage:
    """CPU time and peak memory of a process group, sampled from /proc while it lives and at its end from
    wait4."""

    def __init__(self, group: int) -> None:
        self._group = group
        self.cpu = 0.0
        self.memory = 0

    def sample(self) -> None:
        cpu, memory = 0.0, 0
        for entry in _group_members(self._group):
            cpu += entry[0]
            memory += entry[1]
        self.cpu = max(self.cpu, cpu)
        self.memory = max(self.memory, memory)

    def add_final(self, process: subprocess.Popen[bytes]) -> None:
        usage = getattr(process, "tengen_usage", None)
        if usage is not None:
            self.cpu = max(self.cpu, usage.ru_utime + usage.ru_stime)
            # Kilobytes on Linux, bytes on macOS.
            unit = 1024 if Path("/proc/self").exists() else 1
            self.memory = max(self.memory, usage.ru_maxrss * unit)


def _group_members(group: int) -> list[tuple[float, int]]:
    """(CPU seconds, peak bytes) of every process of the group that /proc still shows."""
    members: list[tuple[float, int]] = []
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return members
    ticks = os.sysconf("SC_CLK_TCK")
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if int(fields[2]) != group:
                continue
            with open(f"/proc/{name}/status", "rb") as file:
                peak = next((line for line in file if line.startswith(b"VmHWM:")), b"VmHWM: 0 kB")
        except (OSError, ValueError, IndexError):
            continue
        # utime, stime and those of its reaped children.
        members.append((sum(map(int, fields[11:15])) / ticks, int(peak.split()[1]) * 1024))
    return members
