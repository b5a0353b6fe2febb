"""Players whose behaviour a test can foresee."""

import random
import threading
import time
from collections.abc import Sequence
from types import SimpleNamespace

from tengen.go.coords import PASS, Color, Move
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import AnalysisReport, AnalysisRequest, Clock, Decision, Limit, MoveInfo, Report


class RandomPlayer:
    """Uniform over legal moves that are not surrounded by friends; passes when there is none."""

    name = "random"

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)

    def new_game(self, rules: Rules) -> None:
        pass

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        points = list(position.board.empty_points())
        for _ in range(20):
            if not points:
                break
            move = self._random.choice(points)
            if not position.board.is_eye(move, position.to_move) and position.is_legal(move):
                return Decision(move)
        return Decision(PASS)

    def close(self) -> None:
        pass


class ScriptedPlayer:
    """Plays the moves it was given, in order; then passes. Remembers what it was asked."""

    name = "scripted"

    def __init__(self, moves: Sequence[Move] = ()) -> None:
        self.moves = list(moves)
        self.asked: list[tuple[Position, Limit | None, Clock | None]] = []
        self.games = 0

    def new_game(self, rules: Rules) -> None:
        self.games += 1

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        self.asked.append((position, limit, clock))
        return Decision(self.moves.pop(0) if self.moves else PASS)

    def close(self) -> None:
        pass


class ScriptedAnalyst(ScriptedPlayer):
    """Reports the same two candidates over and over: the first two legal points of the board, and no more."""

    style = SimpleNamespace(limit=Limit(seconds=0.2))

    def __init__(self, moves: Sequence[Move] = (), reports: int = 10**9) -> None:
        super().__init__(moves)
        self.reports = reports
        self.requests: list[AnalysisRequest] = []
        self.pondered: list[Position] = []
        self.explained: list[Move] = []

    def analyze(
        self, position: Position, request: AnalysisRequest, report: Report, stop: threading.Event
    ) -> Decision:
        self.requests.append(request)
        color = position.to_move
        legal = [move for move in position.legal_moves() if move not in request.avoid.get(color, ())]
        if color in request.allow:
            legal = [move for move in legal if move in request.allow[color]]
        first, second = [*legal, PASS, PASS][:2]
        began = time.monotonic()
        for count in range(1, self.reports + 1):
            area = position.rules.area
            report(
                AnalysisReport(
                    to_move=color,
                    moves=(
                        MoveInfo(second, 10 * count, 0.25, 0.08, 1, (second,), -3.0, 8.0, 0.2),
                        MoveInfo(first, 90 * count, 0.5, 0.839, 0, (first, second), 1.5, 8.0, 0.464),
                    ),
                    root_visits=100 * count,
                    root_winrate=0.475,
                    root_score=1.0,
                    seconds=time.monotonic() - began,
                    ownership=tuple([1.0] + [-0.25] * (area - 1)) if request.ownership else None,
                )
            )
            limit = request.limit.seconds
            if stop.wait(request.interval if limit is None else min(request.interval, limit)):
                break
            if limit is not None and time.monotonic() - began >= limit:
                break
        return Decision(self.moves.pop(0) if self.moves else first, 0.5, 1.5, 100, (first, second), 0.1)

    def ponder(self, position: Position, stop: threading.Event) -> None:
        self.pondered.append(position)
        stop.wait()

    def explain(self, position: Position, move: Move) -> str:
        self.explained.append(move)
        return "takes the corner"

    def dead_stones(self, position: Position) -> frozenset[Move]:
        return frozenset(position.stones(Color.WHITE)[:1])

    def ownership(self, position: Position) -> list[float]:
        return [0.5] * position.rules.area


class SlowPlayer(RandomPlayer):
    """Thinks until it is told to stop."""

    def __init__(self) -> None:
        super().__init__()
        self._stop = threading.Event()

    def stop(self) -> None:
        self._stop.set()

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        self._stop.wait(10)
        return super().choose(position, limit, clock)


class BrokenPlayer(RandomPlayer):
    """Raises whenever it is asked."""

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        raise ZeroDivisionError("nought\n\nis nought")
