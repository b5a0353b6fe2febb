"""How often the dead stones and the score of finished real games are what GNU Go says.

    python benchmarks/scoring_agreement.py --games 500 --json ../shared/data/games19/validation-kgs.tsv.xz
    python benchmarks/scoring_agreement.py --answers gnugo.jsonl --judge playouts --judge net:desk FILE ..

A finished game ends with two passes, and its result is in points. Each judge of ours names the dead stones; the
score follows from them by the rules. By area (``--rules chinese``) a game is not over before the neutral points are
taken: GNU Go plays that out before it counts, and so do we (``fill_neutral``). Beside GNU Go stands what the players
themselves counted, by whatever rules they played. GNU Go's answers take most of the time: ``--answers`` keeps them in
a file, so that another run, or one broken off, asks only for what is not there. Prints one line for each judge, or
with ``--json`` one object: of the games asked, how many agree in the dead stones, in the score, in both, in the
winner, the 95 % intervals (Wilson), and the games that differ.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tengen.arena.stats import wilson
from tengen.front.gtp.client import ProgramPlayer
from tengen.go.coords import Color, format_gtp
from tengen.go.game_lines import GameLine, read_games
from tengen.go.position import Position
from tengen.go.record import GameRecord
from tengen.go.rules import Rules, Scoring
from tengen.go.scoring import dead_by_ownership, fill_neutral, find_dead, score_position
from tengen.knowledge.judging import find_dead as guided_dead

Judge = Callable[[Position], frozenset[int]]


def finished(path: Path) -> Iterator[GameLine]:
    """The games of a file that end in two passes and were counted."""
    for game in read_games(path):
        if game.moves.endswith(b"tttt") and re.fullmatch(r"[BW]\+[\d.]+|0", game.result):
            yield game


def judge_named(name: str) -> Judge:
    """``playouts``, ``guided`` (both ``:N``), ``net:NAME`` or an engine's name, which searches."""
    kind, _, value = name.partition(":")
    if kind in ("playouts", "guided"):
        find = find_dead if kind == "playouts" else guided_dead
        return lambda position: find(position, int(value)) if value else find(position)
    if kind == "net":
        return _net_judge(value or "desk")
    from tengen.players import Judge as Judging
    from tengen.systems import make_player

    player = make_player(name)
    if not isinstance(player, Judging):
        raise SystemExit(f"{name} judges no dead stones")
    return player.dead_stones


def _net_judge(name: str) -> Judge:
    from tengen.nets.runtime import Net
    from tengen.nets.shipped import net_path

    net = Net(net_path(name, name))

    def judge(position: Position) -> frozenset[int]:
        found = net.evaluate([position])[0].ownership
        if found is None:
            raise SystemExit(f"the net {name} knows no ownership")
        sign = 1 if position.to_move is Color.BLACK else -1
        return dead_by_ownership(position, [sign * float(value) for value in found.reshape(-1)])

    return judge


def points(text: str) -> float:
    """``B+3.5`` as Black's points, ``0`` as none. ValueError for anything else."""
    match = re.match(r"([BW])\+([\d.]+)", text.strip())
    if match is None:
        if text.strip() == "0":
            return 0.0
        raise ValueError(f"score {text!r}")
    return float(match[2]) * (1 if match[1] == "B" else -1)


class Reference:
    """The other program's answers, remembered in a file if one is given."""

    def __init__(self, command: str, path: Path | None) -> None:
        self.program = ProgramPlayer(command, timeout=300.0)
        self.path = path
        self.known: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                row = json.loads(line)
                self.known[row["key"]] = row
        self.seconds = 0.0

    def ask(self, key: str, position: Position) -> tuple[frozenset[int], float]:
        row = self.known.get(key)
        if row is None:
            started = time.perf_counter()
            # A game closed by passes is closed for GNU Go too: it answers from what it makes of the stones.
            dead = self.program.dead_stones(position)
            row = {"key": key, "dead": sorted(dead), "score": self.program.final_score(position)}
            self.seconds += time.perf_counter() - started
            self.known[key] = row
            if self.path is not None:
                with self.path.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        return frozenset(row["dead"]), points(row["score"])


class Tally:
    """One judge's agreement so far."""

    def __init__(self) -> None:
        self.games = self.dead = self.score = self.both = 0
        self.winner = self.as_players = self.other_as_players = 0
        self.seconds = 0.0
        self.differing: list[dict[str, Any]] = []

    def add(
        self, game: GameLine, position: Position, judge: Judge, other: tuple[frozenset[int], float]
    ) -> None:
        started = time.process_time()
        dead = judge(position)
        self.seconds += time.process_time() - started
        area = position.rules.scoring is Scoring.AREA
        score = score_position(fill_neutral(position, dead) if area else position, dead)
        self.games += 1
        self.dead += dead == other[0]
        self.score += score == other[1]
        self.both += dead == other[0] and score == other[1]
        counted = points(game.result)
        self.winner += (score > 0) == (other[1] > 0) and (score < 0) == (other[1] < 0)
        self.as_players += score == counted
        self.other_as_players += other[1] == counted
        if dead != other[0] or score != other[1]:
            width, height = position.width, position.height
            self.differing.append(
                {
                    "id": game.id,
                    "ours_only": [format_gtp(move, width, height) for move in sorted(dead - other[0])],
                    "theirs_only": [format_gtp(move, width, height) for move in sorted(other[0] - dead)],
                    "score": score,
                    "their_score": other[1],
                    "result": game.result,
                }
            )

    def summary(self) -> dict[str, Any]:
        games = max(self.games, 1)
        intervals = {}
        for name, count in (("", self.both), ("dead_", self.dead), ("winner_", self.winner)):
            found = wilson(count, games)
            intervals[f"{name}interval"] = [round(found.low, 4), round(found.high, 4)]
        return {
            "games": self.games,
            "dead": round(self.dead / games, 4),
            "score": round(self.score / games, 4),
            "both": round(self.both / games, 4),
            "winner": round(self.winner / games, 4),
            "score_as_players": round(self.as_players / games, 4),
            "reference_as_players": round(self.other_as_players / games, 4),
            **intervals,
            "cpu_ms_per_game": round(1000 * self.seconds / games, 1),
            "differing": self.differing,
        }


def measure(
    games: Iterable[GameLine], rules: Rules, judges: dict[str, Judge], reference: Reference, seconds: float
) -> dict[str, Tally]:
    tallies = {name: Tally() for name in judges}
    started = time.perf_counter()
    for number, game in enumerate(games, 1):
        own = rules.replace(komi=rules.komi if game.komi is None else game.komi)
        position = GameRecord(rules=own, moves=game.sequence()).final_position()
        other = reference.ask(f"{rules.scoring.value}:{game.id}", position)
        for name, judge in judges.items():
            tallies[name].add(game, position, judge, other)
        if number % 10 == 0:
            said = ", ".join(f"{name} {tally.both}" for name, tally in tallies.items())
            print(f"{number} games; agree: {said}", file=sys.stderr)
        if time.perf_counter() - started > seconds:
            break
    return tallies


def main() -> int:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("files", nargs="+", type=Path, help="files of games, one a line")
    arguments.add_argument("--games", type=int, default=60, help="how many at most, from the first on")
    arguments.add_argument("--skip", type=int, default=0, help="how many to pass over before")
    arguments.add_argument("--seconds", type=float, default=math.inf, help="begin no game after this long")
    arguments.add_argument("--rules", default="japanese")
    arguments.add_argument(
        "--judge", action="append", help="guided[:N], playouts[:N], net[:NAME], or an engine"
    )
    arguments.add_argument("--gnugo", default="", help="the command; its rules must be those of --rules")
    arguments.add_argument("--answers", type=Path, help="file that keeps GNU Go's answers")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    rules = Rules.named(options.rules)
    flag = "--japanese-rules" if rules.scoring is Scoring.TERRITORY else "--chinese-rules"
    program = shutil.which("gnugo") or "/usr/games/gnugo"
    command = options.gnugo or f"{program} --mode gtp --level 10 {flag}"
    reference = Reference(command, options.answers)
    judges = {name: judge_named(name) for name in options.judge or ["playouts"]}
    games = (game for path in options.files for game in finished(path))
    try:
        taken = itertools.islice(games, options.skip, options.skip + options.games)
        tallies = measure(taken, rules, judges, reference, options.seconds)
    finally:
        reference.program.close()
    told = {name: tally.summary() for name, tally in tallies.items()}
    if options.json:
        print(json.dumps({"rules": options.rules, "reference": command, "judges": told}))
    else:
        for name, row in told.items():
            low, high = row["interval"]
            print(
                f"{name}: {row['games']} games, dead {row['dead']:.1%}, score {row['score']:.1%}, "
                f"winner {row['winner']:.1%}, both {row['both']:.1%} ({low:.1%} to {high:.1%}), "
                f"{row['cpu_ms_per_game']} ms a game"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
