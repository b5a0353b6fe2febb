"""Have positions judged by an engine that speaks KataGo's analysis protocol, in the format of ``labelfiles``.

One JSON object a line each way. A query names a game, its rules and the turns to judge; the engine answers
each turn when it is done, in any order. Winrate, score and ownership come from Black's, White's or the
mover's side as the engine is configured: two questions with an absurd komi find out which.
"""

from __future__ import annotations

import contextlib
import json
import queue
import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tengen.errors import DataError, EngineError
from tengen.go.coords import format_gtp
from tengen.learn.gamefiles import PASS_POINT, POINT_MASK, WHITE, RawGame, encode_letters
from tengen.learn.labelfiles import LABEL_MOVES, record_dtype

__all__ = ["AnalysisEngine", "LabelReport", "label_games", "record_of_answer"]

PROBE_KOMI = 150.0
BLACK_SIDE, WHITE_SIDE, MOVER_SIDE = "black", "white", "mover"


class AnalysisEngine:
    """A running analysis engine. Use it in a ``with``; everything that goes wrong is an EngineError."""

    def __init__(self, command: str, *, timeout: float = 120.0) -> None:
        self.command = command
        self.timeout = timeout
        words = shlex.split(command)
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except (OSError, IndexError) as error:
            raise EngineError(f"analysis engine {command!r}: {error}") from None
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._last_words: deque[str] = deque(maxlen=3)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for target, stream in ((self._listen, self._process.stdout), (self._note, self._process.stderr)):
            threading.Thread(target=target, args=(stream,), daemon=True).start()

    def __enter__(self) -> AnalysisEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            if not line.strip():
                continue
            try:
                answer = json.loads(line)
            except json.JSONDecodeError:
                answer = None
            if not isinstance(answer, dict):
                answer = {"error": f"no JSON object: {line.strip()[:80]!r}"}
            self._answers.put(answer)
        self._answers.put(None)

    def _note(self, stream: IO[str]) -> None:
        for line in stream:
            if line.strip():
                self._last_words.append(line.strip())

    def ask(self, query: dict[str, Any]) -> None:
        """Send a query; its answers come out of ``answer``."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(query) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._death() from None

    def answer(self) -> dict[str, Any]:
        """The next finished answer, or one with an ``error``; warnings and interim reports are skipped."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                answer = self._answers.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise EngineError(
                    f"analysis engine {self.command!r}: no answer in {self.timeout:g} s"
                ) from None
            if answer is None:
                self._answers.put(None)
                raise self._death()
            if "warning" not in answer and not answer.get("isDuringSearch"):
                return answer

    def _death(self) -> EngineError:
        try:
            status: int | None = self._process.wait(2)
        except subprocess.TimeoutExpired:
            status = None
        time.sleep(0.05)  # its last words may still be on the way
        words = " / ".join(self._last_words)
        return EngineError(
            f"analysis engine {self.command!r} ended (status {status}): {words or 'no message'}"
        )

    def perspective(self, rules: str, size: int) -> str:
        """Whose winrates it reports: asked by giving White 150 points before either side's move."""
        query = {"moves": [["B", "A1"]], "rules": rules, "komi": PROBE_KOMI, "analyzeTurns": [0, 1]}
        query |= {"id": "probe", "boardXSize": size, "boardYSize": size, "maxVisits": 1}
        self.ask(query)
        found: dict[int, float] = {}
        while len(found) < 2:
            answer = self.answer()
            if "error" in answer:
                raise EngineError(f"analysis engine {self.command!r}: {answer['error']}")
            try:
                found[int(answer["turnNumber"])] = float(answer["rootInfo"]["winrate"])
            except (KeyError, TypeError, ValueError) as error:
                raise EngineError(
                    f"analysis engine {self.command!r}: no answer of KataGo's analysis protocol ({error!r})"
                ) from None
        if found[1] < 0.5:
            return BLACK_SIDE
        return MOVER_SIDE if found[0] < 0.5 else WHITE_SIDE

    def close(self) -> None:
        """End the program: by closing its input, and by force if it does not listen."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it may be gone already
                self._process.stdin.close()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass
class LabelReport:
    """What a labelling run did, counted over all its resumptions where the files tell."""

    games: int = 0
    records: int = 0
    skipped: int = 0
    reasons: tuple[str, ...] = ()
    seconds: float = 0.0
    finished: bool = False


@dataclass(frozen=True)
class _Job:
    """One game and the turns of it that are judged."""

    game: RawGame
    turns: list[int]
    whole: bool

    def query(self, number: int, rules: str, visits: int) -> dict[str, Any]:
        width, height = self.game.width, self.game.height
        moves = []
        for entry in self.game.entries.tolist():
            point = entry & POINT_MASK
            vertex = format_gtp(-1 if point == PASS_POINT else point, width, height)
            moves.append(["W" if entry & WHITE else "B", vertex])
        return {
            "id": str(number),
            "moves": moves,
            "rules": rules,
            "komi": 7.5 if self.game.komi is None else self.game.komi,
            "boardXSize": width,
            "boardYSize": height,
            "analyzeTurns": self.turns,
            "maxVisits": visits,
            "includePolicy": True,
            "includeOwnership": True,
        }

    def lines(self) -> str:
        game = self.game
        komi = 7.5 if game.komi is None else game.komi
        if self.whole:
            letters = encode_letters(game.entries, game.width)
            return f"{game.id}\t{game.width}\t{komi}\t{letters}\t{len(self.turns)}\n"
        lines = []
        for turn in self.turns:
            played = encode_letters(game.entries[turn : turn + 1], game.width)
            lines.append(f"{game.id}\t{turn}\t{komi}\t{played}\n")
        return "".join(lines)


def record_of_answer(answer: dict[str, Any], size: int, side: str, black_to_move: bool) -> NDArray[np.void]:
    """An answer as a label record for the side to move; ``side`` says whose view the engine takes.

    EngineError if a part is missing or of another board.
    """
    record = np.zeros((), dtype=record_dtype(size))
    try:
        policy = np.maximum(np.array(answer["policy"], dtype=np.float64), 0)
        owner = np.array(answer["ownership"], dtype=np.float64)
        winrate, score = float(answer["rootInfo"]["winrate"]), float(answer["rootInfo"]["scoreLead"])
    except (KeyError, TypeError, ValueError) as error:
        raise EngineError(f"answer to query {answer.get('id')!r}: {error!r} missing or no number") from None
    if len(policy) != size * size + 1 or len(owner) != size * size:
        raise EngineError(
            f"answer to query {answer.get('id')!r}: policy of {len(policy)} and ownership of {len(owner)} "
            f"do not fit a {size}x{size} board"
        )
    if side == (WHITE_SIDE if black_to_move else BLACK_SIDE):
        winrate, score, owner = 1 - winrate, -score, -owner
    best = np.argsort(-policy, kind="stable")[:LABEL_MOVES]
    record["moves"][: len(best)] = best
    record["probs"][: len(best)] = np.round(np.minimum(policy[best], 1) * 65535)
    record["winrate"], record["score"] = winrate, score
    record["ownership"] = np.clip(np.round(owner * 8), -8, 8)
    return record


def label_games(
    games: Iterable[RawGame],
    out: Path,
    engine: str,
    *,
    per_game: int | None = None,
    rules: str | None = None,
    visits: int = 1,
    in_flight: int = 8,
    seed: int = 1,
    limit: int | None = None,
    timeout: float = 120.0,
    progress: Callable[[int, str], None] = lambda records, where: None,
) -> LabelReport:
    """Judge games and append to ``OUT.bin`` and ``OUT.tsv``, going on where those files end.

    All positions of each game are judged and the files tell the games themselves, or with ``per_game`` so
    many positions drawn at random, and the same game files are needed to build data from them. Games of one
    board size only, of alternating moves with no set-up stones: others are skipped, and so are games the
    engine refuses. What was judged before an error or Ctrl-C stays.
    """
    started = time.monotonic()
    rules = rules or ("chinese" if per_game else "tromp-taylor")
    writer = _Writer(out)
    report = LabelReport(games=len(writer.done), records=writer.records)
    reasons: dict[str, int] = {}
    try:
        with AnalysisEngine(engine, timeout=timeout) as program:
            jobs = _jobs(games, writer, per_game, seed, limit, reasons)
            _run(program, jobs, writer, report, reasons, (rules, visits, in_flight), progress)
        report.finished = True
    finally:
        writer.close()
        report.skipped = sum(reasons.values())
        report.reasons = tuple(f"{reason}: {count}" for reason, count in sorted(reasons.items()))
        report.seconds = time.monotonic() - started
    return report


def _jobs(
    games: Iterable[RawGame],
    writer: _Writer,
    per_game: int | None,
    seed: int,
    limit: int | None,
    reasons: dict[str, int],
) -> Iterator[_Job]:
    """The games still to judge. The turns drawn of a game depend on its id and the seed alone."""
    given = len(writer.done)
    for game in games:
        if limit is not None and given >= limit:
            return
        if game.id in writer.done:
            continue
        colors = (game.entries & WHITE) != 0
        reason = None
        if game.width != game.height or writer.size not in (None, game.width):
            reason = f"board {game.width}x{game.height}"
        elif game.setup or (colors != (np.arange(len(colors)) % 2 == 1)).any():
            reason = "set up, or moves out of turn"
        elif not game.moves:
            reason = "no moves"
        if reason is not None:
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        writer.size = game.width
        turns = list(range(game.moves + 1))
        if per_game:
            rng = np.random.default_rng([seed, *game.id.encode()])
            turns = sorted(rng.permutation(game.moves)[:per_game].tolist())
        given += 1
        yield _Job(game, turns, not per_game)


def _run(
    program: AnalysisEngine,
    jobs: Iterator[_Job],
    writer: _Writer,
    report: LabelReport,
    reasons: dict[str, int],
    settings: tuple[str, int, int],
    progress: Callable[[int, str], None],
) -> None:
    """Keep ``in_flight`` games with the engine and write each when its last turn is answered."""
    rules, visits, in_flight = settings
    waiting: dict[int, tuple[_Job, dict[int, NDArray[np.void]]]] = {}
    side: str | None = None
    number = 0
    exhausted = False
    while True:
        while not exhausted and len(waiting) < in_flight:
            job = next(jobs, None)
            if job is None:
                exhausted = True
                break
            if side is None:
                side = program.perspective(rules, job.game.width)
            program.ask(job.query(number, rules, visits))
            waiting[number] = job, {}
            number += 1
        if not waiting:
            return
        answer = program.answer()
        entry = waiting.get(int(answer["id"])) if str(answer.get("id", "")).isdigit() else None
        if "error" in answer:
            if entry is None:
                raise EngineError(f"analysis engine {program.command!r}: {answer['error']}")
            reason = f"refused: {answer['error']}"
            reasons[reason] = reasons.get(reason, 0) + 1
            del waiting[int(answer["id"])]
            continue
        if entry is None:
            continue  # a late answer to a game that was refused
        job, found = entry
        turn = answer.get("turnNumber")
        if turn not in job.turns:
            raise EngineError(f"answer to query {answer['id']!r}: turn {turn!r} was not asked about")
        assert side is not None
        found[turn] = record_of_answer(answer, job.game.width, side, turn % 2 == 0)
        if len(found) == len(job.turns):
            writer.write(job, [found[turn] for turn in job.turns])
            del waiting[int(answer["id"])]
            report.games, report.records = len(writer.done), writer.records
            progress(writer.records, job.game.id)


class _Writer:
    """The two files of a set, growing by whole games; what a crash left half written is cut off."""

    def __init__(self, out: Path) -> None:
        self.bin_path = out.with_name(out.name + ".bin")
        self.tsv_path = out.with_name(out.name + ".tsv")
        self.size: int | None = None
        self.records = 0
        self.done: set[str] = set()
        out.parent.mkdir(parents=True, exist_ok=True)
        for path in (self.bin_path, self.tsv_path):
            packed = path.with_name(path.name + ".xz")
            if packed.exists():
                raise DataError(f"{packed}: this set is finished; give another name")
        self._resume()
        self._bin = self.bin_path.open("ab")
        self._tsv = self.tsv_path.open("ab")

    def _resume(self) -> None:
        if not self.tsv_path.exists() or not self.bin_path.exists():
            return
        text = self.tsv_path.read_bytes()
        lines = text[: text.rfind(b"\n") + 1].decode().splitlines(keepends=True)
        held = self.bin_path.stat().st_size
        rows = [line.rstrip("\n").split("\t") for line in lines]
        if not rows:
            self.bin_path.write_bytes(b"")
            self.tsv_path.write_bytes(b"")
            return
        if any(len(row) not in (4, 5) for row in rows):
            raise DataError(f"{self.tsv_path}: not a table of labels")
        counts = [int(row[4]) if len(row) == 5 else 1 for row in rows]
        self.size = int(rows[0][1]) if len(rows[0]) == 5 else _size_of(held, sum(counts), self.bin_path)
        item = record_dtype(self.size).itemsize
        while counts and sum(counts) * item > held:
            counts.pop()
        self.records = sum(counts)
        self.done = {row[0] for row in rows[: len(counts)]}
        with self.bin_path.open("r+b") as stream:
            stream.truncate(self.records * item)
        self.tsv_path.write_bytes("".join(lines[: len(counts)]).encode())

    def write(self, job: _Job, records: list[NDArray[np.void]]) -> None:
        # Records first: a table line without its records would be wrong, the other way round is only cut off.
        self._bin.write(b"".join(record.tobytes() for record in records))
        self._bin.flush()
        self._tsv.write(job.lines().encode())
        self._tsv.flush()
        self.records += len(records)
        self.done.add(job.game.id)

    def close(self) -> None:
        self._bin.close()
        self._tsv.close()


def _size_of(held: int, records: int, path: Path) -> int:
    """The board side of ``records`` whole records in that many bytes (a cut-off rest allowed)."""
    for size in range(2, 26):
        item = record_dtype(size).itemsize
        if records * item <= held < (records + 1) * item:
            return size
    raise DataError(f"{path}: {held} bytes are not {records} records of any board size")
