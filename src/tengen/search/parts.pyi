from tengen.go.position import Position

__all__ = ["Evaluator", "Pruner", "Selector", "Simulation"]

class Simulation:
    def __init__(self, width: int, height: int) -> None: ...

class Selector:
    @property
    def uses_amaf(self) -> bool: ...

class Pruner:
    def begin(self, position: Position) -> None: ...
    def clone(self) -> Pruner: ...

class Evaluator:
    def clone(self) -> Evaluator: ...
