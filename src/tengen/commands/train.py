"""``tengen train``: a net learned from data, and the files it is played from."""

from __future__ import annotations

import dataclasses
import json
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.errors import ConfigError

if TYPE_CHECKING:
    from tengen.learn.supervised import TrainingResult

__all__ = ["find_config", "register"]

WHAT = {
    "policy": "Learn to choose moves: the config's policy heads.",
    "value": "Learn to judge positions: winner, score, ownership.",
    "both": "Learn all heads the config names, in one net.",
}


def register(app: typer.Typer) -> None:
    """Adds the family ``train`` with policy, value, both, export, quantize, measure, card, curves and
    configs.
    """
    family = typer.Typer(help="Train a net, go on training it, export it.", no_args_is_help=True)
    for what, summary in WHAT.items():
        family.command(what, help=summary)(_train_command(what))
    family.command("export")(export)
    family.command("quantize")(quantize)
    family.command("measure")(measure)
    family.command("card")(card)
    family.command("curves")(curves)
    family.command("configs")(configs)
    app.add_typer(family, name="train")


def find_config(name: str) -> Path:
    """A path as given, or the shipped config of that name. Raises ConfigError for neither."""
    path = Path(name)
    if path.suffix == ".toml" or path.exists():
        return path
    shipped = _shipped()
    if name not in shipped:
        raise ConfigError(f"config {name!r}: no such file, and the package has {', '.join(sorted(shipped))}")
    return shipped[name]


def _shipped() -> dict[str, Path]:
    folder = Path(str(resources.files("tengen"))) / "data" / "training"
    return {path.stem: path for path in folder.glob("*.toml")}


def _train_command(what: str) -> Any:
    """The three commands differ in the heads they train alone."""

    def command(
        config: Annotated[str, typer.Argument(help="A TOML file, or the name of one that is shipped.")],
        out: Annotated[Path | None, typer.Option(help="The run's directory; default runs/NAME.")] = None,
        data: Annotated[Path | None, typer.Option(help="Where the config's relative paths begin.")] = None,
        hours: Annotated[float | None, typer.Option(help="Time budget over all resumptions.")] = None,
        steps: Annotated[int | None, typer.Option(help="Budget in optimizer steps.")] = None,
        threads: Annotated[int | None, typer.Option(help="CPU threads.")] = None,
        device: Annotated[str | None, typer.Option(help="auto, cpu, cuda, mps.")] = None,
        resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    ) -> None:
        from tengen.learn.config import load_config, train_only
        from tengen.learn.supervised import train

        plan = train_only(load_config(find_config(config)), what)
        given: dict[str, Any] = {"hours": hours, "steps": steps, "threads": threads, "device": device}
        plan = dataclasses.replace(
            plan, **{name: value for name, value in given.items() if value is not None}
        )
        directory = out or Path("runs") / plan.name
        result = train(plan, directory, data=data, resume=resume)
        if as_json:
            print(json.dumps(result_table(result)))
        else:
            print(
                f"{result.directory}: {result.steps} steps, {result.positions:,} positions", file=sys.stderr
            )
        if not result.finished:
            raise typer.Exit(130)

    return command


def result_table(result: TrainingResult) -> dict[str, Any]:
    """A run's result as JSON has it."""
    return {
        "directory": str(result.directory),
        "steps": result.steps,
        "positions": result.positions,
        "seconds": round(result.seconds, 1),
        "finished": result.finished,
        "validation": result.validation,
    }


def export(
    run: Annotated[Path, typer.Argument(help="A run's directory, or its weights.pt or checkpoint.pt.")],
    net: Annotated[Path, typer.Argument(help="The .onnx file to write; .safetensors is written beside it.")],
    half: Annotated[
        bool, typer.Option("--half", help="Store weights in 16 bits: half the file, same speed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write the net of a run as ONNX and safetensors, checked against the run's own answers."""
    from tengen.learn.export import export_run

    exported = export_run(run, net, half=half)
    if as_json:
        print(
            json.dumps(
                {
                    "onnx": str(exported.onnx),
                    "safetensors": str(exported.safetensors) if exported.safetensors else None,
                    "bytes": exported.bytes,
                    "largest_difference": exported.largest_difference,
                }
            )
        )
    else:
        print(f"{exported.onnx}: {exported.bytes:,} bytes", file=sys.stderr)


def quantize(
    net: Annotated[Path, typer.Argument(help="An exported float32 .onnx.")],
    out: Annotated[Path, typer.Argument(help="The eight-bit .onnx to write.")],
    data: Annotated[
        list[Path], typer.Option(help="Data directories with positions of the net's board sizes.")
    ],
    positions: Annotated[int, typer.Option(help="Positions a directory and size to fit ranges to.")] = 512,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write an eight-bit copy of a net: several times faster on most processors; says how far its answers
    are off.
    """
    from tengen.learn.quantize import quantize_net

    made = quantize_net(net, out, data, positions=positions)
    if as_json:
        print(
            json.dumps({"onnx": str(made.path), "bytes": made.bytes, **dataclasses.asdict(made.difference)})
        )
        return
    apart = made.difference
    print(
        f"{made.path}: {made.bytes:,} bytes; on {apart.positions:,} held-out positions the same first "
        f"move in {apart.same_first_move:.1%}, winrate {apart.winrate:.4f} and score {apart.score:.2f} apart"
    )


def measure(
    net: Annotated[Path, typer.Argument(help="A run's directory or .pt file, or any exported .onnx.")],
    data: Annotated[
        Path | None,
        typer.Option(help="A run: where its source paths begin. An .onnx: the data directory to measure on."),
    ] = None,
    positions: Annotated[int, typer.Option(help="Held-out positions a set.")] = 20000,
    targets: Annotated[str | None, typer.Option(help="For an .onnx: labels or moves.")] = None,
    names: Annotated[
        list[str] | None, typer.Option(help="For an .onnx: patterns of source files, a set each.")
    ] = None,
    board: Annotated[int | None, typer.Option(help="For an .onnx: this board size only.")] = None,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure a net on held-out games: top-n, winrate, score and ownership errors, a line a set."""
    from tengen.learn.measure import measure_file, measure_run

    if net.suffix == ".onnx":
        if data is None:
            raise ConfigError("measure: --data DIRECTORY is needed for an .onnx file")
        asked = {"targets": targets, "names": names or (), "board": board}
        figures = measure_file(net, data, positions=positions, threads=threads, **asked)  # type: ignore[arg-type]
    else:
        figures = measure_run(net, data, positions, threads)
    if as_json:
        print(json.dumps({"net": str(net), "sets": figures}))
        return
    for title, row in figures.items():
        print(title, *(f"{name} {value:.4g}" for name, value in row.items()))


def card(
    run: Annotated[Path, typer.Argument(help="A run's directory.")],
    page: Annotated[Path, typer.Argument(help="The Markdown file to write; the curve is drawn beside it.")],
    command: Annotated[str, typer.Option(help="The command that trained it.")],
    data: Annotated[str, typer.Option(help="Where the positions came from, in words.")],
) -> None:
    """Write a net's model card from what its run recorded."""
    from tengen.learn.card import write_card

    write_card(run, page, command, data)


def curves(
    picture: Annotated[Path, typer.Argument(help="The PNG to write.")],
    runs: Annotated[list[Path], typer.Argument(help="One or more runs' directories, compared.")],
) -> None:
    """Draw the learning curves of one run, or of several in one picture."""
    from tengen.learn.curves import draw_curves

    if not draw_curves(runs, picture):
        raise ConfigError(f"{picture}: nothing was logged, or matplotlib is not installed (extra [lab])")


def configs() -> None:
    """List the configs that come with the package."""
    for name, path in sorted(_shipped().items()):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        print(f"{name:16} {first.lstrip('# ')}")
