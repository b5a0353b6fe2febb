"""Another GTP program, run as a Player: GNU Go, Pachi, KataGo, or tengen itself."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.errors import CoordinateError, EngineError
from tengen.front.gtp.connection import ProgramConnection, Refusal
from tengen.go.coords import PASS, RESIGN, Color, Move, format_gtp, parse_gtp
from tengen.go.rules import Rules, Scoring

if TYPE_CHECKING:
    from tengen.go.position import Position
    from tengen.players import Clock, Decision, Limit

__all__ = ["ProgramPlayer"]

_WINRATE = re.compile(r"\bwinrate (\d+(?:\.\d+)?) ?%")
_VISITS = re.compile(r"\b(\d+) visits\b")

Played = tuple[Color, Move]
_Root = tuple[Rules, tuple[Move, ...], tuple[Move, ...]]


class ProgramPlayer:
    """A Player whose moves come from a GTP program in a process of its own.

    ``name`` is the one given, else what the program calls itself once started, else its file's name.
    ``program`` is what it calls itself, with its version; empty before its first start.

    The program is started by the first call that needs it, asked what it knows, and then kept in step with
    the positions it is asked about by the shortest way it understands: further plays, undo, or all over
    again. Whatever goes wrong with it - it does not start, dies, hangs, answers nonsense, plays an illegal
    move, cannot have this board - is an EngineError with the last lines of its stderr; the program is dead
    then, and the next call (or ``restart``) starts a new one. One thread at a time.

    ``startup_timeout`` bounds the first answers, ``move_timeout`` a genmove (with a clock: never more than
    what the clock leaves plus ``grace``), ``timeout`` everything else; all in seconds. ``setup`` are
    commands sent after every start, such as ``time_settings 0 5 1``; a refusal of one of them is an error.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        startup_timeout: float = 30.0,
        timeout: float = 30.0,
        move_timeout: float = 300.0,
        grace: float = 10.0,
        setup: Sequence[str] = (),
        directory: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name or _file_name(command)
        self.program = ""
        self._command = command
        self._given_name = name
        self._startup_timeout = startup_timeout
        self._timeout = timeout
        self._move_timeout = move_timeout
        self._grace = grace
        self._setup = tuple(setup)
        self._directory = directory
        self._environment = environment
        self._connection: ProgramConnection | None = None
        self._cpu_before = 0.0
        self._memory_before = 0
        self._forget()

    def _forget(self) -> None:
        self._commands: frozenset[str] = frozenset()
        self._root: _Root | None = None
        self._played: list[Played] = []
        self._time_sent = ""

    # ---- what it is ---------------------------------------------------------------------------------------

    @property
    def pid(self) -> int | None:
        connection = self._connection
        return connection._process.pid if connection is not None and connection.alive else None

    def knows(self, command: str) -> bool:
        """Whether the program lists a command."""
        self._start()
        return command in self._commands

    def cpu_seconds(self) -> float:
        """CPU time of all its processes so far, restarts included."""
        now = 0.0 if self._connection is None else self._connection.cpu_seconds()
        return self._cpu_before + now

    def peak_memory(self) -> int:
        """Bytes; the largest over restarts."""
        now = 0 if self._connection is None else self._connection.peak_memory()
        return max(self._memory_before, now)

    # ---- its life -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the program unless it runs, and ask its name and commands."""
        self._start()

    def restart(self) -> None:
        """End the program, if it still runs, and start a new one."""
        self.close()
        self._start()

    def close(self) -> None:
        """End the program and everything it started. The player may be used again: it starts anew."""
        connection = self._connection
        if connection is None:
            return
        connection.close()
        self._cpu_before += connection.cpu_seconds()
        self._memory_before = max(self._memory_before, connection.peak_memory())
        self._connection = None
        self._forget()

    def _start(self) -> ProgramConnection:
        connection = self._connection
        if connection is not None:
            if connection.alive:
                return connection
            self.close()
        connection = ProgramConnection(
            self._command, name=self._given_name, directory=self._directory, environment=self._environment
        )
        self._connection = connection
        try:
            self._commands = frozenset(connection.ask("list_commands", self._startup_timeout).split())
        except Refusal as refusal:
            self.close()
            raise EngineError(f"{refusal}: a GTP engine must list its commands") from None
        called = f"{self._ask_if_known('name')} {self._ask_if_known('version')}"
        self.program = " ".join(called.split())[:100]
        if not self._given_name:
            self.name = self.program or self.name
        for line in self._setup:
            self.send(line)
        return connection

    def send(self, line: str, timeout: float | None = None) -> str:
        """Ask one GTP command of the running program; Refusal when it answers ``?``.

        Commands that change its board get it out of step with what this player believes: call ``new_game``
        after.
        """
        connection = self._connection or self._start()
        return connection.ask(line, self._timeout if timeout is None else timeout)

    def _ask_if_known(self, command: str) -> str:
        if command not in self._commands:
            return ""
        try:
            return self.send(command).strip()
        except Refusal:
            return ""

    # ---- Player -------------------------------------------------------------------------------------------

    def new_game(self, rules: Rules) -> None:
        """Set the program up for an empty board under these rules."""
        self._start()
        self._set_up((rules, (), ()))

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        """The program's move here. A limit in seconds, or the clock, is told to programs that know
        time_settings. Winrate and visits are there if it explains its moves as tengen does (``winrate 53.2%, 800
        visits``, asked for by gomill-explain_last_move)."""
        from tengen.players import Decision

        self.follow(position)
        color = position.to_move
        seconds = self._tell_time(color, limit, clock)
        began = time.monotonic()
        answer = self.send(f"genmove {'b' if color is Color.BLACK else 'w'}", seconds)
        elapsed = time.monotonic() - began
        rules = position.rules
        try:
            move = parse_gtp(answer.split()[0] if answer.split() else "", rules.width, rules.height)
        except CoordinateError:
            raise self._disgrace(f"genmove answered {answer[:80]!r}, which is no move") from None
        if move not in (PASS, RESIGN) and not position.is_legal(move, color):
            where = format_gtp(move, rules.width, rules.height)
            raise self._disgrace(f"it played {where}, illegal here (move {len(self._played) + 1})")
        if move != RESIGN:
            self._played.append((color, move))
        winrate, visits = _evaluation(self._ask_if_known("gomill-explain_last_move"))
        pv = (move,) if move >= 0 else ()
        return Decision(move=move, winrate=winrate, visits=visits, pv=pv, seconds=elapsed)

    def dead_stones(self, position: Position) -> frozenset[Move]:
        """The stones the program holds dead at the end of a game. EngineError when it does not tell."""
        self.follow(position)
        rules = position.rules
        answer = self.send("final_status_list dead")
        try:
            return frozenset(parse_gtp(word, rules.width, rules.height) for word in answer.split())
        except CoordinateError as error:
            raise self._disgrace(f"final_status_list answered {answer[:80]!r}: {error}") from None

    def final_score(self, position: Position) -> str:
        """The program's own ``final_score`` of a position, as it says it."""
        self.follow(position)
        return self.send("final_score")

    # ---- keeping in step ----------------------------------------------------------------------------------

    def follow(self, position: Position) -> None:
        """Bring the program to this position."""
        self._start()
        root = _root_of(position)
        wanted: list[Played] = [(Color(color), move) for color, move in position.moves]
        shared = _common_length(self._played, wanted)
        if root != self._root or not self._step_back(len(self._played) - shared):
            self._set_up(root)
            shared = 0
        for color, move in wanted[shared:]:
            self._play(color, move, root[0])

    def _step_back(self, count: int) -> bool:
        """Undo ``count`` moves; False when it cannot, and all must be played again."""
        if count and "undo" not in self._commands:
            return False
        try:
            for _ in range(count):
                self.send("undo")
                self._played.pop()
        except Refusal:
            return False
        return True

    def _play(self, color: Color, move: Move, rules: Rules) -> None:
        vertex = format_gtp(move, rules.width, rules.height)
        try:
            self.send(f"play {'b' if color is Color.BLACK else 'w'} {vertex}")
        except Refusal as refusal:
            self._root = None
            raise EngineError(f"{refusal} (move {len(self._played) + 1})") from None
        self._played.append((color, move))

    def _set_up(self, root: _Root) -> None:
        """An empty board of this size, komi and rules, with the set-up stones on it."""
        rules, black, white = root
        self._root = None
        self._played = []
        try:
            if rules.width == rules.height:
                self.send(f"boardsize {rules.width}")
            elif "rectangular_boardsize" in self._commands:
                self.send(f"rectangular_boardsize {rules.width} {rules.height}")
            else:
                raise EngineError(f"{self.name}: knows no board of {rules.width}x{rules.height}")
            self.send("clear_board")
            self._tell_rules(rules)
            self.send(f"komi {rules.komi:g}")
            self._put_stones(rules, black, white)
        except Refusal as refusal:
            raise EngineError(str(refusal)) from None
        self._root = root

    def _tell_rules(self, rules: Rules) -> None:
        """Programs that take rules get them; what they do not support is their own affair, as it is a
        referee's."""
        if "kata-set-rules" in self._commands:
            command = "kata-set-rules " + json.dumps(rules.to_kata(), separators=(",", ":"))
        elif "kgs-rules" in self._commands:
            command = "kgs-rules " + ("japanese" if rules.scoring is Scoring.TERRITORY else "chinese")
        else:
            return
        try:
            self.send(command)
        except Refusal:
            return

    def _put_stones(self, rules: Rules, black: tuple[Move, ...], white: tuple[Move, ...]) -> None:
        def vertices(moves: tuple[Move, ...]) -> list[str]:
            return [format_gtp(move, rules.width, rules.height) for move in moves]

        if len(black) >= 2 and not white and "set_free_handicap" in self._commands:
            try:
                self.send("set_free_handicap " + " ".join(vertices(black)))
                return
            except Refusal:
                self.send("clear_board")
        if white and "set_position" in self._commands:
            words = [f"b {at}" for at in vertices(black)] + [f"w {at}" for at in vertices(white)]
            self.send("set_position " + " ".join(words))
            return
        for letter, stones in (("b", black), ("w", white)):
            for at in vertices(stones):
                self.send(f"play {letter} {at}")

    # ---- time ---------------------------------------------------------------------------------------------

    def _tell_time(self, color: Color, limit: Limit | None, clock: Clock | None) -> float:
        """Send what it can know of the time; how long to wait for its move."""
        if clock is not None and clock.system != "none":
            exact = self._send_clock(clock)
            if exact is not None and "time_left" in self._commands:
                letter = "b" if color is Color.BLACK else "w"
                stones = clock.stones if exact else min(1, clock.stones)
                self.send(f"time_left {letter} {max(0, int(clock.left))} {stones}")
            periods = max(1, clock.stones or clock.byo_stones) if clock.system == "byoyomi" else 1
            return min(self._move_timeout, clock.left + clock.byo * periods + self._grace)
        if limit is not None and limit.seconds is not None:
            if "time_settings" in self._commands:
                self._send_time(f"time_settings 0 {max(1, round(limit.seconds))} 1")
            return max(self._move_timeout, limit.seconds + self._grace)
        return self._move_timeout

    def _send_clock(self, clock: Clock) -> bool | None:
        """Tell the time system: True where the program knows it as it is, False where GTP's Canadian time of one
        stone a period had to stand for it, None where it takes none."""
        count = clock.byo_stones
        words = {
            "byoyomi": f"byoyomi {clock.main:g} {clock.byo:g} {count}",
            "fischer": f"fischer {clock.main:g} {clock.byo:g}",
        }
        for command, systems in (
            ("kata-time_settings", ("byoyomi", "fischer")),
            ("kgs-time_settings", ("byoyomi",)),
        ):
            if (
                clock.system in systems
                and command in self._commands
                and self._send_time(f"{command} {words[clock.system]}")
            ):
                return True
        if "time_settings" not in self._commands:
            return None
        stones = count if clock.system == "canadian" else 1
        byo = 0.0 if clock.system == "absolute" else clock.byo
        if not self._send_time(f"time_settings {clock.main:g} {byo:g} {stones if byo else 0}"):
            return None
        return clock.system in ("absolute", "canadian")

    def _send_time(self, command: str) -> bool:
        """Whether the program took it, now or when it last heard it; a command it refuses is not tried again."""
        if command == self._time_sent:
            return True
        try:
            self.send(command)
        except Refusal:
            self._commands -= {command.split()[0]}
            return False
        self._time_sent = command
        return True

    def _disgrace(self, reason: str) -> EngineError:
        """It answered in form but not in sense: end it, and say so with its last words."""
        connection = self._connection
        name = self.name
        self.close()
        words = "" if connection is None else connection.last_words()
        return EngineError(f"{name}: {reason}" + (f"; its last words: {words}" if words else ""))


def _evaluation(words: str) -> tuple[float | None, int]:
    """The winrate and the visits a program names in words; None and 0 where it does not."""
    winrate, visits = _WINRATE.search(words), _VISITS.search(words)
    share = None if winrate is None else min(1.0, float(winrate[1]) / 100)
    return share, 0 if visits is None else int(visits[1])


def _file_name(command: str | Sequence[str]) -> str:
    words = command.split() if isinstance(command, str) else list(command)
    return Path(words[0]).name if words else "program"


def _common_length(a: list[Played], b: list[Played]) -> int:
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _root_of(position: Position) -> _Root:
    """Rules and stones before the first move."""
    first = position.root
    return position.rules, tuple(first.stones(Color.BLACK)), tuple(first.stones(Color.WHITE))
