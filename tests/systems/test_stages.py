"""Stage thresholds: Eq. 1-8 in numbers, the labels on diagrams, the command."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from tengen.cli import main
from tengen.errors import ConfigError, DataError
from tengen.go.coords import PASS, Color
from tengen.go.record import GameRecord
from tengen.go.rules import Rules
from tengen.systems.stage_fit import fit_stage, label_files, text_histogram
from tengen.systems.stage_labels import Labels, label_game
from tengen.systems.stages import (
    Bell,
    Thresholds,
    chi_square_cdf,
    chi_square_quantile,
    density,
    distribution,
    fit_bell,
    goodness_of_fit,
    log_likelihood,
    open_thresholds,
    shipped,
)

# ---- Eq. 1-3 ---------------------------------------------------------------------------------------------


def test_eq_1_density() -> None:
    assert density(49, 49, 6) == pytest.approx(0.0664903800669)
    assert density(55, 49, 6) == pytest.approx(0.0403284540865)
    assert sum(density(z, 49, 6) for z in range(200)) == pytest.approx(1.0)


def test_eq_2_is_greatest_at_the_fit() -> None:
    labels = [43, 47, 49, 50, 56]
    bell = fit_bell(labels)
    assert bell.mu == pytest.approx(49.0)
    assert bell.sigma == pytest.approx(math.sqrt((36 + 4 + 0 + 1 + 49) / 5))
    best = log_likelihood(labels, bell.mu, bell.sigma)
    assert best == pytest.approx(sum(math.log(density(z, bell.mu, bell.sigma)) for z in labels))
    for mu, sigma in ((48.9, 4.24), (49.1, 4.24), (49.0, 4.1), (49.0, 4.4)):
        assert log_likelihood(labels, mu, sigma) < best


def test_eq_3_distribution() -> None:
    assert distribution(49, 49, 6) == 0.5
    assert distribution(55, 49, 6) - distribution(43, 49, 6) == pytest.approx(0.682689492137)
    assert distribution(49 + 6 * 1.959963984540, 49, 6) == pytest.approx(0.975)


def test_nothing_to_fit_is_said() -> None:
    with pytest.raises(DataError, match="1 labels"):
        fit_bell([49])
    with pytest.raises(DataError, match="all 3 labels are 49"):
        fit_bell([49, 49, 49])


# ---- Eq. 4-5 ---------------------------------------------------------------------------------------------


def test_eq_5_the_papers_limit() -> None:
    """chi^2_0.95(8 - 2 - 1) = 11.071 (the table the paper took it from rounds up 11.0705)."""
    assert chi_square_quantile(0.95, 5) == pytest.approx(11.0705, abs=5e-5)
    assert math.ceil(chi_square_quantile(0.95, 5) * 1000) / 1000 == 11.071


@pytest.mark.parametrize(
    ("p", "degrees", "limit"),
    [
        (0.95, 1, 3.841459),
        (0.99, 1, 6.634897),
        (0.95, 2, 5.991465),
        (0.99, 5, 15.086272),
        (0.95, 10, 18.307038),
        (0.05, 10, 3.940299),
        (0.99, 30, 50.892181),
        (0.5, 100, 99.334129),
        (0.999, 100, 149.449253),
    ],
)
def test_chi_square_table(p: float, degrees: int, limit: float) -> None:
    assert chi_square_quantile(p, degrees) == pytest.approx(limit, abs=1e-6)
    assert chi_square_cdf(limit, degrees) == pytest.approx(p, abs=1e-7)


def test_chi_square_of_two_degrees_is_exponential() -> None:
    for x in (1e-9, 0.3, 2.0, 4.0, 30.0, 600.0):
        assert chi_square_cdf(x, 2) == pytest.approx(1.0 - math.exp(-x / 2.0), abs=1e-13)
    assert chi_square_cdf(0.0, 2) == chi_square_cdf(-1.0, 2) == 0.0


def test_eq_4_by_hand() -> None:
    """Four classes of a wide normal, each expected a quarter of the labels up to the rounding of bounds."""
    labels = [900] * 10 + [980] * 20 + [1020] * 40 + [1100] * 30
    bell = Bell(1000.0, 100.0, 100)
    test = goodness_of_fit(labels, bell, classes=4)
    assert test.degrees == 1
    assert test.bounds == (932.5, 1000.5, 1067.5)
    assert test.counted == (10, 20, 40, 30)
    expected = [25.0, 25.2, 24.8, 25.0]
    assert test.expected == pytest.approx(expected, abs=0.1)
    by_hand = sum((g - e) ** 2 / e for g, e in zip(test.counted, test.expected, strict=True))
    assert test.statistic == pytest.approx(by_hand)
    assert test.p == pytest.approx(1.0 - chi_square_cdf(by_hand, 1))
    assert test.rejects(0.05)


def test_normal_labels_are_accepted_and_others_rejected() -> None:
    """Of 200 collections of 450 rounded normal labels about 5 % are rejected at 0.05; of skewed ones nearly
    all."""
    rng = np.random.default_rng(4)

    def rejected(draw: object) -> int:
        count = 0
        for _ in range(200):
            labels = [int(label) for label in np.rint(draw())]  # type: ignore[operator]
            count += goodness_of_fit(labels, fit_bell(labels)).rejects(0.05)
        return count

    assert 2 <= rejected(lambda: rng.normal(49, 6, 450)) <= 24
    assert rejected(lambda: 40 + rng.exponential(9, 450)) > 190


def test_too_few_labels_are_not_tested() -> None:
    with pytest.raises(DataError, match="too few"):
        goodness_of_fit([40, 50], Bell(45.0, 5.0, 2))
    with pytest.raises(DataError, match="no room"):
        goodness_of_fit([10] * 500 + [11] * 500, Bell(10.5, 0.5, 1000))
    with pytest.raises(ConfigError, match="degrees of freedom"):
        goodness_of_fit([1, 2, 3], Bell(2, 1, 3), classes=3)
    assert fit_stage([40, 50, 60], 8).goodness is None


# ---- Eq. 6-8 ---------------------------------------------------------------------------------------------


def test_eq_6_and_7_the_papers_intervals() -> None:
    paper = shipped()
    assert (paper.width, paper.height) == (19, 19)
    assert paper.middle.interval == (43, 55)
    assert paper.end.interval == (143, 181)


def test_eq_8_draws_every_element_and_no_other() -> None:
    paper, rng = shipped(), random.Random(1)
    drawn = [paper.draw(rng) for _ in range(4000)]
    assert {t1 for t1, _ in drawn} == set(range(43, 56))
    assert {t2 for _, t2 in drawn} == set(range(143, 182))
    assert paper.draw(random.Random(7)) == paper.draw(random.Random(7))
    assert 143 <= paper.draw(np.random.default_rng(1))[1] <= 181


def test_eq_8_the_endgame_never_comes_before_the_middle_game() -> None:
    narrow, rng = Thresholds(5, 5, Bell(6, 3), Bell(8, 3)), random.Random(1)
    assert all(t1 <= t2 for t1, t2 in (narrow.draw(rng) for _ in range(500)))


@pytest.mark.parametrize("name", ["paper-19", "games-19", "selfplay-9", "selfplay-13"])
def test_shipped_thresholds(name: str) -> None:
    thresholds = shipped(name)
    assert f"-{thresholds.width}" in name
    assert thresholds.source
    assert thresholds.middle.interval[1] < thresholds.end.interval[0]


def test_thresholds_file_round_trip(tmp_path: Path) -> None:
    mine = Thresholds(13, 9, Bell(20.5, 2.25, 100), Bell(60.0, 8.0, 70), "my games")
    mine.save(tmp_path / "mine.json")
    assert Thresholds.load(tmp_path / "mine.json") == mine
    assert open_thresholds(str(tmp_path / "mine.json")) == mine


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "TypeError"),
        ('{"format": "tengen-stages-9"}', "tengen-stages-9"),
        ('{"format": "tengen-stages-1", "width": 19}', "KeyError"),
        (
            '{"format":"tengen-stages-1","width":9,"height":9,"middle":{"mu":9,"sigma":0},"end":{"mu":30,"sigma":1}}',
            "deviations above 0",
        ),
        (
            '{"format":"tengen-stages-1","width":9,"height":9,"middle":{"mu":90,"sigma":1},"end":{"mu":30,"sigma":1}}',
            r"middle\.mu < end\.mu",
        ),
    ],
)
def test_a_bad_thresholds_file_says_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(DataError, match=rf"bad\.json.*{says}"):
        Thresholds.load(tmp_path / "bad.json")


def test_thresholds_nobody_ships() -> None:
    with pytest.raises(ConfigError, match="one of games-19, paper-19"):
        open_thresholds("nobodys")


# ---- labels ----------------------------------------------------------------------------------------------


def record(size: int, *moves: int, black: tuple[int, ...] = ()) -> GameRecord:
    colors = (Color.BLACK, Color.WHITE)
    played = [(colors[i % 2], move) for i, move in enumerate(moves)]
    return GameRecord(rules=Rules(width=size, height=size), setup_black=black, moves=played)


def test_half_touched_ends_the_opening_and_nine_tenths_begin_the_endgame() -> None:
    """5x5, the stones in the order 1, 2, 3, 4: they touch 9, then 15, 21 and 25 of the 25 points.

    . . . . .
    . 1 . 2 .
    . . . . .
    . 3 . 4 .
    . . . . .
    """
    assert label_game(record(5, 6, 8, 16, 18)) == Labels(middle=2, end=4)
    assert label_game(record(5, 6, 8, 16)) == Labels(middle=2, end=None)
    assert label_game(record(5, 6)) == Labels(None, None)


def test_fighting_ends_the_opening_before_there_is_no_room() -> None:
    """9x9 needs 81/13, so seven, contact plays. Each move below but the first is one; they touch 36 points
    of 81.

    1 2 . . .
    4 3 . . .
    5 6 . . .
    8 7 . . .
    """
    moves = (0, 1, 10, 9, 18, 19, 28, 27)
    assert label_game(record(9, *moves)).middle == 8
    assert label_game(record(9, *moves[:7])).middle is None
    assert label_game(record(9, *moves), contact_share=0.01).middle == 2


def test_a_pass_is_a_move_that_touches_nothing() -> None:
    assert label_game(record(5, PASS, 6, PASS, 8)) == Labels(middle=4, end=None)


def test_a_stage_that_the_setup_brought_about_has_no_label() -> None:
    assert label_game(record(5, 16, 18, black=(6, 8))) == Labels(middle=None, end=2)


# ---- collections -----------------------------------------------------------------------------------------


def collection(path: Path, games: int = 400, size: int = 9) -> Path:
    """Random games, one a line: stones on distinct points."""
    rng = random.Random(5)
    with path.open("w") as file:
        for number in range(games):
            points = rng.sample(range(size * size), size * size * 3 // 4)
            letters = "".join(chr(97 + p % size) + chr(97 + p // size) for p in points)
            file.write(f"game-{number}\t{size}\t5.5\t{letters}\t{len(points) + 1}\n")
    return path


def test_a_sample_is_drawn_from_all_games(tmp_path: Path) -> None:
    path = collection(tmp_path / "games.tsv")
    everything = label_files([path], 9, 9)
    assert everything.games == len(everything.middle) == 400
    sample = label_files([path], 9, 9, games=100, seed=3)
    assert sample.games == len(sample.middle) == 100
    assert sample.middle == label_files([path], 9, 9, games=100, seed=3).middle
    assert sample.middle != label_files([path], 9, 9, games=100, seed=4).middle
    assert label_files([path], 19, 19).other_size == 400
    assert label_files([path], 9, 9, until="2015").too_late == 400


def test_the_histogram_counts_every_label() -> None:
    labels = [40, 41, 44, 44, 44, 50, 61]
    drawn = text_histogram(labels, fit_bell(labels), rows=5)
    assert sum(int(line.split()[1]) for line in drawn.splitlines()) == len(labels)
    assert all("|" in line for line in drawn.splitlines())


def test_stages_fit_prints_what_the_paper_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = collection(tmp_path / "games.tsv"), tmp_path / "mine.json"
    assert main(["stages", "fit", str(path), "--size", "9", "--classes", "5", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    for words in ("k = 5", "chi-square", "2 degrees of freedom", "p = ", "T1 = [", "T2 = [", "5.991"):
        assert words in said
    written = Thresholds.load(out)
    assert f"T1 = [{written.middle.interval[0]}, {written.middle.interval[1]}]" in said


def test_stages_fit_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = collection(tmp_path / "games.tsv")
    assert main(["stages", "fit", str(path), "--size", "9", "--classes", "5", "--json"]) == 0
    captured = capsys.readouterr()
    said = json.loads(captured.out)
    assert said["games"] == 400
    assert said["end"]["degrees_of_freedom"] == 2
    assert said["middle"]["labels"] == 400
    assert [test["limit"] for test in said["end"]["tests"]] == [5.991, 9.21]


def test_stages_fit_draws(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, picture = collection(tmp_path / "games.tsv"), tmp_path / "figure.png"
    assert main(["stages", "fit", str(path), "--size", "9", "--classes", "5", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_stages_fit_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = collection(tmp_path / "games.tsv", games=3)
    assert main(["stages", "fit", str(path)]) == 1
    assert "none of the games is on a 19x19 board" in capsys.readouterr().err
    assert main(["stages", "fit", str(tmp_path / "no.tsv")]) == 1
    assert "no such file" in capsys.readouterr().err


def test_the_labels_agree_with_the_papers_figures(shared_data: Path) -> None:
    """On strong games before May 2015: X 49 +- 6 and Y 162 +- 19 in the paper. Ours, on 1,961 games
    (docs/stages.md): 49.5 +- 7.1 and 166.2 +- 20.7, and 68 % of the games have a Y (67 % there)."""
    files = [shared_data / "games19" / f"validation-{source}.tsv.xz" for source in ("tom", "tygem")]
    labelled = label_files(files, 19, 19, until="2015-05")
    middle, end = fit_bell(labelled.middle), fit_bell(labelled.end)
    assert middle.mu == pytest.approx(49.48, abs=0.01)
    assert middle.sigma == pytest.approx(7.11, abs=0.01)
    assert end.mu == pytest.approx(166.20, abs=0.01)
    assert end.sigma == pytest.approx(20.67, abs=0.01)
    assert end.labels / labelled.games == pytest.approx(0.676, abs=0.001)
