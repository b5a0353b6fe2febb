"""Hours of live analysis: does the memory stay bounded, and does the engine keep answering?

    python benchmarks/analysis_soak.py --minutes 60 -- --engine rave --size 19 --memory 200 --threads 2

Starts ``tengen gtp`` with the arguments after ``--`` and lets it analyse as a front end does: `kata-analyze` with
ownership, interrupted every few seconds by another command, a move played now and then, a new game when this one grows
long. Every answer is timed from the last byte written to the first byte read, and so is a round trip to `cat`,
which has nothing to do: what that takes is the machine's, not the engine's. Once a second the resident memory is read.

Prints a line a minute on standard error and one JSON object at the end; exits with 1 if memory or an answer went
over its bound (`--rss`, `--answer-ms`, the latter for 99 answers of 100 and less the worst of `cat`).
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

POLLS = ("name", "known_command genmove", "showboard", "list_stones b", "get_komi", "move_history")


class Lines:
    """A program on pipes; its lines come with the time they were read at."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lines: queue.Queue[tuple[float, str]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put((time.perf_counter(), line.decode().rstrip("\n")))

    def send(self, text: str) -> float:
        """Write a line; when it was written."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        return time.perf_counter()

    def line(self, seconds: float = 30.0) -> tuple[float, str]:
        """The next line and when it came; queue.Empty after so many seconds."""
        return self._lines.get(timeout=seconds)

    def status(self, key: str) -> float:
        """A field of /proc/PID/status in megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) / 1024
        return 0.0

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


class Soak:
    """One engine under analysis, with what was measured of it."""

    def __init__(self, arguments: list[str], seed: int, size: int) -> None:
        self.engine = Lines([sys.executable, "-m", "tengen", "gtp", *arguments])
        self.echo = Lines(["cat"])
        self.rng = random.Random(seed)
        self.size = size
        self.answers: dict[str, list[float]] = {}
        self.bare: list[float] = []
        self.rss: list[float] = []
        self.gaps: list[float] = []
        self.moves = self.games = 0
        self.color = "b"
        self.best = ""
        self.most_visits = 0
        self.refused: list[str] = []

    def ask(self, command: str, kind: str) -> str:
        """Send a command and wait for its answer, passing over what an analysis still says."""
        sent = self.engine.send(command)
        while True:
            at, line = self.engine.line()
            if line[:1] in ("=", "?"):
                break
        self.answers.setdefault(kind, []).append(at - sent)
        if line[:1] == "?":
            self.refused.append(f"{command}: {line}")
        if kind == "analyze":
            return line
        while self.engine.line()[1]:
            pass
        return line

    def watch(self, seconds: float) -> None:
        """Read the analysis for so long."""
        until = time.perf_counter() + seconds
        last = None
        while (left := until - time.perf_counter()) > 0:
            try:
                at, line = self.engine.line(min(left, 1.0))
            except queue.Empty:
                line = ""
            self.rss.append(self.engine.status("VmRSS"))
            if line.startswith("info move"):
                words = line.split()
                self.best = words[2]
                self.most_visits = max(self.most_visits, int(words[4]))
                if last is not None:
                    self.gaps.append(at - last)
                last = at

    def ping(self) -> None:
        sent = self.echo.send("x")
        self.bare.append(self.echo.line()[0] - sent)

    def new_game(self, kind: str = "new game") -> None:
        self.games += 1
        self.moves = 0
        self.color = "b"
        self.ask(f"boardsize {self.size}", kind)
        self.ask("clear_board", kind)

    def round(self) -> None:
        """One analysis, one interruption, perhaps a move."""
        self.best = ""
        self.ask(f"kata-analyze {self.color} 50 ownership true rootInfo true", "analyze")
        self.watch(self.rng.choice((1, 2, 5, 10, 20)))
        self.ping()
        self.ask(self.rng.choice(POLLS), "while analysing")
        if self.best and self.rng.random() < 0.5:
            self.ask(f"play {self.color} {self.best}", "play")
            self.color = "w" if self.color == "b" else "b"
            self.moves += 1
        if self.moves >= 120:
            self.new_game()


def spread(times: list[float]) -> dict[str, float]:
    """In milliseconds."""
    ordered = sorted(times)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000 for part in (0.5, 0.99, 1.0)]
    return {
        "count": len(ordered),
        "median": round(at[0], 2),
        "99%": round(at[1], 2),
        "worst": round(at[2], 2),
    }


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--minutes", type=float, default=60)
    arguments.add_argument("--size", type=int, default=19)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--rss", type=float, default=300, help="megabytes")
    arguments.add_argument("--answer-ms", type=float, default=100)
    arguments.add_argument("gtp", nargs="*", help="arguments of tengen gtp, after --")
    options = arguments.parse_args()
    soak = Soak(options.gtp, options.seed, options.size)
    soak.ask("protocol_version", "start")
    soak.new_game("start")
    begun = told = time.perf_counter()
    while time.perf_counter() - begun < options.minutes * 60:
        soak.round()
        if time.perf_counter() - told > 60:
            told = time.perf_counter()
            seen = spread(soak.answers["while analysing"])
            print(
                f"{(told - begun) / 60:5.1f} min  rss {soak.rss[-1]:6.1f} MB  answers {seen}  moves {soak.moves}",
                file=sys.stderr,
                flush=True,
            )
    wall = time.perf_counter() - begun
    cpu = soak.engine.cpu_seconds()
    peak = soak.engine.status("VmHWM")
    soak.ask("quit", "quit")
    ended = soak.engine.process.wait(10)
    soak.echo.process.kill()
    kinds = {kind: spread(times) for kind, times in soak.answers.items() if kind != "start"}
    bare = spread(soak.bare)
    print(
        json.dumps(
            {
                "minutes": round(wall / 60, 1),
                "cpu_per_wall": round(cpu / wall, 3),
                "peak_rss_mb": round(peak, 1),
                "last_rss_mb": round(soak.rss[-1], 1),
                "games": soak.games,
                "most_visits": soak.most_visits,
                "answers_ms": kinds,
                "cat_ms": bare,
                "report_gaps_ms": spread(soak.gaps),
                "refused": soak.refused[:5],
                "exit": ended,
            },
            indent=1,
        )
    )
    late = max(seen["99%"] for seen in kinds.values()) - bare["worst"] > options.answer_ms
    return 1 if late or peak > options.rss or ended or soak.refused else 0


if __name__ == "__main__":
    sys.exit(main())
