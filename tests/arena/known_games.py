"""Finished games made up for tests of bookkeeping."""

from tengen.arena.results import GameKey, GameResult, Reason, SideCost


def result(key: GameKey, black: str, white: str, winner: str, *, void: bool = False) -> GameResult:
    cost = SideCost(30, 0.3, 0.02, 0.3, 1 << 20)
    mark = "0" if not winner else f"{'B' if winner == black else 'W'}+1"
    return GameResult(
        key, 1, black, white, winner, mark, Reason.SCORE, "", 60, "d", "o", 1.0, 0.01, cost, cost, void=void
    )
