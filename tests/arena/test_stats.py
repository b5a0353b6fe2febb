"""Intervals and tests against the papers' printed numbers and against scipy."""

import math
import random

import pytest

from tengen.arena.stats import (
    Tally,
    beta_quantile,
    binomial_test,
    clopper_pearson,
    elo_of_score,
    incomplete_beta,
    mean_interval,
    score_of_elo,
    student_interval,
    wilson,
)
from tengen.errors import ConfigError

# cygo, Tables 5 and 6: wins of 500, win rate in %, p-value as printed (None: "less than 2.2e-16"), interval.
CYGO_TABLES_5_AND_6 = [
    (117, 23.4, None, 0.198, 0.274),
    (172, 34.4, 2.785e-12, 0.302, 0.387),
    (231, 46.2, 0.098, 0.418, 0.507),
    (277, 55.4, 0.018, 0.509, 0.598),
    (343, 68.6, None, 0.643, 0.726),
    (327, 65.4, 5.331e-12, 0.610, 0.696),
    (330, 66.0, 7.408e-13, 0.617, 0.701),
    (332, 66.4, 1.902e-13, 0.621, 0.705),
    (320, 64.0, 3.940e-10, 0.596, 0.682),
    (324, 64.8, 3.548e-11, 0.604, 0.690),
]


@pytest.mark.parametrize(("wins", "rate", "p_value", "low", "high"), CYGO_TABLES_5_AND_6)
def test_cygos_tables_come_out_as_printed(
    wins: int, rate: float, p_value: float | None, low: float, high: float
) -> None:
    tally = Tally(wins, 0, 500 - wins)
    assert round(100 * tally.score, 1) == rate
    interval = clopper_pearson(wins, 500)
    # The paper cuts some of the last digits instead of rounding them.
    assert interval.low == pytest.approx(low, abs=0.001)
    assert interval.high == pytest.approx(high, abs=0.001)
    if p_value is None:
        assert tally.p_value() < 2.2e-16
    elif p_value < 0.01:
        assert f"{tally.p_value():.3e}" == f"{p_value:.3e}"
    else:
        assert f"{tally.p_value():.3f}" == f"{p_value:.3f}"


def test_wilson_gives_newcombes_published_intervals() -> None:
    # Newcombe (1998), Table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    published = [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]
    for successes, trials, low, high in published:
        interval = wilson(successes, trials)
        assert round(interval.low, 4) == low
        assert round(interval.high, 4) == high


def test_clopper_pearson_gives_newcombes_published_intervals() -> None:
    # Newcombe (1998), Table I, method 5.
    published = [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ]
    for successes, trials, low, high in published:
        interval = clopper_pearson(successes, trials)
        assert round(interval.low, 4) == low
        assert round(interval.high, 4) == high


def test_against_scipy() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    special = pytest.importorskip("scipy.special")
    rng = random.Random(1)
    for _ in range(200):
        trials = rng.randint(1, 2000)
        wins = rng.randint(0, trials)
        share = rng.choice([0.5, rng.uniform(0.01, 0.99)])
        theirs = scipy_stats.binomtest(wins, trials, share)
        assert binomial_test(wins, trials, share) == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-300)
        for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
            expected = theirs.proportion_ci(0.99, method)
            interval = ours(wins, trials, 0.99)
            assert interval.as_list() == pytest.approx([expected.low, expected.high], abs=1e-10)
        a, b, x = rng.uniform(0.2, 300), rng.uniform(0.2, 300), rng.random()
        assert incomplete_beta(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)
        assert beta_quantile(x, a, b) == pytest.approx(special.betaincinv(a, b, x), abs=1e-9)


def test_the_intervals_cover_what_they_promise() -> None:
    rng = random.Random(7)
    covered = {wilson: 0, clopper_pearson: 0}
    for _ in range(2000):
        wins = sum(rng.random() < 0.8 for _ in range(60))
        for method in covered:
            covered[method] += 0.8 in method(wins, 60)
    assert covered[clopper_pearson] >= 0.945 * 2000
    assert 0.925 * 2000 <= covered[wilson] <= 0.975 * 2000


def test_the_edges() -> None:
    assert wilson(0, 0).as_list() == [0.0, 1.0]
    assert clopper_pearson(0, 10).low == 0.0
    assert clopper_pearson(10, 10).high == 1.0
    assert binomial_test(0, 0) == 1.0
    with pytest.raises(ConfigError):
        wilson(5, 4)
    with pytest.raises(ConfigError):
        wilson(1, 4, confidence=1.0)


def test_elo_and_score_are_each_others_inverse() -> None:
    assert score_of_elo(0) == 0.5
    assert elo_of_score(10 / 11) == pytest.approx(400)
    for elo in (-700.0, -35.5, 0.0, 120.0, 400.0):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo)
    assert elo_of_score(1.0) == math.inf
    assert elo_of_score(0.0) == -math.inf


def test_a_tally_counts_draws_as_halves() -> None:
    tally = Tally(5, 4, 1) + Tally(0, 0, 2)
    assert (tally.games, tally.points, tally.score) == (12, 7.0, 7 / 12)
    assert tally.reversed == Tally(3, 4, 5)
    assert tally.score in tally.interval()
    assert tally.elo() in tally.elo_interval()
    assert Tally().score == 0.5


def test_a_mean_and_its_interval() -> None:
    mean, interval = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert mean == 2.5
    # s = 1.29099, Student's t with 3 degrees of freedom 3.18245 (any table): 2.5 +- 2.05426
    assert interval is not None
    assert interval.as_list() == pytest.approx([0.44574, 4.55426], abs=1e-5)
    assert mean_interval([3.0]) == (3.0, None)
    for freedom, table in ((1, 12.706), (2, 4.303), (10, 2.228), (120, 1.980)):
        assert student_interval(0.0, 1.0, freedom + 1).high * math.sqrt(freedom + 1) == pytest.approx(
            table, abs=6e-4
        )
    with pytest.raises(ConfigError):
        student_interval(1.0, 1.0, 1)
