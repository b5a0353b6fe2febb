"""How good the moves of an engine are, in the eyes of a network, position by position.

    python benchmarks/move_quality.py ../shared/data/labels/pos9-1.tsv.xz rave rave:prior=1 --playouts 2000
    python benchmarks/move_quality.py LABELS mucgo --seconds 0.2 --positions 300
    python benchmarks/move_quality.py validation-kgs.tsv.xz rave --playouts 2000 --after 150 --before 260

The file is a table of self-made games beside its judgements (NAME.tsv.xz, NAME.bin.xz), or one of 19x19 games alone;
then the shipped net is the judge, its first move the best by its own word of the five it finds most probable. One
undecided position a game is given to every engine, each with a fresh memory. Printed are the share of moves that are
the judge's first, the mean loss of a move in winrate (what the shipped net says after the judge's first move less what
it says after the engine's), the share of moves that lose 20 points of winrate and more, the mean absolute error of the
engine's winrate against the judge's, and CPU seconds a move. Differences are paired: the same positions for all.
"""

import argparse
import math
import random
import time
from pathlib import Path

from judged_games import judged_positions

from tengen.go.coords import PASS
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.learn.gamefiles import PASS_POINT, POINT_MASK
from tengen.learn.labelfiles import LabelSet, read_label_set
from tengen.nets.runtime import Net
from tengen.nets.shipped import net_path
from tengen.players import Limit
from tengen.systems import Resources, make_player


def positions(labels: LabelSet, count: int, seed: int) -> list[tuple[Position, int, float]]:
    """(position, the judge's first move, its winrate for the side to move) of one undecided position a game."""
    rng = random.Random(seed)
    places: dict[int, list[int]] = {}
    for index, game in enumerate(labels.game):
        record = labels.records[index]
        if labels.ply[index] >= 4 and 0.1 < record["winrate"] < 0.9:
            places.setdefault(int(game), []).append(index)
    chosen = []
    games = sorted(places)
    rng.shuffle(games)
    for game in games[:count]:
        index = rng.choice(places[game])
        record, raw = labels.records[index], labels.games[game]
        rules = Rules.named("tromp-taylor", labels.size, komi=float(raw.komi or 0))
        position = Position.start(rules)
        for entry in raw.entries[raw.setup : raw.setup + labels.ply[index]]:
            point = int(entry) & POINT_MASK
            position = position.play(PASS if point == PASS_POINT else point)
        best = int(record["moves"][0])
        chosen.append((position, PASS if best >= labels.size**2 else best, float(record["winrate"])))
    return chosen


def game_positions(
    path: Path, count: int, seed: int, judge: Net, moves: range
) -> list[tuple[Position, int, float]]:
    """The same of 19x19 games with nobody's judgement beside them; ``moves`` says how far into a game."""
    chosen: list[tuple[Position, int, float]] = []
    for position, seen in judged_positions(path, seed, judge, moves):
        if len(chosen) == count:
            break
        winrate = seen.winrate or 0.0
        if not 0.12 < winrate < 0.88:
            continue
        likely = sorted(range(361), key=lambda move: -float(seen.policy[move]))[:5]
        after = judge.evaluate([position.play(move) for move in likely])
        best = min(zip(after, likely, strict=True), key=lambda pair: pair[0].winrate or 0.0)[1]
        chosen.append((position, best, winrate))
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labels", type=Path)
    parser.add_argument("engines", nargs="+", help="engines of ours with their parameters")
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--playouts", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument(
        "--after", type=int, default=8, help="moves before the position, at least (games alone)"
    )
    parser.add_argument("--before", type=int, default=230, help="and fewer than these")
    arguments = parser.parse_intermixed_args()
    limit = Limit(playouts=arguments.playouts, seconds=arguments.seconds)
    path = arguments.labels.with_name(arguments.labels.name.replace(".tsv", ".bin"))
    judge = Net(net_path("desk"), threads=1)
    if path.exists():
        sample = positions(read_label_set(path), arguments.positions, arguments.seed)
    else:
        moves = range(arguments.after, arguments.before)
        sample = game_positions(arguments.labels, arguments.positions, arguments.seed, judge, moves)
    first: list[float] | None = None
    print(f"{len(sample)} positions", flush=True)
    for spec in arguments.engines:
        losses = measure(spec, sample, limit, judge)
        if first is None:
            first = losses
            continue
        differences = [a - b for a, b in zip(losses, first, strict=True)]
        mean = sum(differences) / len(differences)
        spread = math.sqrt(sum((d - mean) ** 2 for d in differences) / len(differences) ** 2)
        print(f"{'':48s} loss less the first engine's {mean:+.4f} +- {1.96 * spread:.4f}", flush=True)


def measure(spec: str, sample: list[tuple[Position, int, float]], limit: Limit, judge: Net) -> list[float]:
    player = make_player(spec, Resources(threads=1, memory_mb=200, seed=1))
    losses, agreed, errors = [], 0, []
    began = time.process_time()
    spent = 0.0
    for position, best, winrate in sample:
        player.new_game(position.rules)
        began = time.process_time()
        decision = player.choose(position, limit)
        spent += time.process_time() - began
        move = decision.move if decision.move >= PASS else PASS
        agreed += move == best
        after, wanted = judge.evaluate([position.play(move), position.play(best)])
        losses.append((after.winrate or 0.0) - (wanted.winrate or 0.0))
        if decision.winrate is not None:
            errors.append(abs(decision.winrate - winrate))
    count = len(sample)
    print(
        f"{spec:48s} agreed {agreed / count:.3f}  loss {sum(losses) / count:.4f}  "
        f"blunders {sum(loss > 0.2 for loss in losses) / count:.3f}  "
        f"winrate error {sum(errors) / max(len(errors), 1):.3f}  {spent / count:.3f} s",
        flush=True,
    )
    return losses


if __name__ == "__main__":
    main()
