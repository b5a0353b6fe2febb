"""Minorization-maximization against sums done by hand, and a fit from records to a file through the
command."""

import json
from pathlib import Path

import numpy as np
import pytest

from tengen.cli import main
from tengen.commands import patterns
from tengen.go.board import Board
from tengen.knowledge.fitting import (
    VALUES,
    FitSettings,
    GameMoves,
    collect,
    common_diamonds,
    fit_weights,
    measure,
)
from tengen.knowledge.guided import GuidedPlayout
from tengen.knowledge.mm import Competitions, evidence, fit, strengths
from tengen.knowledge.moves import GROUP_NAMES, MoveKnowledge
from tengen.knowledge.patterns import Diamonds
from tengen.knowledge.playout import play_out
from tengen.knowledge.weights import load_weights


def two_player(wins_of_one: int, games: int) -> Competitions:
    """Players 1 and 2 meet; 1 wins so often."""
    column = np.tile(np.array([1, 2], np.int32), games)
    starts = np.arange(games, dtype=np.int64) * 2
    winners = starts + (np.arange(games) >= wins_of_one)
    return Competitions(starts, winners, (column,))


def test_two_players_get_the_ratio_of_their_wins() -> None:
    found = fit(two_player(75, 100), [3], sweeps=200, prior=1e-9, tolerance=0.0)
    assert found.gammas[0][1] / found.gammas[0][2] == pytest.approx(3.0, rel=1e-3)


def test_the_prior_pulls_to_one() -> None:
    loose = fit(two_player(10, 10), [3], sweeps=300, prior=1.0, tolerance=0.0).gammas[0]
    tight = fit(two_player(10, 10), [3], sweeps=300, prior=10.0, tolerance=0.0).gammas[0]
    assert loose[1] > tight[1] > 1.0 > tight[2] > loose[2]


def test_every_sweep_raises_the_likelihood() -> None:
    random = np.random.default_rng(3)
    count, size = 400, 8
    columns = tuple(random.integers(0, 6, count * size).astype(np.int32) for _ in range(3))
    true = [np.concatenate(([1.0], random.uniform(0.2, 5.0, 5))) for _ in range(3)]
    starts = np.arange(count, dtype=np.int64) * size
    data = Competitions(starts, starts, columns)
    weights = strengths(data, true)
    winners = starts + np.array(
        [random.choice(size, p=(w := weights[s : s + size]) / w.sum()) for s in starts], np.int64
    )
    data = Competitions(starts, winners, columns)
    found = fit(data, [6, 6, 6], sweeps=40, prior=1e-6, tolerance=-1.0)
    assert all(
        later >= earlier - 1e-6 for earlier, later in zip(found.evidence, found.evidence[1:], strict=False)
    )
    # What made the data explains it no better than what was learned from it.
    assert found.evidence[-1] >= evidence(data, strengths(data, true)) - 1e-4
    for gamma, truth in zip(found.gammas, true, strict=True):
        assert np.corrcoef(np.log(gamma), np.log(truth))[0, 1] > 0.9


def test_a_feature_nobody_has_stays_average() -> None:
    found = fit(two_player(5, 10), [4], sweeps=20)
    assert found.gammas[0][0] == 1.0
    assert found.gammas[0][3] == pytest.approx(1.0)


def test_an_interrupt_keeps_what_was_learned() -> None:
    def stop(sweep: int, value: float) -> None:
        if sweep == 2:
            raise KeyboardInterrupt

    found = fit(two_player(75, 100), [3], sweeps=50, progress=stop)
    assert len(found.evidence) == 2
    assert found.gammas[0][1] > found.gammas[0][2]


def made_games(count: int, size: int = 7) -> list[GameMoves]:
    """Games the package's own playouts made: enough for a fit in a second."""
    games = []
    for seed in range(count):
        moves, _ = play_out(GuidedPlayout(), Board(size), 1, seed, 40)
        games.append(GameMoves(size, size, (), tuple((1 + i % 2, move) for i, move in enumerate(moves))))
    return games


def test_diamonds_come_with_their_smaller_ones() -> None:
    keys, seen = common_diamonds(made_games(30), least=5, most=10000)
    assert seen > 500
    known = set(keys.tolist())
    hasher = Diamonds()
    for game in made_games(5):
        for board, color, move in game.decisions():
            if move >= 0:
                inside = [key in known for key in hasher.keys_at(board, move, color)]
                assert inside == sorted(inside, reverse=True)


def test_a_fit_foretells_better_than_chance() -> None:
    games = made_games(60)
    keys, _ = common_diamonds(games, 5, 10000)
    table = Diamonds(keys.tolist(), [1.0] * len(keys))
    sampled = collect(games, table, 20, 1)
    weights = fit_weights(sampled, keys, FitSettings(sweeps=8))
    assert len(weights.tactics) == len(GROUP_NAMES) * VALUES
    report = measure(collect(made_games(75)[60:], table, 20, 2), weights)
    plain = float(np.mean(-np.log(np.diff(np.append(sampled.starts, len(sampled.rows))))))
    assert report.log_evidence > plain + 0.3
    assert report.top5 > 0.3


def test_values_foretold_are_those_evaluated() -> None:
    """What the fit multiplies and what MoveKnowledge multiplies are the same numbers."""
    games = made_games(20)
    keys, _ = common_diamonds(games, 5, 10000)
    table = Diamonds(keys.tolist(), [1.0] * len(keys))
    weights = fit_weights(collect(games, table, 10, 1), keys, FitSettings(sweeps=3))
    game = made_games(21)[20]
    single = collect([game], table, len(game.moves), 5)
    gammas = [
        np.concatenate(([1.0], weights.diamond_gammas)),
        *weights.tactics.reshape(len(GROUP_NAMES), VALUES),
    ]
    columns = (single.slots + 1, *[single.rows[:, group] for group in range(len(GROUP_NAMES))])
    foretold = strengths(Competitions(single.starts, single.winners, columns), gammas)
    knowledge = MoveKnowledge(weights)
    checked = 0
    boards = (found for found in game.decisions() if found[2] >= 0)
    for number, (board, color, move) in enumerate(boards):
        value = knowledge.values(board, color)[move]
        assert value == pytest.approx(float(foretold[single.winners[number]]), rel=1e-4)
        checked += 1
    assert checked > 20


def test_the_command_fits_a_file_and_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = []
    for number, game in enumerate(made_games(40, 19)):
        moves = "".join("tt" if m < 0 else letters[m % 19] + letters[m // 19] for _, m in game.moves)
        lines.append(f"g{number}\t2026-01-01\ta/9d\tb/9d\tB+R\t7.5\t{moves}\n")
    source = tmp_path / "games.tsv"
    source.write_text("".join(lines))
    out = tmp_path / "weights.npz"
    arguments = [
        "fit",
        str(source),
        "--out",
        str(out),
        "--games",
        "30",
        "--held-out",
        "5",
        "--least",
        "3",
        "--json",
    ]
    assert main(["patterns", *arguments, "--sweeps", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] > 20
    assert 0 <= result["held_out"]["top1"] <= 1
    assert load_weights(out).meta["command"].startswith("tengen patterns fit games.tsv")
    assert main(["patterns", "show", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tactics"]["rescue"]["saves stones"] > 0
    assert main(["patterns", "show", str(out)]) == 0
    assert "takes the chain that just moved" in capsys.readouterr().out


def test_the_command_says_in_a_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patterns", "fit", str(tmp_path / "absent.sgf"), "--out", str(tmp_path / "w.npz")]) == 1
    assert "absent.sgf" in capsys.readouterr().err
    assert main(["patterns", "show", str(tmp_path / "absent.npz")]) == 1
    assert "absent.npz" in capsys.readouterr().err


def test_judged_games_teach_the_judges_move(shared_data: Path) -> None:
    source = shared_data / "labels" / "pos9-1.tsv.xz"
    game = next(patterns._judged(source))
    assert len(game.best) == len(game.moves)
    board, color, move = next(game.decisions())
    assert color == 1
    assert board.is_legal(move, 1)
    # The network opens near the middle of 9x9.
    assert 2 <= move // 9 <= 6
    assert 2 <= move % 9 <= 6
