"""TD(lambda) and the HDP critic: Eq. 4.1-4.7 with numbers, gradients against differences."""

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.learn.td import (
    Episode,
    LearnSettings,
    correction,
    critic_error,
    discounted_sum,
    learn_by_play,
    squared_norm,
    td_criterion,
    td_signals,
    td_step,
    utility,
    utility_gain,
)
from tengen.learn.workers import InPlace


def test_criterion_weighs_the_end_most():
    """Eq. 4.1: one game, z = 1: 0.5^2 * 1 + 0.5 * 0.25 + 1 * 0.0625 = 0.4375 with lambda 0.5."""
    assert td_criterion([np.array([0.0, 0.5, 0.75])], [1.0], 0.5) == pytest.approx(0.25 + 0.125 + 0.0625)


def test_step_sums_differences_times_traces():
    """Eq. 4.2 by hand: two steps, gradients 1 and 2, lambda 0.5: 0.1 * (0.3 * 1 + 0.5 * (0.5 + 2))."""
    change = td_step(np.array([0.2, 0.5]), np.array([[1.0], [2.0]]), 1.0, 0.1, 0.5)
    assert change == pytest.approx([0.1 * (0.3 + 0.5 * 2.5)])


@pytest.mark.parametrize("decay", [0.0, 0.6, 1.0])
def test_signals_are_the_same_sum_in_another_order(decay):
    random = np.random.default_rng(1)
    predictions, gradients = random.uniform(-1, 1, 9), random.normal(size=(9, 4))
    signals = td_signals(predictions, -1.0, decay)
    assert 0.3 * signals @ gradients == pytest.approx(td_step(predictions, gradients, -1.0, 0.3, decay))


def test_lambda_one_pulls_every_prediction_to_the_outcome():
    predictions = np.array([0.1, -0.4, 0.7])
    assert td_signals(predictions, 1.0, 1.0) == pytest.approx(1.0 - predictions)


def test_cost_to_go_is_the_discounted_sum():
    """Eq. 4.3: 1 + 0.5*2 + 0.25*4 = 3."""
    assert discounted_sum(np.array([1.0, 2.0, 4.0]), 0.5) == pytest.approx([3.0, 4.0, 4.0])


def test_a_critic_that_knows_the_sum_makes_no_error():
    """Eq. 4.4 and 4.5."""
    utilities = np.array([0.1, 0.0, 0.3, 0.6])
    errors = critic_error(discounted_sum(utilities, 0.9), utilities, 0.9)
    assert errors == pytest.approx(np.zeros(4))
    assert critic_error(np.array([1.0, 0.5]), np.array([0.2, 0.1]), 0.8) == pytest.approx(
        [1.0 - 0.4 - 0.2, 0.4]
    )
    assert squared_norm(np.array([3.0, 4.0])) == 25.0


def test_utility_adds_the_shares_of_stones_area_and_prisoners():
    """Eq. 4.7, (white, black): 0.2 * 6/10 + 0.3 * 20/40 + 0.5 * 1/1; nothing held by anyone counts half."""
    assert utility((6, 4), (20, 20), (0, 1), (0.2, 0.3, 0.5)) == pytest.approx(0.12 + 0.15 + 0.5)
    assert utility((0, 0), (0, 0), (0, 0), (0.2, 0.3, 0.5)) == pytest.approx(0.5)


def test_only_gains_are_utility():
    assert utility_gain(0.3, 0.5) == pytest.approx(0.2)
    assert utility_gain(0.5, 0.3) == 0.0


class Line:
    """A linear evaluator of two inputs, so that what is learned can be said in advance."""

    count = 2

    def values(self, weights, planes, slope=1.0):
        return planes @ weights

    def gradient(self, weights, planes, errors, slope=1.0):
        return planes.T @ errors


class ToldGames:
    """Games whose outcome is the first input."""

    def episodes(self, genome, seeds):
        games = []
        for seed in seeds:
            side = 1.0 if seed % 2 else -1.0
            planes = np.array([[side, 0.3], [side, -0.3]])
            games.append(Episode(planes, side, np.array([0.0, 0.0, 1.0 if side < 0 else 0.0]), 3))
        return games


@pytest.mark.parametrize("workers", [1, 3])
def test_td_learns_what_decides(workers):
    settings = LearnSettings("td", rounds=5, games=64, rate=0.2, decay=0.7)
    weights = learn_by_play(settings, Line(), ToldGames(), InPlace(), workers=workers)
    assert weights == pytest.approx([1.0, 0.0], abs=0.05)


def test_hdp_learns_the_discounted_utility():
    """White's win pays 1 at the end: J is gamma of it one step before, 0.9^2 two steps; Black's win pays
    nought.
    """
    settings = LearnSettings("hdp", rounds=40, games=64, rate=0.4, discount=1.0)
    weights = learn_by_play(settings, Line(), ToldGames(), InPlace())
    assert weights == pytest.approx([1.0, 0.0], abs=0.05)


def test_corrections_of_games_add_up():
    games = ToldGames().episodes(np.zeros(2), [0, 1, 3])
    settings = LearnSettings("td")
    weights = np.array([0.2, -0.1])
    together, errors = correction(settings, Line(), weights, games)
    apart = [correction(settings, Line(), weights, [game])[0] for game in games]
    assert together == pytest.approx(np.sum(apart, axis=0))
    assert len(errors) == 3


def test_a_run_goes_on_from_its_checkpoint_to_the_same_end(tmp_path):
    whole = learn_by_play(LearnSettings("td", rounds=6, games=8), Line(), ToldGames(), InPlace())
    learn_by_play(LearnSettings("td", rounds=2, games=8), Line(), ToldGames(), InPlace(), directory=tmp_path)
    resumed = learn_by_play(
        LearnSettings("td", rounds=6, games=8), Line(), ToldGames(), InPlace(), directory=tmp_path
    )
    assert (resumed == whole).all()
    with pytest.raises(DataError, match="another run: games 8 there, 9 here"):
        learn_by_play(LearnSettings("td", games=9), Line(), ToldGames(), InPlace(), directory=tmp_path)


def test_wrong_settings_are_refused():
    with pytest.raises(ConfigError, match="'q'"):
        LearnSettings("q")
    with pytest.raises(ConfigError, match=r"decay 1\.5"):
        LearnSettings(decay=1.5)
