"""Learning curves as a picture, from the logs of one run or several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tengen.learn.journal import read_journal

__all__ = ["curve_points", "draw_curves"]

SHOWN = ("top1", "played1", "winrate_error", "score_error", "ownership_error")
NAMES = {
    "loss": "training loss",
    "top1": "best move found (policy)",
    "played1": "played move found",
    "winrate_error": "winrate, mean absolute error",
    "score_error": "score, mean absolute error (points)",
    "ownership_error": "ownership, mean absolute error",
}


def curve_points(entries: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """By figure, by line: (positions trained on, figure). The training loss is the figure ``loss``, line
    ``training``.
    """
    points: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for entry in entries:
        seen = float(entry.get("positions", 0))
        if entry["kind"] == "train":
            points.setdefault("loss", {}).setdefault("training", []).append((seen, float(entry["loss"])))
        elif entry["kind"] == "validation":
            for title, row in entry["sets"].items():
                for figure in SHOWN:
                    if figure in row:
                        points.setdefault(figure, {}).setdefault(title, []).append((seen, row[figure]))
    return points


def draw_curves(directories: Sequence[Path], path: Path) -> bool:
    """Writes a PNG with a panel per figure. False, and no file, where matplotlib is missing or nothing was
    logged.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    runs = [(folder.name, curve_points(read_journal(folder / "log.jsonl"))) for folder in directories]
    shown = [figure for figure in ("loss", *SHOWN) if any(figure in points for _, points in runs)]
    if not shown:
        return False
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    picture = Figure(figsize=(5.2 * columns, 3.6 * rows), layout="constrained")
    FigureCanvasAgg(picture)
    for place, figure in enumerate(shown):
        axes = picture.add_subplot(rows, columns, place + 1)
        for run, points in runs:
            for line, pairs in sorted(points.get(figure, {}).items()):
                label = line if len(runs) == 1 else f"{run} {line}"
                axes.plot([x for x, _ in pairs], [y for _, y in pairs], label=label, linewidth=1.2)
        axes.set_title(NAMES[figure], fontsize=10)
        axes.set_xlabel("positions trained on", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
    picture.savefig(path, dpi=110)
    return True
