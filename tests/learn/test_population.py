"""The optimisers: their equations with numbers, their laws, and how near they come to known optima."""

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.learn.optima import PROBLEMS, interval_of_the_median, lowest, optima, sphere
from tengen.learn.outside import OUTSIDE
from tengen.learn.population import (
    METHODS,
    BreedingSettings,
    clip_velocity,
    diversity,
    learning_rate,
    make_optimiser,
    mutate_genome,
    mutate_steps,
    swarm_position,
    swarm_velocity,
)

# ---- the equations, with numbers ------------------------------------------------------------------


def test_velocity_is_inertia_memory_and_example():
    """Eq. 5.1: 0.5*2 + 2*0.25*(4 - 1) + 1.5*0.5*(-3 - 1) = 1 + 1.5 - 3."""
    velocity = swarm_velocity(
        np.array([2.0]),
        np.array([1.0]),
        np.array([4.0]),
        np.array([-3.0]),
        np.array([0.25]),
        np.array([0.5]),
        inertia=0.5,
        cognitive=2.0,
        social=1.5,
    )
    assert velocity == pytest.approx([-0.5])


def test_velocity_beyond_the_limit_is_set_to_it():
    assert clip_velocity(np.array([-7.0, 1.0, 2.5]), 2.0).tolist() == [-2.0, 1.0, 2.0]


def test_position_moves_by_the_velocity():
    assert swarm_position(np.array([1.0, 2.0]), np.array([-0.5, 0.25])).tolist() == [0.5, 2.25]


def test_steps_and_weights_mutate_by_their_own_normals():
    """Eq. 5.3-5.4: tau of four weights is 1/sqrt(2*2) = 0.5; a normal of 2 makes a step e times as long."""
    assert learning_rate(4) == pytest.approx(0.5)
    steps = mutate_steps(np.full(4, 0.05), np.array([0.0, 2.0, -2.0, 0.0]))
    assert steps == pytest.approx([0.05, 0.05 * np.e, 0.05 / np.e, 0.05])
    assert mutate_genome(np.ones(4), steps, np.array([1.0, 1.0, 0.0, -2.0])) == pytest.approx(
        [1.05, 1.0 + 0.05 * np.e, 1.0, 0.9]
    )


# ---- what each optimiser does with a population ---------------------------------------------------


def test_first_population_is_uniform_between_the_bounds():
    genomes = make_optimiser("hybrid", 2000, seed=1).ask()
    assert genomes.shape == (40, 2000)
    assert -0.2 <= genomes.min() < -0.199
    assert 0.199 < genomes.max() <= 0.2


def test_ea_keeps_the_better_half_as_it_is_and_replaces_the_rest():
    optimiser = make_optimiser("ea", 3, population=6)
    before = optimiser.ask()
    optimiser.tell(np.array([5.0, 0.0, 4.0, 1.0, 6.0, 2.0]))
    after = optimiser.ask()
    assert [bool((before[i] == after[i]).all()) for i in range(6)] == [True, False, True, False, True, False]


def test_hybrid_moves_the_winners_and_bears_their_offspring_beside_them():
    optimiser = make_optimiser("hybrid", 50, population=6, seed=3)
    for _ in range(3):
        optimiser.tell(-sphere(optimiser.ask()))
    fitness = np.array([5.0, 0.0, 4.0, 1.0, 6.0, 2.0]) - 1000.0  # worse than all own bests: memory stays
    before = optimiser.ask()
    optimiser.tell(fitness)
    after = optimiser.ask()
    assert all((before[i] != after[i]).any() for i in range(6))
    # Best first: winners 4, 0, 2; losers 5, 3, 1 take their offspring, a mutation of about 0.05 away.
    for parent, child in ((4, 5), (0, 3), (2, 1)):
        assert np.abs(after[child] - after[parent]).mean() < 0.15
        assert (optimiser.own_bests[child] == optimiser.own_bests[parent]).all()
        assert (optimiser.velocities[child] == optimiser.velocities[parent]).all()


def test_pso_remembers_the_best_it_ever_met():
    optimiser = make_optimiser("pso", 4, population=4)
    first = optimiser.ask()
    optimiser.tell(np.array([1.0, 9.0, 2.0, 3.0]))
    optimiser.tell(np.array([0.0, 0.0, 8.0, 0.0]))
    assert optimiser.global_fitness == 9.0
    assert (optimiser.global_best == first[1]).all()
    assert optimiser.own_fitness.tolist() == [1.0, 9.0, 8.0, 3.0]


def test_hill_climbing_steps_a_twentieth_of_the_way_to_the_challenger_that_won():
    optimiser = make_optimiser("hc", 5, population=4)
    before = optimiser.ask()
    optimiser.tell(np.array([0.0, -1.0, 3.0, 1.0]))
    assert optimiser.best() == pytest.approx(before[0] + 0.05 * (before[2] - before[0]))
    champion = optimiser.best()
    optimiser.tell(np.array([0.0, -1.0, 0.0, -3.0]))
    assert (optimiser.best() == champion).all()


def test_diversity_is_the_mean_spread():
    assert diversity(np.array([[0.0, 5.0], [2.0, 5.0]])) == pytest.approx(0.5)


@pytest.mark.parametrize("method", [*METHODS, *OUTSIDE])
def test_restored_optimiser_goes_on_as_the_one_that_was_saved(method):
    pytest.importorskip({"pymoo-pso": "pymoo", "cma": "cma"}.get(method, "numpy"))
    one = make_optimiser(method, 7, seed=5, population=8)
    for _ in range(4):
        one.tell(-sphere(one.ask()))
    other = make_optimiser(method, 7, seed=99, population=8)
    other.restore({name: array.copy() for name, array in one.arrays().items()})
    for _ in range(4):
        assert (one.ask() == other.ask()).all()
        one.tell(-sphere(one.ask()))
        other.tell(-sphere(other.ask()))
    assert (one.best() == other.best()).all()
    assert one.generation == other.generation == 8


def test_wrong_uses_are_refused_with_what_was_given():
    with pytest.raises(ConfigError, match="'genetic'"):
        make_optimiser("genetic", 3)
    with pytest.raises(ConfigError, match="population 5"):
        BreedingSettings(population=5)
    optimiser = make_optimiser("ea", 3, population=4)
    with pytest.raises(ConfigError, match="one number for each of 4"):
        optimiser.tell(np.zeros(5))
    with pytest.raises(ConfigError, match="not a number"):
        optimiser.tell(np.array([0.0, np.nan, 0.0, 0.0]))
    with pytest.raises(DataError, match="no array 'steps'"):
        optimiser.restore({"genomes": np.zeros((4, 3))})


# ---- known optima ---------------------------------------------------------------------------------


def test_known_optima_are_neared_in_a_short_run():
    """500 generations of 40, five seeds; all three functions are least, 0, at one point."""
    for method, reach in (
        ("pso", (1e-9, 40.0, 19.0)),
        ("hybrid", (1e-6, 40.0, 19.0)),
        ("ea", (3.0, 140.0, 60.0)),
    ):
        for problem, limit in zip(PROBLEMS, reach, strict=True):
            assert np.median([lowest(method, problem, seed) for seed in range(5)]) < limit, (method, problem)


def test_the_median_comes_with_its_interval():
    """Of 30 the 10th and the 22nd by size: 15 -+ 1.96 * sqrt(30) / 2."""
    median, low, high = interval_of_the_median(np.arange(30.0)[::-1])
    assert (median, low, high) == (14.5, 9.0, 21.0)


def test_others_optimisers_are_asked_and_told_like_ours():
    for method in OUTSIDE:
        pytest.importorskip({"pymoo-pso": "pymoo", "cma": "cma"}[method])
        one = make_optimiser(method, 5, seed=2, population=8, start=np.full(5, 3.0))
        assert one.ask().shape == (8, 5)
        assert (one.ask() == one.ask()).all()
        assert np.abs(one.ask() - 3.0).max() < 1.0
        again = make_optimiser(method, 5, seed=2, population=8, start=np.full(5, 3.0))
        for _ in range(60):
            assert (one.ask() == again.ask()).all()
            one.tell(-sphere(one.ask()))
            again.tell(-sphere(again.ask()))
        assert sphere(one.best()) < 0.2
        with pytest.raises(ConfigError, match="one number for each of 8"):
            one.tell(np.zeros(3))
        with pytest.raises(DataError, match="no array 'told'"):
            one.restore({})
        with pytest.raises(DataError, match=r"told is \(3, 8\), \(4, 8\) expected"):
            one.restore({"told": np.zeros((3, 8)), "seed": np.array(1), "generation": np.array(4)})


def test_ours_do_as_well_as_anothers_swarm_with_as_many_evaluations():
    """The experiment capture-optimisers in small: the medians of three seeds."""
    pytest.importorskip("pymoo")
    found = {row["label"]: row["value"] for row in optima(seeds=3, generations=200, population=20)}
    assert len(found) >= 15
    for method in ("PSO", "hybrid PSO-EA"):
        assert found[f"{method}, sphere"] <= found["pymoo's PSO, sphere"] + 1.0
