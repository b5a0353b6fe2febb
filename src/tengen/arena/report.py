"""A match, tournament or experiment as one HTML page that needs nothing else, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tengen.arena.journal import sgf_name, write_atomically
from tengen.arena.pictures import Bar, Share, bars, intervals, stacked
from tengen.arena.summary import signed
from tengen.arena.tournament import Outcome

__all__ = ["page", "table", "tournament_body", "write_report"]

_STYLE = """
body { font-family: sans-serif; margin: 2em auto; max-width: 62em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #ccc; padding: .25em .6em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { background: #f2f2f2; }
svg { display: block; margin: 1em 0; }
code { background: #f4f4f4; padding: .1em .3em; overflow-wrap: anywhere; }
details { margin: 1em 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""

LISTED_GAMES = 5000


def page(title: str, body: Sequence[str]) -> str:
    """A whole HTML document around parts that are HTML already."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def table(rows: Sequence[Sequence[object]]) -> str:
    """The first row is the heading. Cells are text, not HTML."""
    head, *rest = rows
    lines = ["<tr>" + "".join(f"<th>{escape(str(cell))}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rest]
    return "<table>" + "\n".join(lines) + "</table>"


def tournament_body(outcome: Outcome, records: str | None = None) -> list[str]:
    """Ratings, cross table, pictures and the list of games, linked to their SGF in the folder ``records`` (as seen
    from the page) where one is given.
    """
    fields = outcome.to_json()
    players = fields["players"]
    parts = ["<h2>Ratings</h2>", _rating_table(players)]
    rated = [player for player in players if "elo" in player]
    if rated:
        rows = [Bar(p["name"], p["elo"], p["elo_interval"][0], p["elo_interval"][1]) for p in rated]
        parts.append(intervals("Elo, 95 % intervals", rows))
        colour = outcome.ratings.black_advantage_interval if outcome.ratings else None
        black = (
            f"Playing Black is worth {signed(fields['black_advantage_elo'])} Elo here "
            f"({signed(colour.low)} .. {signed(colour.high)}). "
            if colour is not None
            else "What playing Black is worth cannot be told from these games. "
        )
        parts.append(
            f"<p>{black}Maximum likelihood (Bradley-Terry with draws), one imagined drawn game a player and one of "
            "Black and White; the mean of all is 0.</p>"
        )
    parts += ["<h2>Cross table</h2>", "<p>Black in rows, White in columns; won - (drawn -) lost.</p>"]
    parts.append(table(outcome.table.rows()))
    parts.append(
        stacked(
            "Wins, draws, losses in %",
            [Share(p["name"], p["wins"], p["draws"], p["losses"]) for p in players],
        )
    )
    parts += _cost_pictures(players)
    parts += _troubles(fields)
    parts.append(_game_list(outcome, records))
    return parts


def _rating_table(players: Sequence[Mapping[str, Any]]) -> str:
    rows: list[list[object]] = [
        ["player", "Elo", "95 %", "score %", "95 %", "games", "ms a move", "plays as"]
    ]
    for player in players:
        low, high = player.get("elo_interval", (None, None))
        rows.append(
            [
                player["name"],
                "" if "elo" not in player else signed(player["elo"]),
                "" if low is None else f"{signed(low)} .. {signed(high)}",
                f"{100 * player['score']:.1f}",
                f"{100 * player['interval'][0]:.1f} .. {100 * player['interval'][1]:.1f}",
                player["games"],
                f"{1000 * player['seconds_per_move']:.1f}",
                f"{player['spec']} ({', '.join(player['programs'])})"
                if player["programs"]
                else player["spec"],
            ]
        )
    return table(rows)


def _cost_pictures(players: Sequence[Mapping[str, Any]]) -> list[str]:
    time = [Bar(player["name"], 1000 * player["seconds_per_move"]) for player in players]
    memory = [Bar(player["name"], player["peak_memory_mib"]) for player in players if player["own_process"]]
    parts = ["<h2>Time and memory a move</h2>", bars("Mean time a move", time, "ms")]
    if memory:
        parts.append(bars("Peak memory of the player's process", memory, "MiB"))
    if len(memory) < len(players):
        shared = ", ".join(escape(player["name"]) for player in players if not player["own_process"])
        parts.append(
            f"<p>Played inside the runner's process, so that their memory is not their own: {shared}. "
            "<code>--separate</code> gives each system a process.</p>"
        )
    return parts


def _troubles(fields: Mapping[str, Any]) -> list[str]:
    parts = []
    if fields["failures"]:
        items = "".join(f"<li>{escape(text)}</li>" for text in fields["failures"])
        parts.append(f"<h2>Games lost by failing</h2><ul>{items}</ul>")
    checked = fields["referee_checked"]
    if checked:
        items = "".join(f"<li>{escape(text)}</li>" for text in fields["referee_disagreements"])
        count = len(fields["referee_disagreements"])
        parts.append(
            f"<h2>Second opinion</h2><p>GNU Go counted {checked} games too; it named another winner in "
            f"{count}.</p><ul>{items}</ul>"
        )
    return parts


def _game_list(outcome: Outcome, records: str | None) -> str:
    rows = ["<tr><th>game</th><th>Black</th><th>White</th><th>result</th><th>end</th><th>moves</th></tr>"]
    for game in outcome.games[:LISTED_GAMES]:
        name = escape(game.key.text())
        if records is not None and not game.void:
            name = f'<a href="{escape(quote(records))}/{escape(sgf_name(game))}">{name}</a>'
        cells = [game.black, game.white, game.result, game.reason.value, str(game.moves)]
        rows.append(f"<tr><td>{name}</td>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    more = len(outcome.games) - LISTED_GAMES
    note = f"<p>and {more} more in games.jsonl</p>" if more > 0 else ""
    listed = f"<table>{''.join(rows)}</table>{note}"
    return f"<h2>Games</h2><details><summary>{len(outcome.games)} games</summary>{listed}</details>"


def write_report(
    folder: Path, title: str, body: Sequence[str], fields: Mapping[str, Any], origin: Mapping[str, Any]
) -> None:
    """``report.html`` and ``report.json`` in the folder; ``origin`` (machine.provenance) goes into both."""
    text = json.dumps(origin, indent=2, ensure_ascii=False, default=str)
    repeat = f"<h2>To repeat it</h2><pre>{escape(text)}</pre>"
    write_atomically(folder / "report.html", page(title, [*body, repeat]))
    whole = {"title": title, **fields, "origin": origin}
    write_atomically(
        folder / "report.json", json.dumps(whole, indent=2, ensure_ascii=False, default=str) + "\n"
    )
