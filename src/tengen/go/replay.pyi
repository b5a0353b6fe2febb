from tengen.go.board import Board

__all__ = ["replay_into", "replay_moves"]

def replay_into(board: Board, moves: bytes, first: int = 1, suicide: bool = False) -> int: ...
def replay_moves(
    moves: bytes, width: int = 19, height: int = 19, first: int = 1, suicide: bool = False
) -> Board: ...
