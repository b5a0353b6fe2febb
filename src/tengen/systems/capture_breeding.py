"""Capture Go as the breeders and learners of ``tengen.learn`` see it. Not needed at play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError
from tengen.go.board import Board
from tengen.go.coords import Color, Move
from tengen.learn.evolve import GameReport
from tengen.learn.td import Episode, utility, utility_gain
from tengen.systems.capture_defender import DefensiveChooser
from tengen.systems.capture_games import Chooser, NetChooser, RandomChooser, play_game, surrounded
from tengen.systems.capture_shape import board_shape, planes_of, squares_dimension, squares_genome, symmetries

__all__ = ["CaptureContest", "CaptureSelfPlay"]

Array = NDArray[np.float64]


def _check_play(depth: int, reading: int, stray: float, slope: float) -> None:
    """ConfigError unless games can be played so."""
    if not 1 <= depth <= 20:
        raise ConfigError(f"depth {depth}: 1 to 20 expected")
    if not 0 <= reading <= 200:
        raise ConfigError(f"reading {reading}: 0 to 200 expected")
    if not 0.0 <= stray <= 1.0:
        raise ConfigError(f"stray {stray}: a share from 0 to 1 expected")
    if not 0.0 < slope < math.inf:
        raise ConfigError(f"slope {slope}: a positive number expected")


_HOUSES: dict[str, type[Chooser]] = {"defensive": DefensiveChooser, "random": RandomChooser}


@dataclass(frozen=True)
class CaptureContest:
    """Individuals of a population against each other: tengen.learn.evolve's Contest."""

    size: int = 9
    depth: int = 1
    reading: int = 1
    stray: float = 0.0
    opening: int = 0  # first moves made at random
    slope: float = 1.0
    house: str = "defensive"  # who row HOUSE is: defensive or random
    genes: str = (
        "weights"  # what a genome is: the evaluator's weights, or ``squares`` (capture_shape.squares_genome)
    )

    def __post_init__(self) -> None:
        _check_play(self.depth, self.reading, self.stray, self.slope)
        if self.house not in _HOUSES:
            raise ConfigError(f"house {self.house!r}: one of {', '.join(_HOUSES)} expected")
        if self.genes not in ("weights", "squares"):
            raise ConfigError(f"genes {self.genes!r}: weights or squares expected")
        board_shape(self.size)

    @property
    def dimension(self) -> int:
        return squares_dimension(self.size) if self.genes == "squares" else board_shape(self.size).count

    def weights_of(self, genome: Array) -> Array:
        """The evaluator's weights a genome stands for."""
        return squares_genome(self.size, genome) if self.genes == "squares" else genome

    def play(
        self, genomes: Array, pairings: Sequence[tuple[int, int]], seeds: Sequence[int]
    ) -> list[GameReport]:
        players: list[Chooser] = [
            NetChooser(self.size, self.weights_of(genome), self.depth, self.reading, self.slope)
            for genome in genomes
        ]
        players.append(_HOUSES[self.house]())  # row HOUSE, which is -1, is the last
        return [
            GameReport(*play_game(self.size, players[black], players[white], seed, self.stray, self.opening))
            for (black, white), seed in zip(pairings, seeds, strict=True)
        ]


@dataclass(frozen=True)
class CaptureSelfPlay:
    """Games of one evaluator against itself for the learners of tengen.learn.td."""

    size: int = 9
    depth: int = 1
    reading: int = 1
    stray: float = 0.0
    opening: int = 6  # first moves made at random, so that games differ
    slope: float = 1.0
    house: float = 0.0
    """Share of the games in which the defensive player has one side, Black and White in turn."""
    watched: float = 0.0
    """Share of the games in which it has both: the learner only looks on."""
    weights: tuple[float, float, float] | None = (0.1, 0.3, 0.6)
    """eta, nu, rho of Eq. 4.7: stones, area, prisoners. None: no utilities, which TD does not ask for."""

    def __post_init__(self) -> None:
        _check_play(self.depth, self.reading, self.stray, self.slope)
        if not 0.0 <= self.house <= 1.0:
            raise ConfigError(f"house {self.house}: a share from 0 to 1 expected")
        board_shape(self.size)

    def util(self, board: Board, captured_by: Color = Color.EMPTY) -> float:
        """Eq. 4.7 of a board; the game's one capture, when it has come, is the only prisoners."""
        if self.weights is None:
            return 0.0
        colors = board.stones_list()
        black, white = colors.count(1), colors.count(2)
        area_black, area_white = surrounded(board)
        prisoners = (float(captured_by is Color.BLACK), float(captured_by is Color.WHITE))
        return utility((white, black), (white + area_white, black + area_black), prisoners, self.weights)

    def episodes(self, genome: Array, seeds: Sequence[int]) -> list[Episode]:
        player = NetChooser(self.size, genome, self.depth, self.reading, self.slope)
        defender = DefensiveChooser()
        games = []
        for seed in seeds:
            sides: list[Chooser] = [player, player]
            lot = seed / 2**31
            if lot < self.house + self.watched:
                sides[seed % 2] = defender
            if lot < self.watched:
                sides = [defender, defender]
            boards: list[list[int]] = []
            utils = [self.util(Board(self.size, self.size))]

            def watch(
                board: Board,
                color: Color,
                move: Move,
                boards: list[list[int]] = boards,
                utils: list[float] = utils,
            ) -> None:
                taken = bool(board.last_captured)
                boards.append(board.stones_list())
                utils.append(self.util(board, color if taken else Color.EMPTY))

            result, moves = play_game(self.size, sides[0], sides[1], seed, self.stray, self.opening, watch)
            gains = [utility_gain(before, after) for before, after in pairwise(utils)]
            quiet = boards[:-1] if result else boards
            ends = gains if result else [*gains, 0.0]
            planes = planes_of(np.array(quiet, dtype=np.int64).reshape(len(quiet), self.size**2))
            # Each game is seen in one of its eight views: only the first layer knows that they are alike.
            planes = planes[:, symmetries(self.size)[seed // 2 % 8]]
            games.append(Episode(planes, float(result), np.array(ends), moves))
        return games
