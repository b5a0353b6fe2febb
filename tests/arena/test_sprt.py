"""The sequential test: values others published, an independent maximisation, and simulated matches."""

import math
import random

import pytest

from tengen.arena.sprt import PAIR_SCORES, Sprt, Verdict, expected_pairs, pair_log_likelihood_ratio
from tengen.arena.stats import elo_of_score, score_of_elo
from tengen.errors import ConfigError

# Pair counts of finished tests with logistic bounds, and the ratios in fastchess's own tests.
PUBLISHED = [
    ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
    ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
]


@pytest.mark.parametrize(("pairs", "elo0", "elo1", "llr"), PUBLISHED)
def test_published_ratios(pairs: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert Sprt(elo0, elo1).llr(pairs) == pytest.approx(llr, abs=0.01)


def test_the_ratio_against_an_independent_maximisation() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    np = pytest.importorskip("numpy")
    rng = random.Random(3)
    scores = np.array(PAIR_SCORES)

    def best_log_likelihood(counts: list[int], mean: float) -> float:
        found = optimize.minimize(
            lambda p: -float(np.dot(counts, np.log(p))),
            np.full(5, 0.2),
            jac=lambda p: -np.array(counts) / p,
            bounds=[(1e-9, 1.0)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ scores - mean},
            ],
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        return -float(found.fun)

    for _ in range(10):
        counts = [rng.randint(1, 60) for _ in range(5)]
        expected = best_log_likelihood(counts, 0.55) - best_log_likelihood(counts, 0.5)
        assert pair_log_likelihood_ratio(counts, 0.5, 0.55) == pytest.approx(expected, abs=2e-4)


def test_exchanging_the_sides_exchanges_the_hypotheses() -> None:
    pairs = [3, 10, 31, 14, 9]
    there = Sprt(-10, 30).llr(pairs)
    back = Sprt(-30, 10).llr(pairs[::-1])
    assert there == pytest.approx(-back, rel=1e-9)


def _play(rng: random.Random, winrate: float) -> float:
    return float((rng.random() < winrate) + (rng.random() < winrate))


def _pair_probabilities(winrate: float) -> list[float]:
    return [(1 - winrate) ** 2, 0.0, 2 * winrate * (1 - winrate), 0.0, winrate**2]


@pytest.mark.parametrize("winrate", [0.6, 0.5])
def test_sixty_against_fifty_percent_stops_when_theory_says(winrate: float) -> None:
    """The mean number of games of a simulated match is within 10 % of Wald's, and so are the error rates."""
    sprt = Sprt(0.0, elo_of_score(0.6))
    rng = random.Random(20)
    games, right, matches = 0, 0, 300
    wanted = Verdict.ACCEPT_H1 if winrate > 0.55 else Verdict.ACCEPT_H0
    for _ in range(matches):
        stopped, verdict = sprt.first_stop(_play(rng, winrate) for _ in range(100_000))
        games += 2 * stopped
        right += verdict is wanted
    # Wald's own formula for a plain walk of single games, no overshoot, no pairs: the outside check.
    gain = math.log(19)
    step = winrate * math.log(0.6 / 0.5) + (1 - winrate) * math.log(0.4 / 0.5)
    wald = (0.95 * gain - 0.05 * gain) / abs(step)
    theory = 2 * expected_pairs(sprt, _pair_probabilities(winrate))
    assert games / matches == pytest.approx(theory, rel=0.10)
    assert theory == pytest.approx(wald, rel=0.15)
    assert right / matches >= 0.93


def test_the_test_stops_at_the_same_pair_whoever_played_faster() -> None:
    sprt = Sprt(0, 100)
    points = [2.0] * 4 + [1.0] * 3 + [2.0] * 40
    stopped, verdict = sprt.first_stop(points)
    assert verdict is Verdict.ACCEPT_H1
    assert stopped < len(points)
    assert sprt.first_stop(points[:stopped]) == (stopped, verdict)
    assert sprt.first_stop(points[: stopped - 1]) == (stopped - 1, Verdict.CONTINUE)


def test_bounds_and_parsing() -> None:
    lower, upper = Sprt(0, 10).bounds
    assert (lower, upper) == (pytest.approx(-math.log(19)), pytest.approx(math.log(19)))
    assert Sprt.parse("0,35") == Sprt(0, 35)
    assert Sprt.parse("-5,5,0.1,0.2") == Sprt(-5, 5, 0.1, 0.2)
    for wrong in ("5", "5,1", "a,b", "0,10,0.9,0.1"):
        with pytest.raises(ConfigError):
            Sprt.parse(wrong)
    assert score_of_elo(elo_of_score(0.6)) == pytest.approx(0.6)
