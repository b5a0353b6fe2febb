"""Small pictures in SVG, drawn here so that a report needs no plotting library and no second file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Bar", "Share", "bars", "intervals", "line_plot", "stacked"]

_WIDTH = 640
_LABEL = 190
_ROW = 26
_FONT = 'font-family="sans-serif" font-size="12"'
_GREEN, _GREY, _RED, _BLUE, _DARK = "#4c9f50", "#b0b0b0", "#cf4f46", "#3d74b8", "#333333"


@dataclass(frozen=True)
class Bar:
    """A value with its interval, and a second value to compare with (the paper's)."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    reference: float | None = None


@dataclass(frozen=True)
class Share:
    """Wins, draws and losses of one row."""

    label: str
    wins: float
    draws: float
    losses: float


def _svg(height: int, body: list[str], title: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" role="img" aria-label="{escape(title)}">'
        f'<text x="0" y="16" {_FONT} font-weight="bold">{escape(title)}</text>{"".join(body)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", color: str = _DARK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" {_FONT} text-anchor="{anchor}" fill="{color}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1.5) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
        f'stroke-width="{width}"/>'
    )


def _label(index: int, label: str) -> str:
    shown = label if len(label) <= 28 else label[:27] + "…"
    return _text(_LABEL - 8, _middle(index) + 4, shown, "end")


def _middle(index: int) -> float:
    return 28 + _ROW * index + _ROW / 2


def bars(title: str, rows: Sequence[Bar], unit: str = "") -> str:
    """Horizontal bars from nought: time or memory a move."""
    top = max([max(row.value, row.high or 0.0, row.reference or 0.0) for row in rows] + [1e-9])
    scale = (_WIDTH - _LABEL - 110) / top
    body = []
    for index, row in enumerate(rows):
        y = _middle(index)
        body.append(_label(index, row.label))
        body.append(
            f'<rect x="{_LABEL}" y="{y - 8:.1f}" width="{max(1.0, row.value * scale):.1f}" height="16" '
            f'fill="{_BLUE}"/>'
        )
        if row.low is not None and row.high is not None:
            body += _whisker(_LABEL + row.low * scale, _LABEL + row.high * scale, y)
        end = max(row.value, row.high or 0.0)
        body.append(_text(_LABEL + end * scale + 6, y + 4, f"{row.value:.3g} {unit}".strip()))
        if row.reference is not None:
            body.append(_diamond(_LABEL + row.reference * scale, y))
    return _svg(28 + _ROW * len(rows) + 8, body, title)


def _whisker(x1: float, x2: float, y: float) -> list[str]:
    ends = [_line(x, y - 5, x, y + 5, _DARK) for x in (x1, x2)]
    return [_line(x1, y, x2, y, _DARK), *ends]


def _diamond(x: float, y: float) -> str:
    return f'<path d="M{x - 5:.1f} {y:.1f} l5 -5 l5 5 l-5 5 z" fill="none" stroke="{_RED}" stroke-width="2"/>'


def intervals(title: str, rows: Sequence[Bar], unit: str = "", middle: float | None = 0.0) -> str:
    """A dot and its interval a row, on one scale; a diamond for a reference; a line at ``middle``."""
    values = [v for row in rows for v in (row.value, row.low, row.high, row.reference) if v is not None]
    values += [] if middle is None else [middle]
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin
    left, right = _LABEL, _WIDTH - 90

    def x_of(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    bottom = 28 + _ROW * len(rows)
    body = [] if middle is None else [_line(x_of(middle), 26, x_of(middle), bottom, _GREY, 1)]
    for index, row in enumerate(rows):
        y = _middle(index)
        body.append(_label(index, row.label))
        if row.low is not None and row.high is not None:
            body += _whisker(x_of(row.low), x_of(row.high), y)
        body.append(f'<circle cx="{x_of(row.value):.1f}" cy="{y:.1f}" r="4" fill="{_BLUE}"/>')
        if row.reference is not None:
            body.append(_diamond(x_of(row.reference), y))
        body.append(_text(_WIDTH - 84, y + 4, f"{row.value:.4g} {unit}".strip()))
    return _svg(bottom + 8, body, title)


def stacked(title: str, rows: Sequence[Share]) -> str:
    """Wins, draws and losses as parts of one bar a row, in percent."""
    body = []
    for index, row in enumerate(rows):
        y = _middle(index)
        body.append(_label(index, row.label))
        total = (row.wins + row.draws + row.losses) or 1.0
        x = float(_LABEL)
        for value, color in ((row.wins, _GREEN), (row.draws, _GREY), (row.losses, _RED)):
            width = (_WIDTH - _LABEL - 10) * value / total
            body.append(f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="{width:.1f}" height="18" fill="{color}"/>')
            if width > 34:
                body.append(_text(x + width / 2, y + 4, f"{100 * value / total:.1f}", "middle", "#ffffff"))
            x += width
    return _svg(28 + _ROW * len(rows) + 8, body, title)


def line_plot(
    title: str, series: Sequence[tuple[str, Sequence[tuple[float, float]]]], x_name: str, y_name: str
) -> str:
    """Curves over one pair of axes; below them which is which."""
    points = [point for _, line in series for point in line]
    if not points:
        return _svg(40, [], title)
    x_low, x_high = min(x for x, _ in points), max(x for x, _ in points)
    y_low, y_high = min(0.0, min(y for _, y in points)), max(y for _, y in points)
    left, right, top, bottom = 60, _WIDTH - 40, 40, 280
    height = bottom + 46 + 18 * len(series)

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - x_low) / ((x_high - x_low) or 1.0)
        up = (y - y_low) / ((y_high - y_low) or 1.0)
        return left + across * (right - left), bottom - up * (bottom - top)

    body = [_line(left, top, left, bottom, _GREY, 1), _line(left, bottom, right, bottom, _GREY, 1)]
    body += [_text(left - 6, at(x_low, y)[1] + 4, f"{y:.3g}", "end") for y in (y_low, y_high)]
    body += [_text(at(x, y_low)[0], bottom + 16, f"{x:.3g}", "middle") for x in (x_low, x_high)]
    body += [_text((left + right) / 2, bottom + 32, x_name, "middle"), _text(left + 6, top - 4, y_name)]
    for index, (name, line) in enumerate(series):
        color = (_BLUE, _RED, _GREEN, _DARK, _GREY)[index % 5]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in sorted(line)))
        body.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        body += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in (at(*p) for p in line)
        ]
        below = bottom + 52 + 18 * index
        body += [_line(left, below, left + 24, below, color, 2), _text(left + 32, below + 4, name)]
    return _svg(height, body, title)
