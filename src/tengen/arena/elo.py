"""Ratings by maximum likelihood: Bradley-Terry with draws (Davidson) and the advantage of playing Black.

With strengths r (natural logarithms), advantage h and draw weight k, a game of Black b against White w has

    P(Black) : P(draw) : P(White) = exp(d / 2) : exp(k) : exp(-d / 2),   d = r_b - r_w + h

an exponential family, so the likelihood is concave and Newton's method finds its only maximum. Elo points are
400 / ln 10 times the natural ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tengen.arena.stats import Interval
from tengen.errors import ConfigError

__all__ = ["ELO_PER_NATURAL", "PairResult", "Rating", "Ratings", "rate"]

ELO_PER_NATURAL = 400.0 / math.log(10.0)

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class PairResult:
    """Games one player had with Black against another, counted."""

    black: str
    white: str
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0

    @property
    def games(self) -> int:
        return self.black_wins + self.draws + self.white_wins


@dataclass(frozen=True)
class Rating:
    """One player's Elo; ``interval`` is that of its distance from the mean of all (or from the anchor)."""

    player: str
    elo: float
    interval: Interval
    games: int
    score: float


@dataclass(frozen=True)
class Ratings:
    """All players, best first."""

    players: tuple[Rating, ...]
    black_advantage: float
    black_advantage_interval: Interval | None
    log_likelihood: float
    covariance: Mapping[tuple[str, str], float]

    def __getitem__(self, player: str) -> Rating:
        for rating in self.players:
            if rating.player == player:
                return rating
        raise KeyError(player)

    def difference(self, a: str, b: str, confidence: float = 0.95) -> tuple[float, Interval]:
        """How much stronger a is than b in Elo, with the interval of the difference itself."""
        gap = self[a].elo - self[b].elo
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        half = _z(confidence) * math.sqrt(max(0.0, variance))
        return gap, Interval(gap - half, gap + half)

    def likelihood_of_superiority(self, a: str, b: str) -> float:
        """P(a is stronger than b) under the normal approximation."""
        gap, interval = self.difference(a, b, 0.6826894921370859)
        if interval.half_width == 0.0:
            return 0.5 if gap == 0 else float(gap > 0)
        return NormalDist().cdf(gap / interval.half_width)


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def rate(
    results: Sequence[PairResult],
    *,
    prior: float = 1.0,
    advantage: bool = True,
    anchor: tuple[str, float] | None = None,
    confidence: float = 0.95,
) -> Ratings:
    """Ratings of everyone in ``results``, the mean at 0 or the anchor at its value.

    ``prior`` is the number of imagined games each player halved with a player of mean strength, and Black with
    White: it keeps a player, or a colour, that won or lost everything finite. Black's advantage is left out (0,
    without an interval) where the games cannot tell it from strength.

    With ``prior=0`` the pure maximum is returned, and ConfigError raised when it does not exist (some group of
    players never lost, or never won, against the rest).
    """
    names = sorted({name for result in results for name in (result.black, result.white)})
    if not names:
        raise ConfigError("ratings of nobody: no game was played")
    if anchor is not None and anchor[0] not in names:
        raise ConfigError(f"anchor {anchor[0]!r} played no game")
    if prior <= 0:
        _check_finite(names, results)
    fit = _Fit(names, results, prior, advantage)
    parameters = fit.maximise()
    return _report(fit, parameters, results, anchor, confidence)


class _Fit:
    """The log-likelihood and its derivatives. Parameters: n strengths, then h and k where free."""

    def __init__(
        self, names: Sequence[str], results: Sequence[PairResult], prior: float, advantage: bool
    ) -> None:
        index = {name: i for i, name in enumerate(names)}
        played = [result for result in results if result.games]
        self.names = names
        self.prior = prior
        self.black = np.array([index[result.black] for result in played], dtype=np.intp)
        self.white = np.array([index[result.white] for result in played], dtype=np.intp)
        self.counts = np.array(
            [[r.black_wins, r.draws, r.white_wins] for r in played], dtype=np.float64
        ).reshape(-1, 3)
        self.has_draws = bool(self.counts[:, 1].sum() > 0)
        n = len(names)
        self.has_advantage = advantage and self._colours_tell(n)
        self.size = n + self.has_advantage + self.has_draws
        self.held = n + self.has_advantage if prior > 0 else 0
        self.features = self._features(n)

    def _colours_tell(self, n: int) -> bool:
        """Whether the games can tell Black's advantage from strength: not when, as with a handicap, every Black
        of a pairing is the same player."""
        sides = np.zeros((len(self.black), n))
        each = np.arange(len(self.black))
        np.add.at(sides, (each, self.black), 1.0)
        np.add.at(sides, (each, self.white), -1.0)
        if not np.any(sides):
            return False
        with_colour = np.hstack([sides, np.ones((len(self.black), 1))])
        return bool(np.linalg.matrix_rank(with_colour) > np.linalg.matrix_rank(sides))

    def _features(self, n: int) -> _Array:
        """Row by row d(log weight) / d(parameters) of the outcomes Black, draw, White."""
        rows = np.zeros((len(self.black), 3, self.size))
        each = np.arange(len(self.black))
        for outcome, half in ((0, 0.5), (2, -0.5)):
            # Added, not set: a player may meet himself.
            rows[each, outcome, self.black] += half
            rows[each, outcome, self.white] -= half
            if self.has_advantage:
                rows[:, outcome, n] = half
        if self.has_draws:
            rows[:, 1, self.size - 1] = 1.0
        return rows

    def probabilities(self, parameters: _Array) -> _Array:
        logits = self.features @ parameters
        if not self.has_draws:
            logits[:, 1] = -np.inf
        logits -= logits.max(axis=1, keepdims=True)
        weights = np.exp(logits)
        shares: _Array = weights / weights.sum(axis=1, keepdims=True)
        return shares

    def log_likelihood(self, parameters: _Array) -> float:
        with np.errstate(divide="ignore"):
            logs = np.log(self.probabilities(parameters))
        seen = self.counts > 0
        value = float((self.counts[seen] * logs[seen]).sum())
        if self.prior > 0:
            sizes = np.abs(parameters[: self.held])
            value += float(-0.5 * self.prior * (sizes + 2 * np.log1p(np.exp(-sizes))).sum())
        return value

    def derivatives(self, parameters: _Array) -> tuple[_Array, _Array]:
        """Gradient and negative Hessian (Fisher information)."""
        shares = self.probabilities(parameters)
        games = self.counts.sum(axis=1)
        gradient = np.einsum("go,gop->p", self.counts - games[:, None] * shares, self.features)
        mean = np.einsum("go,gop->gp", shares, self.features)
        second = np.einsum("g,go,gop,goq->pq", games, shares, self.features, self.features, optimize=True)
        information = second - np.einsum("g,gp,gq->pq", games, mean, mean)
        if self.prior > 0:
            held = np.arange(self.held)
            share = 1.0 / (1.0 + np.exp(-parameters[held]))
            gradient[held] += self.prior * (0.5 - share)
            information[held, held] += self.prior * share * (1 - share)
        return gradient, information

    def maximise(self) -> _Array:
        """Newton with step halving. Strengths are only defined up to a shift: their mean is kept at 0."""
        parameters: _Array = np.zeros(self.size)
        n = len(self.names)
        value = self.log_likelihood(parameters)
        for _ in range(200):
            gradient, information = self.derivatives(parameters)
            step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
            scale = 1.0
            while scale > 1e-8:
                candidate: _Array = parameters + scale * step
                candidate[:n] -= candidate[:n].mean() if self.prior <= 0 else 0.0
                reached = self.log_likelihood(candidate)
                if reached >= value - 1e-12 * abs(value):
                    break
                scale /= 2
            parameters, value = candidate, reached
            if float(np.abs(scale * step).max()) < 1e-11:
                break
        return parameters

    def covariance(self, parameters: _Array) -> _Array:
        """Of all parameters, the strengths measured from their mean."""
        _, information = self.derivatives(parameters)
        inverse = np.asarray(np.linalg.pinv(information, rcond=1e-12, hermitian=True), dtype=np.float64)
        n = len(self.names)
        centre = np.eye(self.size)
        centre[:n, :n] -= 1.0 / n
        centred: _Array = centre @ inverse @ centre.T
        return centred


def _check_finite(names: Sequence[str], results: Sequence[PairResult]) -> None:
    """Ford's condition: from every player there must be a chain of (half) wins to every other."""
    beats: dict[str, set[str]] = {name: set() for name in names}
    loses: dict[str, set[str]] = {name: set() for name in names}
    for result in results:
        pairs = []
        if result.black_wins or result.draws:
            pairs.append((result.black, result.white))
        if result.white_wins or result.draws:
            pairs.append((result.white, result.black))
        for winner, loser in pairs:
            beats[winner].add(loser)
            loses[loser].add(winner)
    for edges in (beats, loses):
        reached, frontier = {names[0]}, [names[0]]
        while frontier:
            for other in edges[frontier.pop()] - reached:
                reached.add(other)
                frontier.append(other)
        if missing := sorted(set(names) - reached):
            raise ConfigError(f"without a prior the ratings have no finite maximum: {', '.join(missing)}")


def _report(
    fit: _Fit,
    parameters: _Array,
    results: Sequence[PairResult],
    anchor: tuple[str, float] | None,
    confidence: float,
) -> Ratings:
    n = len(fit.names)
    index = {name: i for i, name in enumerate(fit.names)}
    elos = (parameters[:n] - parameters[:n].mean()) * ELO_PER_NATURAL
    covariance = fit.covariance(parameters) * ELO_PER_NATURAL**2
    spread = covariance[:n, :n].copy()
    if anchor is not None:
        fixed = index[anchor[0]]
        elos = elos - elos[fixed] + anchor[1]
        shift = np.eye(n)
        shift[:, fixed] -= 1.0
        spread = shift @ spread @ shift.T
    z = _z(confidence)
    games = dict.fromkeys(fit.names, 0)
    points = dict.fromkeys(fit.names, 0.0)
    for result in results:
        for name, won in ((result.black, result.black_wins), (result.white, result.white_wins)):
            games[name] += result.games
            points[name] += won + result.draws / 2
    ratings = []
    for name, i in index.items():
        half = z * math.sqrt(max(0.0, float(spread[i, i])))
        elo = float(elos[i])
        score = points[name] / games[name] if games[name] else 0.5
        ratings.append(Rating(name, elo, Interval(elo - half, elo + half), games[name], score))
    ratings.sort(key=lambda rating: (-rating.elo, rating.player))
    black, black_interval = 0.0, None
    if fit.has_advantage:
        black = float(parameters[n]) * ELO_PER_NATURAL
        half = z * math.sqrt(max(0.0, float(covariance[n, n])))
        black_interval = Interval(black - half, black + half)
    pairs = {(a, b): float(spread[index[a], index[b]]) for a in fit.names for b in fit.names}
    return Ratings(tuple(ratings), black, black_interval, fit.log_likelihood(parameters), pairs)
