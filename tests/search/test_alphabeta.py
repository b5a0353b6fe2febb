"""Alpha-beta of the first capture: diagrams, and every value against a slow search that knows no shortcut."""

import random

import pytest

from tengen.errors import ConfigError
from tengen.go.board import Board
from tengen.go.coords import PASS, Color, format_gtp
from tengen.go.diagram import parse_diagram
from tengen.search.alphabeta import WIN, AlphaBeta
from tengen.search.leaves import CallableEvaluator, LeafEvaluator


def board_of(diagram):
    return parse_diagram(diagram).board


def named(board, move):
    return format_gtp(move, board.width, board.height)


def search(board, color=Color.BLACK, depth=3, reading=1, evaluator=None, **options):
    return AlphaBeta(evaluator or LeafEvaluator(), reading).search(board, color, depth, **options)


def test_a_capture_wins_at_once():
    board = board_of("""
        . X . . .
        X O . . .
        . X . . .
        . . . . .
        . . . . .
    """)
    found = search(board)
    assert (named(board, found.move), found.value, found.plies) == ("C4", WIN, 1)


def test_white_saves_the_stone_in_atari():
    board = board_of("""
        . X . . .
        X O . . .
        . X . . .
        . . . . .
        . . . . .
    """)
    found = search(board, Color.WHITE)
    assert named(board, found.move) == "C4"
    assert not found.decided


def test_two_stones_in_atari_cannot_both_be_saved():
    board = board_of("""
        . X . . X .
        X O . . O X
        . X . . X .
        . . . . . .
        . . . . . .
        . . . . . .
    """)
    found = search(board, Color.WHITE)
    assert (found.decided, found.value, found.plies) == (True, 1 - WIN, 2)


def test_the_double_atari_is_found():
    """Black at C4 leaves B4 and C3 one liberty each: White saves one, the other falls. 3 plies."""
    board = board_of("""
        . . . . .
        X O . . .
        . X O . .
        . . X . .
        . . . . .
    """)
    found = search(board, depth=1, reading=2)
    assert named(board, found.move) == "C4"
    assert found.plies == 3


LADDER = """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . X O . . . .
    . . X X . . .
    . . . . . . .
"""


def test_a_ladder_is_read_beyond_the_horizon():
    board = board_of(LADDER)
    blind = search(board, depth=2, reading=1)
    seeing = search(board, depth=2, reading=30)
    assert not blind.decided
    assert seeing.value > WIN - 30
    assert named(board, seeing.move) == "C4"


def test_a_ladder_breaker_is_seen():
    board = board_of(LADDER.replace(". . . . . . .", ". . . . . O .", 3))
    assert not search(board, depth=2, reading=30).decided


def test_with_no_legal_move_one_passes():
    board = board_of("""
        . X .
        X X X
        . X .
    """)
    found = search(board, Color.WHITE)
    assert (found.move, found.value) == (PASS, 0.0)


def test_who_has_run_out_of_safe_points_has_lost():
    """White has one eye, Black two: White to move fills his own eye's room and is taken."""
    board = board_of("""
        . O O X .
        O O O X X
        O O O X X
        X X X X X
        . X X X .
    """)
    found = search(board, Color.WHITE)
    assert found.move == PASS or found.value < 0


def test_blind_horizon_walks_into_capture_and_reading_does_not():
    """To an evaluator that wants stones at A1, only reading says that the stone would be taken."""
    board = board_of("""
        . . . . .
        . . . . .
        . . . . .
        O . . . .
        . . O . .
    """)
    a1 = 20

    def greed(colors):
        return 0.9 if colors[a1] == 1 else 0.0

    assert search(board, depth=1, reading=0, evaluator=CallableEvaluator(greed)).move == a1
    assert search(board, depth=1, reading=1, evaluator=CallableEvaluator(greed)).move != a1


def test_wrong_uses_are_refused():
    with pytest.raises(ConfigError, match="depth 0"):
        search(Board(5, 5), depth=0)
    with pytest.raises(ConfigError, match="reading -1"):
        AlphaBeta(LeafEvaluator(), -1)


def test_node_limit_keeps_what_was_found():
    found = search(Board(5, 5), depth=6, node_limit=200)
    assert 1 <= found.depth < 6
    assert found.nodes < 10_000


# ---- against an obvious search --------------------------------------------------------------------


def judge(colors):
    """Some opinion that depends on every point, within -1..1."""
    total = sum((index * 37 % 11 - 5) * (1, -1, 0)[color - 1] for index, color in enumerate(colors) if color)
    return total / (10.0 * len(colors))


class Stuck(Exception):
    """A player without a legal move: the slow search does not know what a pass is."""


def slow_value(board, color, depth):
    """Plain negamax of the same game: no table, no cuts, every legal move tried.

    The horizon is that of reading 1: who can capture does; an answer to atari costs no depth.
    """
    legal = board.legal_moves(color)
    for move in legal:
        if board.copy().place(move, color):
            return WIN
    if depth <= 0:
        value = judge(board.stones_list())
        return value if color == Color.BLACK else -value
    if not legal:
        raise Stuck
    points = range(board.width * board.height)
    threatened = any(board.color_at(move) == color and board.in_atari(move) for move in points)
    best = -WIN
    for move in legal:
        after = board.copy()
        after.place(move, color)
        value = -slow_value(after, color.opponent, depth if threatened else depth - 1)
        best = max(best, value - 1 if value > 300 else value + 1 if value < -300 else value)
    return best


def random_board(random_source, size=4, stones=5):
    board = Board(size, size)
    color = Color.BLACK
    for _ in range(stones):
        safe = []
        for move in board.legal_moves(color):
            after = board.copy()
            if not after.place(move, color) and not any(
                after.color_at(m) and after.in_atari(m) for m in range(size * size)
            ):
                safe.append(move)
        if not safe:
            break
        board.place(random_source.choice(safe), color)
        color = color.opponent
    return board, color


@pytest.mark.parametrize(("depth", "boards"), [(1, 60), (2, 20), (3, 4)])
def test_values_are_those_of_a_plain_search(depth, boards):
    source = random.Random(depth)
    compared = decided = 0
    for _ in range(boards):
        board, color = random_board(source, size=4, stones=source.randrange(5, 9))
        try:
            expected = slow_value(board, color, depth)
        except Stuck:
            continue
        found = search(board, color, depth, evaluator=CallableEvaluator(judge))
        assert found.value == pytest.approx(expected, abs=1e-5), (board.stones_list(), color, depth)
        compared += 1
        decided += found.decided
    assert compared > boards // 2
    assert depth == 1 or 0 < decided < compared


def test_every_root_move_has_its_own_value():
    source = random.Random(7)
    board, color = random_board(source, 5, 6)
    every = search(board, color, 2, evaluator=CallableEvaluator(judge), every=True)
    best = search(board, color, 2, evaluator=CallableEvaluator(judge))
    assert (every.move, every.value) == (best.move, best.value)
    assert len(every.values) > 10
    for move, value in every.values:
        after = board.copy()
        after.place(move, color)
        reply = -search(after, color.opponent, 1, evaluator=CallableEvaluator(judge)).value
        later = reply - 1 if reply > 300 else reply + 1 if reply < -300 else reply
        assert value == pytest.approx(later, abs=1e-6)


def test_the_board_is_left_alone_and_the_same_search_gives_the_same_answer():
    board, color = random_board(random.Random(3), 5, 6)
    before = board.stones_list()
    searcher = AlphaBeta(CallableEvaluator(judge), 4)
    one = searcher.search(board, color, 3)
    two = searcher.search(board, color, 3)
    assert board.stones_list() == before
    assert one == two


def test_a_searcher_that_has_searched_before_finds_what_a_fresh_one_finds():
    """Nothing read with other reading, or for another root, is taken for true."""
    source = random.Random(1)
    used = AlphaBeta(CallableEvaluator(judge))
    for _ in range(25):
        board, color = random_board(source, 5, source.randrange(4, 12))
        for depth in (3, 2, 2):
            used.reading = source.choice([0, 1, 4, 8])
            fresh = AlphaBeta(CallableEvaluator(judge), used.reading)
            assert used.search(board, color, depth) == fresh.search(board, color, depth)


def test_stopped_before_it_began_it_still_plays_by_rules_and_evaluator():
    """White's stone in atari at B4 must be saved; on a free board the static value alone decides."""
    searcher = AlphaBeta(CallableEvaluator(judge), 4)
    board, color = random_board(random.Random(3), 5, 6)
    searcher.stopped = True
    hasty = searcher.search(board, color, 3)
    assert hasty.depth == 0
    assert not searcher.stopped
    one_ply = AlphaBeta(CallableEvaluator(judge), 1).search(board, color, 1, every=True)
    assert hasty.values == one_ply.values
    assert searcher.search(board, color, 3) == AlphaBeta(CallableEvaluator(judge), 4).search(board, color, 3)
    threatened = board_of("""
        . X . . .
        X O . . .
        . X . . .
        . . . . .
        . . . . .
    """)
    searcher.stopped = True
    assert named(threatened, searcher.search(threatened, Color.WHITE, 3).move) == "C4"
    searcher.stopped = True
    assert named(threatened, searcher.search(threatened, Color.BLACK, 3).move) == "C4"
    assert not searcher.stopped
