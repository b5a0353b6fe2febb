from tengen.search.parts import Selector

__all__ = ["Puct", "Rave", "Ucb1", "Ucb1Tuned"]

class Ucb1(Selector):
    exploration: float
    first_play: float
    def __init__(self, exploration: float = 0.5, first_play: float = 1e9) -> None: ...

class Ucb1Tuned(Selector):
    exploration: float
    first_play: float
    def __init__(self, exploration: float = 1.0, first_play: float = 1e9) -> None: ...

class Rave(Selector):
    equivalence: float
    exploration: float
    prior_weight: float
    first_play: float
    widen_base: float
    def __init__(
        self,
        equivalence: float = 1000.0,
        exploration: float = 0.0,
        prior_weight: float = 0.1,
        first_play: float = 1.0,
        widen_base: float = 0.0,
    ) -> None: ...

class Puct(Selector):
    exploration: float
    first_play_reduction: float
    amaf_equivalence: float
    def __init__(
        self,
        exploration: float = 1.1,
        first_play_reduction: float = 0.2,
        amaf_equivalence: float = 0.0,
    ) -> None: ...
