"""Workers: processes, a dying one, a cluster; and schedules that depend on what was played."""

from pathlib import Path

import pytest
from known_games import result
from simple_players import SimpleBuilder

from tengen.arena.conditions import Conditions
from tengen.arena.journal import Journal
from tengen.arena.openings import OpeningBook
from tengen.arena.pools import ClusterPool, InlinePool, ProcessPool, open_pool
from tengen.arena.results import GameKey, GameResult
from tengen.arena.runner import run_schedule
from tengen.arena.schedules import Gauntlet, Ladder, RoundRobin, Series
from tengen.arena.specs import PlayerSpec
from tengen.arena.sprt import Sprt, Verdict
from tengen.arena.summary import MatchSummary
from tengen.errors import ConfigError, EngineError

SMALL = Conditions.of(size=5, opening_moves=2, second_opinion="never")


def series(conditions: Conditions = SMALL, seed: int = 1) -> Series:
    return Series(seed, conditions, OpeningBook(conditions.size, conditions.size, conditions.opening_moves))


def players(*texts: str) -> list[PlayerSpec]:
    return [PlayerSpec.parse(text) for text in texts]


def digests(results: dict[GameKey, GameResult]) -> dict[GameKey, str]:
    return {key: game.digest for key, game in results.items()}


def test_two_processes_play_the_games_one_would() -> None:
    schedule = RoundRobin(players("random", "greedy"), 20, series())
    alone = run_schedule(schedule, SimpleBuilder(), InlinePool())
    together = run_schedule(schedule, SimpleBuilder(), ProcessPool(2))
    assert digests(alone) == digests(together)
    assert len(alone) == 20


def test_a_dask_cluster_of_two_workers_plays_them_too() -> None:
    pytest.importorskip("distributed")
    schedule = RoundRobin(players("random", "greedy"), 8, series())
    pool = open_pool(1, "local:2")
    assert isinstance(pool, ClusterPool)
    assert pool.workers == 2
    assert digests(run_schedule(schedule, SimpleBuilder(), pool)) == digests(
        run_schedule(schedule, SimpleBuilder(), InlinePool())
    )


def test_colours_alternate_in_pairs_from_one_opening() -> None:
    schedule = RoundRobin(players("random", "greedy"), 6, series())
    tasks = list(schedule.wanted({}))
    assert [task.black.name for task in tasks] == ["random", "greedy"] * 3
    assert [task.opening for task in tasks[::2]] == [task.opening for task in tasks[1::2]]
    assert len({task.opening for task in tasks}) == 3
    assert len({task.seed for task in tasks}) == 6


def test_a_worker_that_dies_is_replaced_and_its_game_played(tmp_path: Path) -> None:
    killer = f"die:at={tmp_path / 'deaths'},times=2"
    schedule = RoundRobin(players(killer, "random"), 6, series())
    results = run_schedule(schedule, SimpleBuilder(), ProcessPool(2))
    assert len(results) == 6
    assert not any(game.void for game in results.values())
    assert (tmp_path / "deaths").read_text() == "xx"


def test_a_game_that_kills_every_worker_is_void_and_counted_by_nothing(tmp_path: Path) -> None:
    killer = f"die:at={tmp_path / 'deaths'},times=1000"
    schedule = RoundRobin(players(f"killer@{killer}", "random"), 2, series())
    results = run_schedule(schedule, SimpleBuilder(), ProcessPool(2))
    assert all(game.void for game in results.values())
    summary = MatchSummary.of(schedule, results)
    assert summary.tally.games == 0
    assert summary.to_json()["void"] == 2


def test_a_program_that_never_starts_ends_the_match_and_leaves_no_games(tmp_path: Path) -> None:
    schedule = RoundRobin(players("random", "cmd:/no/such/program --gtp"), 50, series())
    with (
        Journal(tmp_path, {}, resume=False) as journal,
        pytest.raises(EngineError, match="failed 10 games in a row at the start"),
    ):
        run_schedule(schedule, SimpleBuilder(), InlinePool(), journal)
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 1


def test_a_few_false_starts_are_games_lost(tmp_path: Path) -> None:
    schedule = RoundRobin(players("random", "cmd:/no/such/program --gtp"), 4, series())
    with Journal(tmp_path, {}, resume=False) as journal:
        results = run_schedule(schedule, SimpleBuilder(), InlinePool(), journal)
    assert [game.winner for game in results.values()] == ["random"] * 4
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 5


def test_a_system_of_ours_that_always_raises_ends_the_match() -> None:
    schedule = RoundRobin(players("random", "script:do=raise"), 50, series())
    with pytest.raises(EngineError, match="out of ideas"):
        run_schedule(schedule, SimpleBuilder(), InlinePool())


def test_an_unknown_system_ends_the_match_at_once_in_a_worker_too() -> None:
    schedule = RoundRobin(players("random", "nobody"), 50, series())
    with pytest.raises(ConfigError, match="nobody"):
        run_schedule(schedule, SimpleBuilder(), ProcessPool(2))


def test_the_runners_own_cost_is_under_a_millisecond_a_move() -> None:
    given = Conditions.of(size=9, second_opinion="never")
    schedule = RoundRobin(players("random", "script:do=first"), 6, series(given))
    summary = MatchSummary.of(schedule, run_schedule(schedule, SimpleBuilder(), InlinePool()))
    assert 0 < summary.overhead_per_move < 0.001


# ---- schedules alone


def finished(schedule: RoundRobin | Ladder, strength: dict[str, int]) -> dict[GameKey, GameResult]:
    """Play a schedule where the stronger always wins (Black when they are equal)."""
    results: dict[GameKey, GameResult] = {}
    while task := next(schedule.wanted(results), None):
        black, white = task.black.name, task.white.name
        winner = black if strength[black] >= strength[white] else white
        results[task.key] = result(task.key, black, white, winner)
    return results


def test_a_gauntlet_is_the_first_against_all() -> None:
    schedule = Gauntlet(players("a", "b", "c"), 4, series())
    pairs = {(key.a, key.b) for key in finished(schedule, {"a": 1, "b": 2, "c": 3})}
    assert pairs == {("a", "b"), ("a", "c")}


def test_a_ladder_sorts_its_players() -> None:
    schedule = Ladder(players("c", "a", "d", "b"), 4, series())
    strength = {"a": 4, "b": 3, "c": 2, "d": 1}
    results = finished(schedule, strength)
    assert [player.name for player in schedule.order(results)] == ["a", "b", "c", "d"]
    # a passes c; d stays below c; b passes d and c and loses to a: five matches of six.
    assert len(schedule.counted(results)) == len(results) <= schedule.most_games


def test_a_sequential_test_stops_the_match_at_the_same_pair_in_any_order() -> None:
    schedule = RoundRobin(players("a", "b"), 400, series(), Sprt(0, 100))
    results = finished(schedule, {"a": 2, "b": 1})
    (pairing,) = schedule.pairings
    stop = schedule.stopped(pairing, results)
    assert stop is not None
    assert stop[1] is Verdict.ACCEPT_H1
    assert len(results) == 2 * stop[0] < 400
    # More games than needed, as many workers would have played: the same games count.
    extra = dict(results)
    for number in range(len(results), len(results) + 7):
        key = GameKey("a", "b", number)
        extra[key] = result(key, "a", "b", "b")
    assert {game.key for game in schedule.counted(extra)} == set(results)
    summary = MatchSummary.of(schedule, extra)
    assert summary.sprt is not None
    assert summary.sprt["verdict"] == "H1 accepted"
    assert summary.sprt["pentanomial"] == [0, 0, 0, 0, stop[0]]


def test_void_games_do_not_feed_the_sequential_test() -> None:
    schedule = RoundRobin(players("a", "b"), 8, series(), Sprt(0, 100))
    results = {}
    for number in range(6):
        key = GameKey("a", "b", number)
        results[key] = result(key, "a", "b", "" if number == 2 else "a", void=number == 2)
    summary = MatchSummary.of(schedule, results)
    assert summary.sprt is not None
    assert summary.sprt["pairs"] == 2
    assert summary.tally.wins == 5


def test_wrong_casts_are_refused() -> None:
    with pytest.raises(ConfigError, match="different names"):
        RoundRobin(players("a", "a"), 2, series())
    with pytest.raises(ConfigError, match="two at least"):
        RoundRobin(players("a"), 2, series())
    with pytest.raises(ConfigError, match="even"):
        RoundRobin(players("a", "b"), 3, series(), Sprt(0, 10))
