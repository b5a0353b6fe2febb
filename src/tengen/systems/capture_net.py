"""The Capture Go evaluator at play: float32, without the GIL, brought up to date stone by stone.

A stone changes one input, and of the first layer only the sub-squares over its point (37 of 140 on average
on 9x9): their sums are moved by one weight each, and the second layer's sums by the change of their
outputs. Layers are kept for every stone the search has pushed, so taking one back is free. Uncompiled, the
same class asks capture_shape's numpy forward pass instead.
"""

# ruff: noqa: F821 - types and C functions of the .pxd beside this file

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.stdlib import free, malloc  # type: ignore[import-not-found]
    from cython.cimports.libc.string import memcpy  # type: ignore[import-not-found]
else:
    from tengen.go.pure import BLACK, CELLS, STRIDE
    from tengen.search.leaves import LeafEvaluator

    SECOND, THIRD, MAX_DEPTH = 40, 10, 172

from tengen.errors import ConfigError
from tengen.go.coords import move_of_vertex, vertex_of
from tengen.systems.capture_shape import board_shape, planes_of

__all__ = ["CaptureNet"]


class CaptureNet(LeafEvaluator):
    """The evaluator with one genome, for one size of board. Not for two threads at once.

    Raises ConfigError when the genome is not as long as that size asks for, or not finite.
    """

    def __init__(self, size: int, genome, slope: float = 1.0) -> None:
        shape = board_shape(size)
        weights = np.asarray(genome, dtype=np.float64)
        tied, b1, w2, b2, w3, b3, w4, b4 = shape.split(weights)
        if not np.isfinite(weights).all():
            raise ConfigError("genome: not a finite number among its weights")
        self.size = size
        self.first = shape.first
        self.slope = slope
        self.depth = 0
        if not cython.compiled:
            self.genome = weights
            self.stack = [[0] * (size * size)]
            return
        i: cython.int
        n: cython.int = shape.first
        count: cython.int = len(shape.nodes)
        order = np.argsort(shape.points, kind="stable")
        nodes: cython.int[::1] = shape.nodes[order].astype(np.intc)
        first: cython.float[::1] = tied[shape.tied][order].astype(np.float32)
        second: cython.float[::1] = w2.ravel().astype(np.float32)
        third: cython.float[::1] = w3.ravel().astype(np.float32)
        biases: cython.float[::1] = np.concatenate([b1[shape.biases], b2, b3, w4]).astype(np.float32)
        begins = np.searchsorted(shape.points[order], np.arange(size * size + 1))
        where = [0] * (CELLS + 1)
        for point in range(size * size):
            vertex = vertex_of(point, size)
            where[vertex] = int(begins[point])
            where[vertex + 1] = int(begins[point + 1])  # the next point of the row, or wall, begins there
        for i in range(CELLS + 1):
            self.starts[i] = where[i]
        self.nodes = cython.cast(cython.p_int, malloc(count * 4))
        self.weights = cython.cast(cython.p_float, malloc(count * 4))
        self.second = cython.cast(cython.p_float, malloc(n * SECOND * 4))
        self.sums1 = cython.cast(cython.p_float, malloc(MAX_DEPTH * n * 4))
        self.outs1 = cython.cast(cython.p_float, malloc(MAX_DEPTH * n * 4))
        self.sums2 = cython.cast(cython.p_float, malloc(MAX_DEPTH * SECOND * 4))
        if (
            self.nodes == cython.NULL
            or self.weights == cython.NULL
            or self.second == cython.NULL
            or self.sums1 == cython.NULL
            or self.outs1 == cython.NULL
            or self.sums2 == cython.NULL
        ):
            raise MemoryError
        for i in range(count):
            self.nodes[i] = nodes[i]
            self.weights[i] = first[i]
        for i in range(n * SECOND):
            self.second[i] = second[i]
        for i in range(SECOND * THIRD):
            self.third[i] = third[i]
        for i in range(n):
            self.bias1[i] = biases[i]
        for i in range(SECOND):
            self.bias2[i] = biases[n + i]
        for i in range(THIRD):
            self.bias3[i] = biases[n + SECOND + i]
            self.last[i] = biases[n + SECOND + THIRD + i]
        self.bias4 = b4

    def __dealloc__(self):
        if cython.compiled:
            free(self.nodes)
            free(self.weights)
            free(self.second)
            free(self.sums1)
            free(self.outs1)
            free(self.sums2)

    def _set(self, colors):
        """The whole pass for a board given by vertex; depth becomes 0."""
        v: cython.int
        i: cython.int
        j: cython.int
        k: cython.int
        sign: cython.float
        out: cython.float
        self.depth = 0
        for i in range(self.first):
            self.sums1[i] = self.bias1[i]
        for v in range(STRIDE, (self.size + 1) * STRIDE):
            if colors[v] == 1 or colors[v] == 2:
                sign = -1.0 if colors[v] == BLACK else 1.0
                for k in range(self.starts[v], self.starts[v + 1]):
                    self.sums1[self.nodes[k]] += sign * self.weights[k]
        for j in range(SECOND):
            self.sums2[j] = self.bias2[j]
        for i in range(self.first):
            out = fast_tanh(self.slope * self.sums1[i])
            self.outs1[i] = out
            for j in range(SECOND):
                self.sums2[j] += out * self.second[i * SECOND + j]

    def start(self, board):
        if cython.compiled:
            self._set(cython.address(board.color[0]))
        else:
            self.stack = [board.stones_list()]

    def push(self, v, c):
        i: cython.int
        j: cython.int
        k: cython.int
        n: cython.int
        begin: cython.int
        count: cython.int
        change: cython.float
        sign: cython.float
        sums1: cython.p_float
        outs1: cython.p_float
        sums2: cython.p_float
        row: cython.p_float
        moved: cython.float[128]
        if not cython.compiled:
            self.stack.append(list(self.stack[-1]))
            self.stack[-1][move_of_vertex(v, self.size)] = int(c)
            return
        n = self.first
        sign = -1.0 if c == BLACK else 1.0
        sums1 = self.sums1 + self.depth * n
        outs1 = self.outs1 + self.depth * n
        sums2 = self.sums2 + self.depth * SECOND
        memcpy(sums1 + n, sums1, n * 4)
        memcpy(outs1 + n, outs1, n * 4)
        memcpy(sums2 + SECOND, sums2, SECOND * 4)
        sums1 += n
        outs1 += n
        sums2 += SECOND
        self.depth += 1
        begin = self.starts[v]
        while begin < self.starts[v + 1]:
            count = self.starts[v + 1] - begin
            count = count if count < 128 else 128
            for i in range(count):
                k = self.nodes[begin + i]
                sums1[k] += sign * self.weights[begin + i]
                moved[i] = sums1[k] * self.slope
            for i in range(count):
                moved[i] = fast_tanh(moved[i])
            for i in range(count):
                k = self.nodes[begin + i]
                change = moved[i] - outs1[k]
                outs1[k] = moved[i]
                row = self.second + k * SECOND
                for j in range(SECOND):
                    sums2[j] += change * row[j]
            begin += count

    def pop(self):
        if cython.compiled:
            self.depth -= 1
        else:
            self.stack.pop()

    def black_value(self):
        i: cython.int
        j: cython.int
        value: cython.float
        sums2: cython.p_float
        second: cython.float[40]
        third: cython.float[10]
        if not cython.compiled:
            planes = planes_of(np.array(self.stack[-1:]))
            return float(board_shape(self.size).values(self.genome, planes, self.slope)[0])
        sums2 = self.sums2 + self.depth * SECOND
        for i in range(SECOND):
            second[i] = fast_tanh(self.slope * sums2[i])
        for j in range(THIRD):
            third[j] = self.bias3[j]
        for i in range(SECOND):
            for j in range(THIRD):
                third[j] += second[i] * self.third[i * THIRD + j]
        value = self.bias4
        for j in range(THIRD):
            value += fast_tanh(self.slope * third[j]) * self.last[j]
        return fast_tanh(self.slope * value)

    def values(self, colors):
        """float32 values for Black of a batch (B x area) of boards coded 0 empty, 1 black, 2 white."""
        coded = np.ascontiguousarray(colors, dtype=np.uint8)
        if coded.ndim != 2 or coded.shape[1] != self.size * self.size:
            raise ConfigError(
                f"boards of shape {coded.shape}: rows of {self.size * self.size} points expected"
            )
        if coded.size and coded.max() > 2:
            raise ConfigError("boards: a point is coded 0, 1 or 2")
        if not cython.compiled:
            return board_shape(self.size).values(self.genome, planes_of(coded), self.slope).astype(np.float32)
        result = np.empty(len(coded), dtype=np.float32)
        boards: cython.uchar[:, ::1] = coded
        out: cython.float[::1] = result
        cells: cython.uchar[CELLS]
        b: cython.int
        r: cython.int
        c: cython.int
        n: cython.int = self.size
        with cython.nogil:
            for b in range(CELLS):
                cells[b] = 3
            for b in range(boards.shape[0]):
                for r in range(n):
                    for c in range(n):
                        cells[(r + 1) * STRIDE + c + 1] = boards[b, r * n + c]
                self._set(cython.address(cells[0]))
                out[b] = self.black_value()
        return result
