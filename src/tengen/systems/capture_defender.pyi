from random import Random

from tengen.go.board import Board

__all__ = ["DefensiveChooser"]

class DefensiveChooser:
    def __init__(self) -> None: ...
    def merit(self, board: Board, color: int) -> tuple[int, int, int, int]: ...
    def move(self, board: Board, color: int, random: Random) -> int: ...
