"""Positions of real games with the shipped net's judgement beside them, for the benchmarks of this folder."""

import random
from collections.abc import Iterator
from pathlib import Path

from tengen.go.game_lines import read_games
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.nets.runtime import Evaluation, Net


def judged_positions(
    path: Path, seed: int, judge: Net, moves: range
) -> Iterator[tuple[Position, Evaluation]]:
    """One position of every game of a file of 19x19 games that is long enough, in random order; ``moves`` says how
    far into a game. None with a pass just made.
    """
    rng = random.Random(seed)
    games = list(read_games(path))
    rng.shuffle(games)
    for game in games:
        wanted = rng.choice(moves)
        line = game.sequence()
        if len(line) <= wanted:
            continue
        position = Position.start(Rules.named("chinese", 19))
        for _, move in line[:wanted]:
            position = position.play(move)
        if not position.passes:
            yield position, judge.evaluate([position])[0]
