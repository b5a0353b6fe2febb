"""What a leaf is worth: by a playout to the end of the game."""

import cython

if cython.compiled:
    from cython.cimports.libc.math import tanh  # type: ignore[import-not-found]
    from cython.cimports.tengen.go.board import (  # type: ignore[import-not-found]
        BLACK,
        CELLS,
        EMPTY,
        MAX_PLAYOUT,
        STRIDE,
        WHITE,
        Board,
    )
    from cython.cimports.tengen.go.scoring import add_ownership  # type: ignore[import-not-found]

__all__ = ["PlayoutEvaluator", "tromp_taylor_score"]


def tromp_taylor(board, stack, mark):
    """Black's area minus White's on the board as it stands: stones, and empty regions that reach one colour."""
    v: cython.int
    n: cython.int
    i: cython.int
    j: cython.int
    top: cython.int
    size: cython.int
    reach: cython.int
    balance: cython.int = 0
    for v in range(STRIDE, board.cells - STRIDE):
        mark[v] = 0
        balance += (board.color[v] == BLACK) - (board.color[v] == WHITE)
    for i in range(board.empty_count):
        v = board.empty[i]
        if mark[v]:
            continue
        mark[v] = 1
        stack[0] = v
        top = 1
        size = 0
        reach = 0
        while top:
            top -= 1
            v = stack[top]
            size += 1
            for j in range(4):
                n = v - STRIDE if j == 0 else (v - 1 if j == 1 else (v + 1 if j == 2 else v + STRIDE))
                if board.color[n] == EMPTY:
                    if not mark[n]:
                        mark[n] = 1
                        stack[top] = n
                        top += 1
                elif board.color[n] == BLACK:
                    reach |= 1
                elif board.color[n] == WHITE:
                    reach |= 2
        if reach == 1:
            balance += size
        elif reach == 2:
            balance -= size
    return balance


def tromp_taylor_score(board: Board) -> int:
    """Black's area minus White's, nothing taken off."""
    stack: cython.ushort[704]
    mark: cython.uchar[704]
    return tromp_taylor(board, stack, mark)


class PlayoutEvaluator(Evaluator):
    """One playout from the leaf. Its value is who wins, and a little of by how much.

    ``score_weight`` is that little, 0..1: value = (1 - s) sign(margin) + s tanh(margin / score_scale). After two
    passes in the tree the board is scored as it stands.
    """

    def __init__(self, playout=None, score_weight=0.0, score_scale=20.0):
        self.playout = playout if playout is not None else Playout()
        self.score_weight = score_weight
        self.score_scale = score_scale

    def begin(self, position) -> None:
        self.playout.forget()

    def clone(self):
        return PlayoutEvaluator(self.playout.clone(), self.score_weight, self.score_scale)

    def value_of(self, sim, margin):
        """A margin for Black as a value for the side to move."""
        value: cython.double = 1.0 if margin > 0 else (-1.0 if margin < 0 else 0.0)
        if self.score_weight > 0:
            value = (1 - self.score_weight) * value + self.score_weight * tanh(margin / self.score_scale)
        return value if sim.to_move == BLACK else -value

    def evaluate(self, sim):
        color: cython.int = sim.to_move
        length: cython.int
        last: cython.int = sim.board.last
        sim.record_length = 0
        if sim.first_capture:
            if not sim.board.captured:
                length = self.playout.run(sim.board, color, cython.address(sim.rng), sim.record, MAX_PLAYOUT)
                sim.record_length = length
                # The last stone took something, or nobody could move any more.
                if not sim.board.captured:
                    return 0.0
                return 1.0 if length & 1 else -1.0
            return -1.0
        if sim.passes >= 2:
            sim.margin = tromp_taylor(sim.board, self.stack, self.mark) - sim.komi
            add_ownership(sim.board, sim.owner)
        else:
            sim.record_length = self.playout.run(
                sim.board, color, cython.address(sim.rng), sim.record, MAX_PLAYOUT
            )
            sim.margin = add_ownership(sim.board, sim.owner) - sim.komi
            self.playout.learn(
                last,
                color,
                sim.record,
                sim.record_length,
                BLACK if sim.margin > 0 else (WHITE if sim.margin < 0 else 0),
            )
        sim.owner_count += 1
        sim.margin_sum += sim.margin
        sim.margin_squares += sim.margin * sim.margin
        return self.value_of(sim, sim.margin)
