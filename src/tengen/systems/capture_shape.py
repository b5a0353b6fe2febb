"""The shape of the Capture Go evaluator: which sub-squares it looks at and which weights are one weight.

Cai and Wunsch 2007, section 5.4: the points of the board (-1 black, 0 empty, +1 white), one node for each
sub-square of 3x3 and larger, then 40, 10 and 1 nodes, all tanh(lambda x) (Eq. 5.5), each with a bias. On
9x9 that is 81-140-40-10-1. The same rule serves every square board from 5x5 to 13x13.

"The connecting weights between the input layer and the first hidden layer are designed specially to reflect
the symmetric property of the board": here, two connections (sub-square, point) that one of the board's
eight symmetries carries into each other have the same weight, and sub-squares so related share their bias.
The layers above are fully connected and free, which is what brings the 9x9 evaluator to "more than 6000"
weights: 6521.

This is plain numpy, for training by gradients and as the truth the compiled evaluator is tested against.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError

__all__ = [
    "HIDDEN",
    "LARGEST",
    "SMALLEST",
    "Shape",
    "board_shape",
    "influence_numbers",
    "planes_of",
    "squares_dimension",
    "squares_genome",
    "subsquares",
    "symmetries",
]

Array = NDArray[np.float64]

SMALLEST, LARGEST = 5, 13
HIDDEN = (40, 10)


def subsquares(size: int) -> list[tuple[int, int, int]]:
    """(side, row, column of the top left) of every sub-square, 3x3 first, the whole board last."""
    return [
        (side, row, column)
        for side in range(3, size + 1)
        for row in range(size - side + 1)
        for column in range(size - side + 1)
    ]


def planes_of(colors: NDArray[np.integer]) -> Array:
    """The input: points coded 0 empty, 1 black, 2 white become 0, -1, +1."""
    return np.array([0.0, -1.0, 1.0])[np.asarray(colors)]


def symmetries(size: int) -> list[NDArray[np.intp]]:
    """For each of the eight symmetries: which point of the board comes to stand on each."""
    grid = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(grid, k) for k in range(4)]
    return [view.ravel().copy() for view in (*turned, *(view.T for view in turned))]


@dataclass(frozen=True)
class Shape:
    """The evaluator's layout on one board size; a genome is one flat vector in the order of ``split``."""

    size: int
    nodes: NDArray[np.intp]  # of each connection of the first layer: the sub-square
    points: NDArray[np.intp]  # and the point
    tied: NDArray[np.intp]  # and the number of its weight among the tied ones
    tied_count: int
    biases: NDArray[np.intp]  # of each sub-square: the number of its bias
    bias_count: int

    @property
    def first(self) -> int:
        """Nodes of the first hidden layer, one for each sub-square: 140 on 9x9."""
        return len(self.biases)

    @property
    def area(self) -> int:
        return self.size * self.size

    @property
    def count(self) -> int:
        """Weights and biases in all, N_w of Eq. 5.3."""
        second, third = HIDDEN
        free = self.first * second + second + second * third + third + third + 1
        return self.tied_count + self.bias_count + free

    def split(self, weights: Array) -> tuple[Array, Array, Array, Array, Array, Array, Array, float]:
        """Tied first weights and biases; second weights (first x 40), biases; third (40 x 10), biases;
        last."""
        if weights.shape != (self.count,):
            raise ConfigError(
                f"{weights.shape} weights: {self.count} expected for the {self.size}x{self.size} board"
            )
        second, third = HIDDEN
        sizes = (self.tied_count, self.bias_count, self.first * second, second, second * third, third, third)
        tied, b1, w2, b2, w3, b3, w4, b4 = np.split(weights, np.cumsum(sizes))
        return tied, b1, w2.reshape(self.first, second), b2, w3.reshape(second, third), b3, w4, float(b4[0])

    def first_layer(self, tied: Array) -> Array:
        """The full matrix (area x first) the tied weights stand for."""
        matrix = np.zeros((self.area, self.first))
        matrix[self.points, self.nodes] = tied[self.tied]
        return matrix

    def values(self, weights: Array, planes: Array, slope: float = 1.0) -> Array:
        """Forward pass of a batch (B x area): what the output node says of each, 1 good for Black, -1 for
        White."""
        return self._layers(weights, planes, slope)[-1]

    def _layers(self, weights: Array, planes: Array, slope: float) -> tuple[Array, Array, Array, Array]:
        tied, b1, w2, b2, w3, b3, w4, b4 = self.split(np.asarray(weights, dtype=np.float64))
        h1 = np.tanh(slope * (planes @ self.first_layer(tied) + b1[self.biases]))
        h2 = np.tanh(slope * (h1 @ w2 + b2))
        h3 = np.tanh(slope * (h2 @ w3 + b3))
        return h1, h2, h3, np.tanh(slope * (h3 @ w4 + b4))

    def gradient(self, weights: Array, planes: Array, errors: Array, slope: float = 1.0) -> Array:
        """Sum over the batch of errors[b] times the gradient of output b by the weights
        (back-propagation)."""
        _, _, w2, _, w3, _, w4, _ = self.split(np.asarray(weights, dtype=np.float64))
        h1, h2, h3, out = self._layers(weights, planes, slope)
        d4 = errors * slope * (1.0 - out**2)
        d3 = np.outer(d4, w4) * slope * (1.0 - h3**2)
        d2 = d3 @ w3.T * slope * (1.0 - h2**2)
        d1 = d2 @ w2.T * slope * (1.0 - h1**2)
        full = planes.T @ d1
        tied = np.bincount(self.tied, full[self.points, self.nodes], self.tied_count)
        biases = np.bincount(self.biases, d1.sum(axis=0), self.bias_count)
        parts = (h1.T @ d2, d2.sum(axis=0), h2.T @ d3, d3.sum(axis=0), h3.T @ d4, d4.sum())
        return np.concatenate([tied, biases, *(np.ravel(part) for part in parts)])


@cache
def board_shape(size: int) -> Shape:
    """The layout for a board size from 5 to 13; ConfigError for others."""
    if not SMALLEST <= size <= LARGEST:
        raise ConfigError(f"board size {size}: the capture evaluator knows {SMALLEST} to {LARGEST}")
    squares = subsquares(size)
    number = {square: index for index, square in enumerate(squares)}
    views = symmetries(size)
    nodes, points = [], []
    for index, (side, row, column) in enumerate(squares):
        for r in range(row, row + side):
            for c in range(column, column + side):
                nodes.append(index)
                points.append(r * size + c)
    # Where a symmetry puts a sub-square: the image of its corners tells.
    images = []
    for image in views:
        moved = []
        for side, row, column in squares:
            a, b = image[row * size + column], image[(row + side - 1) * size + column + side - 1]
            moved.append(number[side, int(min(a // size, b // size)), int(min(a % size, b % size))])
        images.append(np.array(moved))
    node_array, point_array = np.array(nodes), np.array(points)
    area = size * size
    orbits = np.min(
        [moved[node_array] * area + image[point_array] for moved, image in zip(images, views, strict=True)],
        axis=0,
    )
    _, tied = np.unique(orbits, return_inverse=True)
    _, biases = np.unique(np.min(images, axis=0), return_inverse=True)
    return Shape(size, node_array, point_array, tied, int(tied.max()) + 1, biases, int(biases.max()) + 1)


def squares_dimension(size: int) -> int:
    """How many numbers ``squares_genome`` takes: two for each kind of sub-square."""
    return 2 * board_shape(size).bias_count


def squares_genome(size: int, numbers: Array) -> Array:
    """A whole genome from a few numbers: how sharply each kind of sub-square looks, and how much it counts.

    A kind is a sub-square with its images under the board's symmetries: 30 on 9x9, so 60 numbers instead of
    6521. All connections of a sub-square get one weight, and all 40 nodes above add the sub-squares up
    alike: what comes out is an influence function in the shape of the evaluator. Breeding in these numbers
    is quick, and less than the whole network can do.
    """
    shape = board_shape(size)
    if numbers.shape != (2 * shape.bias_count,):
        raise ConfigError(f"{numbers.shape} numbers: {2 * shape.bias_count} expected for {size}x{size}")
    sharpness, counts = numbers[: shape.bias_count], numbers[shape.bias_count :]
    sides = np.array([side for side, _, _ in subsquares(size)])
    tied = np.zeros(shape.tied_count)
    # Black is -1 at the input and +1 at the output.
    tied[shape.tied] = -2.0 * sharpness[shape.biases[shape.nodes]] / sides[shape.nodes]
    second, third = HIDDEN
    above = 0.01 * counts[shape.biases][:, None] * np.ones((1, second))
    parts = (tied, np.zeros(shape.bias_count), above.ravel(), np.zeros(second))
    last = (np.full(second * third, 1.0 / second), np.zeros(third), np.full(third, 1.0 / third), np.zeros(1))
    return np.concatenate([*parts, *last])


def influence_numbers(size: int) -> Array:
    """A hand-made start for breeding, after Zobrist's influence: who holds more 3x3 squares; larger ones
    count nothing. Not bred, and said so wherever it was used.
    """
    shape = board_shape(size)
    counts = np.zeros(shape.bias_count)
    counts[shape.biases[[side == 3 for side, _, _ in subsquares(size)]]] = 1.0
    return np.concatenate([np.ones(shape.bias_count), counts])
