"""Experiments: every shipped file is sound and has the paper's numbers; a small one runs to its table."""

import json
import sys
from pathlib import Path

import pytest
from known_games import result
from simple_players import SimpleBuilder

from tengen.arena.crosstable import CrossTable
from tengen.arena.experiment import find_experiment, load_experiment, shipped_experiments
from tengen.arena.laboratory import Laboratory, _measured
from tengen.arena.measures import states_held
from tengen.arena.results import GameKey
from tengen.arena.specs import PlayerSpec
from tengen.arena.stats import clopper_pearson, wilson
from tengen.arena.tournament import Outcome
from tengen.errors import ConfigError, TengenError

SHIPPED = shipped_experiments()


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_experiment_is_sound(name: str) -> None:
    experiment = load_experiment(SHIPPED[name])
    assert experiment.name == name
    assert experiment.title
    assert experiment.source
    labels = [value.label for value in experiment.value]
    assert len(labels) == len(set(labels))
    if experiment.kind == "matches":
        assert experiment.games > 0


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_experiment_asks_for_parameters_that_exist(name: str) -> None:
    from dataclasses import fields
    from importlib.util import find_spec

    from tengen.systems import SYSTEMS, Resources

    checked = 0
    for spec in load_experiment(SHIPPED[name]).specs():
        system = SYSTEMS.get(spec.system or "")
        if system is None or find_spec(system.module) is None:
            continue
        known = {field.name for field in fields(system.parameter_type())} | {
            f.name for f in fields(Resources)
        }
        assert set(spec.parameters) <= known, spec.text
        checked += 1
    if not checked:
        pytest.skip("none of its systems is here")


def test_cygos_table_5_is_in_its_file() -> None:
    experiment = load_experiment(SHIPPED["cygo-lambda"])
    paper = {value.player: value.paper for value in experiment.value if value.part == "Ray"}
    assert paper == {
        "lambda=0.3": 0.234,
        "lambda=0.4": 0.344,
        "lambda=0.5": 0.462,
        "lambda=0.6": 0.554,
        "lambda=0.7": 0.686,
        "lambda=0.8": 0.654,
    }
    assert round(clopper_pearson(round(500 * 0.686), 500).low, 3) == 0.643


def test_mucgos_figure_6_is_in_its_file() -> None:
    values = load_experiment(SHIPPED["mucgo-gnugo38"]).value
    for size in ("9x9", "13x13", "19x19"):
        shares = [value.paper or 0.0 for value in values if value.part == size]
        assert sum(shares) == pytest.approx(1.0, abs=0.002)  # 19x19 is printed with 100.14 %


SMALL = """
title = "Small"
paper = "tengen"
source = "a test"
[[part]]
name = "five"
[part.tournament]
games = 10
conditions = { size = 5, opening_moves = 2, second_opinion = "never" }
players = [{ spec = "greedy" }, { spec = "random" }, { name = "Z", spec = "cmd:/no/such/program" }]
[[value]]
label = "greedy"
part = "five"
player = "greedy"
opponent = "random"
paper = 0.7
[[value]]
label = "greedy with Black"
part = "five"
player = "greedy"
opponent = "random"
color = "black"
[[value]]
label = "the absent"
part = "five"
player = "Z"
paper = 0.5
"""


def test_a_small_experiment_from_file_to_table(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    said: list[str] = []
    folder = tmp_path / "out"
    laboratory = Laboratory(SimpleBuilder(), folder=folder, scale=0.6, say=said.append)
    finding = laboratory.run(load_experiment(path))
    ours, black, absent = finding.rows
    assert (ours.games, black.games, absent.games) == (6, 3, 0)
    assert ours.value is not None
    assert ours.low is not None
    assert ours.high is not None
    assert ours.low <= ours.value <= ours.high
    assert finding.notes == ("program /no/such/program is not here: its games were left out",)
    text = finding.text()
    assert "paper %" in text
    assert "70.0" in text
    assert json.loads((folder / "report.json").read_text())["rows"][0]["paper"] == 0.7
    assert "<svg" in (folder / "report.html").read_text()
    assert said == ["small, five: 6 games"]
    # Again with more games: those played are not played again.
    before = (folder / "five" / "games.jsonl").read_text()
    Laboratory(SimpleBuilder(), folder=folder, scale=1.0, say=said.append).run(load_experiment(path))
    assert (folder / "five" / "games.jsonl").read_text().startswith(before)


def test_players_whose_system_is_not_written_yet_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("cmd:/no/such/program", "unwritten:depth=3"))
    experiment = load_experiment(path)
    assert experiment.missing(["greedy", "random"]) == ["system unwritten"]
    said: list[str] = []
    laboratory = Laboratory(SimpleBuilder(), scale=0.2, systems=["greedy", "random"], say=said.append)
    finding = laboratory.run(experiment)
    assert [row.games for row in finding.rows] == [2, 1, 0]
    assert finding.notes == ("system unwritten is not here: its games were left out",)
    assert experiment.can_run(["greedy", "random"])
    assert not experiment.can_run(["random"])
    nobody = Laboratory(SimpleBuilder(), systems=["random"], say=lambda text: None)
    with pytest.raises(ConfigError, match="waits for system greedy, system unwritten"):
        nobody.run(experiment)
    assert finding.cells()[3] == ["the absent", "-", "", "50.0", "0"]
    path.write_text('needs = ["system:unwritten"]\n' + path.read_text())
    with pytest.raises(ConfigError, match="experiment small waits for system unwritten"):
        laboratory.run(load_experiment(path))


def test_a_picture_and_a_unit_for_each_kind_of_number(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    length = '[[value]]\nlabel = "moves"\npart = "five"\nmeasure = "moves_per_game"\npaper = 28\n'
    path.write_text(SMALL.replace('{ name = "Z", spec = "cmd:/no/such/program" }', "") + length)
    path.write_text(path.read_text().replace('player = "Z"', 'player = "random"'))
    finding = Laboratory(SimpleBuilder(), folder=tmp_path / "out", scale=0.4).run(load_experiment(path))
    assert len(finding.pictures()) == 2
    assert (tmp_path / "out" / "figure-2.svg").read_text() == finding.pictures()[1]
    head, *rows = finding.cells()
    assert head == ["", "ours", "95 %", "paper", "games"]
    assert rows[0][3] == "70.0 %"
    assert rows[-1][3] == "28 moves"


def test_a_specification_may_name_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace('spec = "greedy"', 'name = "greedy", spec = "random:at={out}/x"'))
    folder = tmp_path / "out"
    laboratory = Laboratory(SimpleBuilder(), folder=folder, scale=0.2, say=lambda text: None)
    finding = laboratory.run(load_experiment(path))
    specs = {player.name: player.text for player in finding.outcomes["five"].players}
    assert specs["greedy"] == f"random:at={folder.resolve()}/x"
    with pytest.raises(ConfigError, match="--out"):
        Laboratory(SimpleBuilder(), say=lambda text: None).run(load_experiment(path))


def test_games_lost_by_failing_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace('spec = "greedy"', 'name = "greedy", spec = "script:do=raise"'))
    finding = Laboratory(SimpleBuilder(), scale=0.4, say=lambda text: None).run(load_experiment(path))
    assert "4 of 4 games were lost by failing" in finding.notes[-1]
    assert "out of ideas" in finding.text()


def measured_rows(scale: float, seed: int, workers: int, base: int) -> list[dict[str, object]]:
    return [
        {"label": "tree", "value": base * scale, "low": 1, "high": 99, "x": 1},
        {"label": "not in the paper", "value": 7, "x": 2},
    ]


def test_a_python_experiment(tmp_path: Path) -> None:
    path = tmp_path / "states.toml"
    path.write_text(
        'title = "States"\npaper = "graph"\nsource = "table"\nkind = "python"\nfigure = "curves"\n'
        f'call = "{__name__}:measured_rows"\noptions = {{ base = 500 }}\n'
        '[[value]]\nlabel = "tree"\npaper = 508\n'
    )
    finding = Laboratory(SimpleBuilder(), scale=0.5).run(load_experiment(path))
    assert [(row.label, row.value, row.paper) for row in finding.rows] == [
        ("tree", 250.0, 508.0),
        ("not in the paper", 7, None),
    ]
    assert ["polyline" in picture for picture in finding.pictures()] == [True]


def test_a_command_experiment_runs_each_command_once(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(
        "import json, sys, pathlib\n"
        "log = pathlib.Path(sys.argv[1]) / 'log'\n"
        "log.write_text(log.read_text() + 'x' if log.exists() else 'x')\n"
        "print(json.dumps({'a': {'b': [1, float(sys.argv[2])]}, 'c': 3, 's': 0.6, 'n': 50}))\n"
    )
    command = f"{sys.executable} {script} {{data}} {{scaled:500}}"
    values = [("first", "a.b.1"), ("second", "c"), ("share", 's"\nof = "n')]
    path = tmp_path / "numbers.toml"
    path.write_text(
        'title = "N"\npaper = "tengen"\nsource = "t"\nkind = "command"\n'
        + "".join(
            f'[[value]]\nlabel = "{label}"\ncommand = "{command}"\nkey = "{key}"\n' for label, key in values
        )
    )
    experiment = load_experiment(path)
    finding = Laboratory(SimpleBuilder(), scale=0.1, data=tmp_path, say=lambda text: None).run(experiment)
    assert [row.value for row in finding.rows] == [50.0, 3.0, 0.6]
    share = finding.rows[2]
    assert (share.low, share.high, share.games) == (*wilson(30, 50).as_list(), 50)
    assert (tmp_path / "log").read_text() == "x"
    with pytest.raises(ConfigError, match="--data"):
        Laboratory(SimpleBuilder(), say=lambda text: None).run(experiment)
    path.write_text(path.read_text().replace('"c"', '"d"'))
    with pytest.raises(TengenError, match="no number under 'd'"):
        Laboratory(SimpleBuilder(), data=tmp_path, say=lambda text: None).run(load_experiment(path))


def test_a_command_tells_a_mean_or_why_there_is_none(tmp_path: Path) -> None:
    printed = tmp_path / "printed.py"
    printed.write_text('print(\'{"mu": 49, "sigma": 6, "n": 25, "untested": "too few"}\')')
    command = f'command = "{sys.executable} {printed}"'
    path = tmp_path / "numbers.toml"
    path.write_text(
        'title = "N"\npaper = "mucgo"\nsource = "t"\nkind = "command"\n'
        f'[[value]]\nlabel = "mean"\n{command}\nkey = "mu"\nof = "n"\ndeviation = "sigma"\n'
        f'[[value]]\nlabel = "test"\n{command}\nkey = "chi"\nunless = "untested"\npaper = 1.4\n'
    )
    finding = Laboratory(SimpleBuilder(), say=lambda text: None).run(load_experiment(path))
    mean, test = finding.rows
    # 49 +- 2.0639 * 6 / 5 (Student's t, 24 degrees of freedom)
    assert (mean.low, mean.high) == (pytest.approx(46.5233, abs=1e-4), pytest.approx(51.4767, abs=1e-4))
    assert (test.value, test.paper) == (None, 1.4)
    assert finding.notes == ("test: too few",)


def test_states_held_by_two_searches_with_intervals() -> None:
    rows = states_held(
        0.01, 1, 1, players={"a": "uct", "b": "uct:exploration=0.5"}, seconds=[1], size=5, repeats=3
    )
    assert [row["label"] for row in rows] == ["a, 1 s", "b, 1 s", "b, as many simulations as a, 1 s"]
    for row in rows:
        assert row["games"] == 3
        assert row["low"] <= row["value"] <= row["high"]
        assert row["value"] >= 1


def test_as_many_simulations_are_as_many_though_it_be_decided() -> None:
    rows = states_held(0.1, 1, 1, players={"a": "uct", "b": "uct"}, seconds=[1], size=3)
    first, _, same = (row["value"] for row in rows)
    assert same == first


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('player = "greedy"', 'player = "nobody"', "no player 'nobody'"),
        ('part = "five"\nplayer = "Z"', 'part = "six"\nplayer = "Z"', "no part 'six'"),
        ('paper = "tengen"', 'paper = "some"', "paper: "),
        ("color =", "colour =", "value.1.colour: unknown key"),
    ],
)
def test_errors_of_an_experiment_name_the_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        load_experiment(path)


def test_an_unknown_experiment() -> None:
    with pytest.raises(ConfigError, match="mucgo-schemas"):
        find_experiment("nonsense")


def test_measures_of_known_games() -> None:
    games = [result(GameKey("a", "b", n), *pair, "a") for n, pair in enumerate([("a", "b"), ("b", "a")] * 5)]
    games.append(result(GameKey("a", "b", 10), "a", "b", ""))
    players = (PlayerSpec.parse("a"), PlayerSpec.parse("b"))
    outcome = Outcome(players, tuple(games), CrossTable.of(["a", "b"], games), None)
    from tengen.arena.experiment import Value

    def measure(name: str, **fields: str) -> float | None:
        return _measured(Value(label="x", measure=name, player="a", **fields), outcome).value  # type: ignore[arg-type]

    assert measure("wins") == pytest.approx(10 / 11)
    assert measure("draws") == pytest.approx(1 / 11)
    assert measure("score", color="white") == 1.0
    assert measure("seconds_per_move") == pytest.approx(0.01)
    assert measure("slowest_move") == 0.02
    assert measure("peak_memory_mib") == 1.0
    assert measure("moves_per_game") == 60.0
