from tengen.search.evaluators import PlayoutEvaluator
from tengen.search.interfaces import PlainEvaluator, PlainPruner, PlainSelector
from tengen.search.parts import Evaluator, Pruner, Selector

__all__ = ["PythonEvaluator", "PythonPruner", "PythonSelector", "as_evaluator", "as_pruner", "as_selector"]

class PythonSelector(Selector):
    part: PlainSelector
    errors: list[Exception]
    def __init__(self, part: PlainSelector) -> None: ...

class PythonPruner(Pruner):
    part: PlainPruner
    errors: list[Exception]
    def __init__(self, part: PlainPruner) -> None: ...

class PythonEvaluator(PlayoutEvaluator):
    part: PlainEvaluator
    errors: list[Exception]
    def __init__(self, part: PlainEvaluator) -> None: ...

def as_selector(part: Selector | PlainSelector) -> Selector: ...
def as_pruner(part: Pruner | PlainPruner) -> Pruner: ...
def as_evaluator(part: Evaluator | PlainEvaluator) -> Evaluator: ...
