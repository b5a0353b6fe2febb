"""What runs in a worker process: games, one after another, with players kept between them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Sequence
from multiprocessing import util
from multiprocessing.process import BaseProcess
from types import FrameType

from tengen.arena.conditions import Conditions
from tengen.arena.contestants import Builder, Contestant, Opinion
from tengen.arena.game import GameTask, play_game
from tengen.arena.results import GameResult
from tengen.arena.specs import PlayerSpec

__all__ = ["close_players", "initialise", "play_batch"]

KEPT_PLAYERS = 6
"""Players of a worker that stay alive between games; the one unused longest goes first."""

_Key = tuple[Builder, PlayerSpec, Conditions]
_players: OrderedDict[_Key, Contestant] = OrderedDict()
_opinions: dict[Builder, Opinion | None] = {}


def play_batch(builder: Builder, tasks: Sequence[GameTask]) -> list[GameResult]:
    """Play some games. TengenError only for what no game could change: a player that cannot be built."""
    results = []
    for task in tasks:
        black = _contestant(builder, task.black, task.conditions)
        white = _contestant(builder, task.white, task.conditions)
        results.append(play_game(task, black, white, _opinion(builder, task.conditions)))
        black.rest()
        white.rest()
    return results


def _contestant(builder: Builder, spec: PlayerSpec, conditions: Conditions) -> Contestant:
    key = (builder, spec, conditions)
    contestant = _players.get(key)
    if contestant is None:
        while len(_players) >= KEPT_PLAYERS:
            _players.popitem(last=False)[1].close()
        contestant = _players[key] = Contestant(spec, conditions, builder)
    _players.move_to_end(key)
    return contestant


def _opinion(builder: Builder, conditions: Conditions) -> Opinion | None:
    if conditions.second_opinion == "never":
        return None
    if builder not in _opinions:
        _opinions[builder] = builder.second_opinion()
    return _opinions[builder]


def close_players() -> None:
    """End every player this process holds, and the programs behind them."""
    while _players:
        _players.popitem()[1].close()
    while _opinions:
        opinion = _opinions.popitem()[1]
        close = getattr(opinion, "close", None)
        if close is not None:
            with contextlib.suppress(Exception):
                close()


def initialise() -> None:
    """Prepare a worker process: it ends its programs when it ends, and ends itself when its parent is gone.

    Ctrl-C is the parent's business: it tells the workers when they have to go.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    util.Finalize(None, close_players, exitpriority=100)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_outlive, args=(parent,), daemon=True).start()


def _leave(number: int, frame: FrameType | None) -> None:
    close_players()
    os._exit(128 + number)


def _outlive(parent: BaseProcess) -> None:
    """Waits for the parent's end, however it comes: on Windows too its number alone would not tell."""
    parent.join()
    close_players()
    os._exit(1)
