"""The engine graph: Eq. 1-3 in the search, transpositions, cycles, superko, and history from game to game."""

from __future__ import annotations

import math
import multiprocessing
import os
import random
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move, move_of_vertex
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.knowledge.playout import UniformPlayout
from tengen.players import AnalysisReport, AnalysisRequest, Limit
from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.mcts import RECOMPUTED, SUMMED
from tengen.search.parts import Pruner
from tengen.search.search import Search
from tengen.systems import Resources
from tengen.systems.graph import GraphPlayer, MemoryGraph, Parameters
from tengen.systems.graph_book import graph_key, search_key
from tengen.systems.graph_disk import GraphDisk
from tengen.systems.graph_parts import GraphUcb, HistoryPruner, win_ratio
from tengen.systems.graph_rows import GraphRows

FORK = multiprocessing.get_context("fork")


def fresh(size: int | tuple[int, int], rules: str = "chinese", komi: float = 0.5) -> Position:
    return Position.start(Rules.named(rules, size, komi))


def graph_search(backup: int = RECOMPUTED, selector: GraphUcb | None = None, **options: object) -> Search:
    settings = {"memory_mb": 16, "early_stop": False, "expand_after": 1, "shared": True} | options
    return Search(
        selector or GraphUcb(0.4, edge_visits=backup == RECOMPUTED),
        HistoryPruner(Pruner()),
        PlayoutEvaluator(UniformPlayout()),
        backup_mode=backup,
        **settings,  # type: ignore[arg-type]
    )


def run(search: Search, position: Position, playouts: int) -> None:
    assert search.run(position, Limit(playouts=playouts)).simulations == playouts


def nodes_below(search: Search) -> set[int]:
    found, todo = {search.root}, [search.root]
    while todo:
        for edge in search.store.edges(todo.pop()):
            if edge[6] >= 0 and edge[6] not in found:
                found.add(edge[6])
                todo.append(edge[6])
    return found


# ---- Eq. 1 and 2 -----------------------------------------------------------------------------------------


def test_eq_2_in_numbers() -> None:
    assert win_ratio(3, 5, 40, 100, 2.0) == pytest.approx((2 * 3 + 40) / (2 * 5 + 100))
    assert win_ratio(3, 5, 0, 0, 2.0) == pytest.approx(0.6)
    assert win_ratio(0, 0, 40, 100, 7.0) == pytest.approx(0.4)


@pytest.mark.parametrize("sound", [True, False])
def test_the_search_follows_eq_1_and_2(sound: bool) -> None:
    m, c, unseen, weight = 3.0, 0.5, 0.9, 0.2
    search = graph_search(RECOMPUTED if sound else SUMMED, GraphUcb(c, m, unseen, weight, edge_visits=sound))
    position = fresh(4)
    run(search, position, 400)
    search.store.fold(0.9)
    by_history = 0
    for _ in range(150):
        before = search.store.edges(search.root)
        visits = search.store.node_stats(search.root)[0]
        total = m * visits + search.store.history(search.root)[0]
        worth = []
        for _, n, w, known, known_wins, prior, child, _ in before:
            if child >= 0:
                known, lost = search.store.history(child)
                known_wins = known - lost
                states, theirs = search.store.node_stats(child)
                if states:
                    n = n if sound else states
                    w = n * (1 - theirs / states)
            if n + known:
                ratio = win_ratio(w, n, known_wins, known, m)
                worth.append(ratio + c * math.sqrt(2 * math.log(total + 1) / (m * n + known)))
            else:
                worth.append(unseen + weight * prior * len(before))
        run(search, position, 1)
        after = search.store.edges(search.root)
        (index,) = (i for i in range(len(before)) if before[i][1] != after[i][1])
        assert worth[index] >= max(worth) - 1e-4
        by_history += before[index][1] == 0 and before[index][6] >= 0
    assert by_history > 3, "moves this search had not yet tried, by what history knew of them"


# ---- Eq. 3 -----------------------------------------------------------------------------------------------


def test_eq_3_in_memory() -> None:
    search = graph_search()
    position = fresh(4)
    run(search, position, 300)
    first = search.store.node_stats(search.root)
    keys, visits, wins = search.store.fold(0.9)
    assert search.store.node_stats(search.root) == (0, 0.0)
    assert search.store.history(search.root) == pytest.approx(first)
    at = list(keys).index(search_key(position))
    assert (visits[at], wins[at]) == pytest.approx(first)
    run(search, position, 100)
    second = search.store.node_stats(search.root)
    search.store.fold(0.25)
    expected = tuple(new + 0.25 * old for new, old in zip(second, first, strict=True))
    assert search.store.history(search.root) == pytest.approx(expected)
    assert len(search.store.fold(0.9)[0]) == 0, "nothing was searched since"


def test_eq_3_in_history_without_a_disk() -> None:
    graph = MemoryGraph()
    graph.write_back([7, 9], [10.0, 1.0], [4.0, 1.0], n=0.5)
    graph.write_back([7], [3.0], [3.0], n=0.5)
    rows = graph.warm(10, 1.0)
    assert dict(zip(rows.keys.tolist(), rows.visits.tolist(), strict=True)) == {7: 3 + 0.5 * 10, 9: 1.0}
    assert dict(zip(rows.keys.tolist(), rows.wins.tolist(), strict=True)) == {7: 3 + 0.5 * 4, 9: 1.0}
    assert graph.warm(1, 1.0).keys.tolist() == [7], "the most visited first"


# ---- a graph is no tree ----------------------------------------------------------------------------------


def test_a_state_is_one_node_whatever_the_path() -> None:
    search = graph_search(selector=GraphUcb(2.0))
    position = fresh(3)
    run(search, position, 3000)
    store = search.store
    keys = [store.key(node) for node in range(store.used[0])]
    assert len(set(keys)) == len(keys)
    found: dict[int, list[tuple[Move, ...]]] = {}
    paths: list[tuple[tuple[Move, ...], int]] = [((), search.root)]
    for path, node in paths:
        found.setdefault(node, []).append(path)
        if len(path) < 4:
            paths += [((*path, move), child) for move, child in lines(search, node, 3)]
    several = {node: paths for node, paths in found.items() if len(paths) > 1}
    assert len(several) > 20
    for node, ways in several.items():
        for path in ways:
            at = position
            for move in path:
                at = at.play(move)
            assert search_key(at) == store.key(node)


def lines(search: Search, node: int, width: int) -> list[tuple[Move, int]]:
    return [(move_of_vertex(e[0], width), e[6]) for e in search.store.edges(node) if e[6] >= 0]


def test_a_graph_holds_fewer_states_than_a_tree() -> None:
    held = {}
    for shared in (False, True):
        search = graph_search(shared=shared, keyed=True)
        run(search, fresh(3), 4000)
        held[shared] = search.store.used[0]
    assert held[True] < 0.9 * held[False]


def test_the_sound_value_is_that_of_the_children() -> None:
    search = graph_search(RECOMPUTED)
    run(search, fresh(3), 2000)
    wins = count = 0.0
    for _, n, w, _, _, _, child, _ in search.store.edges(search.root):
        visits, theirs = search.store.node_stats(child) if child >= 0 else (0, 0.0)
        wins += n * (1 - theirs / visits) if visits else w
        count += n
    visits, won = search.store.node_stats(search.root)
    assert (visits, count) == (2000, 2000)
    assert won / visits == pytest.approx(wins / count, abs=1e-5)


def test_the_papers_value_is_the_sum_of_what_passed_through() -> None:
    search = graph_search(SUMMED)
    run(search, fresh(3), 2000)
    edges = search.store.edges(search.root)
    visits, won = search.store.node_stats(search.root)
    assert visits == sum(edge[1] for edge in edges) == 2000
    assert won == pytest.approx(sum(edge[2] for edge in edges), abs=0.1)
    # W and V of a state are one: what one path brought, the others find.
    deeper = [search.store.node_stats(edge[6])[0] - edge[1] for edge in edges if edge[6] >= 0]
    assert all(more >= -1 for more in deeper)


@pytest.mark.parametrize("size", [(2, 2), (3, 1), (3, 2)])
@pytest.mark.parametrize("backup", [RECOMPUTED, SUMMED])
def test_cycles_end(size: tuple[int, int], backup: int) -> None:
    """Under simple ko positions come back on boards this small: the path must not follow its tail."""
    search = graph_search(backup)
    run(search, fresh(size), 6000)
    for node in nodes_below(search):
        visits, wins = search.store.node_stats(node)
        assert -1e-3 <= wins <= visits + 1e-3
    if size == (2, 2):
        assert has_cycle(search)


def has_cycle(search: Search) -> bool:
    state: dict[int, int] = {}
    todo = [(search.root, False)]
    while todo:
        node, done = todo.pop()
        if done:
            state[node] = 2
        elif node not in state:
            state[node] = 1
            todo.append((node, True))
            for edge in search.store.edges(node):
                if state.get(edge[6]) == 1:
                    return True
                if edge[6] >= 0 and edge[6] not in state:
                    todo.append((edge[6], False))
    return False


@pytest.mark.parametrize("rules", ["tromp-taylor", "aga"])
def test_superko_is_of_the_path_not_of_the_state(rules: str) -> None:
    """A tree flags the moves that repeat; in a graph the same state may be met by a path that may make them."""
    position = fresh((2, 2), rules)
    tree = graph_search(shared=False)
    run(tree, position, 4000)
    assert any(edge[7] for node in nodes_below(tree) for edge in tree.store.edges(node))
    graph = graph_search()
    run(graph, position, 4000)
    assert not any(edge[7] for node in nodes_below(graph) for edge in graph.store.edges(node))


def test_no_simulation_repeats_a_position_under_superko() -> None:
    """Every leaf a graph under superko comes to is looked at: the path there is legal move by move."""
    paths: list[tuple[int, list[Move]]] = []

    class Follower:
        """Chooses at random, and remembers what was chosen since the last leaf."""

        def __init__(self) -> None:
            self.rng = random.Random(1)
            self.path: list[tuple[tuple[float, ...], Move]] = []

        def select(self, visits: int, branches: list) -> int:
            index = self.rng.choice([i for i, branch in enumerate(branches) if branch.open])
            state = tuple(branch.prior for branch in branches)
            closed = {branch.move for branch in branches if not branch.open}
            # Asked again at the same node: the move chosen before was refused.
            if self.path and self.path[-1][0] == state and self.path[-1][1] in closed:
                self.path.pop()
            self.path.append((state, branches[index].move))
            return index

    class Marker:
        """A leaf ends a path."""

        def evaluate(self, leaf: object) -> float:
            paths.append((leaf.board.hash, [move for _, move in follower.path]))  # type: ignore[attr-defined]
            follower.path.clear()
            return 0.0

    follower = Follower()

    class Told:
        """Every move, with priors that tell the states apart."""

        def moves(self, leaf: object) -> list[tuple[Move, float]]:
            board, color = leaf.board, int(leaf.to_move)  # type: ignore[attr-defined]
            rng = random.Random(board.hash * 3 + color)
            return [(move, rng.random()) for move in board.legal_moves(color)]

    search = Search(
        follower,
        Told(),
        Marker(),
        memory_mb=8,
        early_stop=False,
        expand_after=0,
        shared=True,  # type: ignore[arg-type]
    )
    start = fresh((2, 2), "tromp-taylor")
    run(search, start, 1500)
    long = 0
    for key, path in paths:
        at = start
        for move in path:
            if at.is_over:
                break  # the path went on after a game that was over: its leaf was not asked about
            if not at.is_legal(move):
                pytest.fail(f"{path} repeats a position at {move}")
            at = at.play(move)
        else:
            long += len(path) > 4
            assert at.hash == key
    assert long > 50


# ---- history ---------------------------------------------------------------------------------------------


def graph_player(url: str | None = None, threads: int = 1, **parameters: object) -> GraphPlayer:
    settings = {"playout": "uniform", "resign": 0.0} | parameters
    return GraphPlayer(
        Parameters(**settings),  # type: ignore[arg-type]
        Resources(memory_mb=16, graph=url, threads=threads),
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "graph.db")


@pytest.mark.parametrize("threads", [1, 2])
def test_the_second_visit_to_an_opening_is_ten_times_wiser(file: str, threads: int) -> None:
    """What the root is known by when a tenth of the first visit's simulations are made."""
    position = fresh(7)
    first = graph_player(file, threads)
    first.new_game(position.rules)
    assert first.choose(position, Limit(playouts=50)).visits == 50
    first.new_game(position.rules)
    made = first.choose(position, Limit(playouts=1000)).info["simulations"]
    first.close()
    second = graph_player(file, threads)
    second.new_game(position.rules)
    wiser = second.choose(position, Limit(playouts=50))
    second.close()
    assert wiser.visits >= 10 * 50
    # A search that is decided stops early.
    assert wiser.visits == pytest.approx(50 + made + 0.9 * 50, abs=1)
    assert made > 500


def test_history_steers_the_search() -> None:
    """One move is known to have won a thousand times: the first simulations follow it."""
    position = fresh(5)
    player = graph_player(m=1.0, first_play=0.45, knowledge=False)
    player.new_game(position.rules)
    history = player._history
    assert history is not None
    good = position.play(12)
    history.write_back([graph_key(good)], [1000.0], [990.0], n=1.0)
    history.write_back([graph_key(position)], [1000.0], [500.0], n=1.0)
    player.new_game(position.rules)
    decision = player.choose(position, Limit(playouts=30))
    assert decision.move == 12
    assert decision.winrate is not None
    assert decision.winrate > 0.9


def test_what_was_found_is_on_the_disk_and_the_ledger_right(file: str) -> None:
    position = fresh(7)
    player = graph_player(file)
    for _ in range(6):
        position = position.play(player.choose(position, Limit(playouts=80)).move)
        if position.is_over:
            break
    player.close()
    with GraphDisk.open(file, create=False) as disk:
        report = disk.verify()
        assert report.clean
        assert report.writes >= 5
        start = disk.read_keys([graph_key(fresh(7))])
        assert start.visits.tolist() == [80.0]
        assert 0 <= start.wins[0] <= 80


def test_stepping_back_finds_what_was_known(file: str) -> None:
    """In a game under way too: the tree is gone after an undo, what was found is not."""
    position = fresh(7)
    player = graph_player(file)
    made = player.choose(position, Limit(playouts=600)).info["simulations"]
    after = position.play(3).play(40)
    player.choose(after, Limit(playouts=60))
    again = player.choose(position, Limit(playouts=10))
    player.close()
    assert again.visits == made + again.info["simulations"]


def test_analysis_and_pondering_remember_as_well() -> None:
    position = fresh(7)
    player = graph_player()
    request = AnalysisRequest(limit=Limit(playouts=300), interval=0.05)
    assert player.analyze(position, request, lambda report: None, threading.Event()).visits == 300
    player.new_game(position.rules)
    reports: list[AnalysisReport] = []
    stop = threading.Event()

    def once(report: AnalysisReport) -> None:
        reports.append(report)
        stop.set()

    player.analyze(position, AnalysisRequest(interval=0.02), once, stop)
    assert reports[0].root_visits > 300
    assert any(len(info.pv) > 1 for info in reports[0].moves), "variations out of history"
    stopped = threading.Event()
    thinking = threading.Thread(target=player.ponder, args=(position.play(24), stopped))
    thinking.start()
    time.sleep(0.1)
    stopped.set()
    thinking.join()
    assert player.choose(position.play(24), Limit(playouts=5)).visits > 5


def test_other_rules_have_another_history(file: str) -> None:
    player = graph_player(file)
    player.choose(fresh(5), Limit(playouts=200))
    assert player.choose(fresh(5, komi=5.5), Limit(playouts=20)).visits == 20
    assert player.choose(fresh(5), Limit(playouts=20)).visits > 200
    player.close()


def test_without_history_nothing_is_kept(file: str) -> None:
    player = graph_player(file, history=False)
    player.choose(fresh(5), Limit(playouts=100))
    player.new_game(fresh(5).rules)
    assert player.choose(fresh(5), Limit(playouts=10)).visits == 10
    player.close()
    assert not Path(file).exists()


def test_warming_counts_against_the_time_of_a_move(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    player = graph_player(file)
    asked: list[float] = []
    limits: list[float] = []

    def slow_warm(limit: int, seconds: float):  # type: ignore[no-untyped-def]
        asked.append(seconds)
        time.sleep(min(seconds, 0.3))
        return MemoryGraph().warm(0, 0.0)

    run_search = Search.run

    def watched(self: Search, position: Position, limit: Limit, **options: object):  # type: ignore[no-untyped-def]
        assert limit.seconds is not None
        limits.append(limit.seconds)
        return run_search(self, position, Limit(playouts=5), **options)  # type: ignore[arg-type]

    monkeypatch.setattr(player._disk, "warm", slow_warm)
    monkeypatch.setattr(Search, "run", watched)
    player.new_game(fresh(5).rules)
    assert asked == [0.5], "before the game, off the clock"
    player.choose(fresh(5).with_rules(fresh(5, komi=3.5).rules), Limit(seconds=0.8))
    player.close()
    assert asked[1] <= 0.2
    assert limits[0] <= 0.8 - 0.19


def test_a_disk_that_fails_does_not_cost_the_move(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tengen.errors import DataError

    player = graph_player(file)

    def fails(*args: object, **named: object) -> int:
        raise DataError("graph: disk full")

    monkeypatch.setattr(player._disk, "write_back", fails)
    position = fresh(5)
    for _ in range(3):
        position = position.play(player.choose(position, Limit(playouts=30)).move)
    with pytest.raises(DataError, match="disk full"):
        player.close()


def test_a_graph_larger_than_memory_is_followed_from_the_position(file: str) -> None:
    position = fresh(5)
    player = graph_player(file)
    player.choose(position, Limit(playouts=400))
    player.close()
    with GraphDisk.open(file) as disk:
        keys = np.random.default_rng(1).integers(0, 2**63, 3000, dtype=np.uint64)
        disk.write_back(keys, np.full(3000, 9000.0), np.full(3000, 10.0))
    small = graph_player(file, warm_states=300, warm_seconds=5.0)
    decision = small.choose(position, Limit(playouts=20))
    small.close()
    assert decision.visits >= 400, "many more visited states of other games were in the way"


def test_of_a_graph_larger_than_memory_the_most_visited_stay(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Following the position costs a search its time: only where the game has left what is known."""
    import tengen.systems.graph as module

    position = fresh(5)
    player = graph_player(file)
    player.choose(position, Limit(playouts=400))
    player.close()
    with GraphDisk.open(file) as disk:
        keys = np.random.default_rng(1).integers(0, 2**63, 3000, dtype=np.uint64)
        disk.write_back(keys, np.full(3000, 1.0), np.full(3000, 1.0))
    followed: list[Position] = []
    follow = module.warm_around

    def watched(disk: GraphDisk, place: Position, limit: int, seconds: float) -> GraphRows:
        followed.append(place)
        return follow(disk, place, limit, seconds)

    monkeypatch.setattr(module, "warm_around", watched)
    small = graph_player(file, warm_states=300, warm_seconds=5.0)
    small.new_game(position.rules)
    assert small.choose(position, Limit(playouts=20)).visits >= 400
    assert not followed
    far = fresh(5).play(0).play(24).play(4).play(20)
    small.choose(far, Limit(playouts=20))
    small.close()
    assert followed == [far]


@pytest.mark.parametrize(
    "parameters", [{"backup": "paper"}, {"shared": False}, {"n": 0.0}, {"first_play": 1e9}]
)
def test_the_named_options_play(parameters: dict[str, object]) -> None:
    player = graph_player(**parameters)
    position = fresh(5)
    for _ in range(4):
        position = position.play(player.choose(position, Limit(playouts=60)).move)
    player.close()


@pytest.mark.parametrize("wrong", [{"m": 0.5}, {"n": 1.5}, {"backup": "both"}, {"warm_states": -1}])
def test_numbers_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="graph"):
        Parameters(**wrong)  # type: ignore[arg-type]


def test_superko_of_the_game_is_kept_by_the_engine() -> None:
    text = """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """
    position = parse_diagram(text, Rules.named("tromp-taylor", komi=0.5)).play(7).play(PASS).play(PASS)
    player = graph_player()
    decision = player.decide(position, Limit(playouts=100), {Color.WHITE: frozenset({6})})
    assert decision.move != 6
    player.close()


# ---- many processes, and the end of one ------------------------------------------------------------------


def _play_for_ever(url: str, seed: int, told: int) -> None:
    """Games of the engine against itself on one graph until killed; a byte for every search begun."""
    rng = random.Random(seed)
    player = GraphPlayer(
        Parameters(playout="uniform", resign=0.0), Resources(memory_mb=16, graph=url, seed=seed)
    )
    while True:
        position = fresh(rng.choice([5, 6, 7]))
        player.new_game(position.rules)
        while not position.is_over and position.move_number < 60:
            os.write(told, b".")
            position = position.play(player.choose(position, Limit(playouts=rng.randint(20, 400))).move)


def _kill_players(url: str, times: int, seed: int) -> int:
    """Kill a game at random moments; each time the graph verifies. The number of searches that were kept."""
    rng = random.Random(seed)
    kept = 0
    for turn in range(times):
        reading, writing = os.pipe()
        player = FORK.Process(target=_play_for_ever, args=(url, seed * 1000 + turn, writing))
        player.start()
        os.close(writing)
        # Some searches later, and then anywhere in one: how many there are is not to depend on the machine.
        seen = rng.randint(1, 6)
        for _ in range(seen):
            assert os.read(reading, 1)
        time.sleep(rng.uniform(0.0, 0.1))
        assert player.pid is not None
        os.kill(player.pid, signal.SIGKILL)
        player.join()
        with os.fdopen(reading, "rb") as pipe:
            begun = seen + len(pipe.read())
        with GraphDisk.open(url) as disk:
            report = disk.verify()
        assert report.clean, f"kill {turn}: {report.problems}"
        # The search under way and, at worst, the one before it, which was being written meanwhile.
        assert kept + begun - 2 <= report.writes <= kept + begun, f"kill {turn}: {begun} begun"
        kept = report.writes
    return kept


def test_a_killed_game_leaves_a_clean_graph(file: str) -> None:
    assert _kill_players(file, 4, seed=1) > 0


@pytest.mark.slow
def test_200_killed_games(file: str) -> None:
    assert _kill_players(file, 200, seed=2) > 200


def _play_some(url: str, seed: int) -> None:
    player = graph_player(url)
    position = fresh(5)
    for _ in range(8):
        position = position.play(player.choose(position, Limit(playouts=100 + seed)).move)
    player.close()


def test_two_games_share_a_file(file: str) -> None:
    players = [FORK.Process(target=_play_some, args=(file, seed)) for seed in (1, 2)]
    for player in players:
        player.start()
    for player in players:
        player.join(60)
        assert player.exitcode == 0
    with GraphDisk.open(file, create=False) as disk:
        report = disk.verify()
        assert report.clean
        assert report.writes == 16
        # Both searched the empty board: Eq. 3 by whoever came second.
        (visits,) = disk.read_keys([graph_key(fresh(5))]).visits.tolist()
        assert visits in (pytest.approx(101 + 0.9 * 102), pytest.approx(102 + 0.9 * 101))
