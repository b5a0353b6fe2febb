"""GTP version 2, both ends: tengen as an engine for any front end, and other engines as players.

``main`` is the command ``tengen gtp``. Nothing here imports a board, a search or a network before a command
of the front end needs it, so that ``name`` is answered at once.
"""

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str]) -> int:
    """Run ``tengen gtp`` with these arguments; the exit status."""
    import signal

    # Until the engine listens to it, an interrupt meant for a thought must not end the program.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from tengen.front.gtp.program import main as run

    return run(argv)
