"""One game from the first move to the count, whatever the players do."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tengen.arena.conditions import Conditions
from tengen.arena.contestants import Contestant, Opinion, failure_reason
from tengen.arena.openings import Opening
from tengen.arena.referee import judge, play_opening, start_position
from tengen.arena.results import GameKey, GameResult, Reason, SideCost, derive_seed, digest_of_moves
from tengen.arena.scoresheet import MoveNote, write_sgf
from tengen.arena.specs import PlayerSpec
from tengen.arena.timekeeping import GameClock
from tengen.errors import ConfigError, IllegalMove
from tengen.go.coords import RESIGN, Color, Move, format_gtp

if TYPE_CHECKING:
    from tengen.go.position import Position
    from tengen.players import Clock, Decision, Limit, Player

__all__ = ["GameTask", "limits_of", "play_game"]


@dataclass(frozen=True)
class GameTask:
    """Everything a worker needs to play one game; the same task gives the same game."""

    key: GameKey
    black: PlayerSpec
    white: PlayerSpec
    seed: int
    opening: Opening
    conditions: Conditions


@dataclass
class _Side:
    """A player in this game: his clock, his counters, his opinion of himself."""

    contestant: Contestant
    color: Color
    clock: GameClock | None
    player: Player | None = None
    limit: Limit | None = None
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    cpu: float = 0.0
    low_moves: int = 0
    program: str = ""
    cpu_at_start: float = field(default=0.0)
    own_process: bool = False

    def cost(self) -> SideCost:
        usage = self.contestant.usage()
        cpu = usage.cpu - self.cpu_at_start if self.own_process else self.cpu
        return SideCost(self.moves, self.seconds, self.slowest, max(0.0, cpu), usage.memory, self.own_process)


@dataclass(frozen=True)
class _End:
    """Who won and why. ``winner`` EMPTY is a draw."""

    winner: Color
    result: str
    reason: Reason
    detail: str = ""


def play_game(
    task: GameTask, black: Contestant, white: Contestant, opinion: Opinion | None = None
) -> GameResult:
    """Play a game to its result. Whatever a player does wrong costs him the game and nothing else.

    A player that failed is closed, so that the next game starts him anew. ConfigError when a player cannot be
    built at all.
    """
    return _Game(task, black, white, opinion).play()


class _Game:
    def __init__(self, task: GameTask, black: Contestant, white: Contestant, opinion: Opinion | None) -> None:
        conditions = task.conditions
        settings = conditions.clock_settings()
        self._task = task
        self._opinion = opinion
        self._sides = {
            color: _Side(contestant, color, GameClock(settings, conditions.clock_grace) if settings else None)
            for color, contestant in ((Color.BLACK, black), (Color.WHITE, white))
        }
        self._notes: list[MoveNote] = []
        self._views: deque[float] = deque(maxlen=conditions.adjudicate_moves)
        self._start: Position = start_position(conditions)
        self._position: Position = play_opening(self._start, task.opening)

    def play(self) -> GameResult:
        began = time.perf_counter()
        end = self._seat_players()
        seated = time.process_time()
        while end is None:
            end = self._turn()
        thinking = sum(side.cpu for side in self._sides.values())
        costs = {color: side.cost() for color, side in self._sides.items()}
        if end.reason.is_failure or end.reason is Reason.TIME:
            self._sides[end.winner.opponent].contestant.close()
        asked = time.process_time()
        second, disagrees = self._second_opinion(end, time.perf_counter() - began)
        elsewhere = thinking + time.process_time() - asked
        return self._result(end, costs, began, seated + elsewhere, second, disagrees)

    def _seat_players(self) -> _End | None:
        for color, side in self._sides.items():
            seed = derive_seed(self._task.seed, color.name)
            try:
                side.player = side.contestant.begin(self._position.rules, seed)
            except ConfigError:
                raise
            except Exception as error:
                return self._failed(color, error)
            side.limit = _limit(side.contestant.spec, self._task.conditions)
            usage = side.contestant.usage()
            side.cpu_at_start, side.own_process = usage.cpu, usage.own_process
            side.program = side.contestant.program
        return None

    def _turn(self) -> _End | None:
        """One move of the side to play; how the game ended if that ended it."""
        position = self._position
        color = Color(position.to_move)
        side = self._sides[color]
        assert side.player is not None
        cpu = 0.0 if side.own_process else time.process_time()
        began = time.perf_counter()
        try:
            decision = side.player.choose(position, side.limit, _face(side.clock))
        except Exception as error:
            self._book(side, time.perf_counter() - began, cpu)
            return self._failed(color, error)
        elapsed = time.perf_counter() - began
        self._book(side, elapsed, cpu)
        if side.clock is not None and not side.clock.spend(elapsed):
            return self._lost(color, Reason.TIME, f"{elapsed:.2f} s for move {position.move_number + 1}")
        move = decision.move
        if move == RESIGN:
            return self._lost(color, Reason.RESIGN)
        try:
            self._position = position.play(move)
        except (IllegalMove, ValueError) as error:
            return self._lost(color, Reason.ILLEGAL, f"{self._vertex(move)}: {error}")
        self._notes.append(MoveNote(color, move, elapsed, decision.winrate, decision.visits))
        return self._after_move(side, decision)

    def _book(self, side: _Side, elapsed: float, cpu: float) -> None:
        side.moves += 1
        side.seconds += elapsed
        side.slowest = max(side.slowest, elapsed)
        if not side.own_process:
            side.cpu += time.process_time() - cpu

    def _after_move(self, side: _Side, decision: Decision) -> _End | None:
        conditions = self._task.conditions
        if self._position.is_over:
            return self._counted(Reason.SCORE)
        if self._position.move_number >= conditions.longest_game:
            return self._counted(Reason.MOVE_LIMIT)
        if decision.winrate is None:
            self._views.clear()
            return None
        side.low_moves = side.low_moves + 1 if decision.winrate < conditions.resign_below else 0
        if side.low_moves >= conditions.resign_moves:
            return self._lost(side.color, Reason.RESIGN, f"its own winrate {decision.winrate:.3f}")
        self._views.append(decision.winrate if side.color is Color.BLACK else 1 - decision.winrate)
        return self._adjudicated()

    def _adjudicated(self) -> _End | None:
        above = self._task.conditions.adjudicate_above
        if above >= 1.0 or len(self._views) < self._task.conditions.adjudicate_moves:
            return None
        if min(self._views) >= above:
            return _End(
                Color.BLACK, "B+R", Reason.ADJUDICATION, f"both sides gave Black {min(self._views):.3f}"
            )
        if max(self._views) <= 1 - above:
            return _End(
                Color.WHITE, "W+R", Reason.ADJUDICATION, f"both sides gave White {1 - max(self._views):.3f}"
            )
        return None

    def _counted(self, reason: Reason) -> _End:
        verdict = judge(self._position, derive_seed(self._task.seed, "referee"))
        reason = Reason.CAPTURE if verdict.by_capture else reason
        return _End(verdict.winner, verdict.result, reason, verdict.detail)

    def _lost(self, color: Color, reason: Reason, detail: str = "") -> _End:
        mark = {Reason.TIME: "T", Reason.RESIGN: "R"}.get(reason, "F")
        winner = color.opponent
        return _End(winner, f"{'B' if winner is Color.BLACK else 'W'}+{mark}", reason, detail)

    def _failed(self, color: Color, error: Exception) -> _End:
        reason = failure_reason(error)
        if reason is Reason.HANG and self._sides[color].clock is not None:
            reason = Reason.TIME
        text = str(error) if reason is not Reason.ERROR else f"{type(error).__name__}: {error}"
        return self._lost(color, reason, text[:500])

    def _second_opinion(self, end: _End, seconds: float) -> tuple[str | None, bool]:
        """GNU Go's result where it was asked, and whether it names another winner."""
        wanted = self._task.conditions.second_opinion
        if self._opinion is None or end.reason is not Reason.SCORE or wanted == "never":
            return None, False
        if wanted == "auto" and seconds < 1.0:
            return None, False
        try:
            second = self._opinion(self._position).strip()
        except Exception as error:
            return f"none: {error}"[:200], False
        letter = {Color.BLACK: "B", Color.WHITE: "W", Color.EMPTY: "0"}[end.winner]
        return second, second[:1].upper() != letter

    def _result(
        self,
        end: _End,
        costs: dict[Color, SideCost],
        began: float,
        others_cpu: float,
        second: str | None,
        disagrees: bool,
    ) -> GameResult:
        task = self._task
        moves = [move for _, move in self._position.moves]
        names = {Color.BLACK: task.black.name, Color.WHITE: task.white.name, Color.EMPTY: ""}
        comment = ". ".join(
            filter(None, (f"{end.result}, {end.reason.value}", end.detail, _opinion_text(second)))
        )
        players = names[Color.BLACK], names[Color.WHITE]
        sgf = write_sgf(self._start, self._position, *players, end.result, self._notes, comment)
        return GameResult(
            key=task.key,
            seed=task.seed,
            black=task.black.name,
            white=task.white.name,
            winner=names[end.winner],
            result=end.result,
            reason=end.reason,
            detail=end.detail,
            moves=len(moves),
            digest=digest_of_moves(moves),
            opening=task.opening.name,
            seconds=time.perf_counter() - began,
            overhead=time.process_time() - others_cpu,
            black_cost=costs[Color.BLACK],
            white_cost=costs[Color.WHITE],
            second_opinion=second,
            disagreement=disagrees,
            black_program=self._sides[Color.BLACK].program,
            white_program=self._sides[Color.WHITE].program,
            sgf=sgf,
        )

    def _vertex(self, move: Move) -> str:
        rules = self._position.rules
        try:
            return format_gtp(move, rules.width, rules.height)
        except ValueError:
            return f"move {move}"


def _opinion_text(second: str | None) -> str:
    return f"second opinion {second}" if second else ""


def limits_of(spec: PlayerSpec, conditions: Conditions) -> tuple[int | None, int | None, float | None]:
    """Playouts, visits and seconds a move: the player's own where he brings any, else those of the match."""
    own = (spec.playouts, spec.visits, spec.seconds)
    if any(value is not None for value in own):
        return own
    return conditions.playouts, conditions.visits, conditions.seconds


def _limit(spec: PlayerSpec, conditions: Conditions) -> Limit | None:
    """None where nobody says anything."""
    from tengen.players import Limit

    playouts, visits, seconds = limits_of(spec, conditions)
    if playouts is None and visits is None and seconds is None:
        return None
    return Limit(playouts=playouts, visits=visits, seconds=seconds)


def _face(clock: GameClock | None) -> Clock | None:
    """What a player sees of his clock."""
    if clock is None:
        return None
    from tengen.players import Clock

    settings = clock.settings
    return Clock(
        system=settings.system,
        left=clock.time_left,
        stones=clock.stones_left,
        main=settings.main_time,
        byo=settings.byo_time,
        byo_stones=settings.byo_stones,
    )
