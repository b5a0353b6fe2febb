"""Ratings: a textbook's published fit, closed forms, an independent optimiser, and simulated tournaments."""

import itertools
import math
import random

import numpy as np
import pytest

from tengen.arena.elo import ELO_PER_NATURAL, PairResult, rate
from tengen.arena.stats import elo_of_score
from tengen.errors import ConfigError

# Agresti, Categorical Data Analysis (2002), Table 10.10: home team, away team, home wins, away wins.
BASEBALL = {
    "Milwaukee": "Detroit 4 3, Toronto 4 2, New-York 4 3, Boston 6 1, Cleveland 4 2, Baltimore 6 0",
    "Detroit": "Milwaukee 3 3, Toronto 4 2, New-York 4 3, Boston 6 0, Cleveland 6 1, Baltimore 4 3",
    "Toronto": "Milwaukee 2 5, Detroit 4 3, New-York 2 4, Boston 4 3, Cleveland 4 2, Baltimore 6 0",
    "New-York": "Milwaukee 3 3, Detroit 5 1, Toronto 2 5, Boston 4 3, Cleveland 4 2, Baltimore 6 1",
    "Boston": "Milwaukee 5 1, Detroit 2 5, Toronto 3 3, New-York 4 2, Cleveland 5 2, Baltimore 6 0",
    "Cleveland": "Milwaukee 2 5, Detroit 3 3, Toronto 3 4, New-York 4 3, Boston 4 2, Baltimore 2 4",
    "Baltimore": "Milwaukee 2 5, Detroit 1 5, Toronto 1 6, New-York 2 4, Boston 1 6, Cleveland 3 4",
}


def baseball() -> list[PairResult]:
    results = []
    for home, text in BASEBALL.items():
        for entry in text.split(", "):
            away, home_wins, away_wins = entry.split()
            results.append(PairResult(home, away, int(home_wins), 0, int(away_wins)))
    return results


def test_agrestis_baseball_without_home_advantage() -> None:
    ratings = rate(baseball(), prior=0, advantage=False, anchor=("Baltimore", 0.0))
    published = {
        "Milwaukee": 1.58,
        "Detroit": 1.44,
        "Toronto": 1.29,
        "New-York": 1.25,
        "Boston": 1.11,
        "Cleveland": 0.68,
    }
    for team, value in published.items():
        assert round(ratings[team].elo / ELO_PER_NATURAL, 2) == value
        # "standard errors are about 0.3"
        assert round(ratings[team].interval.half_width / 1.959964 / ELO_PER_NATURAL, 1) == 0.3
    assert [rating.player for rating in ratings.players][:2] == ["Milwaukee", "Detroit"]


def test_agrestis_baseball_with_home_advantage() -> None:
    ratings = rate(baseball(), prior=0)
    assert round(ratings.black_advantage / ELO_PER_NATURAL, 3) == 0.302
    strengths = np.array([math.exp(rating.elo / ELO_PER_NATURAL) for rating in ratings.players])
    published = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert [round(float(share), 3) for share in strengths / strengths.sum()] == published
    interval = ratings.black_advantage_interval
    assert interval is not None
    assert interval.low > 0  # the book finds the home advantage significant


def test_two_players_have_a_closed_form() -> None:
    ratings = rate([PairResult("a", "b", 30, 0, 20), PairResult("b", "a", 20, 0, 30)], prior=0)
    gap, interval = ratings.difference("a", "b")
    assert gap == pytest.approx(elo_of_score(0.6))
    # Fisher information of n games: n p (1 - p) in natural units.
    half = 1.959964 * ELO_PER_NATURAL / math.sqrt(100 * 0.24)
    assert interval.half_width == pytest.approx(half, rel=1e-4)
    assert ratings.black_advantage == pytest.approx(0.0, abs=1e-6)
    assert ratings.likelihood_of_superiority("a", "b") == pytest.approx(0.9765, abs=0.002)


def test_draws_and_colours_against_an_independent_optimiser() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = random.Random(5)
    names = ["a", "b", "c", "d"]
    results = [
        PairResult(x, y, rng.randint(1, 20), rng.randint(0, 9), rng.randint(1, 20))
        for x, y in itertools.permutations(names, 2)
    ]

    def loss(parameters: np.ndarray) -> float:
        strengths = dict(zip(names, [0.0, *parameters[:3]], strict=True))
        total = 0.0
        for r in results:
            # Davidson's own form: p = x / (x + y + nu sqrt(x y)).
            x = math.exp(strengths[r.black] + parameters[3])
            y = math.exp(strengths[r.white])
            z = math.exp(parameters[4]) * math.sqrt(x * y)
            whole = x + y + z
            total -= r.black_wins * math.log(x / whole) + r.draws * math.log(z / whole)
            total -= r.white_wins * math.log(y / whole)
        return total

    found = optimize.minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    ratings = rate(results, prior=0, anchor=("a", 0.0))
    for name, value in zip(names[1:], found.x[:3], strict=True):
        assert ratings[name].elo == pytest.approx(value * ELO_PER_NATURAL, abs=0.01)
    assert ratings.black_advantage == pytest.approx(found.x[3] * ELO_PER_NATURAL, abs=0.01)
    assert ratings.log_likelihood == pytest.approx(-found.fun, abs=1e-6)


def test_the_intervals_hold_the_true_ratings() -> None:
    rng = random.Random(11)
    truth = {"a": 120.0, "b": 0.0, "c": -120.0}
    inside = total = 0
    for _ in range(60):
        results = []
        for black, white in itertools.permutations(truth, 2):
            chance = 1 / (1 + 10 ** (-(truth[black] - truth[white] + 40) / 400))
            wins = sum(rng.random() < chance for _ in range(80))
            results.append(PairResult(black, white, wins, 0, 80 - wins))
        ratings = rate(results, prior=0)
        for name, elo in truth.items():
            inside += elo in ratings[name].interval
            total += 1
    assert 0.90 <= inside / total <= 0.99


def test_a_prior_keeps_a_perfect_score_finite() -> None:
    perfect = [PairResult("a", "b", 10, 0, 0), PairResult("b", "a", 0, 0, 10)]
    with pytest.raises(ConfigError, match="no finite maximum"):
        rate(perfect, prior=0)
    ratings = rate(perfect)
    assert 300 < ratings["a"].elo - ratings["b"].elo < 1500
    assert ratings["a"].score == 1.0


def test_nobody_and_unknown_anchor() -> None:
    with pytest.raises(ConfigError):
        rate([])
    with pytest.raises(ConfigError, match="anchor"):
        rate([PairResult("a", "b", 1, 0, 1)], anchor=("c", 0.0))


def test_an_advantage_that_cannot_be_told_from_strength_is_left_out() -> None:
    # A handicap match: Black is the same player in every game.
    handicap = rate([PairResult("weak", "strong", 0, 0, 4)])
    assert handicap.black_advantage_interval is None
    assert handicap.black_advantage == 0
    assert handicap["strong"].elo > 100
    assert handicap["strong"].interval.half_width < 600
    # Round a circle each is Black once: there is no strength that explains why Black won.
    circle = rate([PairResult(a, b, 9, 0, 1) for a, b in ("xy", "yz", "zx")])
    assert circle.black_advantage > 200


def test_a_colour_that_won_everything_has_a_finite_advantage() -> None:
    ratings = rate([PairResult("x", "y", 5, 0, 0), PairResult("y", "x", 5, 0, 0)])
    assert 200 < ratings.black_advantage < 1500
    assert ratings["x"].elo == pytest.approx(0, abs=1e-6)
