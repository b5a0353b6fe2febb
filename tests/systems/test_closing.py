"""How a searching player ends a game: it passes only where nothing can be unsettled, and gives up what is lost."""

from tengen.go.coords import PASS, RESIGN, Color, parse_gtp
from tengen.go.diagram import parse_diagram
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Limit
from tengen.systems import make_player

RULES = Rules.named("chinese", 9, komi=7.5)


def _choice(position: Position, playouts: int = 2000) -> int:
    player = make_player("rave:seed=1")
    player.new_game(position.rules)
    move = player.choose(position, Limit(playouts=playouts)).move
    player.close()
    return move


def test_no_pass_while_a_group_can_still_be_killed() -> None:
    """White leads, and the mean of all playouts calls his group at the top alive; after a pass Black kills it."""
    position = parse_diagram(
        """
        X O . . . O O X .
        X X O O . O X . X
        . X X O O X X . .
        . . X O O O X O .
        . X X O X O X X X
        . O X O X X X O O
        . X O O O O O O .
        . X O X O . . . .
        . X X X X O O . .
        """,
        to_move=Color.WHITE,
        rules=RULES,
    )
    assert _choice(position) != PASS


def test_a_settled_board_that_wins_is_passed() -> None:
    position = parse_diagram(
        """
        . X . X O . O . .
        X X X X O O . O O
        . X . X O . O . .
        X X X X O O O O O
        . X . X O . O . .
        X X X X O O O O O
        . X . X O . O . .
        X X X X O O O O O
        . X . X O . O . O
        """,
        to_move=Color.WHITE,
        rules=RULES,
    )
    assert _choice(position) == PASS


def test_three_hopeless_moves_and_the_game_is_given_up() -> None:
    """Black has the middle line and its neighbours to himself; White passed all the while."""
    rules = Rules.named("chinese", 5, komi=7.5)
    position = Position.start(rules)
    for vertex in ("C3", "C2", "C4", "B3", "D3"):
        position = position.play(parse_gtp(vertex, 5, 5)).play(PASS)
    lost = position.play(parse_gtp("C5", 5, 5))
    player = make_player("rave:seed=1,resign=0.2")
    player.new_game(rules)
    moves = []
    for vertex in ("E3", "A3", "B4"):
        moves += [player.choose(lost, Limit(playouts=400)).move for _ in range(2)]
        lost = lost.play(PASS).play(parse_gtp(vertex, 5, 5))
    assert RESIGN not in moves[:4], "looking twice at one position counts once"
    assert moves[4] == RESIGN
    player.new_game(rules)
    assert player.choose(lost, Limit(playouts=400)).move != RESIGN
    player.close()
