"""The sequential test on pairs of games (pentanomial GSPRT).

Two games from one opening with colours exchanged are one observation: its score is 0, 1/2, 1, 3/2 or 2
points, so that an opening good for Black does not look like noise. The hypotheses are "A is elo0 stronger"
and "A is elo1 stronger" on the logistic scale; the log-likelihood ratio takes, for each hypothesis, the
distribution of pair scores nearest to the one observed (in likelihood) whose mean is the one the hypothesis
names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from tengen.arena.stats import score_of_elo
from tengen.errors import ConfigError

__all__ = ["PAIR_SCORES", "Sprt", "Verdict", "expected_pairs", "pair_log_likelihood_ratio"]

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Score a game of a pair that brought 0, 1/2, 1, 3/2, 2 points."""

_UNSEEN = 1e-3
"""What an outcome not yet seen counts as, so that the likelihood exists from the first pair on."""

_OVERSHOOT = 0.5826
"""Mean overshoot of a normal walk over its bound, in standard deviations of a step (Siegmund 1985)."""


class Verdict(Enum):
    CONTINUE = "continue"
    ACCEPT_H0 = "H0"
    ACCEPT_H1 = "H1"


@dataclass(frozen=True)
class Sprt:
    """A test of elo0 against elo1 with error rates alpha (H1 accepted wrongly) and beta (H0 wrongly)."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ConfigError(f"sprt {self.elo0:g},{self.elo1:g}: the first must be the smaller")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ConfigError(f"sprt error rates {self.alpha:g}, {self.beta:g}: between 0 and 0.5 expected")

    @staticmethod
    def parse(text: str) -> Sprt:
        """``elo0,elo1`` or ``elo0,elo1,alpha,beta``."""
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise ConfigError(f"sprt {text!r}: elo0,elo1 or elo0,elo1,alpha,beta expected")
        return Sprt(*numbers)

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds of the log-likelihood ratio: accept H0 at the lower, H1 at the upper."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """The log-likelihood ratio after pairs that scored 0, 1/2, 1, 3/2, 2 points this often."""
        return pair_log_likelihood_ratio(pairs, score_of_elo(self.elo0), score_of_elo(self.elo1))

    def verdict(self, pairs: Sequence[int]) -> Verdict:
        lower, upper = self.bounds
        llr = self.llr(pairs)
        if llr >= upper:
            return Verdict.ACCEPT_H1
        return Verdict.ACCEPT_H0 if llr <= lower else Verdict.CONTINUE

    def first_stop(self, points: Iterable[float]) -> tuple[int, Verdict]:
        """The pair after which the test stops, given each pair's points in order, and its verdict.

        (number of pairs, CONTINUE) when it does not stop. Looking at the pairs in their own order makes the
        outcome the same however many workers played them.
        """
        counts = [0, 0, 0, 0, 0]
        played = 0
        for pair_points in points:
            counts[round(pair_points * 2)] += 1
            played += 1
            verdict = self.verdict(counts)
            if verdict is not Verdict.CONTINUE:
                return played, verdict
        return played, Verdict.CONTINUE


def pair_log_likelihood_ratio(pairs: Sequence[int], score0: float, score1: float) -> float:
    """log of max P(pairs | mean score1) / max P(pairs | mean score0), the maxima over all distributions."""
    if len(pairs) != len(PAIR_SCORES):
        raise ConfigError(f"{len(pairs)} pair counts: five expected")
    total = sum(pairs)
    if total == 0:
        return 0.0
    counts = [count if count else _UNSEEN for count in pairs]
    weight = sum(counts)
    observed = [count / weight for count in counts]
    near0 = _with_mean(observed, score0)
    near1 = _with_mean(observed, score1)
    return sum(n * math.log(b / a) for n, a, b in zip(counts, near0, near1, strict=True))


def _with_mean(observed: Sequence[float], mean: float) -> list[float]:
    """The distribution of highest likelihood for ``observed`` among those with this mean.

    Lagrange: p_i / (1 + x (a_i - mean)) with the x that makes the shifted mean vanish. It falls between the
    two poles: Newton's steps are taken while they stay in the shrinking bracket, halves otherwise.
    """
    shifts = [score - mean for score in PAIR_SCORES]
    low, high = -1.0 / max(shifts), -1.0 / min(shifts)
    x = 0.0
    for _ in range(200):
        terms = [a / (1 + x * a) for a in shifts]
        value = sum(p * term for p, term in zip(observed, terms, strict=True))
        if value > 0:
            low = x
        else:
            high = x
        slope = sum(p * term * term for p, term in zip(observed, terms, strict=True))
        following = x + value / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) < 1e-12 * max(1.0, abs(x)):
            break
        x = following
    return [p / (1 + x * a) for p, a in zip(observed, shifts, strict=True)]


def expected_pairs(sprt: Sprt, pairs: Sequence[float]) -> float:
    """Wald's mean number of pairs until the test stops, when pair scores have these probabilities.

    The walk's step has the drift and variance of the log-likelihood ratio at the true distribution; the
    bounds are moved out by the mean overshoot. Exact in the limit of small steps.
    """
    near0 = _with_mean(pairs, score_of_elo(sprt.elo0))
    near1 = _with_mean(pairs, score_of_elo(sprt.elo1))
    steps = [(p, math.log(b / a)) for p, a, b in zip(pairs, near0, near1, strict=True) if p > 0]
    drift = sum(p * step for p, step in steps)
    variance = sum(p * (step - drift) ** 2 for p, step in steps)
    reach = _OVERSHOOT * math.sqrt(variance)
    lower, upper = sprt.bounds
    lower, upper = lower - reach, upper + reach
    tilt = 2 * drift / variance
    if abs(tilt) < 1e-9:
        return -lower * upper / variance
    # Probability that a Brownian motion with this drift leaves through the upper bound.
    through_upper = (1 - math.exp(-tilt * lower)) / (math.exp(-tilt * upper) - math.exp(-tilt * lower))
    return (through_upper * upper + (1 - through_upper) * lower) / drift
