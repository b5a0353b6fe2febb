"""Which games a match or tournament wants, given those already played. Pure bookkeeping: no player is
touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tengen.arena.conditions import Conditions
from tengen.arena.game import GameTask
from tengen.arena.openings import OpeningBook
from tengen.arena.results import GameKey, GameResult, derive_seed, tally
from tengen.arena.specs import PlayerSpec
from tengen.arena.sprt import Sprt, Verdict
from tengen.errors import ConfigError

__all__ = ["Gauntlet", "Ladder", "Pairing", "RoundRobin", "Schedule", "Series", "pair_points"]

Results = Mapping[GameKey, GameResult]


class Schedule(Protocol):
    """An order of play that depends only on the results so far: it can be taken up anywhere."""

    @property
    def players(self) -> Sequence[PlayerSpec]: ...

    @property
    def most_games(self) -> int:
        """How many games there will be at most."""
        ...

    def wanted(self, results: Results) -> Iterator[GameTask]:
        """The games still to play, in order. More may be wanted once these are played."""
        ...

    def counted(self, results: Results) -> list[GameResult]:
        """The games that count, in order: those a test did not need any more are left out."""
        ...


@dataclass(frozen=True)
class Pairing:
    """Two players and how often they meet."""

    a: PlayerSpec
    b: PlayerSpec
    games: int


@dataclass(frozen=True)
class Series:
    """What all pairings share: seeds, openings and conditions."""

    seed: int
    conditions: Conditions
    book: OpeningBook

    def task(self, pairing: Pairing, index: int) -> GameTask:
        """Game ``index`` of a pairing. The two of a pair share an opening, and so do all pairings."""
        key = GameKey(pairing.a.name, pairing.b.name, index)
        a_is_black = index % 2 == 0 and not self.conditions.handicap
        black, white = (pairing.a, pairing.b) if a_is_black else (pairing.b, pairing.a)
        opening = self.book.opening(key.pair, derive_seed(self.seed, "opening", key.pair))
        return GameTask(key, black, white, derive_seed(self.seed, *key), opening, self.conditions)

    def tasks(self, pairing: Pairing, results: Results) -> Iterator[GameTask]:
        for index in range(pairing.games):
            if GameKey(pairing.a.name, pairing.b.name, index) not in results:
                yield self.task(pairing, index)


def games_of(pairing: Pairing, results: Results) -> list[GameResult]:
    """The pairing's games that are there, in order."""
    keys = (GameKey(pairing.a.name, pairing.b.name, index) for index in range(pairing.games))
    return [results[key] for key in keys if key in results]


def pair_points(pairing: Pairing, results: Results) -> list[float]:
    """Points of ``a`` in the complete pairs, in order, up to the first pair that is not complete.

    Pairs with a void game are passed over: they say nothing.
    """
    points = []
    for pair in range(pairing.games // 2):
        games = [results.get(GameKey(pairing.a.name, pairing.b.name, 2 * pair + side)) for side in (0, 1)]
        if any(game is None for game in games):
            break
        if not any(game.void for game in games if game):
            points.append(sum(game.points_of(pairing.a.name) for game in games if game))
    return points


class RoundRobin:
    """Everybody against everybody, one game of every pairing after the other, so that all grow together."""

    def __init__(
        self, players: Sequence[PlayerSpec], games: int, series: Series, sprt: Sprt | None = None
    ) -> None:
        _check_players(players)
        self.players = tuple(players)
        self.series = series
        self.sprt = sprt
        self.pairings = tuple(Pairing(a, b, games) for a, b in self._pairs())
        if sprt is not None and games % 2:
            raise ConfigError(f"{games} games: a sequential test counts pairs, an even number expected")

    def _pairs(self) -> Iterator[tuple[PlayerSpec, PlayerSpec]]:
        for i, a in enumerate(self.players):
            for b in self.players[i + 1 :]:
                yield a, b

    @property
    def most_games(self) -> int:
        return sum(pairing.games for pairing in self.pairings)

    def wanted(self, results: Results) -> Iterator[GameTask]:
        open_pairings = [pairing for pairing in self.pairings if self._is_open(pairing, results)]
        streams = [self.series.tasks(pairing, results) for pairing in open_pairings]
        while streams:
            for stream in list(streams):
                # Two at a time: a pair of games stays together.
                for _ in range(2):
                    task = next(stream, None)
                    if task is None:
                        streams.remove(stream)
                        break
                    yield task

    def _is_open(self, pairing: Pairing, results: Results) -> bool:
        return self.sprt is None or self.stopped(pairing, results) is None

    def stopped(self, pairing: Pairing, results: Results) -> tuple[int, Verdict] | None:
        """The pair after which the test was decided, and how; None while it is not."""
        if self.sprt is None:
            return None
        after, verdict = self.sprt.first_stop(pair_points(pairing, results))
        return None if verdict is Verdict.CONTINUE else (after, verdict)

    def counted(self, results: Results) -> list[GameResult]:
        counted = []
        for pairing in self.pairings:
            games = games_of(pairing, results)
            if stop := self.stopped(pairing, results):
                games = _first_pairs(games, stop[0])
            counted += games
        return counted


def _first_pairs(games: Sequence[GameResult], pairs: int) -> list[GameResult]:
    """The games of the first so many pairs without a void game (and the void ones between)."""
    kept: list[GameResult] = []
    whole = 0
    by_pair: dict[int, list[GameResult]] = {}
    for game in games:
        by_pair.setdefault(game.key.pair, []).append(game)
    for pair in sorted(by_pair):
        if whole == pairs:
            break
        kept += by_pair[pair]
        whole += not any(game.void for game in by_pair[pair])
    return kept


class Gauntlet(RoundRobin):
    """The first player against each of the others; they do not meet."""

    def _pairs(self) -> Iterator[tuple[PlayerSpec, PlayerSpec]]:
        for b in self.players[1:]:
            yield self.players[0], b


class Ladder:
    """Players climb: from the bottom up, each plays the one above and changes places with him when he scored
    more.

    One climb for each player but the topmost, in the order listed from second to last: a player goes on up as
    long as he wins his matches. The order at the end is the ladder.
    """

    def __init__(self, players: Sequence[PlayerSpec], games: int, series: Series) -> None:
        _check_players(players)
        self.players = tuple(players)
        self.games = games
        self.series = series

    @property
    def most_games(self) -> int:
        n = len(self.players)
        return self.games * n * (n - 1) // 2

    def wanted(self, results: Results) -> Iterator[GameTask]:
        _, pairing, _ = self._climb(results)
        if pairing is not None:
            yield from self.series.tasks(pairing, results)

    def counted(self, results: Results) -> list[GameResult]:
        return self._climb(results)[2]

    def order(self, results: Results) -> list[PlayerSpec]:
        """The ladder as it stands, best first."""
        return self._climb(results)[0]

    def _climb(self, results: Results) -> tuple[list[PlayerSpec], Pairing | None, list[GameResult]]:
        ladder = [self.players[0]]
        counted: list[GameResult] = []
        for climber in self.players[1:]:
            ladder.append(climber)
            rung = len(ladder) - 1
            while rung > 0:
                above = ladder[rung - 1]
                pairing = Pairing(climber, above, self.games)
                played = games_of(pairing, results)
                counted += played
                if len(played) < self.games:
                    return [*ladder, *self.players[len(ladder) :]], pairing, counted
                if tally(played, climber.name).score <= 0.5:
                    break
                ladder[rung - 1], ladder[rung] = climber, above
                rung -= 1
        return ladder, None, counted


def _check_players(players: Sequence[PlayerSpec]) -> None:
    if len(players) < 2:
        raise ConfigError(f"{len(players)} player: two at least")
    names = [player.name for player in players]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"players need different names: {', '.join(map(repr, twice))}")
