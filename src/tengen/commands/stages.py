"""``tengen stages``: thresholds of the middle game and the endgame, fitted to a collection."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tengen.systems.stage_fit import LabelledGames, StageFit

__all__ = ["fit", "register", "show"]


def register(app: typer.Typer) -> None:
    """Adds the family ``stages`` with fit and show."""
    family = typer.Typer(help="When the middle game and the endgame begin.", no_args_is_help=True)
    family.command("fit")(fit)
    family.command("show")(show)
    app.add_typer(family, name="stages")


def show(
    name: Annotated[str, typer.Argument(help="Thresholds that are shipped, or a file.")] = "paper-19",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Say what thresholds hold: means, deviations, and the intervals T1 and T2."""
    from tengen.systems.stages import open_thresholds

    thresholds = open_thresholds(name)
    if as_json:
        print(json.dumps(thresholds.to_json()))
        return
    print(f"{thresholds.width}x{thresholds.height}: {thresholds.source}")
    for title, bell in (("T1, middle game", thresholds.middle), ("T2, endgame", thresholds.end)):
        low, high = bell.interval
        print(f"{title:16} [{low}, {high}]  mu {bell.mu:g}  sigma {bell.sigma:g}  {bell.labels} labels")


def fit(
    sources: Annotated[
        list[Path], typer.Argument(help="SGF files, .tsv(.xz) of a game a line, or folders of them.")
    ],
    size: Annotated[str, typer.Option(help="Only games on this board: 19, or 13x9.")] = "19",
    classes: Annotated[int, typer.Option(help="k, the classes of the chi-square test.", min=4, max=64)] = 8,
    alpha: Annotated[
        list[float] | None, typer.Option(help="Levels of the test; 0.05 and 0.01 if none.")
    ] = None,
    games: Annotated[int | None, typer.Option(help="A random sample of so many games.", min=1)] = None,
    until: Annotated[
        str | None, typer.Option(help="Only games dated before: 2015, 2015-05, 2015-05-31.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the sample.")] = 1,
    middle_share: Annotated[
        float, typer.Option(help="Touched share of the board that ends the opening.")
    ] = 0.5,
    contact_share: Annotated[float, typer.Option(help="Contact plays a point that end it before.")] = 1 / 13,
    end_share: Annotated[float, typer.Option(help="Touched share that begins the endgame.")] = 0.9,
    out: Annotated[Path | None, typer.Option(help="Write a thresholds file an engine takes.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the histograms (PNG; needs matplotlib).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Label the games of a collection, fit a normal distribution to each of X and Y, test the fit, and give
    the intervals T1 and T2 of the paper's Eq. 6 and 7."""
    from tengen.commands.progress import Ticker
    from tengen.errors import ConfigError
    from tengen.go.sgf_record import parse_size
    from tengen.systems.game_files import game_files
    from tengen.systems.stage_fit import fit_stage, label_files, plot_histograms, thresholds_of

    width, height = parse_size(size)
    ticker = Ticker("games read")
    labelled = label_files(
        game_files(sources),
        width,
        height,
        games=games,
        until=until,
        seed=seed,
        middle_share=middle_share,
        contact_share=contact_share,
        end_share=end_share,
        progress=lambda path, count: ticker.tick(count, path.name),
    )
    ticker.done()
    for line in labelled.broken:
        print(line, file=sys.stderr)
    if not labelled.games:
        raise ConfigError(
            f"stages: none of the games is on a {width}x{height} board (--size); {_left_out(labelled)}"
        )
    middle, end = fit_stage(labelled.middle, classes), fit_stage(labelled.end, classes)
    fits = {"X, middle game": middle, "Y, endgame": end}
    both = {"X, middle game": labelled.middle, "Y, endgame": labelled.end}
    levels = alpha or [0.05, 0.01]
    thresholds = thresholds_of(middle, end, width, height, _source(sources, labelled, games, until, seed))
    if out is not None:
        thresholds.save(out)
    if plot is not None:
        plot_histograms({title: (both[title], one.bell) for title, one in fits.items()}, plot)
    if as_json:
        print(json.dumps(_said(labelled, fits, levels, thresholds.to_json())))
        return
    _print(labelled, fits, both, levels)
    for path in (out, plot):
        if path is not None:
            print(f"wrote {path}")


def _source(
    sources: list[Path], labelled: LabelledGames, games: int | None, until: str | None, seed: int
) -> str:
    named = ", ".join(path.name for path in sources)
    sampled = "" if games is None else f", a random sample (seed {seed})"
    return f"{labelled.games} games of {named}{sampled}{'' if until is None else f', before {until}'}"


def _left_out(labelled: LabelledGames) -> str:
    return f"{labelled.other_size} on another board, {labelled.too_late} too late or without a date"


def _said(
    labelled: LabelledGames, fits: dict[str, StageFit], levels: list[float], thresholds: dict[str, Any]
) -> dict[str, Any]:
    middle, end = fits.values()
    return {
        "games": labelled.games,
        "other_size": labelled.other_size,
        "too_late": labelled.too_late,
        "broken": labelled.broken,
        "middle": middle.to_json(levels),
        "end": end.to_json(levels),
        "thresholds": thresholds,
    }


def _print(
    labelled: LabelledGames, fits: dict[str, StageFit], labels: dict[str, list[int]], levels: list[float]
) -> None:
    from tengen.systems.stage_fit import text_histogram

    print(f"{labelled.games} games; left out: {_left_out(labelled)}")
    for (title, one), name in zip(fits.items(), ("T1", "T2"), strict=True):
        low, high = one.bell.interval
        print(f"\n{title}: {one.bell.labels} labels, mu {one.bell.mu:.2f}, sigma {one.bell.sigma:.2f}")
        print(text_histogram(labels[title], one.bell))
        if one.goodness is None:
            print(f"not tested: {one.untested}")
        else:
            test = one.goodness
            k, value, degrees = len(test.counted), test.statistic, test.degrees
            print(f"k = {k}, chi-square {value:.4f}, {degrees} degrees of freedom, p = {test.p:.4g}")
            for level in levels:
                verdict = "rejected: not normal" if test.rejects(level) else "accepted: normal"
                print(f"at alpha {level:g} the limit is {test.limit(level):.3f}: {verdict}")
        print(f"{name} = [{low}, {high}]")
