"""Measurements for experiments that are not games: what a search holds after thinking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tengen.arena.stats import mean_interval
from tengen.errors import ConfigError
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Limit
from tengen.search_player import SearchPlayer
from tengen.systems import Resources, make_player

__all__ = ["states_held"]


def states_held(
    scale: float,
    seed: int,
    workers: int,
    *,
    players: Mapping[str, str],
    seconds: Sequence[float] = (1, 5, 10, 15, 20),
    size: int = 19,
    memory_mb: float = 1024.0,
    repeats: int = 1,
) -> list[dict[str, Any]]:
    """Nodes of each player's search on the empty board after so many seconds, one row a player and time: the
    mean over ``repeats`` searches of different seeds, and its interval.

    ``players`` are specifications by name; from the second on, each also gets a row with the nodes it needs
    for as many simulations as the first made in that time, so that a slower search does not pass for a
    smaller one. ``scale`` shortens the times.
    """

    def nodes_once(limit: Limit, seed: int) -> dict[str, float]:
        """By curve: every player in the same time, then the others after the first's simulations."""
        first, *others = players
        held = {name: _think(players[name], seed, size, memory_mb, limit) for name in players}
        same = Limit(playouts=max(1, int(held[first]["simulations"])))
        for name in others:
            held[f"{name}, as many simulations as {first}"] = _think(
                players[name], seed, size, memory_mb, same
            )
        return {series: found["nodes"] for series, found in held.items()}

    rows = []
    for time in seconds:
        limit = Limit(seconds=time * scale)
        measured = [nodes_once(limit, seed + number) for number in range(repeats)]
        rows += [_row(series, time, [held[series] for held in measured]) for series in measured[0]]
    return rows


def _row(series: str, time: float, counted: Sequence[float]) -> dict[str, Any]:
    mean, interval = mean_interval(counted)
    low, high = (None, None) if interval is None else interval.as_list()
    row = {"label": f"{series}, {time:g} s", "value": mean, "low": low, "high": high}
    return row | {"games": len(counted), "series": series, "x": time}


def _think(spec: str, seed: int, size: int, memory_mb: float, limit: Limit) -> dict[str, float]:
    """What one search of a fresh player on the empty board came to; it does not end sooner for being decided."""
    player = make_player(spec, Resources(seed=seed, memory_mb=memory_mb))
    if not isinstance(player, SearchPlayer):
        raise ConfigError(f"{spec}: a searching system expected")
    try:
        rules = Rules.named("chinese", size)
        player.new_game(rules)
        return player.measure(Position.start(rules), limit)
    finally:
        player.close()
