"""The stages of a game as the paper has them: thresholds fitted to labelled games by Eq. 1-5, drawn by Eq.
6-8.

(Li, Lv, Wang, Wei, Zhang, Wu: "A Middle Game Search Algorithm Applicable to Low-Cost Personal Computer for
Go", section III.A.) X is the move at which a game enters the middle game, Y the endgame. Both are taken to
be normal, fitted by maximum likelihood, tested by chi-square; an engine then draws, game by game, t1 and t2
from the intervals of one deviation around the means and calls the moves between them the middle game.

The printed Eq. 1-3 have the deviation under the root of the density (sqrt(2 pi sigma)); the likelihood
beside them, (2 pi sigma^2)^(-m/2), shows that sigma^2 is meant, as in every normal density, and so it is
here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from tengen.errors import ConfigError, DataError

__all__ = [
    "Bell",
    "GoodnessOfFit",
    "Thresholds",
    "chi_square_cdf",
    "chi_square_quantile",
    "density",
    "distribution",
    "fit_bell",
    "goodness_of_fit",
    "log_likelihood",
    "open_thresholds",
    "shipped",
]


def density(z: float, mu: float, sigma: float) -> float:
    """Eq. 1: g(z, mu, sigma^2) = exp(-(z - mu)^2 / (2 sigma^2)) / sqrt(2 pi sigma^2)."""
    return math.exp(-((z - mu) ** 2) / (2.0 * sigma**2)) / math.sqrt(2.0 * math.pi * sigma**2)


def log_likelihood(labels: Sequence[float], mu: float, sigma: float) -> float:
    """The logarithm of Eq. 2: L = (2 pi sigma^2)^(-m/2) exp(-sum (z_i - mu)^2 / (2 sigma^2))."""
    squares = sum((z - mu) ** 2 for z in labels)
    return -len(labels) / 2.0 * math.log(2.0 * math.pi * sigma**2) - squares / (2.0 * sigma**2)


def distribution(z: float, mu: float, sigma: float) -> float:
    """Eq. 3: G_0(z) = Phi((z - mu) / sigma)."""
    return 0.5 * math.erfc((mu - z) / (sigma * math.sqrt(2.0)))


@dataclass(frozen=True)
class Bell:
    """A normal distribution of a move number, in moves, and the number of labels it was fitted to."""

    mu: float
    sigma: float
    labels: int = 0

    @property
    def interval(self) -> tuple[int, int]:
        """Eq. 6 and 7: T = [mu - sigma, mu + sigma], in whole moves, never before the first."""
        return max(1, round(self.mu - self.sigma)), max(1, round(self.mu + self.sigma))


def fit_bell(labels: Sequence[float]) -> Bell:
    """The maximum of Eq. 2: mu the mean of the labels, sigma^2 the mean of their squared deviations from it.

    Raises DataError for fewer than two labels, or labels that are all the same.
    """
    if len(labels) < 2:
        raise DataError(f"stages: {len(labels)} labels; two or more are needed to fit a normal distribution")
    mu = math.fsum(labels) / len(labels)
    sigma = math.sqrt(math.fsum((z - mu) ** 2 for z in labels) / len(labels))
    if sigma == 0.0:
        raise DataError(f"stages: all {len(labels)} labels are {mu:g}; they have no deviation to fit")
    return Bell(mu, sigma, len(labels))


@dataclass(frozen=True)
class GoodnessOfFit:
    """Eq. 4 and 5: the statistic, its degrees of freedom k - r - 1, the chance of so large a one if the
    labels are normal, and the classes: upper bounds (the last is open), labels counted and expected in
    each."""

    statistic: float
    degrees: int
    p: float
    bounds: tuple[float, ...]
    counted: tuple[int, ...]
    expected: tuple[float, ...]

    def limit(self, alpha: float) -> float:
        """chi^2_{1-alpha}(k - r - 1) of Eq. 5."""
        return chi_square_quantile(1.0 - alpha, self.degrees)

    def rejects(self, alpha: float) -> bool:
        """Eq. 5: the hypothesis is rejected if chi^2 >= chi^2_{1-alpha}(k - r - 1), otherwise accepted."""
        return self.statistic >= self.limit(alpha)


def goodness_of_fit(
    labels: Sequence[int], bell: Bell, classes: int = 8, parameters: int = 2
) -> GoodnessOfFit:
    """Eq. 4: chi^2 = sum over k classes of (g_i - m P_i)^2 / (m P_i), P_i from Eq. 3.

    The classes are made to be about equally likely under the fitted distribution, their bounds half-way
    between two moves, as labels are whole. Raises DataError where so many classes cannot be told apart, or
    would have fewer than five labels expected in one, below which the statistic is not chi-square.
    """
    degrees = classes - parameters - 1
    if degrees < 1:
        raise ConfigError(
            f"stages: {classes} classes leave {degrees} degrees of freedom; at least {parameters + 2}"
        )
    bounds = [_half(_normal_quantile(i / classes) * bell.sigma + bell.mu) for i in range(1, classes)]
    if any(a >= b for a, b in pairwise(bounds)):
        raise DataError(
            f"stages: a deviation of {bell.sigma:.1f} moves has no room for {classes} classes; ask for fewer"
        )
    cumulative = [0.0, *(distribution(bound, bell.mu, bell.sigma) for bound in bounds), 1.0]
    expected = [len(labels) * (b - a) for a, b in pairwise(cumulative)]
    if min(expected) < 5.0:
        raise DataError(
            f"stages: {len(labels)} labels are too few for {classes} classes (five expected in each)"
        )
    counted = [0] * classes
    for label in labels:
        counted[sum(label > bound for bound in bounds)] += 1
    statistic = sum((g - e) ** 2 / e for g, e in zip(counted, expected, strict=True))
    p = 1.0 - chi_square_cdf(statistic, degrees)
    return GoodnessOfFit(statistic, degrees, p, tuple(bounds), tuple(counted), tuple(expected))


def _half(value: float) -> float:
    return math.floor(value) + 0.5


def _normal_quantile(p: float) -> float:
    return _solve(lambda z: distribution(z, 0.0, 1.0), p, -40.0, 40.0)


# ---- chi-square, so that a fit needs no scipy ------------------------------------------------------------


def chi_square_cdf(x: float, degrees: int) -> float:
    """P(chi^2 <= x): the regularised incomplete gamma function P(degrees/2, x/2).

    By its series below degrees/2 + 1, by its continued fraction (Lentz) above; good to some 12 digits.
    """
    if x <= 0.0:
        return 0.0
    a, half = degrees / 2.0, x / 2.0
    front = math.exp(a * math.log(half) - half - math.lgamma(a))
    if half < a + 1.0:
        term = total = 1.0 / a
        n = a
        while abs(term) > 1e-16 * abs(total):
            n += 1.0
            term *= half / n
            total += term
        return front * total
    tiny = 1e-300
    b = half + 1.0 - a
    c, d = 1.0 / tiny, 1.0 / b
    fraction = d
    for i in range(1, 10_000):
        step = -i * (i - a)
        b += 2.0
        d = 1.0 / _away_from_zero(step * d + b, tiny)
        c = _away_from_zero(b + step / c, tiny)
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return 1.0 - front * fraction


def _away_from_zero(value: float, tiny: float) -> float:
    return tiny if abs(value) < tiny else value


def chi_square_quantile(p: float, degrees: int) -> float:
    """The x with P(chi^2 <= x) = p; 11.071 for 0.95 and 5. Raises ConfigError unless 0 < p < 1."""
    if not 0.0 < p < 1.0:
        raise ConfigError(f"stages: a significance level between 0 and 1 expected, not {1.0 - p:g}")
    high = float(degrees)
    while chi_square_cdf(high, degrees) < p:
        high *= 2.0
    return _solve(lambda x: chi_square_cdf(x, degrees), p, 0.0, high)


def _solve(rising: Any, value: float, low: float, high: float) -> float:
    """Where a rising function takes a value, by halving."""
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if rising(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


# ---- what an engine takes --------------------------------------------------------------------------------


class Randomness(Protocol):
    """``random.Random`` and numpy's ``Generator`` are such."""

    def random(self) -> float:
        """A number in [0, 1)."""


@dataclass(frozen=True)
class Thresholds:
    """When the middle game and the endgame begin on a board of this size. ``source`` says whence the
    figures come."""

    width: int
    height: int
    middle: Bell
    end: Bell
    source: str = ""

    def draw(self, rng: Randomness) -> tuple[int, int]:
        """Eq. 8: T = [t1, t2], t1 any element of T1 and t2 of T2, each as likely as the others; drawn once
        a game.

        Where the intervals overlap (a small board) t2 is never before t1.
        """
        t1, t2 = (
            low + int(rng.random() * (high - low + 1))
            for low, high in (self.middle.interval, self.end.interval)
        )
        return t1, max(t1, t2)

    def to_json(self) -> dict[str, Any]:
        """What ``save`` writes; the intervals are there for a reader, they follow from mu and sigma."""

        def said(bell: Bell) -> dict[str, Any]:
            return {
                "mu": bell.mu,
                "sigma": bell.sigma,
                "labels": bell.labels,
                "interval": list(bell.interval),
            }

        return {
            "format": "tengen-stages-1",
            "width": self.width,
            "height": self.height,
            "middle": said(self.middle),
            "end": said(self.end),
            "source": self.source,
        }

    def save(self, path: str | Path) -> None:
        try:
            Path(path).write_text(json.dumps(self.to_json(), indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise DataError(f"{path}: {error.strerror or error}") from None

    @staticmethod
    def load(path: str | Path) -> Thresholds:
        """Thresholds from a file. Raises DataError for one that is missing or is no such file, saying what
        is wrong."""
        try:
            return _parse_thresholds(Path(path).read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise DataError(f"{path}: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: {error}") from None


def shipped(name: str = "paper-19") -> Thresholds:
    """Thresholds that come with the package, by name; ``paper-19`` are the paper's. Raises ConfigError for
    others."""
    folder = resources.files("tengen") / "data" / "stages"
    names = sorted(
        entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json")
    )
    if name not in names:
        raise ConfigError(f"stage thresholds {name!r}: one of {', '.join(names)} or a file expected")
    return _parse_thresholds((folder / f"{name}.json").read_text(encoding="utf-8"), name)


def open_thresholds(name: str) -> Thresholds:
    """What a person names: thresholds that are shipped, or a file (anything with a dot or a slash in it)."""
    return Thresholds.load(name) if any(mark in name for mark in "./\\") else shipped(name)


def _parse_thresholds(text: str, source: str) -> Thresholds:
    try:
        said = json.loads(text)
        if said["format"] != "tengen-stages-1":
            raise DataError(f"{source}: format {said['format']!r}; this version reads tengen-stages-1")
        bells = [
            Bell(float(said[name]["mu"]), float(said[name]["sigma"]), int(said[name].get("labels", 0)))
            for name in ("middle", "end")
        ]
        width, height = int(said["width"]), int(said["height"])
        words = str(said.get("source", ""))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(
            f"{source}: not a file of stage thresholds ({type(error).__name__}: {error})"
        ) from None
    if not (
        all(b.sigma > 0 and math.isfinite(b.mu + b.sigma) for b in bells) and 0 < bells[0].mu < bells[1].mu
    ):
        raise DataError(f"{source}: stage thresholds need 0 < middle.mu < end.mu and deviations above 0")
    return Thresholds(width, height, bells[0], bells[1], words)
