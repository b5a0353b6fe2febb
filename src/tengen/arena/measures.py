"""Measurements for experiments that are not games: what a search holds after thinking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tengen.errors import ConfigError
from tengen.go.position import Position
from tengen.go.rules import Rules
from tengen.players import Decision, Limit
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
) -> list[dict[str, Any]]:
    """Nodes of each player's search on the empty board after so many seconds, one row a player and time.

    ``players`` are specifications by name; from the second on, each also gets a row with the nodes it needs
    for as many simulations as the first made in that time, so that a slower search does not pass for a
    smaller one. ``scale`` shortens the times.
    """
    rows = []
    names = list(players)
    for time in seconds:
        first = _think(players[names[0]], seed, size, memory_mb, Limit(seconds=time * scale))
        for name in names:
            held = first
            if name != names[0]:
                held = _think(players[name], seed, size, memory_mb, Limit(seconds=time * scale))
            rows.append(_row(f"{name}, {time:g} s", name, time, held))
        simulations = int(_told(first, "simulations"))
        for name in names[1:]:
            held = _think(players[name], seed, size, memory_mb, Limit(playouts=max(1, simulations)))
            series = f"{name}, as many simulations as {names[0]}"
            rows.append(_row(f"{series}, {time:g} s", series, time, held))
    return rows


def _row(label: str, series: str, time: float, held: Decision) -> dict[str, Any]:
    return {"label": label, "value": _told(held, "nodes"), "series": series, "x": time}


def _think(spec: str, seed: int, size: int, memory_mb: float, limit: Limit) -> Decision:
    """One search of a fresh player on the empty board."""
    player = make_player(spec, Resources(seed=seed, memory_mb=memory_mb))
    try:
        rules = Rules.named("chinese", size)
        player.new_game(rules)
        return player.choose(Position.start(rules), limit)
    finally:
        player.close()


def _told(decision: Decision, name: str) -> float:
    value = decision.info.get(name)
    if value is None:
        raise ConfigError(f"the player does not tell its {name}: a searching system expected")
    return float(value)
