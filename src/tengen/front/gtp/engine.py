"""The engine behind the commands: a game, a player for it, what was last found. Knows nothing of pipes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tengen.front.gtp.protocol import ILLEGAL_MOVE, SYNTAX_ERROR, Arguments, CommandTable, GtpFailure, Stream
from tengen.front.gtp.settings import EngineSettings
from tengen.front.gtp.wire import Inbox

if TYPE_CHECKING:
    from tengen.front.gtp.analysis import AnalysisQuestion
    from tengen.front.gtp.session import Session
    from tengen.go.coords import Color, Move
    from tengen.go.position import Position
    from tengen.go.rules import Rules
    from tengen.players import AnalysisReport, Clock, Decision, Limit, Player

__all__ = ["Engine"]

LAG_MARGIN = 0.5
"""Seconds a move that are kept back for the way between us and whoever holds the clock."""

DEFAULT_SECONDS = 2.0
"""A move thought of aloud when neither a limit nor a clock says how long."""
LOOK_SECONDS = 0.5


class Engine:
    """Everything a GTP session has. Built cheaply: player and board come when a command needs them."""

    def __init__(self, settings: EngineSettings, inbox: Inbox | None = None) -> None:
        self.settings = settings
        self.inbox = inbox or Inbox()
        self.table: CommandTable[Engine] = CommandTable()
        self.log = settings.log
        self.resigned: Color | None = None
        self.last_decision: Decision | None = None
        self.decided_for: Color | None = None
        self._session: Session | None = None
        self._player: Player | None = None
        self._failure: GtpFailure | None = None
        self._told = False
        self._pondering: tuple[threading.Thread, threading.Event] | None = None
        self._ponder_now = False
        self._dead: frozenset[Move] | None = None

    # ---- what it is ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.settings.compat.name

    @property
    def version(self) -> str:
        if self.settings.compat.version:
            return self.settings.compat.version
        from importlib import metadata

        try:
            return metadata.version("tengen")
        except metadata.PackageNotFoundError:
            return "0"

    @property
    def session(self) -> Session:
        if self._session is None:
            from tengen.front.gtp.session import Session

            self._session = Session(self.settings.rules())
        return self._session

    @property
    def built(self) -> Player:
        """The player, built on first use. GtpFailure when it cannot be, the same each time."""
        if self._failure is not None:
            raise self._failure
        if self._player is None:
            from tengen.errors import TengenError

            try:
                self._player = self.settings.build(False)
            except TengenError as error:
                self._failure = GtpFailure(f"cannot start the engine: {error}")
                self.log(str(self._failure))
                raise self._failure from None
        return self._player

    @property
    def player(self) -> Player:
        """The player, told of the game. GtpFailure also when it does not play on this board or by these
        rules."""
        player = self.built
        if not self._told:
            from tengen.errors import TengenError

            try:
                player.new_game(self.session.rules)
            except TengenError as error:
                raise GtpFailure(str(error)) from None
            self._told = True
        return player

    def plays_on(self, width: int, height: int) -> bool:
        """Whether the player takes a board of this size. One that cannot be built is not in the way."""
        from tengen.errors import TengenError

        try:
            player = self.built
        except GtpFailure:
            return True
        self.stop_pondering()
        self._told = False
        try:
            player.new_game(self.session.rules.replace(width=width, height=height))
        except TengenError as error:
            self.log(str(error))
            return False
        return True

    @property
    def failed(self) -> bool:
        """Whether the player could not be built."""
        return self._failure is not None

    def can(self, ability: str) -> bool:
        """Whether the player has a method of this name."""
        try:
            return hasattr(self.built, ability)
        except GtpFailure:
            return False

    # ---- words --------------------------------------------------------------------------------------------

    def parse_vertex(self, word: str) -> Move | None:
        """A point, PASS or RESIGN; None when the word names none on this board."""
        from tengen.errors import CoordinateError
        from tengen.go.coords import parse_gtp

        rules = self.session.rules
        try:
            return parse_gtp(word, rules.width, rules.height)
        except CoordinateError:
            return None

    def vertex(self, arguments: Arguments) -> Move:
        move = self.parse_vertex(arguments.word())
        if move is None:
            raise GtpFailure(SYNTAX_ERROR)
        return move

    def point(self, arguments: Arguments) -> Move:
        """A vertex that is neither pass nor resign."""
        move = self.vertex(arguments)
        if move < 0:
            raise GtpFailure(SYNTAX_ERROR)
        return move

    def color(self, arguments: Arguments) -> Color:
        from tengen.errors import CoordinateError
        from tengen.go.coords import parse_color

        try:
            return parse_color(arguments.word())
        except CoordinateError:
            raise GtpFailure(SYNTAX_ERROR) from None

    def format(self, move: Move) -> str:
        from tengen.go.coords import format_gtp

        rules = self.session.rules
        return format_gtp(move, rules.width, rules.height)

    # ---- the game changes ---------------------------------------------------------------------------------

    def new_game(self) -> None:
        """The board was emptied or set up anew."""
        self.moved()
        self.last_decision = None
        self._told = False

    def moved(self) -> None:
        """The position is another one now."""
        self._dead = None
        self._ponder_now = False
        self.resigned = None
        self.stop_pondering()

    def play(self, color: Color, move: Move) -> None:
        """A move by anyone. ``illegal move`` on an occupied point, off the board, or suicide."""
        from tengen.errors import IllegalMove

        try:
            self.session.play(color, move)
        except IllegalMove:
            raise GtpFailure(ILLEGAL_MOVE) from None
        self.moved()

    def change_rules(self, rules: Rules) -> None:
        """Other rules or komi for the game as it stands; the same ones again disturb nothing."""
        if rules == self.session.rules:
            return
        self.stop_pondering()
        self.session.change_rules(rules)
        self._dead = None
        self._told = False

    def forget_searches(self) -> None:
        """The player starts the next search from nothing."""
        self.stop_pondering()
        self._told = False

    # ---- thinking -----------------------------------------------------------------------------------------

    def limit(self) -> Limit | None:
        """The limit of the command line; None leaves it to the clock, or to the player's own default."""
        settings = self.settings
        if settings.seconds is None and settings.playouts is None and settings.visits is None:
            return None
        from tengen.players import Limit

        return Limit(playouts=settings.playouts, visits=settings.visits, seconds=settings.seconds)

    def clock(self, color: Color) -> Clock | None:
        """The clock of a colour; None when the front end has set none, or no limit."""
        left, settings = self.session.time.left(color), self.session.time.settings
        if left is None or settings is None:
            return None
        from tengen.players import Clock

        return Clock(
            system=settings.system,
            left=left.left,
            stones=left.stones,
            main=settings.main,
            byo=settings.byo,
            byo_stones=settings.stones,
        )

    def think(self, color: Color) -> Decision:
        """The player's decision for a colour, which ``# interrupt`` and ``stop`` hurry; nothing is played."""
        self.stop_pondering()
        player = self.player
        position = self.session.position_for(color)
        began = time.monotonic()
        with self.inbox.work(by_anything=False, hurry=getattr(player, "stop", None)):
            decision = player.choose(position, self.limit(), self.clock(color))
        self.session.time.spend(color, time.monotonic() - began)
        self.remember(color, decision)
        return decision

    def think_afresh(self, color: Color) -> Decision:
        """What a player with no past and a fixed seed would play."""
        self.stop_pondering()
        player = self.settings.build(True)
        try:
            position = self.session.position_for(color)
            player.new_game(position.rules)
            with self.inbox.work(by_anything=False, hurry=getattr(player, "stop", None)):
                return player.choose(position, self.limit(), self.clock(color))
        finally:
            player.close()

    def analyze(self, arguments: Arguments, stream: Stream, *, kata: bool) -> None:
        """Write what the player thinks of the position until any input comes."""
        from tengen.players import Limit

        question = self._question(arguments)
        stream.begin()
        with self.inbox.work(by_anything=True) as stop:
            self._analyze(question, Limit(), self._writer(question, stream, kata), stop)

    def analyze_move(self, arguments: Arguments, stream: Stream, *, kata: bool) -> None:
        """Think of a move aloud, then play it; the last line is ``play VERTEX``."""
        question = self._question(arguments)
        color = question.color
        stream.begin()
        began = time.monotonic()
        with self.inbox.work(by_anything=False) as stop:
            limit = self._move_limit(color)
            decision = self._analyze(question, limit, self._writer(question, stream, kata), stop)
        self.session.time.spend(color, time.monotonic() - began)
        self.remember(color, decision)
        stream.line(f"play {self.play_decision(color, decision)}")

    def _question(self, arguments: Arguments) -> AnalysisQuestion:
        from tengen.front.gtp.analysis import parse_question

        rules = self.session.rules
        return parse_question(arguments, self.session.to_move, rules.width, rules.height)

    def _writer(
        self, question: AnalysisQuestion, stream: Stream, kata: bool
    ) -> Callable[[AnalysisReport], None]:
        from tengen.front.gtp.analysis import format_kata, format_lz

        rules = self.session.rules
        form = format_kata if kata else format_lz

        def write(report: AnalysisReport) -> None:
            line = form(report, question, rules.width, rules.height)
            if line:
                stream.line(line)

        return write

    def _analyze(
        self,
        question: AnalysisQuestion,
        limit: Limit,
        report: Callable[[AnalysisReport], None],
        stop: threading.Event,
    ) -> Decision:
        self.stop_pondering()
        analyst: Any = self.player
        position = self.session.position_for(question.color)
        decision: Decision = analyst.analyze(
            position, question.request(limit, position.rules.area), report, stop
        )
        return decision

    def _move_limit(self, color: Color) -> Limit:
        """The limit of a move thought of aloud: command line, else clock, else the player's own; a clock always
        bounds the first.
        """
        from tengen.players import Limit

        limit, clock = self.limit(), self.clock(color)
        if clock is not None:
            budget = clock.budget(self.session.position, LAG_MARGIN)
            limit = (limit or Limit()).within(budget, clock.most(LAG_MARGIN))
        style = getattr(self.player, "style", None)
        return limit or getattr(style, "limit", None) or Limit(seconds=DEFAULT_SECONDS)

    def look(self, color: Color | None = None, seconds: float = LOOK_SECONDS) -> AnalysisReport | None:
        """One report on the position, for pictures of it; None when the player does not analyse."""
        if not self.can("analyze"):
            return None
        from tengen.front.gtp.analysis import AnalysisQuestion
        from tengen.players import Limit

        reports: list[AnalysisReport] = []
        question = AnalysisQuestion(color or self.session.to_move, interval=seconds, ownership=True)
        with self.inbox.work(by_anything=False) as stop:
            self._analyze(
                question, Limit(seconds=min(seconds, self.settings.seconds or seconds)), reports.append, stop
            )
        return reports[-1] if reports else None

    def remember(self, color: Color, decision: Decision) -> None:
        self.last_decision = decision
        self.decided_for = color

    def play_decision(self, color: Color, decision: Decision) -> str:
        """Play what was decided, if it is a move; the answer of genmove. Superko counts here."""
        move = decision.move
        if move == -2:
            self.resigned = color
            return "resign"
        if move >= 0 and not self.session.position_for(color).is_legal(move, color):
            raise RuntimeError(f"{self.player.name} chose {self.format(move)}, which is illegal")
        self.session.play(color, move)
        self.moved()
        self._ponder_now = self.settings.ponder
        return self.format(move)

    # ---- idleness -----------------------------------------------------------------------------------------

    @property
    def idle_after(self) -> float:
        """Loading waits longer than pondering: the first questions of a front end may come one by one."""
        return 0.3 if self._player is None else 0.02

    def idle(self) -> None:
        """Load the player while nobody waits; ponder when that is wanted and it is the other's turn.

        Pondering goes on until a command wants the player or changes the game.
        """
        try:
            player: Any = self.player
            if self._ponder_now and hasattr(player, "ponder") and not self.session.position.is_over:
                self._begin_pondering(player.ponder)
        except GtpFailure:
            return
        except Exception as error:
            self.log(f"while idle: {type(error).__name__}: {error}")

    def _begin_pondering(self, ponder: Callable[[Position, threading.Event], None]) -> None:
        if self._pondering is not None:
            return
        stop, position = threading.Event(), self.session.position_for()

        def work() -> None:
            try:
                ponder(position, stop)
            except Exception as error:
                self.log(f"while pondering: {type(error).__name__}: {error}")

        thread = threading.Thread(target=work, daemon=True)
        self._pondering = thread, stop
        thread.start()

    def stop_pondering(self) -> None:
        """Returns when it has stopped."""
        if self._pondering is not None:
            thread, stop = self._pondering
            self._pondering = None
            stop.set()
            thread.join()

    def close(self) -> None:
        """Let go of the player; the engine may not be used again. What goes wrong is logged."""
        self.stop_pondering()
        player, self._player = self._player, None
        if player is not None:
            try:
                player.close()
            except Exception as error:
                self.log(f"while closing: {type(error).__name__}: {error}")

    # ---- what it judges -----------------------------------------------------------------------------------

    def dead_stones(self) -> frozenset[Move]:
        """The dead stones of the position: by the player if it judges, else by playouts."""
        if self._dead is None:
            self.stop_pondering()
            position = self.session.position_for()
            if self.can("dead_stones"):
                judge: Any = self.player
                self._dead = frozenset(judge.dead_stones(position))
            else:
                from tengen.knowledge.judging import find_dead

                self._dead = find_dead(position)
        return self._dead

    def ownership(self) -> list[float]:
        """Whose every point will be, 1 Black's, -1 White's: by the player if it judges, else by playouts."""
        self.stop_pondering()
        position = self.session.position_for()
        if self.can("ownership"):
            judge: Any = self.player
            return list(judge.ownership(position))
        from tengen.knowledge.judging import ownership

        return ownership(position)

    def explain(self, move: Move) -> str:
        """Reasons for or against a move of the side to move: the player's, else those of knowledge."""
        from tengen.front.reasons import reasons

        self.stop_pondering()
        return reasons(self.session.position_for(), move, self.player)

    def evaluate(self) -> Any:
        """The judgment (``tengen.nets.runtime.Evaluation``) of the player's network, for the side to move."""
        self.stop_pondering()
        owner: Any = self.player
        return owner.net.evaluate([self.session.position_for()])[0]
