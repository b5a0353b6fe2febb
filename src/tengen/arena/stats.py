"""Intervals and tests for counts of wins, without any dependency but the standard library.

Everything a match prints comes from here, so that a bare installation can say how sure it is. The special
functions are checked against scipy in the tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tengen.errors import ConfigError

__all__ = [
    "Interval",
    "Tally",
    "beta_quantile",
    "binomial_probability",
    "binomial_test",
    "clopper_pearson",
    "elo_of_score",
    "incomplete_beta",
    "mean_interval",
    "score_of_elo",
    "student_interval",
    "wilson",
]


@dataclass(frozen=True)
class Interval:
    """A closed interval; ``low <= high``."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def as_list(self) -> list[float]:
        return [self.low, self.high]


def _normal_quantile(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise ConfigError(f"confidence {confidence}: between 0 and 1 expected")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _check_counts(successes: float, trials: int) -> None:
    if trials < 0 or not 0 <= successes <= trials:
        raise ConfigError(f"{successes} successes of {trials} trials: not a count")


def wilson(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion; [0, 1] when there were no trials.

    ``successes`` may be a half: draws counted so give an interval that is too wide rather than too narrow,
    since a draw varies less than a win.
    """
    _check_counts(successes, trials)
    if trials == 0:
        return Interval(0.0, 1.0)
    z = _normal_quantile(confidence)
    share = successes / trials
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    middle = share + z * z / (2 * trials)
    scale = 1 + z * z / trials
    return Interval(max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """The exact (conservative) interval of a proportion, from the binomial tails."""
    _check_counts(successes, trials)
    _normal_quantile(confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else beta_quantile(tail, successes, trials - successes + 1)
    high = 1.0 if successes == trials else beta_quantile(1 - tail, successes + 1, trials - successes)
    return Interval(low, high)


def binomial_probability(successes: int, trials: int, share: float) -> float:
    """P(X = successes) for X ~ Binomial(trials, share)."""
    if share in (0.0, 1.0):
        return float(successes == round(trials * share))
    log_choose = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    return math.exp(log_choose + successes * math.log(share) + (trials - successes) * math.log1p(-share))


def binomial_test(successes: int, trials: int, share: float = 0.5) -> float:
    """The exact two-sided p-value: all outcomes at most as probable as the one seen, added up.

    This is what R's ``binom.test`` prints, and what cygo's Tables 5 and 6 were made with.
    """
    _check_counts(successes, trials)
    seen = binomial_probability(successes, trials, share) * (1 + 1e-7)
    others = (binomial_probability(k, trials, share) for k in range(trials + 1))
    # The terms are exact to some 13 digits, so that a sum of all of them is 1 but for those.
    total = math.fsum(p for p in others if p <= seen)
    return 1.0 if total > 1 - 1e-9 else total


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = probability, by bisection to the last bit that matters."""
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if incomplete_beta(a, b, middle) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, Interval | None]:
    """The mean and Student's interval of it: None for one value, which has no spread."""
    if not values:
        raise ConfigError("the mean of nothing")
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return mean, student_interval(mean, deviation, len(values), confidence)


def student_interval(mean: float, deviation: float, count: int, confidence: float = 0.95) -> Interval:
    """Of a mean of ``count`` values, two at least, with this deviation (of the sample, n - 1 below)."""
    if count < 2:
        raise ConfigError(f"{count} values have no spread")
    # t^2 / (t^2 + n) of Student's t with n degrees of freedom is a beta variable with 1/2 and n/2.
    freedom = count - 1
    share = beta_quantile(confidence, 0.5, freedom / 2)
    half = math.sqrt(freedom * share / (1 - share)) * deviation / math.sqrt(count)
    return Interval(mean - half, mean + half)


def elo_of_score(score: float) -> float:
    """The rating difference at which a side is expected to score this; infinite at 0 and 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return -400.0 * math.log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    """The expected score of a side stronger by that many Elo points."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


@dataclass(frozen=True)
class Tally:
    """Games of one side against another, from that side's view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points a game; 0.5 when no game was played."""
        return self.points / self.games if self.games else 0.5

    @property
    def reversed(self) -> Tally:
        """The same games from the other side's view."""
        return Tally(self.losses, self.draws, self.wins)

    def interval(self, confidence: float = 0.95) -> Interval:
        """Wilson's interval of the score, draws counted as halves."""
        return wilson(self.points, self.games, confidence)

    def elo(self) -> float:
        return elo_of_score(self.score)

    def elo_interval(self, confidence: float = 0.95) -> Interval:
        """The score's interval on the Elo scale."""
        interval = self.interval(confidence)
        return Interval(elo_of_score(interval.low), elo_of_score(interval.high))

    def p_value(self) -> float:
        """Exact binomial test of equal strength among the decided games."""
        return binomial_test(self.wins, self.wins + self.losses)
