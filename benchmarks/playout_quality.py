"""How well the mean of many playouts agrees with a strong network's judgement, rule by rule.

    python benchmarks/playout_quality.py ../shared/data/labels/pos9-1.tsv.xz
    python benchmarks/playout_quality.py LABELS --positions 500 nakade=0 attack=0,save=0 candidates=6
    python benchmarks/playout_quality.py validation-kgs.tsv.xz elsewhere=2.67

LABELS is a table of self-made games beside its judgements (NAME.tsv.xz, NAME.bin.xz), two positions of every game;
or one of 19x19 games alone, one position of each, which the shipped net judges. They are played out; printed are the
correlation of the share of wins with the network's winrate, the mean squared error, the correlation of the mean score
with its score, and the root mean squared error in points. Same seed, same figures.
"""

import argparse
import lzma
import random
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from judged_games import judged_positions

from tengen.go.board import Board
from tengen.go.coords import Color
from tengen.knowledge.guided import GuidedParameters, GuidedPlayout
from tengen.knowledge.playout import Playout, UniformPlayout, bench
from tengen.nets.runtime import Net
from tengen.nets.shipped import net_path


def positions(path: Path, count: int, seed: int) -> Iterator[tuple[Board, int, float, float, float]]:
    """(board, side to move, komi, Black's winrate, Black's score) of two positions a game."""
    rng = random.Random(seed)
    labels = path.with_name(path.name.removesuffix(".tsv.xz") + ".bin.xz")
    with lzma.open(path, "rt") as lines, lzma.open(labels, "rb") as records:
        for line in lines:
            _, size_text, komi, letters, games = line.rstrip("\n").split("\t")
            size, records_here = int(size_text), int(games)
            length = 68 + size * size
            data = records.read(records_here * length)
            for chosen in rng.sample(range(records_here), min(2, records_here)):
                if chosen < 4:
                    continue
                if count == 0:
                    return
                count -= 1
                board, color = Board(size), 1
                for i in range(chosen):
                    x, y = letters[2 * i], letters[2 * i + 1]
                    board.place(-1 if x == "t" else (ord(y) - 97) * size + ord(x) - 97, color)
                    color = 3 - color
                judged = data[chosen * length + 64 : chosen * length + 68]
                winrate, score = np.frombuffer(judged, np.float16).astype(float)
                black = color == 1
                yield board, color, float(komi), winrate if black else 1 - winrate, score if black else -score


def game_positions(path: Path, count: int, seed: int) -> Iterator[tuple[Board, int, float, float, float]]:
    """The same of 19x19 games with nobody's judgement beside them."""
    judged = judged_positions(path, seed, Net(net_path("desk"), threads=1), range(10, 240))
    for position, seen in islice(judged, count):
        winrate, score = float(seen.winrate or 0.0), float(seen.score or 0.0)
        black = position.to_move is Color.BLACK
        value = (winrate, score) if black else (1 - winrate, -score)
        yield position.board, int(position.to_move), position.rules.komi, *value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labels", type=Path)
    parser.add_argument("settings", nargs="*", help="parameters of guided playouts, name=value,name=value")
    parser.add_argument("--positions", type=int, default=1400)
    parser.add_argument("--playouts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_intermixed_args()
    beside = arguments.labels.with_name(arguments.labels.name.removesuffix(".tsv.xz") + ".bin.xz")
    read = positions if beside.exists() else game_positions
    sample = list(read(arguments.labels, arguments.positions, arguments.seed))
    print(f"{len(sample)} positions, {arguments.playouts} playouts each")
    players: list[tuple[str, Playout]] = [("uniform", UniformPlayout()), ("guided", GuidedPlayout())]
    for setting in arguments.settings:
        pairs = (pair.split("=") for pair in setting.split(","))
        changes = {name: int(value) if name == "candidates" else float(value) for name, value in pairs}
        players.append((setting, GuidedPlayout(GuidedParameters(**changes))))  # type: ignore[arg-type]
    for name, player in players:
        show(name, player, sample, arguments.playouts)


def show(
    name: str, player: Playout, sample: list[tuple[Board, int, float, float, float]], playouts: int
) -> None:
    wins, scores = [], []
    moves = 0
    began = time.process_time()
    for number, (board, color, komi, _, _) in enumerate(sample):
        played, mean, won = bench(player, board, playouts, number, color, komi)
        moves += played
        wins.append(won / playouts)
        scores.append(mean - komi)
    seconds = time.process_time() - began
    winrates, margins = np.array([entry[3] for entry in sample]), np.array([entry[4] for entry in sample])
    print(
        f"{name:32s} winrate: correlation {np.corrcoef(wins, winrates)[0, 1]:.4f}, "
        f"mse {np.mean((np.array(wins) - winrates) ** 2):.4f}   "
        f"score: correlation {np.corrcoef(scores, margins)[0, 1]:.4f}, "
        f"rms {np.sqrt(np.mean((np.array(scores) - margins) ** 2)):.2f}   "
        f"{seconds / moves * 1e9:.0f} ns a move",
        flush=True,
    )


if __name__ == "__main__":
    main()
