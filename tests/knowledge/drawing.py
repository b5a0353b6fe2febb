"""Boards from diagrams for the tests of knowledge."""

from collections.abc import Mapping

from tengen.go.board import Board
from tengen.go.diagram import parse_stones

BLACK, WHITE = 1, 2


def drawn(text: str) -> tuple[Board, Mapping[str, int]]:
    """The board drawn (X black, O white) and the points marked by letters (empty ones)."""
    diagram = parse_stones(text)
    board = Board(diagram.width, diagram.height)
    for color, stones in ((BLACK, diagram.black), (WHITE, diagram.white)):
        for move in stones:
            assert board.put(move, color)
    return board, diagram.marks


def at(board: Board, row: int, column: int) -> int:
    """A point by row and column from the upper left, both from 0."""
    return row * board.width + column
