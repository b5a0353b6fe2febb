"""What a match between two players came to, as the numbers people ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.arena.results import GameResult, Reason, SideCost, tally
from tengen.arena.schedules import Results, RoundRobin, pair_points
from tengen.arena.sprt import Verdict
from tengen.arena.stats import Tally

__all__ = ["MatchSummary", "disagreement_text", "failure_text", "finite", "total_cost"]

_MIB = 1 << 20


def finite(value: float, digits: int = 4) -> float | None:
    """Rounded for JSON, which has no infinity; nought has no sign."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def total_cost(games: Sequence[GameResult], player: str) -> SideCost:
    """What a player spent over games."""
    return sum((game.cost_of(player) for game in games if player in (game.black, game.white)), SideCost())


@dataclass(frozen=True)
class MatchSummary:
    """One pairing, from the first player's side. ``games`` are those that count."""

    a: str
    b: str
    games: tuple[GameResult, ...]
    sprt: Mapping[str, Any] | None = None

    @staticmethod
    def of(schedule: RoundRobin, results: Results) -> MatchSummary:
        """Of a schedule with a single pairing."""
        (pairing,) = schedule.pairings
        games = tuple(game for game in schedule.counted(results))
        return MatchSummary(pairing.a.name, pairing.b.name, games, _sprt_json(schedule, results))

    @property
    def valid(self) -> list[GameResult]:
        return [game for game in self.games if not game.void]

    @property
    def tally(self) -> Tally:
        """From a's side."""
        return tally(self.games, self.a)

    @property
    def black_tally(self) -> Tally:
        """From Black's side, whoever he was."""
        count = Counter(
            "draw" if not g.winner else "win" if g.winner == g.black else "loss" for g in self.valid
        )
        return Tally(count["win"], count["draw"], count["loss"])

    @property
    def disagreements(self) -> list[GameResult]:
        return [game for game in self.valid if game.disagreement]

    @property
    def failures(self) -> list[GameResult]:
        return [game for game in self.valid if game.reason.is_failure]

    def time_losses(self, player: str) -> int:
        return sum(game.reason is Reason.TIME and game.loser == player for game in self.valid)

    @property
    def overhead_per_move(self) -> float:
        """Processor seconds of the runner's own work a move, the same however busy the machine is."""
        moves = sum(game.moves for game in self.valid)
        return sum(game.overhead for game in self.valid) / moves if moves else 0.0

    def to_json(self) -> dict[str, Any]:
        """The object ``tengen match --json`` prints."""
        score = self.tally
        interval = score.interval()
        elos = score.elo_interval()
        games = self.valid
        moves = sum(game.moves for game in games)
        costs = {"a": total_cost(games, self.a), "b": total_cost(games, self.b)}
        fields: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "games": score.games,
            "wins_a": score.wins,
            "wins_b": score.losses,
            "draws": score.draws,
            "winrate_a": finite(score.score),
            "interval": [finite(interval.low), finite(interval.high)],
            "elo": finite(score.elo(), 1),
            "elo_interval": [finite(elos.low, 1), finite(elos.high, 1)],
            "p_value": score.p_value(),
            "black_winrate": finite(self.black_tally.score),
            "moves_per_game": finite(moves / len(games), 1) if games else None,
        }
        for side, cost in costs.items():
            fields |= {
                f"seconds_per_move_{side}": finite(cost.seconds_per_move, 6),
                f"cpu_per_move_{side}": finite(cost.cpu_per_move, 6),
                f"slowest_move_{side}": finite(cost.slowest, 3),
                f"peak_memory_{side}": finite(cost.peak_memory / _MIB, 1),
            }
        fields |= {
            "memory_unit": "MiB",
            "memory_shared": not (costs["a"].own_process and costs["b"].own_process),
            "time_losses": self.time_losses(self.a) + self.time_losses(self.b),
            "time_losses_a": self.time_losses(self.a),
            "time_losses_b": self.time_losses(self.b),
            "errors": len(self.failures),
            "errors_a": sum(game.loser == self.a for game in self.failures),
            "errors_b": sum(game.loser == self.b for game in self.failures),
            "void": len(self.games) - len(games),
            "reasons": dict(sorted(Counter(game.reason.value for game in games).items())),
            "referee_checked": sum(game.second_opinion is not None for game in games),
            "referee_disagreements": len(self.disagreements),
            "disagreed_games": [disagreement_text(game) for game in self.disagreements],
            "overhead_ms_per_move": finite(1000 * self.overhead_per_move, 4),
        }
        if self.sprt is not None:
            fields["sprt"] = dict(self.sprt)
        return fields

    def lines(self) -> list[str]:
        """The same for a person."""
        fields = self.to_json()
        score = self.tally
        low, high = (100 * bound for bound in score.interval().as_list())
        draws = f", {score.draws} drawn" if score.draws else ""
        lines = [
            f"{self.a} - {self.b}: {score.wins} won, {score.losses} lost{draws} of {score.games}",
            f"{self.a} scores {100 * score.score:.1f} % [{low:.1f}, {high:.1f}], Elo {_elo_text(score)}, "
            f"p {fields['p_value']:.3g}; Black scores {100 * self.black_tally.score:.1f} %",
        ]
        lines += [_cost_line(name, total_cost(self.valid, name)) for name in (self.a, self.b)]
        if self.sprt is not None:
            lines.append(
                f"SPRT {self.sprt['elo0']:g}, {self.sprt['elo1']:g}: {self.sprt['verdict']} ({self._llr()})"
            )
        ends = ", ".join(f"{reason} {count}" for reason, count in fields["reasons"].items())
        lines.append(f"ends: {ends}; {fields['moves_per_game']} moves a game")
        lines += [f"failed: {failure_text(game)}" for game in self.failures[:10]]
        lines += [f"referees disagree: {text}" for text in fields["disagreed_games"]]
        return lines

    def _llr(self) -> str:
        assert self.sprt is not None
        low, high = self.sprt["bounds"]
        return f"LLR {self.sprt['llr']:.2f} in [{low:.2f}, {high:.2f}] after {self.sprt['pairs']} pairs"


def disagreement_text(game: GameResult) -> str:
    return f"{game.key.text()}: ours {game.result}, theirs {game.second_opinion}" + (
        f" ({game.detail})" if game.detail else ""
    )


def failure_text(game: GameResult) -> str:
    return f"{game.key.text()}: {game.loser}: {game.reason.value}: {game.detail}"


def _cost_line(name: str, cost: SideCost) -> str:
    shared = "" if cost.own_process else " (its process is the runner's)"
    return (
        f"{name}: {1000 * cost.seconds_per_move:.1f} ms a move (slowest {cost.slowest:.2f} s), "
        f"CPU {1000 * cost.cpu_per_move:.1f} ms, peak memory {cost.peak_memory / _MIB:.0f} MiB{shared}"
    )


def _elo_text(score: Tally) -> str:
    interval = score.elo_interval()
    return f"{signed(score.elo())} [{signed(interval.low)}, {signed(interval.high)}]"


def signed(elo: float) -> str:
    """Whole points with their sign; nought has none."""
    text = f"{elo:+.0f}"
    return "0" if text in ("-0", "+0") else text


def _sprt_json(schedule: RoundRobin, results: Results) -> dict[str, Any] | None:
    sprt = schedule.sprt
    if sprt is None:
        return None
    (pairing,) = schedule.pairings
    points = pair_points(pairing, results)
    stop = schedule.stopped(pairing, results)
    points = points[: stop[0]] if stop else points
    counts = [0] * 5
    for value in points:
        counts[round(2 * value)] += 1
    verdict = stop[1] if stop else Verdict.CONTINUE
    return {
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "pairs": len(points),
        "pentanomial": counts,
        "llr": finite(sprt.llr(counts)),
        "bounds": [finite(bound) for bound in sprt.bounds],
        "verdict": "undecided" if verdict is Verdict.CONTINUE else f"{verdict.value} accepted",
    }
