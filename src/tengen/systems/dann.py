"""dann: a deep alternative neural network predicts the next move, and its most probable sensible move is
played.

No tree. The paper sets the probability of illegal points to nought and plays the best of what is left; it
does not say when to pass or what to do with moves that only fill a settled board. Here (open in the paper, so
parameters):

* A move is sensible if it is legal, fills no own one-point eye, and is no hopeless self-atari.
* Late in the game, or once the opponent has passed, ownership is asked of random playouts (or of the net, if
it
  has such a head). Points that are settled are not played on; when none is left, or the opponent has passed
  and the count says we lead on a settled board, we pass.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError
from tengen.go.coords import PASS, Color, Move, neighbours
from tengen.go.position import Position
from tengen.go.rules import Goal, Rules
from tengen.go.scoring import dead_by_ownership, score_position
from tengen.go.scoring import ownership as playout_ownership
from tengen.knowledge.tactics import Tactics
from tengen.nets.runtime import Evaluation, Net
from tengen.nets.shipped import net_path
from tengen.players import Clock, Decision, Limit
from tengen.systems import Resources

__all__ = ["DannPlayer", "Parameters", "build"]

DEFAULT_NET = "dann"


@dataclass(frozen=True)
class Parameters:
    """How a move predictor becomes a player.

    symmetries: orientations a prediction is averaged over (1, 2, 4 or 8). late: share of the board's points
    after which many moves ownership is asked for. playouts: random games that ownership comes from. settled:
    how sure a point's owner must be for it to be left alone. temperature: 0 plays the most probable move,
    else moves are drawn with probability p ** (1 / temperature).
    """

    symmetries: int = 1
    late: float = 0.4
    playouts: int = 200
    settled: float = 0.85
    temperature: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.late <= 3 or not 0.5 <= self.settled <= 1:
            raise ConfigError(f"late={self.late}, settled={self.settled}: 0 to 3 and 0.5 to 1 expected")
        if self.playouts < 1 or not 0 <= self.temperature <= 2:
            raise ConfigError(
                f"playouts={self.playouts}, temperature={self.temperature}: at least 1, and 0 to 2 expected"
            )


class DannPlayer:
    """Player and Judge over a Net. A clock or a limit changes nothing: a move is one evaluation."""

    def __init__(self, net: Net, parameters: Parameters | None = None, seed: int = 1) -> None:
        self.name = "dann"
        self.net = net
        self.parameters = parameters or Parameters()
        self._seed = seed
        self._random = np.random.default_rng(seed)

    def new_game(self, rules: Rules) -> None:
        """ConfigError if the net does not play on such a board."""
        if not self.net.plays_on(rules.width, rules.height):
            raise ConfigError(f"{self.net.name}: does not play on {rules.width}x{rules.height}")

    def close(self) -> None:
        """Nothing to let go of."""

    def choose(self, position: Position, limit: Limit | None = None, clock: Clock | None = None) -> Decision:
        started = time.perf_counter()
        judged = self.net.evaluate([position])[0]
        move = self._move(position, judged)
        probability = float(judged.policy[move if move >= 0 else -1])
        return Decision(
            move=move,
            winrate=judged.winrate,
            score=judged.score,
            visits=1,
            pv=(move,),
            seconds=time.perf_counter() - started,
            info={"probability": probability},
        )

    def _move(self, position: Position, judged: Evaluation) -> Move:
        order = self._order(judged.policy[:-1])
        if position.rules.goal is Goal.FIRST_CAPTURE:
            return next((move for move in order if position.is_legal(move)), PASS)
        closing: _Closing | None = None
        if self._is_late(position, judged):
            closing = _Closing(position, self.ownership(position, judged), self.parameters.settled)
            if position.passes and closing.leads:
                return PASS
        tactics = Tactics(position.board)
        for move in order:
            if closing is not None and closing.is_settled(move):
                continue
            if is_sensible(position, tactics, move):
                return move
        return PASS

    def _order(self, policy: NDArray[np.float32]) -> list[Move]:
        """Moves of any probability, the one to play first first."""
        moves = np.flatnonzero(policy > 0)
        weight = policy[moves].astype(np.float64)
        if self.parameters.temperature > 0:
            # Gumbel's trick: the order of draws without putting back.
            noise = self._random.gumbel(size=len(moves))
            weight = np.log(weight) / self.parameters.temperature + noise
        return [int(move) for move in moves[np.argsort(-weight, kind="stable")]]

    def _is_late(self, position: Position, judged: Evaluation) -> bool:
        if position.passes or position.move_number >= self.parameters.late * position.rules.area:
            return True
        return int(np.argmax(judged.policy)) == len(judged.policy) - 1

    # ---- judging ---------------------------------------------------------------------------------------

    def ownership(self, position: Position, judged: Evaluation | None = None) -> list[float]:
        """-1 White's .. +1 Black's, by the net if it can tell, else by random playouts."""
        if "ownership" in self.net.heads:
            judged = judged or self.net.evaluate([position])[0]
            assert judged.ownership is not None
            sign = 1.0 if position.to_move is Color.BLACK else -1.0
            return [sign * float(value) for value in judged.ownership.reshape(-1)]
        return list(playout_ownership(position, self.parameters.playouts, self._seed))

    def dead_stones(self, position: Position) -> frozenset[Move]:
        return frozenset(dead_by_ownership(position, self.ownership(position)))


class _Closing:
    """What is still open on the board near the end of a game, given who owns what.

    Where the rules count the board as it stands, dead stones have to be taken before the end: the points
    beside them are open.
    """

    def __init__(self, position: Position, owner: list[float], bar: float) -> None:
        self.position = position
        self.owner = owner
        self.bar = bar
        dead: frozenset[Move] = frozenset(dead_by_ownership(position, owner))
        taken_off = position.rules.friendly_pass_ok
        self.dead = dead if taken_off else frozenset()
        self.prey = (
            frozenset() if taken_off else {m for m in dead if position.color_at(m) is not position.to_move}
        )

    def is_settled(self, move: Move) -> bool:
        """True iff the point's owner is sure, and so is the fate of every stone beside it."""
        near = [
            point
            for point in neighbours(move, self.position.width, self.position.height)
            if self.position.color_at(point)
        ]
        if any(point in self.prey for point in near):
            return False
        return all(abs(self.owner[point]) >= self.bar for point in [move, *near])

    @property
    def leads(self) -> bool:
        """Does the side to move win if the game ends now? A lead on an open board does not count."""
        position = self.position
        sure = sum(1 for value in self.owner if abs(value) >= 0.5)
        if sure < 0.9 * len(self.owner):
            return False
        margin = score_position(position, self.dead)
        return (margin if position.to_move is Color.BLACK else -margin) > 0


def is_sensible(position: Position, tactics: Tactics, move: Move) -> bool:
    """Legal, fills no own one-point eye, and is no self-atari without a point to it."""
    color = position.to_move
    if position.board.is_eye(move, color) or not position.is_legal(move):
        return False
    return not tactics.is_bad_self_atari(move, color)


def build(parameters: Parameters, resources: Resources) -> DannPlayer:
    """A player with the shipped ``dann`` net, or the one the resources name."""
    path = net_path(resources.net, DEFAULT_NET)
    net = Net(path, threads=resources.threads, symmetries=parameters.symmetries)
    return DannPlayer(net, parameters, resources.seed)
