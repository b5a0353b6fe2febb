from tengen.go.board import Board
from tengen.knowledge.playout import Playout
from tengen.search.parts import Evaluator

__all__ = ["PlayoutEvaluator", "tromp_taylor_score"]

def tromp_taylor_score(board: Board) -> int: ...

class PlayoutEvaluator(Evaluator):
    playout: Playout
    score_weight: float
    score_scale: float
    def __init__(
        self, playout: Playout | None = None, score_weight: float = 0.0, score_scale: float = 20.0
    ) -> None: ...
    def clone(self) -> PlayoutEvaluator: ...
