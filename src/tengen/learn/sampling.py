"""Positions from packed games, many at a call and without the GIL: replay, turn, draw the planes."""

from __future__ import annotations

import cython

if cython.compiled:
    from cython.cimports.tengen.go.board import Board  # type: ignore[import-not-found]
    from cython.cimports.tengen.nets.features import PlaneWriter  # type: ignore[import-not-found]
else:
    from tengen.go.board import Board
    from tengen.go.pure import BLACK, EMPTY, WHITE
    from tengen.learn.gamefiles import PASS_POINT as PASS_ENTRY
    from tengen.learn.gamefiles import POINT_MASK as POINT
    from tengen.learn.gamefiles import SUICIDE as SUICIDE_RULE
    from tengen.learn.gamefiles import WHITE as WHITE_BIT
    from tengen.nets.features import PlaneWriter

__all__ = ["Replayer", "first_illegal"]


class Replayer:
    """One thread's board and plane writer for one board size."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.board = Board(width, height)
        self.writer = PlaneWriter(width, height)
        self.passes = 0
        self.mover = 1

    def replay(self, entries, setup, ply, turn, more):
        """Set up and play the first ``ply`` moves, every point sent through ``turn``.

        Afterwards ``mover`` is whose turn it is: the colour of the next move if there is ``more``, else the
        other one than moved last.
        """
        i: cython.int
        entry: cython.int
        point: cython.int
        v: cython.int
        c: cython.int = WHITE
        self.board.clear()
        self.writer.forget()
        self.passes = 0
        for i in range(setup + ply):
            entry = entries[i]
            point = entry & POINT
            c = WHITE if entry & WHITE_BIT else BLACK
            if point == PASS_ENTRY:
                self.board.pass_turn()
                self.writer.remember(0)
                self.passes = ((self.passes << 1) | 1) & 3
                continue
            v = self.writer.vertex[turn[point]]
            self.board.play(v, c)
            if i >= setup:
                self.writer.remember(v)
                self.passes = (self.passes << 1) & 3
        if more:
            self.mover = WHITE if entries[setup + ply] & WHITE_BIT else BLACK
        else:
            self.mover = 3 - c

    def fill(
        self,
        entries: cython.const[cython.ushort][::1],
        starts: cython.longlong[::1],
        setups: cython.int[::1],
        plies: cython.int[::1],
        lengths: cython.int[::1],
        symmetries: cython.int[::1],
        tables: cython.const[cython.short][:, ::1],
        kind: cython.int,
        planes: cython.uchar[:, ::1],
        movers: cython.int[::1],
        passes: cython.int[::1],
        played: cython.int[::1],
        first: cython.int,
        last: cython.int,
    ) -> None:
        """Positions first..last-1 of a batch: game i starts at ``starts[i]``, ``plies[i]`` moves are made.

        Fills planes[i], movers[i], passes[i] and played[i] (the next move's policy index after turning, or -1
        at a game's end). All arrays must be as long as they claim; nothing is checked here.
        """
        i: cython.int
        entry: cython.int
        area: cython.int = self.width * self.height
        if cython.compiled:
            with cython.nogil:
                for i in range(first, last):
                    self.replay(
                        cython.address(entries[starts[i]]),
                        setups[i],
                        plies[i],
                        cython.address(tables[symmetries[i], 0]),
                        plies[i] < lengths[i],
                    )
                    self.writer.write(self.board, self.mover, kind, cython.address(planes[i, 0]), 0)
                    movers[i] = self.mover
                    passes[i] = self.passes
                    played[i] = -1
                    if plies[i] < lengths[i]:
                        entry = entries[starts[i] + setups[i] + plies[i]] & POINT
                        played[i] = area if entry == PASS_ENTRY else tables[symmetries[i], entry]
        else:
            for i in range(first, last):
                game = [int(entry) for entry in entries[starts[i] : starts[i] + setups[i] + lengths[i]]]
                turn = tables[symmetries[i]]
                more = bool(plies[i] < lengths[i])
                self.replay(game, int(setups[i]), int(plies[i]), turn, more)
                self.writer.write(self.board, self.mover, kind, planes[i], 0)
                movers[i] = self.mover
                passes[i] = self.passes
                played[i] = -1
                if more:
                    entry = game[setups[i] + plies[i]] & POINT
                    played[i] = area if entry == PASS_ENTRY else turn[entry]


def first_illegal(
    entries: cython.const[cython.ushort][::1],
    setup: cython.int,
    width: cython.int,
    height: cython.int,
    rules: cython.int,
) -> int:
    """The number of the first move (0: the first) the rules forbid, or -1 if all may be played.

    Occupied points, simple ko, and suicide unless ``rules`` allow it for several stones; a setup stone on an
    occupied point counts as move 0.
    """
    board: Board = Board(width, height)
    i: cython.int
    entry: cython.int
    point: cython.int
    v: cython.int
    c: cython.int
    own: cython.int
    for i in range(len(entries)):
        entry = int(entries[i])  # a plain int where uncompiled
        point = entry & POINT
        if point == PASS_ENTRY:
            board.pass_turn()
            continue
        if point >= width * height:
            return max(i - setup, 0)
        v = (point // width + 1) * 26 + point % width + 1
        c = WHITE if entry & WHITE_BIT else BLACK
        if board.color[v] != EMPTY:
            return max(i - setup, 0)
        if i >= setup and not board.legal(v, c):
            own = (
                (board.color[v - 26] == c)
                + (board.color[v - 1] == c)
                + (board.color[v + 1] == c)
                + (board.color[v + 26] == c)
            )
            if v == board.ko or not rules & SUICIDE_RULE or own == 0:
                return i - setup
        board.play(v, c)
    return -1
