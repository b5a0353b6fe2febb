from tengen.go.board import Board

__all__ = [
    "CapturePlayout",
    "Playout",
    "UniformPlayout",
    "bench",
    "play_out",
]

class Playout:
    def forget(self) -> None: ...
    def clone(self) -> Playout: ...

class UniformPlayout(Playout): ...
class CapturePlayout(Playout): ...

def play_out(
    playout: Playout, board: Board, color: int, seed: int, limit: int = 2000
) -> tuple[list[int], Board]: ...
def bench(
    playout: Playout, board: Board, playouts: int, seed: int, color: int = 1, komi: float = 7.5
) -> tuple[int, float, int]: ...
