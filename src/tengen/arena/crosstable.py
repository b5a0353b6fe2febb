"""Who did what to whom, Black in rows and White in columns, as in cygo's Tables 3 and 4."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.arena.elo import PairResult, Ratings, rate
from tengen.arena.results import GameResult, tally
from tengen.arena.stats import Tally

__all__ = ["CrossTable"]


@dataclass(frozen=True)
class CrossTable:
    """Counts by colour for every pair of players."""

    players: tuple[str, ...]
    cells: dict[tuple[str, str], Tally]
    totals: dict[str, Tally]

    @staticmethod
    def of(players: Sequence[str], games: Iterable[GameResult]) -> CrossTable:
        """``players`` in the order of the table; games of others and void ones are left out."""
        games = [game for game in games if not game.void and {game.black, game.white} <= set(players)]
        cells: dict[tuple[str, str], Tally] = {}
        for game in games:
            one = Tally(int(game.winner == game.black), int(not game.winner), int(game.winner == game.white))
            cells[game.black, game.white] = cells.get((game.black, game.white), Tally()) + one
        return CrossTable(tuple(players), cells, {name: tally(games, name) for name in players})

    def cell(self, black: str, white: str) -> Tally | None:
        """Black's tally in that pairing of colours, None where they did not meet so."""
        return self.cells.get((black, white))

    def pair(self, a: str, b: str) -> Tally:
        """a's tally against b, both colours."""
        with_black = self.cells.get((a, b), Tally())
        return with_black + self.cells.get((b, a), Tally()).reversed

    def rows(self) -> list[list[str]]:
        """The table as text, the heading first: ``399 - 101 (79.8 %)``, draws between."""
        heading = ["", *(f"{name} (W)" for name in self.players), "total"]
        rows = [heading]
        for black in self.players:
            row = [f"{black} (B)"]
            for white in self.players:
                cell = self.cell(black, white)
                row.append("-" if cell is None else tally_text(cell))
            rows.append([*row, tally_text(self.totals[black])])
        return rows

    def text(self) -> str:
        rows = self.rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = []
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"black": black, "white": white, "wins": cell.wins, "draws": cell.draws, "losses": cell.losses}
            for (black, white), cell in sorted(self.cells.items())
        ]

    def ratings(self, **options: Any) -> Ratings | None:
        """Maximum-likelihood Elo of those who played (see ``elo.rate``); None when nobody did."""
        pairs = [PairResult(b, w, cell.wins, cell.draws, cell.losses) for (b, w), cell in self.cells.items()]
        return rate(pairs, **options) if pairs else None


def tally_text(cell: Tally) -> str:
    middle = f" - {cell.draws}" if cell.draws else ""
    return f"{cell.wins}{middle} - {cell.losses} ({100 * cell.score:.1f} %)"
