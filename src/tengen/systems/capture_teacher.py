"""What a teacher of Capture Go says: what is threatened, what a move does, how the game ended.

Only the rules and short reading speak here, no evaluator's opinion: every sentence is true of the position.
"""

from __future__ import annotations

from tengen.go.coords import PASS, Color, Move, format_gtp
from tengen.go.position import Position
from tengen.players import Threat

__all__ = ["ending", "explain_move", "threats"]


def threats(position: Position) -> list[Threat]:
    """Every chain in atari, the longest first."""
    board = position.board
    found, seen = [], set[Move]()
    for color in (Color.BLACK, Color.WHITE):
        for stone in position.stones(color):
            if stone in seen:
                continue
            chain = board.chain(stone)
            seen.update(chain)
            if board.in_atari(stone):
                found.append(Threat(color, tuple(chain), board.chain_liberties(stone)[0]))
    return sorted(found, key=lambda threat: -len(threat.stones))


def _side(color: Color) -> str:
    return "Black" if color is Color.BLACK else "White"


def _named(position: Position, move: Move) -> str:
    return format_gtp(move, position.width, position.height)


def _stones(position: Position, stones: tuple[Move, ...]) -> str:
    """``the stone at C3``, ``the 4 stones around C3``."""
    name = _named(position, stones[0])
    return f"the stone at {name}" if len(stones) == 1 else f"the {len(stones)} stones around {name}"


def explain_move(position: Position, move: Move) -> str:
    """What a move of the side to move does, in a sentence or two. Raises IllegalMove for one it may not
    play.
    """
    color = position.to_move
    mine, enemy = _side(color), _side(color.opponent)
    before = threats(position)
    after = position.play(move)
    if move == PASS:
        return f"{mine} passes."
    name = _named(position, move)
    taken = [threat for threat in before if threat.color is color.opponent and threat.liberty == move]
    if taken:
        return f"{mine} {name} captures {_stones(position, taken[0].stones)} and wins."
    missed = [threat for threat in before if threat.color is color.opponent]
    left = [threat for threat in threats(after) if threat.color is color]
    parts = []
    saved = [
        threat for threat in before if threat.color is color and not after.board.in_atari(threat.stones[0])
    ]
    if saved:
        parts.append(f"{name} saves {_stones(position, saved[0].stones)}")
    old = {stone for threat in missed for stone in threat.stones}
    pressed = [
        threat
        for threat in threats(after)
        if threat.color is color.opponent and not old.intersection(threat.stones)
    ]
    if pressed:
        parts.append(f"{'it' if parts else name} threatens {_stones(after, pressed[0].stones)}")
        if len({threat.liberty for threat in pressed}) > 1:
            parts.append("and another chain at the same time, and both cannot be saved")
    if not parts:
        joined = _joined(position, move, color)
        if joined > 1:
            parts.append(f"{name} joins {joined} chains into one")
        liberties = after.board.liberties(move)
        noun = "liberty" if liberties == 1 else "liberties"
        parts.append(f"{'its chain' if parts else name} has {liberties} {noun}")
    text = f"{mine} " + ", ".join(parts) + "."
    if left:
        place = _named(position, left[0].liberty)
        text += f" But {enemy} can then capture {_stones(after, left[0].stones)} at {place} and win."
    elif missed:
        text += f" {mine} could have won at once at {_named(position, missed[0].liberty)}."
    return text


def _joined(position: Position, move: Move, color: Color) -> int:
    """How many chains of a colour a stone there would touch."""
    width, height = position.width, position.height
    row, column = divmod(move, width)
    chains = set()
    for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= r < height and 0 <= c < width and position.board.color_at(r * width + c) == color:
            chains.add(tuple(position.board.chain(r * width + c)))
    return len(chains)


def ending(position: Position) -> str:
    """How the game ended, in words; the empty text while it goes on."""
    winner = position.capture_winner
    if winner is not Color.EMPTY:
        if position.last_move is None or position.last_move == PASS or not position.board.last_captured:
            return f"{_side(winner)} made the first capture and wins."
        taken = position.board.last_captured
        what = "a stone" if taken == 1 else f"{taken} stones"
        where = _named(position, position.last_move)
        moves = "1 move" if position.move_number == 1 else f"{position.move_number} moves"
        return f"{_side(winner)} captured {what} at {where} and wins, after {moves}."
    if position.is_over:
        return "Both sides passed without a capture: a draw."
    return ""
