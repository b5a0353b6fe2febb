"""The survey's other learners on the same evaluator: TD(lambda) and the HDP critic (Cai and Wunsch 2007,
section 4).

Both play against themselves and correct the evaluator by gradients. TD(lambda) makes each prediction more
like the next one and the last like the outcome (Eq. 4.1-4.2). The heuristic dynamic programming critic
predicts a discounted sum of a utility paid at every step (Eq. 4.3-4.7); its utility is written for White,
as in the paper, so an evaluator whose output G is good for Black at +1 stands for J = (1 - G) / 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tengen.errors import ConfigError, DataError
from tengen.learn.run_file import difference, read_checkpoint, write_checkpoint

__all__ = [
    "Differentiable",
    "Episode",
    "LearnSettings",
    "SelfPlay",
    "correction",
    "critic_error",
    "discounted_sum",
    "learn_by_play",
    "squared_norm",
    "td_criterion",
    "td_signals",
    "td_step",
    "utility",
    "utility_gain",
]

Array = NDArray[np.float64]


def td_criterion(predictions: Sequence[Array], outcomes: Sequence[float], decay: float) -> float:
    """Eq. 4.1: J(w) = sum over games p and steps k of lambda^(N_p - k) (z - G(x_p(k)))^2."""
    total = 0.0
    for values, outcome in zip(predictions, outcomes, strict=True):
        weights = decay ** np.arange(len(values) - 1, -1, -1)
        total += float(weights @ (outcome - values) ** 2)
    return total


def td_step(predictions: Array, gradients: Array, outcome: float, rate: float, decay: float) -> Array:
    """Eq. 4.2 summed over a game: sum over t of alpha (P_t+1 - P_t) sum over k <= t of lambda^(t-k) grad P_k.

    ``gradients`` has one row for each prediction; after the last prediction comes the outcome. Written as the
    equation stands; training uses ``td_signals``, which is the same sum in another order.
    """
    trace = np.zeros(gradients.shape[1])
    change = np.zeros(gradients.shape[1])
    following = np.append(predictions[1:], outcome)
    for now, later, gradient in zip(predictions, following, gradients, strict=True):
        trace = decay * trace + gradient
        change += rate * (later - now) * trace
    return change


def td_signals(predictions: Array, outcome: float, decay: float) -> Array:
    """What Eq. 4.2 multiplies each grad P_k by: sum over t >= k of lambda^(t-k) (P_t+1 - P_t)."""
    signals = np.append(predictions[1:], outcome) - predictions
    for k in range(len(signals) - 2, -1, -1):
        signals[k] += decay * signals[k + 1]
    return signals


def discounted_sum(utilities: Array, discount: float) -> Array:
    """Eq. 4.3: J(t) = sum over k of gamma^k U(t + k), for every t of a finite game."""
    sums = np.array(utilities, dtype=np.float64)
    for t in range(len(sums) - 2, -1, -1):
        sums[t] += discount * sums[t + 1]
    return sums


def critic_error(critic: Array, utilities: Array, discount: float) -> Array:
    """Eq. 4.5: E(t) = J(t) - [gamma J(t+1) + U(t)]; at the end of the game the desired signal is U(t)
    alone.
    """
    return critic - (discount * np.append(critic[1:], 0.0) + utilities)


def squared_norm(errors: Array) -> float:
    """Eq. 4.4: the sum of E(t)^2."""
    return float(errors @ errors)


def _share(part: float, whole: float) -> float:
    """Of nothing, both sides hold half."""
    return part / whole if whole else 0.5


def utility(
    stones: tuple[float, float],
    areas: tuple[float, float],
    prisoners: tuple[float, float],
    weights: tuple[float, float, float],
) -> float:
    """Eq. 4.7: util = eta N_W/(N_W+N_B) + nu A_W/(A_W+A_B) + rho P_B/(P_W+P_B), pairs being (white, black).

    P_B are black prisoners, held by White. A share of nothing is taken as one half (open in the paper).
    """
    eta, nu, rho = weights
    return (
        eta * _share(stones[0], sum(stones))
        + nu * _share(areas[0], sum(areas))
        + rho * _share(prisoners[1], sum(prisoners))
    )


def utility_gain(before: float, after: float) -> float:
    """Eq. 4.6: U(t) = util(t) - util(t-1) where that is a gain, else nought."""
    return max(0.0, after - before)


@dataclass(frozen=True)
class Episode:
    """One game as a learner sees it: the position after every move but the last, and what it came to.

    ``utilities`` are U(t) of Eq. 4.6, one for each position and one for the end.
    """

    planes: Array
    outcome: float  # +1 Black won, -1 White, 0 drawn
    utilities: Array
    moves: int


class Differentiable(Protocol):
    """An evaluator with gradients."""

    @property
    def count(self) -> int: ...

    def values(self, weights: Array, planes: Array, slope: float = 1.0) -> Array: ...

    def gradient(self, weights: Array, planes: Array, errors: Array, slope: float = 1.0) -> Array: ...


class SelfPlay(Protocol):
    """Plays games of one evaluator against itself, astray now and then. Travels to other processes by
    value.
    """

    def episodes(self, genome: Array, seeds: Sequence[int]) -> list[Episode]: ...


@dataclass(frozen=True)
class LearnSettings:
    """One run of TD or HDP. A round is what a generation is to the breeders: 320 games."""

    method: str = "td"
    rounds: int = 100
    games: int = 320  # a round; the breeders' 40 x 8
    batch: int = 16  # games between two corrections
    seed: int = 0
    rate: float = 0.02  # alpha of Eq. 4.2, on the mean over a batch; set by trial, see docs/capture.md
    decay: float = 0.8  # lambda of Eq. 4.1-4.2
    discount: float = 0.95  # gamma of Eq. 4.3
    slope: float = 1.0  # lambda of the evaluator's tanh(lambda x), Eq. 5.5
    low: float = -0.2  # first weights are U[low, high], as the breeders'
    high: float = 0.2

    def __post_init__(self) -> None:
        if self.method not in ("td", "hdp"):
            raise ConfigError(f"method {self.method!r}: td or hdp expected")
        if self.rounds < 1 or self.games < 1 or self.batch < 1:
            raise ConfigError(
                f"rounds {self.rounds}, games {self.games}, batch {self.batch}: at least 1 each expected"
            )
        if self.seed < 0:
            raise ConfigError(f"seed {self.seed}: 0 or more expected")
        for name in ("rate", "slope"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise ConfigError(f"{name} {getattr(self, name)}: a positive number expected")
        for name in ("decay", "discount"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f"{name} {getattr(self, name)}: 0 to 1 expected")


def _episodes(play: SelfPlay, genome: Array, seeds: list[int]) -> list[Episode]:
    return play.episodes(genome, seeds)


def _signals(settings: LearnSettings, values: Array, game: Episode) -> tuple[Array, float]:
    """What multiplies the gradient of each prediction of a game, and the game's squared error."""
    if settings.method == "td":
        error = td_criterion([values], [game.outcome], settings.decay)
        return td_signals(values, game.outcome, settings.decay), error
    # At the end nothing is left to predict: its J is its U.
    critic = np.append((1.0 - values) / 2.0, game.utilities[-1])
    errors = critic_error(critic, game.utilities, settings.discount)[:-1]
    return errors / 2.0, squared_norm(errors)  # against the error, and dJ/dG = -1/2


def correction(
    settings: LearnSettings, net: Differentiable, weights: Array, games: Sequence[Episode]
) -> tuple[Array, list[float]]:
    """The sum of the corrections of several games, before the rate; and the squared error of each."""
    planes = np.concatenate([game.planes for game in games])
    values = np.split(
        net.values(weights, planes, settings.slope), np.cumsum([len(game.planes) for game in games])[:-1]
    )
    told = [_signals(settings, part, game) for part, game in zip(values, games, strict=True)]
    return net.gradient(weights, planes, np.concatenate([signal for signal, _ in told]), settings.slope), [
        e for _, e in told
    ]


def learn_by_play(
    settings: LearnSettings,
    net: Differentiable,
    play: SelfPlay,
    executor: Executor,
    *,
    workers: int = 1,
    directory: Path | None = None,
    label: str = "",
    report: Callable[[int, float, float], None] = lambda _round, _error, _moves: None,
) -> Array:
    """The weights after the last round. Checkpoints and resumes as ``tengen.learn.evolve.evolve`` does.

    ``report`` is told the round, its mean squared error a game, and the moves a game.
    """
    described: dict[str, Any] = {"run": asdict(settings), "contest": label}
    described["run"].pop("rounds")
    random = np.random.default_rng([settings.seed, 0])
    weights = random.uniform(settings.low, settings.high, net.count)
    path = directory / "checkpoint.npz" if directory else None
    done = 0
    if path is not None and path.exists():
        found, arrays = read_checkpoint(path)
        if found != described:
            raise DataError(f"{path}: a checkpoint of another run: {difference(found, described)}")
        weights, done = arrays["weights"], int(arrays["round"])
    for number in range(done, settings.rounds):
        seeds = (
            np.random.default_rng([settings.seed, number, 3]).integers(2**31, size=settings.games).tolist()
        )
        errors, moves = [], []
        for begin in range(0, settings.games, settings.batch):
            batch = seeds[begin : begin + settings.batch]
            size = -(-len(batch) // workers)
            tasks = [
                executor.submit(_episodes, play, weights, batch[i : i + size])
                for i in range(0, len(batch), size)
            ]
            games = [game for task in tasks for game in task.result()]
            change, squares = correction(settings, net, weights, games)
            weights = weights + settings.rate * change / len(batch)
            errors += squares
            moves += [game.moves for game in games]
        if path is not None:
            write_checkpoint(path, described, {"weights": weights, "round": np.array(number + 1)})
        report(number + 1, float(np.mean(errors)), float(np.mean(moves)))
    return weights
