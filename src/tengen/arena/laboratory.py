"""Running an experiment: our figures, their intervals, the paper's beside them, the picture."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from tengen.arena.contestants import Builder
from tengen.arena.experiment import (
    PERCENT,
    UNITS,
    Experiment,
    Part,
    Value,
    override,
    resolve_call,
    without_missing,
)
from tengen.arena.journal import write_atomically
from tengen.arena.machine import provenance
from tengen.arena.pictures import Bar, Share, bars, intervals, line_plot, stacked
from tengen.arena.report import table, tournament_body, write_report
from tengen.arena.results import GameResult, tally
from tengen.arena.session import Session
from tengen.arena.stats import Tally, mean_interval, student_interval, wilson
from tengen.arena.summary import failure_text, finite, total_cost
from tengen.arena.tournament import Outcome, TournamentConfig
from tengen.errors import ConfigError, TengenError

__all__ = ["Finding", "Laboratory", "Row"]


@dataclass(frozen=True)
class Row:
    """One line of the table: ours, its interval, the paper's. None where there is none."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    paper: float | None = None
    games: int | None = None
    x: float | None = None
    series: str = ""

    def to_json(self) -> dict[str, Any]:
        numbers = {"value": self.value, "low": self.low, "high": self.high, "paper": self.paper}
        rounded = {name: None if number is None else finite(number, 6) for name, number in numbers.items()}
        return {"label": self.label, **rounded, "games": self.games}


@dataclass(frozen=True)
class Finding:
    """An experiment's rows and what was left out of it."""

    experiment: Experiment
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)

    def cells(self) -> list[list[str]]:
        """The table as text, heading first."""
        units = [unit for unit, _ in self._units()]
        shared = units[0] if len(set(units)) == 1 else ""
        count = "games" if self.experiment.kind == "matches" else "trials"
        head = ["", f"ours {shared}".strip(), "95 %", f"paper {shared}".strip(), count]
        rows = [head]
        for row, (unit, scale) in zip(self.rows, self._units(), strict=True):
            own = "" if unit == shared else f" {unit}"
            interval = ""
            if row.low is not None and row.high is not None:
                interval = f"{_number(row.low, unit, scale)} .. {_number(row.high, unit, scale)}{own}"
            ours, paper = (
                "-" if value is None else _number(value, unit, scale) + own
                for value in (row.value, row.paper)
            )
            rows.append([row.label, ours, interval, paper, "" if row.games is None else str(row.games)])
        return rows

    def _units(self) -> list[tuple[str, float]]:
        """Each row's unit, and what its number is multiplied by to be shown in it."""
        if self.experiment.kind != "matches":
            return [(self.experiment.unit, 1.0)] * len(self.rows)
        return [UNITS[value.measure] for value in self.experiment.value]

    def text(self) -> str:
        rows = self.cells()
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = [f"{self.experiment.title} ({self.experiment.paper}, {self.experiment.source})"]
        for row in rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def pictures(self) -> list[str]:
        """Ours with its interval, the paper's as a diamond; a picture for each unit."""
        title, figure = self.experiment.title, self.experiment.figure
        if figure == "stacked":
            return [stacked(title, self._shares())]
        if figure == "curves":
            rows = [row for row in self.rows if row.value is not None]
            return [line_plot(title, _curves(rows), self.experiment.x_name, self.experiment.unit)]
        drawn: dict[str, list[Bar]] = {}
        for row, (unit, scale) in zip(self.rows, self._units(), strict=True):
            bars_of_unit = drawn.setdefault(unit, [])
            if row.value is not None:
                bars_of_unit.append(_bar(row, scale))
        if figure == "bars":
            return [bars(title, rows, unit) for unit, rows in drawn.items()]
        return [intervals(title, rows, unit, 50.0 if unit == "%" else None) for unit, rows in drawn.items()]

    def _shares(self) -> list[Share]:
        """Wins, draws and losses by part and player, from the values that measure them; ours, then the
        paper's.
        """
        found: dict[str, dict[str, Row]] = {}
        for value, row in zip(self.experiment.value, self.rows, strict=True):
            if value.measure in ("wins", "draws", "losses"):
                found.setdefault(f"{value.part} {value.player}", {})[value.measure] = row
        shares = []
        for label, rows in found.items():
            ours = [rows[m].value if m in rows else 0.0 for m in ("wins", "draws", "losses")]
            paper = [rows[m].paper if m in rows else None for m in ("wins", "draws", "losses")]
            if any(value for value in ours):
                shares.append(Share(label, *(value or 0.0 for value in ours)))
            if all(value is not None for value in paper):
                shares.append(Share(f"{label} (paper)", *(value or 0.0 for value in paper)))
        return shares

    def to_json(self) -> dict[str, Any]:
        return {
            "experiment": self.experiment.name,
            "paper": self.experiment.paper,
            "source": self.experiment.source,
            "title": self.experiment.title,
            "unit": self.experiment.unit,
            "rows": [row.to_json() for row in self.rows],
            "notes": list(self.notes),
        }


def _number(value: float, unit: str, scale: float) -> str:
    return f"{value * scale:.1f}" if unit == "%" else f"{value * scale:.4g}"


def _bar(row: Row, scale: float) -> Bar:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value * scale

    return Bar(row.label, (row.value or 0.0) * scale, scaled(row.low), scaled(row.high), scaled(row.paper))


def _curves(rows: Sequence[Row]) -> list[tuple[str, list[tuple[float, float]]]]:
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.x is None:
            continue
        if row.value is not None:
            lines.setdefault(row.series or "ours", []).append((row.x, row.value))
        if row.paper is not None:
            lines.setdefault(f"{row.series} (paper)".strip(), []).append((row.x, row.paper))
    return list(lines.items())


@dataclass(frozen=True)
class Laboratory:
    """Runs experiments. ``folder`` keeps games, tables and pictures; a run in the same folder is taken up."""

    builder: Builder
    workers: int = 1
    cluster: str | None = None
    folder: Path | None = None
    scale: float = 1.0
    seed: int | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    data: Path | None = None
    systems: Collection[str] | None = None
    """The systems there are; None: whatever is asked for."""
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr)

    def run(self, experiment: Experiment) -> Finding:
        """Play or measure what is not yet there; the table. KeyboardInterrupt keeps the games that were
        finished.
        """
        if not self.scale > 0:
            raise ConfigError(f"scale {self.scale:g}: more than nought expected")
        if lacking := experiment.obstacles(self.systems):
            raise ConfigError(f"experiment {experiment.name} waits for {', '.join(lacking)}")
        if experiment.kind == "matches":
            finding = self._matches(experiment)
        elif experiment.kind == "command":
            finding = self._commands(experiment)
        else:
            finding = self._python(experiment)
        if self.folder is not None:
            self._write(finding)
        return finding

    def _matches(self, experiment: Experiment) -> Finding:
        absent = experiment.absent(self.systems)
        notes = [f"{what} is not here: its games were left out" for what in absent]
        outcomes: dict[str, Outcome] = {}
        for part in experiment.part:
            outcome = self._play(experiment, part, absent)
            if outcome is not None:
                outcomes[part.name] = outcome
                failures = [game for game in outcome.games if game.reason.is_failure]
                if failures:
                    notes.append(
                        f"{part.name}: {len(failures)} of {len(outcome.games)} games were lost by failing, "
                        f"the first: {failure_text(failures[0])}"
                    )
        if not outcomes:
            raise ConfigError(f"experiment {experiment.name} waits for {', '.join(absent)}")
        rows = tuple(_measured(value, outcomes.get(value.part)) for value in experiment.value)
        return Finding(experiment, rows, tuple(notes), outcomes)

    def _play(self, experiment: Experiment, part: Part, absent: Collection[str]) -> Outcome | None:
        config = without_missing(part.tournament, absent)
        if config is None:
            return None
        config = override(self._placed(config).scaled(self.scale), self.changes)
        if self.seed is not None:
            config = config.changed(seed=self.seed)
        config = config.model_copy(update={"name": f"{experiment.name}: {part.name}"})
        folder = None if self.folder is None else self.folder / _folder_name(part.name)
        session = Session(config, self.builder, self.workers, self.cluster, folder, resume=True)
        schedule = session.schedule()
        self.say(f"{experiment.name}, {part.name}: {schedule.most_games} games")
        results, interrupted = session.play_watched(schedule)
        outcome = session.outcome(schedule, results)
        session.write_report(outcome)
        if interrupted:
            raise KeyboardInterrupt
        return outcome

    def _placed(self, config: TournamentConfig) -> TournamentConfig:
        """``{out}`` in a specification is the folder of this run: a graph's history lies there."""
        if not any("{out}" in entry.spec for entry in config.players):
            return config
        if self.folder is None:
            raise ConfigError("this experiment keeps files: a folder is needed (--out)")
        self.folder.mkdir(parents=True, exist_ok=True)
        out = str(self.folder.resolve())
        players = [
            entry.model_copy(update={"spec": entry.spec.replace("{out}", out)}) for entry in config.players
        ]
        return config.model_copy(update={"players": players})

    def _commands(self, experiment: Experiment) -> Finding:
        """The numbers under the values' keys; each command is run once."""
        printed: dict[str, Any] = {}
        rows, notes = [], []
        for value in experiment.value:
            assert value.command is not None
            if value.command not in printed:
                printed[value.command] = self._run_command(value.command)
            said = printed[value.command]
            why = None if value.unless is None else _found(said, value.unless)
            if why is None:
                rows.append(_printed_row(value, said))
            else:
                rows.append(Row(value.label, None, paper=value.paper))
                notes.append(f"{value.label}: {why}")
        return Finding(experiment, tuple(rows), tuple(notes))

    def _run_command(self, command: str) -> Any:
        filled = re.sub(
            r"\{scaled:(\d+)\}", lambda found: str(max(1, round(int(found[1]) * self.scale))), command
        )
        if "{data}" in filled:
            if self.data is None:
                raise ConfigError(f"{command}: the folder of the data is needed (--data)")
            filled = filled.replace("{data}", shlex.quote(str(self.data)))
        filled = filled.replace("{package}", shlex.quote(str(files("tengen"))))
        words = shlex.split(filled)
        if words[0] == "tengen":
            words = [sys.executable, "-m", "tengen", *words[1:]]
        self.say(f"running {filled}")
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise TengenError(f"{filled}: exit status {done.returncode}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise TengenError(f"{filled}: it printed no JSON object") from None

    def _python(self, experiment: Experiment) -> Finding:
        assert experiment.call is not None
        function = resolve_call(experiment.call)
        given = {"scale": self.scale, "seed": 1 if self.seed is None else self.seed, "workers": self.workers}
        options = dict(experiment.options)
        takes = inspect.signature(function).parameters
        if self.data is not None and "data" in takes:
            options["data"] = str(self.data)
        if self.folder is not None and "out" in takes:
            options.setdefault("out", str(self.folder / "work"))
        measured = {row["label"]: row for row in function(**given, **options)}
        rows = []
        for value in experiment.value:
            found = measured.pop(value.label, {})
            rows.append(_row_of(value.label, found, value.paper))
        rows += [_row_of(label, found, None) for label, found in measured.items()]
        return Finding(experiment, tuple(rows))

    def _write(self, finding: Finding) -> None:
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        pictures = finding.pictures()
        for number, picture in enumerate(pictures, 1):
            name = "figure.svg" if number == 1 else f"figure-{number}.svg"
            write_atomically(self.folder / name, picture)
        about = f"<p>{escape(finding.experiment.about)}</p>" if finding.experiment.about else ""
        body = [about, table(finding.cells()), *pictures]
        if finding.experiment.figure != "curves" and any(row.paper is not None for row in finding.rows):
            body.append("<p>Ours with 95 % intervals; the paper's as a diamond, or as a bar beside ours.</p>")
        body += [f"<p>{escape(note)}</p>" for note in finding.notes]
        for name, outcome in finding.outcomes.items():
            body.append(f"<h2>{escape(name)}</h2>")
            body += tournament_body(outcome, f"{_folder_name(name)}/sgf")
        origin = provenance() | {
            "scale": self.scale,
            "seed": self.seed,
            "workers": self.workers,
            "changes": dict(self.changes),
            "experiment": json.loads(finding.experiment.model_dump_json(exclude_none=True)),
        }
        write_report(self.folder, finding.experiment.title, body, finding.to_json(), origin)


def _found(printed: Any, path: str) -> Any:
    """What is under a path of keys and list places, a dot between them; None where nothing is."""
    found = printed
    try:
        for key in path.split("."):
            found = found[int(key)] if isinstance(found, list) else found[key]
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return found


def _under(printed: Any, path: str | None, command: str | None) -> float:
    """The number there, or a TengenError."""
    found = None if path is None else _found(printed, path)
    if not isinstance(found, int | float):
        raise TengenError(f"{command}: no number under {path!r} in what it printed")
    return float(found)


def _printed_row(value: Value, said: Any) -> Row:
    """A value's number, with an interval where it is told of how many trials it is a share or a mean."""
    number = _under(said, value.key, value.command)
    if value.of is None:
        return Row(value.label, number, paper=value.paper)
    trials = round(_under(said, value.of, value.command))
    if value.deviation is None:
        interval = wilson(number * trials, trials)
    else:
        interval = student_interval(number, _under(said, value.deviation, value.command), trials)
    return Row(value.label, number, interval.low, interval.high, value.paper, trials)


def _folder_name(part: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in part)


def _row_of(label: str, found: Mapping[str, Any], paper: float | None) -> Row:
    return Row(
        label,
        found.get("value"),
        found.get("low"),
        found.get("high"),
        found.get("paper", paper),
        found.get("games"),
        found.get("x"),
        str(found.get("series", "")),
    )


def _measured(value: Value, outcome: Outcome | None) -> Row:
    """One value of a tournament that was played (or was not)."""
    if outcome is None:
        return Row(value.label, None, paper=value.paper)
    games = [game for game in outcome.games if not game.void and _concerns(value, game)]
    if not games:
        return Row(value.label, None, paper=value.paper, games=0)
    if value.measure in PERCENT:
        assert value.player is not None
        count = tally(games, value.player)
        share = _share(value.measure, count)
        interval = wilson(share, count.games)
        return Row(value.label, share / count.games, interval.low, interval.high, value.paper, count.games)
    return _measured_mean(value, games)


def _concerns(value: Value, game: GameResult) -> bool:
    sides = {"black": game.black, "white": game.white}
    if value.player is not None and value.player not in sides.values():
        return False
    if value.opponent is not None and value.opponent not in sides.values():
        return False
    return value.color is None or sides[value.color] == value.player


def _share(measure: str, count: Tally) -> float:
    shares = {"score": count.points, "wins": count.wins, "draws": count.draws, "losses": count.losses}
    return float(shares[measure])


def _measured_mean(value: Value, games: Sequence[GameResult]) -> Row:
    if value.measure == "moves_per_game":
        numbers = [float(game.moves) for game in games]
    else:
        assert value.player is not None
        costs = [game.cost_of(value.player) for game in games]
        if value.measure == "peak_memory_mib":
            most = total_cost(games, value.player).peak_memory / (1 << 20)
            return Row(value.label, most, paper=value.paper, games=len(games))
        if value.measure == "slowest_move":
            return Row(value.label, max(cost.slowest for cost in costs), paper=value.paper, games=len(games))
        numbers = [cost.seconds_per_move for cost in costs]
    mean, interval = mean_interval(numbers)
    low, high = (None, None) if interval is None else interval.as_list()
    return Row(value.label, mean, low, high, value.paper, len(games))
