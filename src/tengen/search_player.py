"""A search that plays a game: a clock, resignation, passing, pondering, dynamic komi."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tengen.errors import ConfigError
from tengen.go.coords import PASS, RESIGN, Color, Move
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules, Scoring
from tengen.go.scoring import dead_by_ownership, score_position, territory
from tengen.knowledge.judging import find_dead
from tengen.players import AnalysisRequest, Clock, Decision, Limit, Report
from tengen.search.parts import Evaluator
from tengen.search.search import Search, SearchResult

__all__ = ["PlayStyle", "SearchPlayer"]


@dataclass(frozen=True)
class PlayStyle:
    """How a search is turned into a game. Shared by every system that searches."""

    limit: Limit = field(default_factory=lambda: Limit(seconds=1.0))
    """Used when neither the caller nor a clock says how long."""
    resign_below: float = 0.08
    """Resign when the winrate has been lower for three own moves; 0 never resigns."""
    lag: float = 0.3
    """Seconds of every move kept back from the clock."""
    dynamic_komi: bool = True
    """In handicap games shift the komi towards the score, so that moves still tell apart."""
    bank: float = 0.0
    """What moves decided early left of their seconds may be spent on later ones of the game, up to so many times a
    move's seconds; the mean stays below what was asked. 0: every move has its own seconds. A clock keeps its own
    account."""

    def __post_init__(self) -> None:
        if self.bank < 0:
            raise ConfigError(f"bank={self.bank}: 0 or more expected")
        if not 0 <= self.resign_below < 0.5:
            raise ConfigError(f"resign_below={self.resign_below}: between 0 and 0.5 expected")


class SearchPlayer:
    """Player, Analyst, Ponderer, Judge and Stoppable over one `Search`.

    ``make_search`` is called anew for every game, with its rules, so that parts may suit the board.
    """

    def __init__(
        self, name: str, make_search: Callable[[Rules], Search], style: PlayStyle | None = None
    ) -> None:
        self.name = name
        self.style = style or PlayStyle()
        self._make_search = make_search
        self._search: Search | None = None
        self._rules: Rules | None = None
        self._bad_moves: dict[Color, tuple[int, int]] = {}
        self._last: SearchResult | None = None
        self._saved = 0.0

    # ---- a game ---------------------------------------------------------------------------------------------

    def new_game(self, rules: Rules) -> None:
        self._bad_moves = {}
        self._last = None
        self._saved = 0.0
        size_kept = self._rules is not None and (self._rules.width, self._rules.height, self._rules.goal) == (
            rules.width,
            rules.height,
            rules.goal,
        )
        if self._search is not None and size_kept:
            self._search.forget()
        else:
            self._search = None
        self._rules = rules

    def _searcher(self, position: Position) -> Search:
        rules = position.rules
        known = self._rules
        if known is None or (known.width, known.height, known.goal) != (
            rules.width,
            rules.height,
            rules.goal,
        ):
            self.new_game(rules)
        if self._search is None:
            self._search = self._make_search(rules)
        return self._search

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        return self._within_means(position, self._limit(position, limit, clock), clock)

    def _within_means(
        self,
        position: Position,
        limit: Limit,
        clock: Clock | None,
        allow: Mapping[Color, frozenset[Move]] | None = None,
    ) -> Decision:
        """``decide``, with seconds saved on earlier moves added where no clock counts them."""
        if clock is not None or limit.seconds is None:
            return self.decide(position, limit, allow)
        extra = min(self._saved, self.style.bank * limit.seconds)
        decision = self.decide(position, replace(limit, seconds=limit.seconds + extra), allow)
        self._saved = max(self._saved + limit.seconds - decision.seconds, 0.0)
        return decision

    def decide(
        self, position: Position, limit: Limit, allow: Mapping[Color, frozenset[Move]] | None = None
    ) -> Decision:
        """A move within exactly this limit, among the moves allowed at the root."""
        started = time.perf_counter()
        search = self._searcher(position)
        self._shift_komi(search, position)
        result = self._run(search, position, limit, allow=allow)
        self._last = result
        move = self._closing_move(search, position, result, limit, time.perf_counter() - started)
        return self._decision(position, result, move, time.perf_counter() - started)

    def _run(self, search: Search, position: Position, limit: Limit, **options: Any) -> SearchResult:
        """Every search that thinks of a move goes through here, for a system that has to do with all of them."""
        return search.run(position, limit, **options)

    def _limit(self, position: Position, limit: Limit | None, clock: Clock | None) -> Limit:
        """What the caller says, else what the clock allows, else the style's; a clock always bounds the others."""
        lag = self.style.lag
        seconds = clock.budget(position, lag) if clock is not None else None
        most = clock.most(lag) if clock is not None else None
        chosen = limit if limit is not None and limit.is_set else None
        if chosen is None:
            chosen = self.style.limit if seconds is None else Limit()
        return chosen.within(seconds, most)

    def _decision(self, position: Position, result: SearchResult, move: Move, seconds: float) -> Decision:
        best = next((info for info in result.report.moves if info.move == move), result.best)
        winrate = best.winrate if best is not None else result.report.root_winrate
        return Decision(
            move=move,
            winrate=winrate,
            score=best.score_lead if best is not None else result.report.root_score,
            visits=result.report.root_visits,
            pv=best.pv if best is not None and best.move == move else (move,),
            seconds=seconds,
            info={"simulations": result.simulations, "nodes": result.nodes, "memory": result.memory},
        )

    # ---- passing and resigning ------------------------------------------------------------------------------------

    def _closing_move(
        self, search: Search, position: Position, result: SearchResult, limit: Limit, spent: float
    ) -> Move:
        """The search's choice, unless the game should be closed: a pass that wins, or giving up."""
        if position.rules.goal is Goal.FIRST_CAPTURE:
            return self._capture_move(position, result)
        move = result.choice
        owner = search.ownership()
        if self._hopeless(position, result):
            return RESIGN
        if self._pass_wins(position, owner, move) and self._pass_holds(
            search, position, result, limit, spent
        ):
            return PASS
        if self._nothing_left(position, owner, result):
            return PASS
        if move == PASS and position.rules.scoring is Scoring.AREA:
            # The search scores a double pass by the board as it stands: trust it only if nothing is left to do.
            others = [info for info in result.report.moves if info.move != PASS and info.visits > 0]
            best = result.best
            if others and best is not None and others[0].winrate > best.winrate + 0.02:
                move = others[0].move
        return move

    def _capture_move(self, position: Position, result: SearchResult) -> Move:
        """Capture Go has no passing while a legal move is left."""
        if result.choice != PASS:
            return result.choice
        others = [info.move for info in result.report.moves if info.move != PASS]
        return others[0] if others else next(iter(position.legal_moves()), PASS)

    def _pass_wins(self, position: Position, owner: list[float], move: Move) -> bool:
        """Does a pass seem to win? Everything must look settled; then the dead are counted as dead."""
        if not any(owner):
            return False
        sign = 1 if position.to_move is Color.BLACK else -1
        dead = dead_by_ownership(position, owner)
        if dead and not position.rules.friendly_pass_ok:
            return False
        margin = sign * score_position(position, dead)
        if position.passes and margin > 0 and self._settled(position, owner, dead, 0.6):
            return True
        if position.rules.scoring is Scoring.TERRITORY:
            # Here a needless move costs a point: pass as soon as nothing is open, won or lost.
            return self._settled(position, owner, dead, 0.8)
        return margin > 0 and move != PASS and self._settled(position, owner, dead, 0.9)

    def _nothing_left(self, position: Position, owner: list[float], result: SearchResult) -> bool:
        """Has the opponent passed on a board where nothing is open, and is it lost? Who will not resign ends it so."""
        if not position.passes or result.report.root_winrate > 0.05 or not any(owner):
            return False
        return self._settled(position, owner, dead_by_ownership(position, owner), 0.9)

    def _pass_holds(
        self, search: Search, position: Position, result: SearchResult, limit: Limit, spent: float
    ) -> bool:
        """True iff the opponent, given a search of his own after the pass, finds nothing to unsettle the board.

        Ownership is a mean over all the search looked at, in which one killing move hardly shows.
        """
        after = position.play(PASS)
        if after.is_over:
            return True
        seconds = None if limit.seconds is None else max(limit.seconds - spent, 0.3 * limit.seconds)
        if seconds is not None and limit.most is not None:
            seconds = max(min(seconds, limit.most - spent), 0.01)
        look = Limit(playouts=max(result.simulations // 2, 200), seconds=seconds)
        search.run(after, look, avoid={after.to_move: frozenset([PASS])})
        owner = search.ownership()
        dead = dead_by_ownership(after, owner)
        sign = 1 if position.to_move is Color.BLACK else -1
        wins = position.rules.scoring is Scoring.TERRITORY or sign * score_position(after, dead) > 0
        return wins and self._settled(after, owner, dead, 0.7)

    @staticmethod
    def _settled(position: Position, owner: list[float], dead: frozenset[Move], bar: float) -> bool:
        """True iff the dead are surely dead, the others surely alive, and no neutral point is left to fill."""
        owners = territory(position, dead)
        for value, color in zip(owner, owners, strict=True):
            if color == Color.EMPTY:
                return False
            if (value if color == Color.BLACK else -value) < bar:
                return False
        return True

    def _hopeless(self, position: Position, result: SearchResult) -> bool:
        """Has every one of this colour's last three moves looked lost? Looking twice at one counts once."""
        color = position.to_move
        rules = position.rules
        if self.style.resign_below <= 0 or position.move_number < rules.area // 5:
            return False
        best = result.best
        if result.report.root_visits <= 50 or best is None or best.winrate >= self.style.resign_below:
            self._bad_moves.pop(color, None)
            return False
        last, count = self._bad_moves.get(color, (-1, 0))
        if position.move_number != last:
            count = count + 1 if position.move_number > last else 1
            self._bad_moves[color] = position.move_number, count
        return count >= 3

    def _shift_komi(self, search: Search, position: Position) -> None:
        """Dynamic komi: with a handicap, count on a lead that melts until move 200 (scaled to the board)."""
        rules = position.rules
        shift = 0.0
        if self.style.dynamic_komi and position.handicap >= 2 and rules.goal is Goal.SCORE:
            end = 0.55 * rules.area
            left = max(0.0, 1.0 - position.move_number / end)
            shift = round(7.0 * position.handicap * left * rules.area / 361)
        self._set_komi_shift(search, shift)

    @staticmethod
    def _set_komi_shift(search: Search, shift: float) -> None:
        """What was found under another komi is no measure of this one."""
        if search.komi_shift != shift:
            search.forget()
            search.komi_shift = shift

    # ---- thinking aloud and on the opponent's time ---------------------------------------------------

    def analyze(
        self, position: Position, request: AnalysisRequest, report: Report, stop: threading.Event
    ) -> Decision:
        started = time.perf_counter()
        search = self._searcher(position)
        if request.limit.is_set:
            self._shift_komi(search, position)
        else:
            self._set_komi_shift(search, 0.0)
        result = self._run(
            search,
            position,
            request.limit,
            report=report,
            interval=request.interval,
            stop=stop,
            allow=request.allow,
            avoid=request.avoid,
            barred=request.barred,
            ownership=request.ownership,
            min_moves=request.min_moves,
        )
        self._last = result
        if request.allow or request.avoid or stop.is_set() or not request.limit.is_set:
            # Moves were asked for by name, or nobody is going to play the one found.
            move = result.choice
        else:
            spent = time.perf_counter() - started
            move = self._closing_move(search, position, result, request.limit, spent)
        return self._decision(position, result, move, time.perf_counter() - started)

    def ponder(self, position: Position, stop: threading.Event) -> None:
        self._run(self._searcher(position), position, Limit(), stop=stop)

    def stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    # ---- judging ----------------------------------------------------------------------------------------------------

    def ownership(self, position: Position) -> list[float]:
        search = self._searcher(position)
        search.run(position, Limit(playouts=800, seconds=1.0))
        return search.ownership()

    def dead_stones(self, position: Position) -> frozenset[Move]:
        """By playouts alone: after two passes a search tries what nobody plays any more, and sees less."""
        return find_dead(position)

    def measure(self, position: Position, limit: Limit) -> dict[str, float]:
        """One search from scratch, timed: simulations, wall and CPU seconds, memory by node and edge."""
        search = self._searcher(position)
        search.forget()
        search.early_stop = False
        wall, cpu = time.perf_counter(), time.process_time()
        result = search.run(position, limit)
        nodes, edges = search.store.used
        return {
            "simulations": result.simulations,
            "seconds": round(time.perf_counter() - wall, 4),
            "cpu_seconds": round(time.process_time() - cpu, 4),
            "nodes": nodes,
            "edges": edges,
            "bytes": result.memory,
            "winrate": round(result.report.root_winrate, 4),
            "score": round(result.report.root_score, 2),
        }

    @property
    def evaluator(self) -> Evaluator | None:
        """What judges the leaves of the search of this game; None before there was one."""
        return None if self._search is None else self._search.evaluator

    def close(self) -> None:
        self.stop()
        self._search = None
