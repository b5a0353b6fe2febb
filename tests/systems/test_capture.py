"""Capture Go: the evaluator's shape and its compiled twin, the defensive player, the teacher, the engine."""

import json
from random import Random

import numpy as np
import pytest

from tengen.errors import ConfigError, DataError
from tengen.go.board import Board
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.learn.evolve import HOUSE
from tengen.players import Explainer, Limit, Player
from tengen.search.alphabeta import AlphaBeta
from tengen.systems import Resources, make_player
from tengen.systems.capture import CapturePlayer, Parameters, build
from tengen.systems.capture_breeding import CaptureContest, CaptureSelfPlay
from tengen.systems.capture_champions import (
    Champion,
    find_champion,
    read_champion,
    shipped_champions,
    write_champion,
)
from tengen.systems.capture_defender import DefensiveChooser
from tengen.systems.capture_games import NetChooser, RandomChooser, play_game, regions, surrounded
from tengen.systems.capture_net import CaptureNet
from tengen.systems.capture_shape import (
    LARGEST,
    SMALLEST,
    board_shape,
    influence_numbers,
    planes_of,
    squares_dimension,
    squares_genome,
    subsquares,
    symmetries,
)
from tengen.systems.capture_teacher import ending, explain_move, threats

RULES = Rules.named("capture", 5)


def position_of(diagram, to_move=Color.BLACK):
    bare = parse_diagram(diagram)
    rules = Rules.named("capture", bare.width)
    return parse_diagram(diagram, rules, to_move)


def at(position, name):
    return parse_gtp(name, position.width, position.height)


def genome(size, seed=0, spread=0.2):
    return np.random.default_rng(seed).uniform(-spread, spread, board_shape(size).count)


# ---- the evaluator's shape ------------------------------------------------------------------------


def test_nine_by_nine_has_the_papers_140_subsquares():
    squares = subsquares(9)
    assert [sum(1 for side, _, _ in squares if side == n) for n in range(3, 10)] == [49, 36, 25, 16, 9, 4, 1]
    assert board_shape(9).first == 140


def test_weights_are_more_than_six_thousand():
    """430 tied weights, 30 tied biases, then 140*40 + 40 + 40*10 + 10 + 10 + 1 free ones."""
    shape = board_shape(9)
    assert (shape.tied_count, shape.bias_count, shape.count) == (430, 30, 430 + 30 + 6061)
    assert [board_shape(size).count for size in (5, 7, 13)] == [1057, 2814, 23101]


@pytest.mark.parametrize("size", [5, 8, 9])
def test_first_layer_is_alike_under_all_eight_symmetries(size):
    """Turning or mirroring the board only renames the sub-squares: their outputs are the same numbers."""
    shape = board_shape(size)
    tied, biases = shape.split(genome(size, 1))[:2]
    matrix = shape.first_layer(tied)
    board = np.random.default_rng(2).integers(0, 3, (size, size))
    expected = np.sort(planes_of(board.ravel()) @ matrix + biases[shape.biases])
    for turned in range(4):
        for view in (np.rot90(board, turned), np.rot90(board, turned).T):
            found = np.sort(planes_of(view.ravel()) @ matrix + biases[shape.biases])
            assert found == pytest.approx(expected)


def test_each_connection_has_a_weight_and_no_two_orbits_share_one():
    shape = board_shape(6)
    assert sorted(set(shape.tied.tolist())) == list(range(shape.tied_count))
    # A point well off every axis is one of eight; the centre point of an odd board is one alone.
    nine = board_shape(9)
    whole = nine.nodes == 139
    counts = np.bincount(nine.tied[whole], minlength=nine.tied_count)
    assert counts[nine.tied[whole & (nine.points == 40)][0]] == 1
    assert counts[nine.tied[whole & (nine.points == 1)][0]] == 8
    assert counts[nine.tied[whole & (nine.points == 0)][0]] == 4


def test_black_is_minus_one_and_white_plus_one():
    assert planes_of(np.array([0, 1, 2])).tolist() == [0.0, -1.0, 1.0]


def test_gradient_is_that_of_small_differences():
    shape = board_shape(5)
    weights, random = genome(5, 3), np.random.default_rng(4)
    planes, errors = planes_of(random.integers(0, 3, (6, 25))), random.normal(size=6)
    gradient = shape.gradient(weights, planes, errors, 0.7)
    for index in random.integers(0, shape.count, 25):
        step = np.zeros(shape.count)
        step[index] = 1e-6
        rise = errors @ (
            shape.values(weights + step, planes, 0.7) - shape.values(weights - step, planes, 0.7)
        )
        assert gradient[index] == pytest.approx(rise / 2e-6, abs=1e-7)


def test_other_sizes_and_lengths_are_refused():
    for size in (SMALLEST - 1, LARGEST + 1):
        with pytest.raises(ConfigError, match=f"board size {size}"):
            board_shape(size)
    with pytest.raises(ConfigError, match="6521 expected"):
        board_shape(9).split(np.zeros(6520))


def test_few_numbers_make_an_influence_evaluator():
    """Sharpness and count of each kind of sub-square; colours exchanged, the value changes its sign alone."""
    shape = board_shape(7)
    assert squares_dimension(7) == 28
    numbers = np.random.default_rng(1).uniform(-1, 1, 28)
    weights = squares_genome(7, numbers)
    boards = np.random.default_rng(2).integers(0, 3, (20, 49))
    values = shape.values(weights, planes_of(boards))
    assert shape.values(weights, -planes_of(boards)) == pytest.approx(-values)
    for view in symmetries(7):
        assert shape.values(weights, planes_of(boards)[:, view]) == pytest.approx(values)
    black = np.zeros((1, 49), dtype=int)
    black[0, 24] = 1
    assert shape.values(squares_genome(7, influence_numbers(7)), planes_of(black))[0] > 0
    with pytest.raises(ConfigError, match="28 expected"):
        squares_genome(7, numbers[1:])


# ---- the compiled evaluator -----------------------------------------------------------------------


@pytest.mark.parametrize(("size", "spread"), [(5, 0.2), (9, 0.2), (9, 3.0), (13, 0.2)])
def test_compiled_batch_agrees_with_the_plain_pass(size, spread):
    shape, weights = board_shape(size), genome(size, size, spread)
    boards = np.random.default_rng(1).integers(0, 3, (50, size * size))
    plain = shape.values(weights, planes_of(boards), 0.8)
    assert CaptureNet(size, weights, 0.8).values(boards) == pytest.approx(
        plain, abs=2e-4 if spread > 1 else 2e-5
    )


def test_evaluator_follows_the_search_and_leaves_no_trace():
    """A one-ply search's values are those of the boards after each move, each computed from nothing."""
    net = CaptureNet(9, genome(9, 7))
    board = Board(9, 9)
    for move, color in ((20, 1), (30, 2), (40, 1), (50, 2), (44, 1)):
        board.place(move, color)
    found = AlphaBeta(net, 1).search(board, Color.WHITE, 1, every=True)
    boards = []
    for move, _ in found.values:
        after = board.copy()
        after.place(move, Color.WHITE)
        boards.append(after.stones_list())
    assert -net.values(np.array(boards)) == pytest.approx(
        np.array([value for _, value in found.values]), abs=1e-5
    )


def test_quick_choice_is_the_searchs():
    source, search = Random(5), AlphaBeta(CaptureNet(7, genome(7)), 1)
    board, color = Board(7, 7), Color.BLACK
    for _ in range(30):
        best = search.best_move(board, color, 1)
        assert best == search.search(board, color, 1).move
        if best == PASS or board.place(
            best if source.random() < 0.7 else RandomChooser().move(board, color, source), color
        ):
            break
        color = color.opponent


def test_wrong_genomes_and_boards_are_refused():
    with pytest.raises(ConfigError, match="1057 expected"):
        CaptureNet(5, np.zeros(1056))
    broken = np.zeros(1057)
    broken[3] = np.nan
    with pytest.raises(ConfigError, match="finite"):
        CaptureNet(5, broken)
    with pytest.raises(ConfigError, match="rows of 25 points"):
        CaptureNet(5, np.zeros(1057)).values(np.zeros((2, 24)))


# ---- games ----------------------------------------------------------------------------------------


def test_a_game_ends_with_the_first_capture_and_repeats_by_seed():
    one = NetChooser(6, genome(6, 1))
    other = NetChooser(6, genome(6, 2))
    games = [play_game(6, one, other, seed, stray=0.2) for seed in range(8)]
    assert games == [play_game(6, one, other, seed, stray=0.2) for seed in range(8)]
    assert len(set(games)) > 1
    assert all(result in (1, -1) and 5 <= moves <= 36 for result, moves in games)


def test_regions_and_what_they_surround():
    board = position_of("""
        . X O . .
        X X O . .
        O O O . .
        . . . . .
        . . . . .
    """).board
    assert sorted(regions(board)) == [(1, Color.BLACK), (16, Color.WHITE)]
    assert surrounded(board) == (1, 16)


def test_the_house_plays_the_defender():
    contest = CaptureContest(5, depth=1)
    games = contest.play(np.array([genome(5)]), [(0, HOUSE), (HOUSE, 0), (0, 0)], [1, 2, 3])
    assert len(games) == 3
    black = play_game(5, NetChooser(5, genome(5)), DefensiveChooser(), 1)
    assert (games[0].result, games[0].moves) == black


def test_episodes_are_the_positions_before_the_capture():
    play = CaptureSelfPlay(5, house=0.5)
    games = play.episodes(genome(5), [1, 2, 2**31 - 3])
    for game in games:
        assert game.outcome in (1.0, -1.0)
        assert len(game.planes) == game.moves - 1
        assert len(game.utilities) == game.moves
        assert (game.utilities >= 0).all()
        assert np.abs(game.planes).sum(axis=1).tolist() == list(range(1, game.moves))


def test_utility_counts_stones_area_and_the_one_prisoner():
    """White 6 stones and 0 points of 5, Black 4 and 1: shares 6/10 and 22/27 with the 16 points; one
    prisoner.
    """
    board = position_of("""
        . X O . .
        X X O . .
        O O O . .
        . . . . .
        . . . . .
    """).board
    play = CaptureSelfPlay(5, weights=(0.1, 0.3, 0.6))
    assert play.util(board) == pytest.approx(0.1 * 5 / 8 + 0.3 * 21 / 25 + 0.6 * 0.5)
    assert play.util(board, Color.WHITE) == pytest.approx(0.1 * 5 / 8 + 0.3 * 21 / 25 + 0.6)


# ---- the defensive player -------------------------------------------------------------------------


def defended(diagram, color=Color.BLACK):
    position = position_of(diagram, color)
    return {DefensiveChooser().move(position.board, color, Random(seed)) for seed in range(20)}, position


def test_the_defender_captures_when_it_can():
    moves, position = defended("""
        . X . . .
        X O . . .
        . X . . .
        . . . . O
        . . . . .
    """)
    assert moves == {at(position, "C4")}


def test_its_first_priority_is_one_string():
    moves, position = defended("""
        . . . . .
        . . . . .
        . X . X .
        . . . . .
        . . . . .
    """)
    assert moves == {at(position, "C3")}


def test_its_second_priority_is_liberties():
    """Alone in the corner the string goes where it has most liberties, away from the edge."""
    moves, position = defended("""
        . . . . .
        . . . . .
        . . . . .
        . X . . .
        . . . . .
    """)
    assert moves <= {at(position, name) for name in ("B3", "C2")}


def test_with_two_eyes_liberties_no_longer_count_and_it_surrounds():
    chooser = DefensiveChooser()
    two_eyes = position_of("""
        . X . X .
        X X X X .
        O O O O .
        . . . . .
        . . . . .
    """)
    assert chooser.merit(two_eyes.board, Color.BLACK)[:3] == (-1, 1000, 2)
    moves, position = defended("""
        . X . X .
        X X X X .
        O O O O .
        . . . . .
        . . . . .
    """)
    assert moves == {at(position, "E4")}  # which encloses E5 too


def test_its_fourth_priority_is_the_weakest_enemy():
    chooser = DefensiveChooser()
    near = position_of("""
        . . . . .
        . X O . .
        . . . . .
        . . . . .
        . . . . .
    """)
    assert chooser.merit(near.board, Color.BLACK)[3] == -3


def test_it_beats_a_random_player():
    results = [play_game(7, DefensiveChooser(), RandomChooser(), seed)[0] for seed in range(6)]
    results += [-play_game(7, RandomChooser(), DefensiveChooser(), seed)[0] for seed in range(6)]
    assert sum(result == 1 for result in results) >= 11


# ---- the teacher ----------------------------------------------------------------------------------

ATARI = """
    . X . . .
    X O . . .
    . X . . .
    . . . . .
    . . . O .
"""


def test_threatened_chains_are_shown_with_their_last_liberty():
    position = position_of(ATARI)
    (threat,) = threats(position)
    assert (threat.color, threat.stones, threat.liberty) == (
        Color.WHITE,
        (at(position, "B4"),),
        at(position, "C4"),
    )


@pytest.mark.parametrize(
    ("color", "move", "text"),
    [
        (Color.BLACK, "C4", "Black C4 captures the stone at B4 and wins."),
        (Color.WHITE, "C4", "White C4 saves the stone at B4."),
        (Color.BLACK, "C3", "Black C3 joins 1"),
        (Color.WHITE, "E3", "But Black can then capture the stone at B4 at C4 and win."),
        (Color.BLACK, "E5", "Black could have won at once at C4."),
        (Color.BLACK, "E1", "But White can then capture"),
        (Color.BLACK, "pass", "Black passes."),
    ],
)
def test_moves_are_explained(color, move, text):
    position = position_of(ATARI, color)
    said = explain_move(position, at(position, move))
    if move == "C3":
        assert said == "Black C3 has 5 liberties. Black could have won at once at C4."
    elif move == "E1":
        assert "E1 has 1 liberty" in said
    else:
        assert text in said


def test_the_end_is_said_in_words():
    position = position_of(ATARI)
    assert ending(position) == ""
    assert ending(position.play(at(position, "C4"))) == "Black captured a stone at C4 and wins, after 1 move."
    passed = position.play(PASS).play(PASS)
    assert ending(passed) == "Both sides passed without a capture: a draw."


# ---- champions and the engine ---------------------------------------------------------------------


def test_champion_files_are_plain_data_and_read_back(tmp_path):
    path = tmp_path / "mine.json"
    weights = genome(5).astype(np.float32)
    write_champion(path, Champion("hybrid", 5, weights, 0.5, {"seed": 3}))
    content = json.loads(path.read_text())
    assert sorted(content) == ["about", "format", "method", "size", "slope", "weights"]
    found = read_champion(path)
    assert (found.weights == weights).all()
    assert (found.method, found.size, found.slope, found.about) == ("hybrid", 5, 0.5, {"seed": 3})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "other"}, "format"),
        ({"size": 9}, "6521 expected"),
        ({"size": 4}, "wrong field"),
        ({"weights": "@@"}, "wrong field"),
        ({"slope": "steep"}, "wrong field"),
        ({"slope": 0}, "slope 0.0: a positive number expected"),
    ],
)
def test_damaged_champion_files_are_refused(tmp_path, change, reason):
    path = tmp_path / "mine.json"
    write_champion(path, Champion("hybrid", 5, genome(5).astype(np.float32)))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=reason):
        read_champion(path)


def test_shipped_champions_are_whole():
    shipped = shipped_champions()
    assert {"hybrid-9", "pso-9", "ea-9", "hc-9", "td-9", "hdp-9"} <= set(shipped)
    assert {f"{name}-{size}" for size in range(5, 14) for name in ("best", "hybrid")} <= set(shipped)
    for name, path in shipped.items():
        champion = read_champion(path)
        assert f"{name.split('-')[0]}-{champion.size}" == name
        assert champion.about["bred"]["seed"] >= 0


def test_the_engine_is_a_player_that_explains():
    player = make_player("capture:champion=hybrid,depth=2,reading=2")
    assert isinstance(player, Player)
    assert isinstance(player, Explainer)
    position = Position.start(RULES)
    player.new_game(RULES)
    decision = player.choose(position)
    assert position.is_legal(decision.move)
    assert 0.0 <= decision.winrate <= 1.0
    assert "has 4 liberties" in player.explain(position, at(position, "C3"))
    player.close()


@pytest.mark.parametrize("champion", ["hybrid", "defensive", "random"])
@pytest.mark.parametrize("color", [Color.BLACK, Color.WHITE])
def test_a_capture_is_never_missed_by_those_who_look(champion, color):
    player = CapturePlayer(Parameters(champion, depth=1, reading=1), seed=2)
    position = position_of(ATARI, Color.BLACK)
    if color is Color.WHITE:
        position = position_of(ATARI.replace("X", "#").replace("O", "X").replace("#", "O"), Color.WHITE)
    move = player.choose(position).move
    assert move == at(position, "C4") or champion == "random"


def test_levels_go_from_random_to_champion():
    position = position_of(ATARI)
    best = at(position, "C4")
    share = {}
    for level in ("random", "3", "champion"):
        player = build(Parameters(depth=1, reading=1), Resources(level=level, seed=1))
        share[level] = sum(player.choose(position).move == best for _ in range(60)) / 60
    assert share["random"] < 0.3 < share["3"] < share["champion"] == 1.0


def test_other_rules_boards_levels_and_champions_are_refused():
    player = CapturePlayer(Parameters())
    with pytest.raises(ConfigError, match="--rules capture"):
        player.choose(Position.start(Rules.named("chinese", 9)))
    with pytest.raises(ConfigError, match="square"):
        player.new_game(Rules.named("capture", (9, 7)))
    with pytest.raises(ConfigError, match="'nobody' for 9x9"):
        CapturePlayer(Parameters("nobody")).new_game(Rules.named("capture", 9))
    with pytest.raises(ConfigError, match="level 'expert'"):
        Parameters(level="expert")
    with pytest.raises(ConfigError, match=r"'best' is bred for 5x5, .*, 13x13; the board is 15x15"):
        player.new_game(Rules.named("capture", 15))
    with pytest.raises(ConfigError, match="'pso' is bred for 9x9; the board is 7x7"):
        CapturePlayer(Parameters("pso")).new_game(Rules.named("capture", 7))


def test_a_hint_has_a_move_words_and_the_danger():
    position = position_of(ATARI)
    hint = CapturePlayer(Parameters(depth=2, reading=2)).hint(position)
    assert hint.move == at(position, "C4")
    assert hint.text == "Black C4 captures the stone at B4 and wins."
    assert [threat.liberty for threat in hint.threats] == [at(position, "C4")]


def test_limits_in_seconds_and_positions_are_kept():
    player = CapturePlayer(Parameters(depth=12, reading=20))
    position = Position.start(Rules.named("capture", 9))
    decision = player.choose(position, Limit(seconds=0.2))
    assert decision.seconds < 2.0
    assert player.choose(position, Limit(playouts=500)).visits < 20_000


def test_the_default_champion_beats_random_players():
    champion = find_champion("best", 9)
    player = NetChooser(9, champion.weights, 2, 4, champion.slope)
    games = [play_game(9, player, RandomChooser(), seed) for seed in range(5)]
    games += [
        (-result, moves)
        for result, moves in (play_game(9, RandomChooser(), player, seed) for seed in range(5))
    ]
    assert all(result == 1 for result, _ in games)
    assert np.mean([moves for _, moves in games]) <= 28


def test_no_time_at_all_still_gives_the_evaluators_move():
    player = CapturePlayer(Parameters("hybrid"))
    position = Position.start(Rules.named("capture", 9))
    hasty = player.choose(position, Limit(seconds=1e-9))
    assert hasty.move == NetChooser(9, find_champion("hybrid", 9).weights).move(
        position.board, Color.BLACK, Random(1)
    )
