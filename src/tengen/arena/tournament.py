"""A tournament as a TOML file says it, and its outcome.

name = "playouts"
kind = "round-robin"          # or "gauntlet": the first against all; or "ladder"
games = 100                   # of every pairing
seed = 1

[conditions]
size = 9
playouts = 1000

[[players]]
spec = "uct"

[[players]]
name = "GNU Go"
spec = "cmd:gnugo --mode gtp --level 10"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator

from tengen.arena.conditions import Conditions, Strict, validation_text
from tengen.arena.crosstable import CrossTable
from tengen.arena.elo import Ratings
from tengen.arena.openings import OpeningBook
from tengen.arena.results import GameResult
from tengen.arena.schedules import Gauntlet, Ladder, Results, RoundRobin, Schedule, Series
from tengen.arena.specs import PlayerSpec
from tengen.arena.sprt import Sprt
from tengen.arena.summary import disagreement_text, failure_text, finite, signed, total_cost
from tengen.errors import ConfigError, TengenError

__all__ = ["Outcome", "PlayerEntry", "TournamentConfig", "load_tournament", "make_schedule", "read_toml"]


class PlayerEntry(Strict):
    """One contestant, and limits of his own where he has any."""

    spec: str
    name: str | None = None
    playouts: Annotated[int | None, Field(ge=1)] = None
    visits: Annotated[int | None, Field(ge=1)] = None
    seconds: Annotated[float | None, Field(gt=0)] = None

    @field_validator("spec")
    @classmethod
    def _spec(cls, value: str) -> str:
        PlayerSpec.parse(value)
        return value

    def player(self) -> PlayerSpec:
        parsed = PlayerSpec.parse(self.spec, self.name)
        return replace(parsed, playouts=self.playouts, visits=self.visits, seconds=self.seconds)


class TournamentConfig(Strict):
    """Everything that decides which games are played; nothing of how (workers, folders)."""

    name: str = "tournament"
    kind: Literal["round-robin", "gauntlet", "ladder"] = "round-robin"
    games: Annotated[int, Field(ge=1)] = 100
    seed: int = 1
    sprt: str | None = None
    conditions: Conditions = Conditions()
    players: Annotated[list[PlayerEntry], Field(min_length=2)]

    @field_validator("sprt")
    @classmethod
    def _sprt(cls, value: str | None) -> str | None:
        if value is not None:
            Sprt.parse(value)
        return value

    def identity(self) -> dict[str, Any]:
        """What runs that share a journal have in common: not the number of games or a test's bounds."""
        return self.model_dump(exclude={"games", "sprt", "name"})

    def scaled(self, factor: float) -> TournamentConfig:
        """With that share of the games, whole pairs, one pair at least."""
        return self.model_copy(update={"games": max(2, 2 * round(self.games * factor / 2))})


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; ConfigError with path and line when it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def load_tournament(path: Path) -> TournamentConfig:
    """ConfigError names the file and the path of every wrong key."""
    return parse_tournament(read_toml(path), str(path))


def parse_tournament(fields: Mapping[str, Any], source: str) -> TournamentConfig:
    try:
        return TournamentConfig.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{source}: {validation_text(error)}") from None
    except TengenError as error:
        raise ConfigError(f"{source}: {error}") from None


def make_schedule(config: TournamentConfig, folder: Path | None = None) -> RoundRobin | Ladder:
    """The games a tournament consists of. ``folder`` is where a relative path to openings starts from."""
    conditions = config.conditions
    rules = conditions.game_rules()
    if conditions.openings is None:
        book = OpeningBook(rules.width, rules.height, conditions.opening_moves)
    else:
        book = OpeningBook.of_file((folder or Path()) / conditions.openings, rules.width, rules.height)
    series = Series(config.seed, conditions, book)
    players = [entry.player() for entry in config.players]
    sprt = None if config.sprt is None else Sprt.parse(config.sprt)
    if config.kind == "ladder":
        if sprt is not None:
            raise ConfigError(f"{config.name}: a ladder takes no sprt")
        return Ladder(players, config.games, series)
    kind = RoundRobin if config.kind == "round-robin" else Gauntlet
    return kind(players, config.games, series, sprt)


@dataclass(frozen=True)
class Outcome:
    """What a tournament came to. ``order`` is the ladder's where there was one, else by rating."""

    players: tuple[PlayerSpec, ...]
    games: tuple[GameResult, ...]
    table: CrossTable
    ratings: Ratings | None
    ladder: tuple[str, ...] | None = None

    @staticmethod
    def of(schedule: Schedule, results: Results) -> Outcome:
        games = tuple(schedule.counted(results))
        table = CrossTable.of([player.name for player in schedule.players], games)
        ladder = None
        if isinstance(schedule, Ladder):
            ladder = tuple(player.name for player in schedule.order(results))
        return Outcome(tuple(schedule.players), games, table, table.ratings(), ladder)

    @property
    def order(self) -> list[str]:
        if self.ladder is not None:
            return list(self.ladder)
        if self.ratings is None:
            return [player.name for player in self.players]
        return [rating.player for rating in self.ratings.players]

    def to_json(self) -> dict[str, Any]:
        valid = [game for game in self.games if not game.void]
        return {
            "players": [self._player_json(name) for name in self.order],
            "cross_table": self.table.to_json(),
            "black_advantage_elo": finite(self.ratings.black_advantage, 1) if self.ratings else None,
            "games": len(valid),
            "void": len(self.games) - len(valid),
            "failures": [failure_text(game) for game in valid if game.reason.is_failure],
            "referee_checked": sum(game.second_opinion is not None for game in valid),
            "referee_disagreements": [disagreement_text(game) for game in valid if game.disagreement],
            "ladder": list(self.ladder) if self.ladder else None,
        }

    def _player_json(self, name: str) -> dict[str, Any]:
        spec = next(player for player in self.players if player.name == name)
        total = self.table.totals[name]
        cost = total_cost(self.games, name)
        met = (game.program_of(name) for game in self.games if name in (game.black, game.white))
        programs = sorted({program for program in met if program})
        fields: dict[str, Any] = {"name": name, "spec": spec.text, "programs": programs}
        limits = {"playouts": spec.playouts, "visits": spec.visits, "seconds": spec.seconds}
        fields |= {key: value for key, value in limits.items() if value is not None}
        if self.ratings is not None and total.games:
            rating = self.ratings[name]
            fields |= {
                "elo": finite(rating.elo, 1),
                "elo_interval": [finite(rating.interval.low, 1), finite(rating.interval.high, 1)],
            }
        return fields | {
            "games": total.games,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.losses,
            "score": finite(total.score),
            "interval": [finite(bound) for bound in total.interval().as_list()],
            "seconds_per_move": finite(cost.seconds_per_move, 6),
            "cpu_per_move": finite(cost.cpu_per_move, 6),
            "peak_memory_mib": finite(cost.peak_memory / (1 << 20), 1),
            "own_process": cost.own_process,
        }

    def lines(self) -> list[str]:
        """Ratings and cross table for a terminal."""
        fields = self.to_json()
        lines = []
        for place, player in enumerate(fields["players"], 1):
            elo = (
                f"{player['elo']:+7.1f} [{signed(player['elo_interval'][0])}, {signed(player['elo_interval'][1])}]"
                if ("elo" in player)
                else ""
            )
            score = f"{100 * player['score']:.1f} % of {player['games']}"
            time = f"{1000 * player['seconds_per_move']:.1f} ms a move"
            lines.append(f"{place:2}. {player['name']}  {elo}  {score}  {time}")
        lines += ["", *self.table.text().splitlines()]
        lines += [f"failed: {text}" for text in fields["failures"][:10]]
        lines += [f"referees disagree: {text}" for text in fields["referee_disagreements"]]
        return lines
