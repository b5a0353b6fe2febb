"""Time budgets: never more than is left, under every system, to the end of a long game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.go.coords import PASS
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.search.clock import Clock, moves_left

NINE = Position.start(Rules(9, 9))
FULL = Position.start(Rules(19, 19))


def late(position: Position, moves: int) -> Position:
    for _ in range(moves):
        position = position.play(PASS)
    return position


LATE = late(FULL, 400)


@pytest.mark.parametrize("system", ["absolute", "fischer", "canadian", "byoyomi"])
@given(
    left=st.floats(0.1, 36_000),
    stones=st.integers(0, 30),
    byo=st.floats(0, 600),
    byo_stones=st.integers(0, 30),
    lag=st.floats(0, 1),
)
def test_never_more_than_is_left(
    system: str, left: float, stones: int, byo: float, byo_stones: int, lag: float
) -> None:
    if system in ("absolute", "fischer"):
        stones = 0
    clock = Clock(system, left, stones, 600.0, byo, byo_stones)
    for position in (NINE, FULL, LATE):
        seconds = clock.budget(position, lag)
        assert seconds is not None
        # In main time the period behind it may be begun; otherwise what is left is all there is.
        behind = 0.0 if stones or system in ("absolute", "fischer") else byo
        assert 0 < seconds <= left + behind
        most = clock.most(lag)
        assert most is not None
        assert seconds <= most <= max(left + behind - lag, 0.01)
        if left > lag + 0.02:
            assert seconds <= max(left + behind - lag, 0.01)


def test_no_limit_is_no_limit() -> None:
    assert Clock("none", 0.0).budget(FULL) is None
    assert Clock("none", 0.0).most() is None


@pytest.mark.parametrize(
    ("system", "main", "byo", "stones"),
    [("absolute", 300, 0, 0), ("absolute", 20, 0, 0), ("fischer", 60, 2, 0), ("fischer", 5, 0.5, 0)],
)
def test_a_game_of_150_own_moves_is_played_within_its_time(
    system: str, main: float, byo: float, stones: int
) -> None:
    left, position, used = float(main), FULL, 0.0
    for _ in range(150):
        seconds = Clock(system, left, stones, main, byo).budget(position, lag=0.05)
        assert seconds is not None
        left -= seconds + 0.03
        used += seconds
        assert left > 0
        left += byo if system == "fischer" else 0
        position = late(position, 2)
    assert used > 0.5 * main


def test_a_canadian_period_is_shared_among_its_stones() -> None:
    left = 60.0
    for stones in range(15, 0, -1):
        seconds = Clock("canadian", left, stones, 600, 60, 15).budget(FULL, lag=0.1)
        assert seconds is not None
        left -= seconds
        assert left >= 0.05
    assert left < 20


def test_a_byoyomi_period_is_nearly_used() -> None:
    seconds = Clock("byoyomi", 30.0, 5, 600, 30, 5).budget(FULL, lag=0.3)
    assert seconds == pytest.approx((30 - 0.3) * 0.9)
    assert Clock("byoyomi", 600.0, 0, 600, 30, 5).budget(FULL, lag=0.3) >= 29


def test_hardly_any_time_is_still_a_move() -> None:
    for system in ("absolute", "fischer", "canadian", "byoyomi"):
        assert Clock(system, 0.0, 1).budget(FULL) == 0.01
        assert Clock(system, -3.0, 1).budget(FULL) == 0.01


def test_more_is_left_to_play_on_a_larger_and_emptier_board() -> None:
    assert moves_left(FULL) > moves_left(late(FULL, 100)) > moves_left(LATE) > moves_left(NINE) - 60
    assert moves_left(LATE) >= 10
