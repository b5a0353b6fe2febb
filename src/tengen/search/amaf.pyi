__all__ = ["Amaf"]

class Amaf:
    def __init__(self, among_threads: bool) -> None: ...
