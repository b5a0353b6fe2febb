"""A collection of games to stage thresholds: label every game, fit, test, show."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tengen.errors import ConfigError, DataError, SgfError
from tengen.go.record import GameRecord
from tengen.systems.game_files import games_of
from tengen.systems.stage_labels import CONTACT_SHARE, END_SHARE, MIDDLE_SHARE, label_game
from tengen.systems.stages import Bell, GoodnessOfFit, Thresholds, density, fit_bell, goodness_of_fit

__all__ = [
    "LabelledGames",
    "StageFit",
    "fit_stage",
    "label_files",
    "plot_histograms",
    "text_histogram",
    "thresholds_of",
]


@dataclass
class LabelledGames:
    """Labels X and Y of the games read. ``other_size`` and ``too_late`` count games left out, ``broken``
    says where files could not be read to their end."""

    games: int = 0
    other_size: int = 0
    too_late: int = 0
    middle: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def label_files(
    paths: Iterable[Path],
    width: int,
    height: int,
    *,
    games: int | None = None,
    until: str | None = None,
    seed: int = 1,
    middle_share: float = MIDDLE_SHARE,
    contact_share: float = CONTACT_SHARE,
    end_share: float = END_SHARE,
    progress: Callable[[Path, int], None] | None = None,
) -> LabelledGames:
    """Label the games of these files that are on a board of this size.

    ``games``: a random sample of so many, each game as likely as any other. ``until``: only games dated
    before that (year, or year-month(-day)); games without a date are left out then. Raises ConfigError for
    shares that are not 0 < middle < end <= 1.
    """
    if not (0.0 < middle_share < end_share <= 1.0 and contact_share > 0.0):
        said = f"{middle_share}, {end_share} and {contact_share}"
        raise ConfigError(
            f"stages: 0 < middle share < end share <= 1, contact share > 0 expected, not {said}"
        )
    shares = {"middle_share": middle_share, "contact_share": contact_share, "end_share": end_share}
    rng = random.Random(seed)
    labelled = LabelledGames()
    sample: list[GameRecord] = []
    for path in paths:
        for record in _games_before_damage(path, labelled.broken):
            if (record.rules.width, record.rules.height) != (width, height):
                labelled.other_size += 1
            elif until is not None and not _before(record.date, until):
                labelled.too_late += 1
            else:
                labelled.games += 1
                _keep(sample, record, labelled.games, games, rng)
                if games is None:
                    _label(labelled, sample.pop(), shares)
            if progress is not None:
                progress(path, labelled.games)
    for record in sample:
        _label(labelled, record, shares)
    if games is not None:
        labelled.games = min(games, labelled.games)
    return labelled


def _games_before_damage(path: Path, broken: list[str]) -> Iterator[GameRecord]:
    try:
        yield from games_of(path)
    except (DataError, SgfError) as error:
        broken.append(str(error))


def _keep(
    sample: list[GameRecord], record: GameRecord, seen: int, size: int | None, rng: random.Random
) -> None:
    """Reservoir sampling: after ``seen`` games each is in the sample with chance size / seen."""
    if size is None or len(sample) < size:
        sample.append(record)
    elif (place := rng.randrange(seen)) < size:
        sample[place] = record


def _label(labelled: LabelledGames, record: GameRecord, shares: dict[str, float]) -> None:
    labels = label_game(record, **shares)
    if labels.middle is not None:
        labelled.middle.append(labels.middle)
    if labels.end is not None:
        labelled.end.append(labels.end)


def _before(date: str, until: str) -> bool:
    return date[:4].isdigit() and date[: len(until)] < until


@dataclass(frozen=True)
class StageFit:
    """One of the two fits. ``goodness`` is None where the test cannot be made; ``untested`` then says why."""

    bell: Bell
    goodness: GoodnessOfFit | None
    untested: str = ""

    def to_json(self, alphas: Sequence[float]) -> dict[str, Any]:
        low, high = self.bell.interval
        said: dict[str, Any] = {
            "labels": self.bell.labels,
            "mu": round(self.bell.mu, 3),
            "sigma": round(self.bell.sigma, 3),
            "interval": [low, high],
        }
        if self.goodness is None:
            return said | {"chi_square": None, "untested": self.untested}
        test = self.goodness
        return said | {
            "k": len(test.counted),
            "chi_square": round(test.statistic, 4),
            "degrees_of_freedom": test.degrees,
            "p": round(test.p, 6),
            "tests": [
                {"alpha": a, "limit": round(test.limit(a), 3), "accepted": not test.rejects(a)}
                for a in alphas
            ],
            "classes": {
                "bounds": list(test.bounds),
                "counted": list(test.counted),
                "expected": [round(e, 2) for e in test.expected],
            },
        }


def fit_stage(labels: Sequence[int], classes: int) -> StageFit:
    """Eq. 2 to 4 on one kind of label. Raises DataError where there is nothing to fit, ConfigError for too
    few ``classes``."""
    bell = fit_bell(labels)
    try:
        return StageFit(bell, goodness_of_fit(labels, bell, classes))
    except DataError as error:
        return StageFit(bell, None, str(error).removeprefix("stages: "))


def thresholds_of(middle: StageFit, end: StageFit, width: int, height: int, source: str) -> Thresholds:
    """The file an engine takes, figures to three decimals."""
    first, second = (Bell(round(f.bell.mu, 3), round(f.bell.sigma, 3), f.bell.labels) for f in (middle, end))
    return Thresholds(width, height, first, second, source)


def text_histogram(labels: Sequence[int], bell: Bell, rows: int = 16, columns: int = 50) -> str:
    """The labels as bars, one row a range of moves; ``|`` is where the fitted distribution would end the
    bar."""
    low, high = min(labels), max(labels)
    step = max(1, -(-(high - low + 1) // rows))
    counts = Counter((label - low) // step for label in labels)
    expected = {
        row: len(labels) * sum(density(low + row * step + i, bell.mu, bell.sigma) for i in range(step))
        for row in range((high - low) // step + 1)
    }
    most = max(*counts.values(), *expected.values())
    lines = []
    for row, should in expected.items():
        first, bar = low + row * step, ["#"] * round(counts[row] / most * columns)
        mark = round(should / most * columns)
        bar += [" "] * (mark + 1 - len(bar))
        bar[mark] = "|"
        lines.append(f"{first:4d}-{first + step - 1:<4d} {counts[row]:6d} {''.join(bar)}")
    return "\n".join(lines)


def plot_histograms(fits: dict[str, tuple[Sequence[int], Bell]], path: Path) -> None:
    """Figures 1 and 2 of the paper for these labels, one above the other, as a PNG (or what the file's name
    says).

    Raises ConfigError where matplotlib (the extra ``lab``) is missing or does not know the kind of file.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise ConfigError("stages: a plot needs matplotlib: pip install 'tengen[lab]'") from None
    figure, axes = pyplot.subplots(len(fits), 1, figsize=(8, 4 * len(fits)), squeeze=False)
    for axis, (title, (labels, bell)) in zip(axes[:, 0], fits.items(), strict=True):
        step = max(1, round(bell.sigma / 4))
        axis.hist(
            labels, bins=range(min(labels), max(labels) + step + 1, step), color="0.75", edgecolor="0.4"
        )
        moves = range(min(labels), max(labels) + 1)
        axis.plot(moves, [len(labels) * step * density(z, bell.mu, bell.sigma) for z in moves], color="black")
        axis.set_title(f"{title}: {len(labels)} games, mu = {bell.mu:.1f}, sigma = {bell.sigma:.1f}")
        axis.set_xlabel("move")
        axis.set_ylabel("games")
    figure.tight_layout()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
    finally:
        pyplot.close(figure)
