"""The tuner finds what can be found, and goes on after being stopped."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from simple_players import RandomMover, SimpleBuilder

from tengen.arena.conditions import Conditions
from tengen.arena.specs import PlayerSpec
from tengen.arena.tune import ParameterRange, Tuning
from tengen.errors import ConfigError

pytest.importorskip("optuna")


@dataclass(frozen=True)
class TunableBuilder(SimpleBuilder):
    """``tunable:skill=S`` captures what it can in a share S of its games, by its seed."""

    def build(self, spec: PlayerSpec, conditions: Conditions, seed: int) -> object:
        if spec.system == "tunable":
            greedy = seed % 1000 < 1000 * float(spec.parameters["skill"])
            return RandomMover(seed, greedy)
        return super().build(spec, conditions, seed)


def tuning(folder: Path, trials: int, **changes: object) -> Tuning:
    fields: dict[str, object] = {
        "system": PlayerSpec.parse("tunable"),
        "ranges": [ParameterRange.parse("skill=0.0..1.0")],
        "opponents": [PlayerSpec.parse("random")],
        "conditions": Conditions.of(size=5, opening_moves=2, second_opinion="never"),
        "builder": TunableBuilder(),
        "folder": folder,
        "games": 12,
        "trials": trials,
        "seed": 3,
    }
    return Tuning(**{**fields, **changes})  # type: ignore[arg-type]


def test_parameters_as_text() -> None:
    assert ParameterRange.parse("f=0.3..0.9") == ParameterRange("f", 0.3, 0.9)
    assert ParameterRange.parse("n=1..20") == ParameterRange("n", 1, 20, whole=True)
    assert ParameterRange.parse("c=1e-3..10:log") == ParameterRange("c", 1e-3, 10, log=True)
    assert ParameterRange.parse("mode=a|b") == ParameterRange("mode", choices=("a", "b"))
    for wrong in ("f", "f=1", "f=2..1", "=1..2", "f=0..1:log", "f=a..b"):
        with pytest.raises(ConfigError):
            ParameterRange.parse(wrong)


def test_the_better_setting_is_found_and_confirmed(tmp_path: Path) -> None:
    candidates = tuning(tmp_path, 6, confirm=30).run()
    assert len(candidates) == 6
    assert float(candidates[0].parameters["skill"]) > 0.5
    assert candidates[0].tally.games == 30
    assert candidates[0].tally.score > 0.5
    assert [c.tally.score for c in candidates[1:]] == sorted(
        (c.tally.score for c in candidates[1:]), reverse=True
    )


def test_a_stopped_search_goes_on(tmp_path: Path) -> None:
    first = tuning(tmp_path, 3).run()
    assert len(first) == 3
    said: list[str] = []
    second = tuning(tmp_path, 5, say=said.append).run()
    assert len(second) == 5
    assert len(said) == 2
    assert {str(c.parameters) for c in first} <= {str(c.parameters) for c in second}
    assert len({str(c.parameters) for c in second}) == 5, "a search taken up repeats its beginning"
    with pytest.raises(ConfigError, match="another search"):
        tuning(tmp_path, 5, games=14).run()


def test_a_trial_that_was_killed_is_tried_again_with_its_games(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def kill(text: str) -> None:
        raise Killed

    with pytest.raises(Killed):
        tuning(tmp_path, 3, say=kill).run()
    import optuna

    study = optuna.load_study(study_name="tune", storage=f"sqlite:///{tmp_path / 'study.db'}")
    stopped = study.trials[0]  # what Ctrl-C leaves: a trial that failed
    lost = study.ask()  # a trial that never ended, as a kill leaves it
    lost.suggest_float("skill", 0.0, 1.0)
    journal = next(tmp_path.glob("games-*/games.jsonl"))
    before = journal.read_bytes()
    candidates = tuning(tmp_path, 3).run()
    tried = [float(c.parameters["skill"]) for c in candidates]
    for trial in (stopped, lost):
        assert sum(skill == pytest.approx(trial.params["skill"], rel=1e-5) for skill in tried) == 1
    assert journal.read_bytes() == before, "its games were played again"


def test_programs_cannot_be_tuned(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only systems of ours"):
        tuning(tmp_path, 1, system=PlayerSpec.parse("cmd:gnugo --mode gtp")).run()
