from collections.abc import Callable

__all__ = ["CallableEvaluator", "LeafEvaluator"]

class LeafEvaluator:
    def __init__(self) -> None: ...

class CallableEvaluator(LeafEvaluator):
    def __init__(self, function: Callable[[list[int]], float]) -> None: ...
