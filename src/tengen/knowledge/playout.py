"""Playouts: a position played to its end in a fraction of a millisecond.

Here are the base, uniform playouts and those of Capture Go; guided.py has those that use knowledge.
"""

import cython

if not cython.compiled:
    from tengen.go.board import Board
    from tengen.go.pure import STRIDE, atari_point, random_below
    from tengen.knowledge.chains import _STEP, airless

from tengen.go.board import Board as PyBoard
from tengen.go.coords import move_of_vertex

__all__ = ["CapturePlayout", "Playout", "UniformPlayout", "bench", "play_out"]


class Playout:
    """Plays boards out. One Playout serves one thread; ``clone`` makes one for another."""

    def run(self, board, c, rng, moves, limit):
        """Play the board to its end in place, c to move; write every vertex played, 0 for a pass, into moves.

        Returns how many entries were written, at most limit. Two passes in a row end it.
        """
        return board.playout(c, rng, limit, moves)

    def learn(self, before, c, moves, played, winner):
        """Told who won (0: nobody) the playout that ``run`` wrote: its first move was c's, after ``before``."""

    def forget(self) -> None:
        """Drop what was learned, as before a search."""

    def clone(self):
        """A playout of the same kind with its own scratch memory."""
        return Playout()


class UniformPlayout(Playout):
    """Uniformly random legal moves that fill no own one-point eye."""

    def clone(self):
        return UniformPlayout()


class CapturePlayout(Playout):
    """For Capture Go: takes what can be taken, which ends the game; else saves what is in atari; else plays
    at random, but into atari only when nothing else is left. ``board.captured`` is above 0 when somebody
    won."""

    def run(self, board, c, rng, moves, limit):
        played: cython.int = 0
        passes: cython.int = 0
        v: cython.int
        while passes < 2 and played < limit:
            v = self._urgent(board, c, played < 2)
            if v == 0:
                v = self._quiet(board, c, rng)
            moves[played] = v
            played += 1
            if v:
                board.play(v, c)
                passes = 0
                if board.captured:
                    return played
            else:
                board.pass_turn()
                passes += 1
            c = 3 - c
        return played

    def _urgent(self, b, c, everywhere):
        """A capture, or the point that saves what is in atari; 0 if there is neither.

        Whatever was in atari before the last two moves has been taken or saved, so only the first two moves
        of a playout look everywhere.
        """
        i: cython.int
        v: cython.int
        h: cython.int
        saving: cython.int = 0
        if everywhere:
            for v in range(STRIDE, b.cells - STRIDE):
                h = b.head[v]
                if h == v:
                    i = atari_point(b.libs[h])
                    if i and i != b.ko:
                        if b.color[v] != c:
                            return i
                        saving = i
        else:
            v = b.last
            if b.color[v] == 3 - c:
                i = atari_point(b.libs[b.head[v]])
                if i:
                    return i
            if b.before_last:
                for i in range(4):
                    v = b.before_last + _STEP[i]
                    h = atari_point(b.libs[b.head[v]]) if b.color[v] == 3 - c else 0
                    if h:
                        return h
            if b.last:
                for i in range(4):
                    v = b.last + _STEP[i]
                    h = atari_point(b.libs[b.head[v]]) if b.color[v] == c else 0
                    saving = h if h else saving
        return saving if saving and not airless(b, saving, c) else 0

    def _quiet(self, b, c, rng):
        """A random point that leaves its chain two liberties; if there is none, any legal one; if none, 0."""
        i: cython.int
        v: cython.int
        p: cython.int
        remaining: cython.int = b.empty_count
        risky: cython.int = 0
        while remaining > 0:
            i = random_below(rng, remaining)
            v = b.empty[i]
            if b.nbr[v] >> 8 >= 2:
                return v
            if not b.eye(v, c) and not b.suicidal(v, c):
                if not airless(b, v, c):
                    return v
                risky = v
            remaining -= 1
            p = b.empty[remaining]
            b.empty[i] = p
            b.slot[p] = i
            b.empty[remaining] = v
            b.slot[v] = remaining
        return risky

    def clone(self):
        return CapturePlayout()


def play_out(
    playout: Playout, board: PyBoard, color: int, seed: int, limit: int = 2000
) -> tuple[list[int], PyBoard]:
    """One playout from a copy of the board: (moves played, PASS among them; the board at the end)."""
    end = board.copy()
    player: Playout = playout
    state: cython.ulonglong = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & 0xFFFFFFFFFFFFFFFF | 1
    record: cython.ushort[2048]
    size: cython.int = min(limit, 2000)
    c: cython.int = color
    n: cython.int
    if cython.compiled:
        n = player.run(end, c, cython.address(state), record, size)  # noqa: F821
    else:
        record = [0] * 2048
        n = player.run(end, c, [state], record, size)
    return [move_of_vertex(record[i], end.width) for i in range(n)], end


def bench(
    playout: Playout, board: PyBoard, playouts: int, seed: int, color: int = 1, komi: float = 7.5
) -> tuple[int, float, int]:
    """Playouts from one position, GIL released: (moves in all, mean of Black's area minus White's, Black's
    wins)."""
    start: Board = board
    copy: Board = board.copy()
    player: Playout = playout
    state: cython.ulonglong = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & 0xFFFFFFFFFFFFFFFF | 1
    record: cython.ushort[2048]
    count: cython.int = playouts
    i: cython.int
    c: cython.int = color
    balance: cython.int
    bar: cython.double = komi
    moves: cython.longlong = 0
    total: cython.longlong = 0
    wins: cython.int = 0
    if cython.compiled:
        with cython.nogil:
            for i in range(count):  # noqa: B007
                copy.copy_from(start)
                moves += player.run(copy, c, cython.address(state), record, 2000)  # noqa: F821
                balance = copy.area_balance()
                total += balance
                wins += balance > bar
    else:
        stream, record = [state], [0] * 2048
        for i in range(count):  # noqa: B007
            copy.copy_from(start)
            moves += player.run(copy, c, stream, record, 2000)
            balance = copy.area_balance()
            total += balance
            wins += balance > bar
    return moves, float(total) / max(1, count), wins
