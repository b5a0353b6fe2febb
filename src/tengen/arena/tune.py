"""Searching a system's parameters by playing: optuna proposes, matches against fixed opponents judge.

All trials play the same openings with the same seeds, so that they differ by their parameters and not by luck
with the draw. The study lies in an SQLite file and every trial's games in a journal beside it: a search that
was killed, even in the middle of a trial, goes on where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tengen.arena.conditions import Conditions
from tengen.arena.contestants import Builder
from tengen.arena.results import derive_seed, tally
from tengen.arena.session import Session
from tengen.arena.specs import PlayerSpec
from tengen.arena.stats import Tally
from tengen.arena.summary import finite
from tengen.arena.tournament import PlayerEntry, TournamentConfig
from tengen.errors import ConfigError

__all__ = ["Candidate", "ParameterRange", "Tuning"]

CANDIDATE = "candidate"


@dataclass(frozen=True)
class ParameterRange:
    """What a parameter may be: numbers between two bounds, or one of some words."""

    name: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    log: bool = False
    choices: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> ParameterRange:
        """``f=0.3..0.9``, ``n=1..20`` (whole when both bounds are), ``c=0.01..10:log``, ``mode=a|b|c``."""
        name, equals, body = text.partition("=")
        if equals and name.strip() and "|" in body:
            return ParameterRange(name.strip(), choices=tuple(part.strip() for part in body.split("|")))
        number = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
        match = re.fullmatch(rf"\s*({number})\.\.({number})\s*(:log)?\s*", body, re.IGNORECASE)
        if not (equals and name.strip() and match):
            raise ConfigError(
                f"parameter {text!r}: name=low..high, name=low..high:log or name=a|b|c expected"
            )
        whole = all(re.fullmatch(r"[-+]?\d+", match[i]) for i in (1, 2))
        low, high, log = float(match[1]), float(match[2]), match[3] is not None
        if not low < high or (log and low <= 0):
            raise ConfigError(f"parameter {text!r}: the bounds must rise" + (" from above 0" if log else ""))
        return ParameterRange(name.strip(), low, high, whole, log)

    def suggest(self, trial: Any) -> str:
        """What optuna proposes, as text."""
        if self.choices:
            return str(trial.suggest_categorical(self.name, self.choices))
        if self.whole:
            return str(trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log))
        return f"{trial.suggest_float(self.name, self.low, self.high, log=self.log):.6g}"


@dataclass(frozen=True)
class Candidate:
    """A setting that was tried and how it did."""

    parameters: Mapping[str, Any]
    tally: Tally

    def to_json(self) -> dict[str, Any]:
        interval = self.tally.interval()
        return {
            "parameters": dict(self.parameters),
            "games": self.tally.games,
            "wins": self.tally.wins,
            "draws": self.tally.draws,
            "losses": self.tally.losses,
            "score": finite(self.tally.score),
            "interval": [finite(interval.low), finite(interval.high)],
        }

    def line(self) -> str:
        interval = self.tally.interval()
        values = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return (
            f"{100 * self.tally.score:5.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}] "
            f"of {self.tally.games}  {values}"
        )


@dataclass(frozen=True)
class Tuning:
    """A search: the system with its fixed parameters, what may vary, against whom, how long."""

    system: PlayerSpec
    ranges: Sequence[ParameterRange]
    opponents: Sequence[PlayerSpec]
    conditions: Conditions
    builder: Builder
    folder: Path
    games: int = 40
    trials: int = 50
    confirm: int = 0
    workers: int = 1
    seed: int = 1
    say: Callable[[str], None] = field(default=lambda text: None)

    def run(self) -> list[Candidate]:
        """Tried settings, best first; the best is played again on fresh seeds when ``confirm`` says so.

        The best of many trials is too good to be true: ``confirm`` games say how good it is. Killed or
        stopped by Ctrl-C, the same call goes on. ConfigError without optuna (the lab extra).
        """
        if self.system.is_program:
            raise ConfigError(f"{self.system.text}: only systems of ours have parameters to tune")
        study = self._study()
        done = len(self._candidates(study))
        study.optimize(self._objective, n_trials=max(0, self.trials - done))
        candidates = self._candidates(study)
        if self.confirm and candidates:
            best = candidates[0]
            again = self._play(best.parameters, self.confirm, derive_seed(self.seed, "confirm"))
            candidates[0] = Candidate(best.parameters, again)
        return candidates

    def _study(self) -> Any:
        try:
            import optuna
        except ImportError:
            raise ConfigError("tuning needs optuna: pip install 'tengen[lab]'") from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.folder.mkdir(parents=True, exist_ok=True)
        study = optuna.create_study(
            study_name="tune",
            storage=f"sqlite:///{self.folder / 'study.db'}",
            direction="maximize",
            load_if_exists=True,
        )
        # A search taken up must not draw again what its beginning drew.
        begun = derive_seed(self.seed, "proposals", len(study.get_trials(deepcopy=False)))
        study.sampler = optuna.samplers.TPESampler(seed=begun & 0x7FFFFFFF)
        identity = self._identity()
        stored = study.user_attrs.get("identity")
        if stored is not None and stored != identity:
            raise ConfigError(f"{self.folder} holds another search; use another folder")
        study.set_user_attr("identity", identity)
        self._take_up(study, optuna.trial.TrialState)
        return study

    def _take_up(self, study: Any, states: Any) -> None:
        """Try the settings again whose trials never ended (killed: still "running"; Ctrl-C: failed): the games
        they played are there.
        """
        waiting = study.get_trials(deepcopy=False, states=(states.WAITING,))
        settled = [trial.system_attrs.get("fixed_params") for trial in waiting]
        settled += [trial.params for trial in study.get_trials(deepcopy=False, states=(states.COMPLETE,))]
        for trial in study.get_trials(deepcopy=False, states=(states.RUNNING, states.FAIL)):
            if len(trial.params) == len(self.ranges) and trial.params not in settled:
                study.enqueue_trial(trial.params)
                settled.append(trial.params)
            if trial.state == states.RUNNING:
                study.tell(trial.number, state=states.FAIL)

    def _identity(self) -> dict[str, Any]:
        return {
            "system": self.system.text,
            "ranges": [repr(item) for item in self.ranges],
            "against": [opponent.text for opponent in self.opponents],
            "conditions": self.conditions.model_dump_json(),
            "games": self.games,
            "seed": self.seed,
        }

    def _objective(self, trial: Any) -> float:
        parameters = {item.name: item.suggest(trial) for item in self.ranges}
        count = self._play(parameters, self.games, self.seed)
        trial.set_user_attr("tally", [count.wins, count.draws, count.losses])
        trial.set_user_attr("parameters", parameters)
        self.say(f"{trial.number + 1:4}: {Candidate(parameters, count).line()}")
        return count.score

    def _candidates(self, study: Any) -> list[Candidate]:
        finished = [trial for trial in study.get_trials(deepcopy=False) if trial.value is not None]
        attributes = [trial.user_attrs for trial in finished]
        found = [Candidate(said["parameters"], Tally(*said["tally"])) for said in attributes]
        return sorted(found, key=lambda candidate: -candidate.tally.score)

    def _play(self, parameters: Mapping[str, Any], games: int, seed: int) -> Tally:
        changed = {**self.system.parameters, **{name: str(value) for name, value in parameters.items()}}
        player = replace(self.system, name=CANDIDATE, parameters=changed)
        entries = [PlayerEntry(name=spec.name, spec=spec.text) for spec in (player, *self.opponents)]
        config = TournamentConfig(
            name="trial", kind="gauntlet", games=games, seed=seed, conditions=self.conditions, players=entries
        )
        mark = f"{derive_seed(seed, *sorted(changed.items())):016x}"
        session = Session(
            config, self.builder, self.workers, folder=self.folder / f"games-{mark}", resume=True
        )
        schedule = session.schedule()
        return tally(schedule.counted(session.play(schedule)), CANDIDATE)
