"""A search as a player: its clock, its tree from move to move, pondering, passing, resigning, dynamic komi."""

import threading
import time

import pytest

from tengen.errors import ConfigError
from tengen.go.coords import PASS, RESIGN, Color
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.knowledge.playout import UniformPlayout
from tengen.players import AnalysisReport, AnalysisRequest, Clock, Decision, Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.parts import Pruner
from tengen.search.search import Search
from tengen.search.selectors import Ucb1
from tengen.search_player import PlayStyle, SearchPlayer
from tengen.systems import Resources, make_player


def player(style: PlayStyle | None = None, **options: object) -> SearchPlayer:
    settings = {"memory_mb": 8, "expand_after": 1} | options

    def make(rules: Rules) -> Search:
        return Search(Ucb1(0.5), Pruner(), PlayoutEvaluator(UniformPlayout()), **settings)  # type: ignore[arg-type]

    return SearchPlayer("test", make, style)


def fresh(size: int = 7, rules: str = "chinese", komi: float = 0.5) -> Position:
    return Position.start(Rules.named(rules, size, komi))


FEW = Limit(playouts=300)

# ---- time ------------------------------------------------------------------------------------------------


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[Limit]:
    """The limits searches are given; none takes long."""
    seen: list[Limit] = []
    search = Search.run

    def watched(self: Search, position: Position, limit: Limit, **options: object):  # type: ignore[no-untyped-def]
        seen.append(limit)
        return search(self, position, Limit(playouts=5), **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Search, "run", watched)
    return seen


def test_saved_seconds_go_to_later_moves(limits: list[Limit]) -> None:
    """Every search here is over at once, so that each move leaves nearly all of its second."""
    thinker, one = player(PlayStyle(bank=1.5)), Limit(seconds=1.0)
    for _ in range(4):
        thinker.choose(fresh(), one)
    given = [limit.seconds for limit in limits]
    assert given[0] == 1.0
    assert given[1] == pytest.approx(2.0, abs=0.2), "what the first left"
    assert given[2] == given[3] == 2.5, "no more than the bank lends"
    thinker.choose(fresh(), one, Clock("none", 0.0))
    assert limits[-1].seconds == 1.0, "a clock keeps its own account"
    thinker.new_game(fresh().rules)
    thinker.choose(fresh(), one)
    assert limits[-1].seconds == 1.0, "another game"
    plain = player()
    for _ in range(2):
        plain.choose(fresh(), one)
    assert limits[-1].seconds == 1.0, "no bank, no saving"


def test_what_decides_how_long(limits: list[Limit]) -> None:
    thinker = player(PlayStyle(limit=Limit(seconds=7.0), lag=0.5))
    clock = Clock("byoyomi", 10.0, 3, 60.0, 10.0, 5)
    budget, most = clock.budget(fresh(), 0.5), clock.most(0.5)
    assert budget is not None
    thinker.choose(fresh())
    thinker.choose(fresh(), Limit())
    thinker.choose(fresh(), None, clock)
    thinker.choose(fresh(), Limit(seconds=2.0), clock)
    thinker.choose(fresh(), Limit(seconds=100.0), clock)
    thinker.choose(fresh(), Limit(playouts=9), clock)
    thinker.choose(fresh(), None, Clock("none", 0.0))
    assert limits == [
        Limit(seconds=7.0),
        Limit(seconds=7.0),
        Limit(seconds=budget, most=most),
        Limit(seconds=2.0, most=most),
        Limit(seconds=budget, most=most),
        Limit(playouts=9, seconds=budget, most=most),
        Limit(seconds=7.0),
    ]


@pytest.mark.parametrize(
    "clock",
    [
        Clock("absolute", 1.5),
        Clock("fischer", 0.9, byo=0.2),
        Clock("canadian", 1.0, 1, 60.0, 1.0, 1),
        Clock("byoyomi", 1.0, 1, 60.0, 1.0, 1),
    ],
    ids=lambda clock: clock.system,
)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_move_is_made_within_what_is_left(clock: Clock, threads: int) -> None:
    thinker = player(PlayStyle(lag=0.3), threads=threads)
    thinker.new_game(fresh(19).rules)
    started = time.perf_counter()
    thinker.choose(fresh(19), None, clock)
    assert time.perf_counter() - started < clock.left


def test_a_look_whether_a_pass_holds_stays_within_the_clock(limits: list[Limit]) -> None:
    thinker, position = player(), fresh()
    search = thinker._searcher(position)
    found = search.run(position, FEW)
    thinker._pass_holds(search, position, found, Limit(seconds=9.0), 9.0)
    assert limits[-1].seconds == pytest.approx(2.7)
    thinker._pass_holds(search, position, found, Limit(seconds=9.0, most=9.5), 9.0)
    assert limits[-1].seconds == pytest.approx(0.5)
    thinker._pass_holds(search, position, found, Limit(seconds=9.0, most=9.5), 9.6)
    assert limits[-1].seconds == 0.01


def test_a_move_can_be_hurried() -> None:
    thinker = player()
    found: list[Decision] = []
    thinking = threading.Thread(target=lambda: found.append(thinker.choose(fresh(9), Limit(seconds=60.0))))
    thinking.start()
    time.sleep(0.2)
    thinker.stop()
    thinking.join(5)
    assert not thinking.is_alive()
    assert fresh(9).is_legal(found[0].move)


def test_early_stop_saves_time_when_nothing_can_change() -> None:
    hasty, steady = player(early_stop=True), player(early_stop=False)
    limit = Limit(playouts=200_000)
    assert steady.choose(fresh(3), limit).info["simulations"] == 200_000
    assert hasty.choose(fresh(3), limit).info["simulations"] < 200_000
    assert hasty.choose(fresh(3), limit).move == steady.choose(fresh(3), limit).move == 4


# ---- the tree --------------------------------------------------------------------------------------------


def test_the_tree_is_kept_from_move_to_move() -> None:
    thinker = player(early_stop=False)
    first = thinker.choose(fresh(), Limit(playouts=2000))
    assert first.visits == 2000
    after = fresh().play(first.move).play(first.pv[1])
    second = thinker.choose(after, Limit(playouts=100))
    assert second.info["simulations"] == 100
    assert second.visits > 100
    assert thinker.choose(fresh().play(3), Limit(playouts=50)).visits == 50, "another game"


def test_pondering_makes_the_next_move_wiser() -> None:
    thinker = player()
    move = thinker.choose(fresh(), FEW).move
    stop = threading.Event()
    thinking = threading.Thread(target=thinker.ponder, args=(fresh().play(move), stop))
    thinking.start()
    time.sleep(0.4)
    assert thinking.is_alive()
    stop.set()
    thinking.join(3)
    assert not thinking.is_alive()
    reply = thinker.choose(fresh().play(move), Limit(playouts=10))
    assert reply.visits > 300
    after = fresh().play(move).play(reply.move)
    assert thinker.choose(after, Limit(playouts=10)).visits > 10


def test_a_new_game_knows_nothing_of_the_last() -> None:
    thinker = player(early_stop=False)
    first = thinker.choose(fresh(), FEW)
    thinker.new_game(fresh().rules)
    again = thinker.choose(fresh(), FEW)
    assert (again.move, again.visits, again.pv) == (first.move, first.visits, first.pv)
    thinker.new_game(fresh(5).rules)
    assert thinker.choose(fresh(5), FEW).visits == 300


@pytest.mark.parametrize("engine", ["uct", "rave", "mucgo", "graph"])
@pytest.mark.parametrize("threads", [1, 2])
def test_full_memory_degrades_and_never_kills(engine: str, threads: int) -> None:
    thinker = make_player(f"{engine}:playout=uniform,expand=1", Resources(memory_mb=8, threads=threads))
    position = Position.start(Rules.named("chinese", 19, 7.5))
    for _ in range(3):
        decision = thinker.choose(position, Limit(playouts=4000))
        assert position.is_legal(decision.move)
        assert decision.info["memory"] <= 8e6
        position = position.play(decision.move)
    thinker.close()


# ---- root moves ------------------------------------------------------------------------------------------


def test_decide_among_the_moves_allowed() -> None:
    thinker = player()
    only = frozenset({3, 17})
    assert thinker.decide(fresh(), FEW, {Color.BLACK: only}).move in only
    other = player().decide(fresh(), FEW, {Color.WHITE: only})
    assert other.move == player().choose(fresh(), FEW).move, "the other side's moves are not restricted here"


def test_an_analysis_shows_as_many_moves_as_asked() -> None:
    thinker = player(expand_after=10**6)
    seen: list[AnalysisReport] = []
    request = AnalysisRequest(interval=0.01, min_moves=20, limit=Limit(playouts=4))
    decision = thinker.analyze(fresh(), request, seen.append, threading.Event())
    assert decision.visits == 4
    search = thinker._search
    assert search is not None
    report = search._report(0.0, False, 20)
    assert len(report.moves) == 20
    assert [info.order for info in report.moves] == list(range(20))
    assert sum(info.visits > 0 for info in report.moves) == 4
    unseen = [info.prior for info in report.moves if not info.visits]
    assert unseen == sorted(unseen, reverse=True)
    assert all(info.pv == (info.move,) and 0 <= info.winrate <= 1 for info in report.moves if not info.visits)


# ---- passing ---------------------------------------------------------------------------------------------

SETTLED = """
    . X . X O . O
    X X X X O O .
    . X X X O O O
    X X X X O . O
    X . X X O O O
    X X X X O O .
    . X . X O O O
"""
"""Black has 28 points, White 21: nothing is left to do but to pass."""


@pytest.mark.parametrize(("komi", "passes"), [(0.5, True), (6.5, True), (7.5, False)])
def test_area_a_pass_is_answered_by_a_pass_if_that_wins(komi: float, passes: bool) -> None:
    position = parse_diagram(SETTLED, Rules.named("chinese", komi=komi))
    after_pass = position.with_to_move(Color.WHITE).play(PASS)
    assert after_pass.to_move is Color.BLACK
    decision = player(PlayStyle(resign_below=0.0)).choose(after_pass, FEW)
    if passes:
        assert decision.move == PASS


def test_area_a_lost_board_where_nothing_is_open_is_passed_too() -> None:
    """He who is told never to resign does not fill his own eyes for ever."""
    position = parse_diagram(SETTLED, Rules.named("chinese", komi=9.5)).with_to_move(Color.WHITE)
    thinker = player(PlayStyle(resign_below=0.0))
    assert thinker.choose(position.play(PASS), FEW).move == PASS
    # While something is open he fights on.
    position = parse_diagram(OPEN, Rules.named("chinese", komi=20.5)).with_to_move(Color.WHITE)
    assert thinker.choose(position.play(PASS), FEW).move != PASS


OPEN = """
    . X . X O . O
    X X X . O O .
    . X X X O O O
    X X X X O . O
    X . X X O O O
    X X X X O O .
    . X . X O O O
"""


def test_area_the_last_neutral_point_is_taken_before_a_pass() -> None:
    """Worth a point: with a komi of 6.5 Black wins by it, and loses if he answers a pass with a pass."""
    position = parse_diagram(OPEN, Rules.named("chinese", komi=6.5)).with_to_move(Color.WHITE).play(PASS)
    assert position.to_move is Color.BLACK
    assert player(PlayStyle(resign_below=0.0)).choose(position, Limit(playouts=1500)).move == 10


@pytest.mark.parametrize("komi", [0.5, 30.5])
def test_territory_passes_when_nothing_is_open_won_or_lost(komi: float) -> None:
    position = parse_diagram(SETTLED, Rules.named("japanese", komi=komi))
    decision = player(PlayStyle(resign_below=0.0)).choose(position, FEW)
    assert decision.move == PASS


def test_a_pass_never_gives_a_won_game_away() -> None:
    """White has passed; a white stone on Black's land is dead but stands there. Tromp-Taylor counts it."""
    text = """
        . X . X O . O
        X X X X O O .
        . X O . O O O
        X X X X O . O
        X . X X O O O
        X X X X O O .
        . X . X O O O
    """
    position = parse_diagram(text, Rules.named("tromp-taylor", komi=6.5)).with_to_move(Color.WHITE).play(PASS)
    decision = player(PlayStyle(resign_below=0.0)).choose(position, Limit(playouts=1500))
    assert decision.move != PASS


def test_capture_go_has_no_pass() -> None:
    position = Position.start(Rules.named("capture", 5))
    thinker = make_player("rave", Resources(memory_mb=8))
    for _ in range(6):
        decision = thinker.choose(position, Limit(playouts=60))
        assert decision.move not in (PASS, RESIGN)
        position = position.play(decision.move)
        if position.is_over:
            break


# ---- resigning -------------------------------------------------------------------------------------------

LOST = """
    X X . X X X X
    X X X X X X .
    . X X X X X X
    X X X X X . X
    X . X X X X X
    X X X X X X .
    . . . . . . .
"""


def lost_late() -> Position:
    """White to move, all the board Black's, ten passes played."""
    position = parse_diagram(LOST, Rules.named("chinese", komi=0.5))
    for _ in range(5):
        position = position.play(PASS).play(PASS)
    return position.play(PASS)


def test_resigns_after_three_hopeless_moves_and_no_sooner() -> None:
    thinker = player(PlayStyle(resign_below=0.1), early_stop=False)
    position, moves = lost_late(), []
    assert position.to_move is Color.WHITE
    for _ in range(3):
        # Asked twice of one position, it is one bad move.
        moves.append(thinker.choose(position, Limit(playouts=200)).move)
        assert (thinker.choose(position, Limit(playouts=200)).move == RESIGN) == (moves[-1] == RESIGN)
        if moves[-1] != RESIGN:
            position = position.play(moves[-1]).play(PASS)
    assert moves[0] != RESIGN
    assert moves[1] != RESIGN
    assert moves[2] == RESIGN
    thinker.new_game(position.rules)
    assert thinker.choose(position, Limit(playouts=200)).move != RESIGN, "counted anew in a new game"


def test_who_only_looks_does_not_make_it_resign() -> None:
    thinker = player(PlayStyle(resign_below=0.1))
    position = lost_late()
    for _ in range(4):
        stop = threading.Event()
        thinker.analyze(position, AnalysisRequest(interval=0.05), lambda report, stop=stop: stop.set(), stop)
        position = position.play(PASS).play(PASS)
    assert thinker.choose(position, Limit(playouts=200)).move != RESIGN


def test_a_player_may_be_told_never_to_resign() -> None:
    thinker = player(PlayStyle(resign_below=0.0))
    assert all(thinker.choose(lost_late(), Limit(playouts=100)).move != RESIGN for _ in range(5))
    with pytest.raises(ConfigError, match="resign_below"):
        PlayStyle(resign_below=0.7)


def test_nobody_resigns_in_the_opening() -> None:
    position = parse_diagram(LOST, Rules.named("chinese", komi=0.5)).with_to_move(Color.WHITE)
    thinker = player(PlayStyle(resign_below=0.1))
    assert all(thinker.choose(position, Limit(playouts=100)).move != RESIGN for _ in range(4))


# ---- handicap --------------------------------------------------------------------------------------------


def handicap_game(stones: int = 4) -> Position:
    points = [20, 24, 56, 60, 40][:stones]
    return Position.setup(Rules.named("chinese", 9, 0.5), black=points, to_move=Color.WHITE, handicap=stones)


def test_dynamic_komi_melts_and_is_no_part_of_the_score_told() -> None:
    thinker = player(memory_mb=16)
    plain = player(PlayStyle(dynamic_komi=False), memory_mb=16)
    position = handicap_game()
    told = thinker.choose(position, Limit(playouts=2500))
    true = plain.choose(position, Limit(playouts=2500))
    assert thinker._search is not None
    shift = thinker._search.komi_shift
    assert shift == round(7 * 4 * 81 / 361) == 6
    assert told.winrate is not None
    assert true.winrate is not None
    # White, the weaker side here, thinks better of the game: that is what the shift is for.
    assert told.winrate > true.winrate + 0.02
    assert told.score is not None
    assert true.score is not None
    assert told.score == pytest.approx(true.score, abs=4.0)
    for _ in range(44):
        position = position.play(PASS)
    thinker.choose(position, FEW)
    assert thinker._search.komi_shift == 0


def test_an_even_game_has_no_shift_and_an_analysis_none_either() -> None:
    thinker = player()
    thinker.choose(fresh(9), FEW)
    assert thinker._search is not None
    assert thinker._search.komi_shift == 0
    thinker.choose(handicap_game(), FEW)
    assert thinker._search.komi_shift > 0
    stop = threading.Event()
    reports: list[AnalysisReport] = []

    def once(report: AnalysisReport) -> None:
        reports.append(report)
        stop.set()

    thinker.analyze(handicap_game(), AnalysisRequest(interval=0.01), once, stop)
    assert thinker._search.komi_shift == 0
    assert reports
    # A move thought of aloud is a move: what was found under another komi is forgotten.
    shown = thinker.analyze(handicap_game(), AnalysisRequest(limit=FEW), reports.append, threading.Event())
    assert thinker._search.komi_shift > 0
    assert shown.visits <= 300


# ---- judging ---------------------------------------------------------------------------------------------


def test_dead_stones_and_ownership() -> None:
    text = """
        . X . X O . O
        X X X X O O .
        . X O . X O O
        X X X X O . O
        X . X X O O O
        X X X X O O .
        . X . X O O O
    """
    position = parse_diagram(text, Rules.named("japanese", komi=0.5))
    thinker = player()
    dead = thinker.dead_stones(position)
    assert 16 in dead
    owner = thinker.ownership(position)
    assert len(owner) == 49
    assert owner[0] > 0.9
    assert owner[48] < -0.9


def test_a_measure_is_one_search_from_scratch() -> None:
    thinker = player()
    thinker.choose(fresh(), FEW)
    said = thinker.measure(fresh(), Limit(playouts=500))
    assert said["simulations"] == 500
    assert said["bytes"] > 0
    assert said["nodes"] > 10
    assert 0 < said["winrate"] < 1
