from tengen.knowledge.moves import MoveKnowledge
from tengen.search.parts import Pruner

__all__ = ["KnowledgePruner"]

class KnowledgePruner(Pruner):
    knowledge: MoveKnowledge
    keep: float
    at_least: int
    def __init__(
        self, knowledge: MoveKnowledge | None = None, keep: float = 1.0, at_least: int = 3
    ) -> None: ...
    def clone(self) -> KnowledgePruner: ...
