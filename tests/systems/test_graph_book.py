"""Keys of states, game records into a graph, lines out of it, and the command."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tengen.cli import main
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.go.position import Position
from tengen.go.record import GameRecord
from tengen.go.rules import Ko, Rules
from tengen.go.sgf import load_sgf, record_of, sgf_of
from tengen.systems.graph_book import (
    ImportOptions,
    Tally,
    from_search,
    graph_key,
    import_file,
    known_moves,
    rules_salt,
    search_key,
    to_search,
    warm_around,
)
from tengen.systems.graph_disk import GraphDisk

NINE = Rules.named("chinese", 9, 7.0)


def line(rules: Rules, *names: str) -> Position:
    position = Position.start(rules)
    for name in names:
        position = position.play(parse_gtp(name, rules.width, rules.height))
    return position


def record(result: str, *names: str, rules: Rules = NINE) -> GameRecord:
    return GameRecord(rules=rules, moves=list(line(rules, *names).moves), result=result)


@pytest.fixture
def disk(tmp_path: Path) -> GraphDisk:
    return GraphDisk.open(str(tmp_path / "book.db"))


# ---- keys ------------------------------------------------------------------------------------------------


def test_a_state_does_not_remember_the_order_of_moves() -> None:
    assert graph_key(line(NINE, "C3", "G7", "C7", "G3")) == graph_key(line(NINE, "C7", "G3", "C3", "G7"))


def test_what_a_key_holds() -> None:
    """Stones, side to move, passes, board, rules, komi: each changes the key."""
    position = line(NINE, "C3", "G7")
    others = [
        line(NINE, "C3", "G6"),
        line(NINE, "G7", "C3"),
        position.with_to_move(Color.WHITE),
        position.play(PASS),
        position.play(PASS).play(PASS),
        line(NINE.replace(komi=6.5), "C3", "G7"),
        line(NINE.replace(ko=Ko.POSITIONAL), "C3", "G7"),
        line(NINE.replace(suicide=True), "C3", "G7"),
        line(Rules.named("japanese", 9, 7.0), "C3", "G7"),
        line(NINE.replace(height=10), "C3", "G7"),
        line(NINE.replace(width=10), "C3", "G7"),
    ]
    assert len({graph_key(one) for one in [position, *others]}) == len(others) + 1


def test_a_key_holds_the_ko_point() -> None:
    """After White takes the ko at D5 the same stones without the ko are another state."""
    taken = line(NINE, "C5", "F5", "D6", "E6", "D4", "E4", "E5", "D5")
    assert taken.ko == parse_gtp("E5", 9, 9)
    stones = {color: taken.stones(color) for color in (Color.BLACK, Color.WHITE)}
    put = Position.setup(NINE, stones[Color.BLACK], stones[Color.WHITE], to_move=Color.BLACK)
    assert put.hash == taken.hash
    assert graph_key(put) != graph_key(taken)


def test_whites_bonus_is_komi() -> None:
    chinese = Rules.named("chinese", 19, 0.5)
    assert rules_salt(chinese, 3) == rules_salt(chinese.replace(komi=3.5))
    assert rules_salt(chinese, 3) != rules_salt(chinese, 2)


def test_keys_are_the_same_in_every_run() -> None:
    """A graph outlives the program: these numbers may change only together with the format of the file."""
    assert f"{graph_key(Position.start(NINE)):016x}" == "a430ac2bf9491605"
    assert f"{graph_key(line(NINE, 'E5', 'C3')):016x}" == "39513163e4a45cfd"


def test_what_goes_to_a_search_and_comes_back(disk: GraphDisk) -> None:
    """A search has its own keys and counts the wins of the side to move, the graph of the one that moved."""
    tally, position = Tally(), line(NINE, "E5")
    tally.add(record("B+R", "E5", "C3"), ImportOptions())
    rows = tally.take()
    found = to_search(rows, NINE)
    assert found.keys.tolist() == sorted(found.keys.tolist())
    place = found.keys.tolist().index(search_key(position))
    assert (found.visits[place], found.wins[place]) == (1.0, 0.0)  # White to move, who lost
    back = from_search(found, NINE)
    assert dict(zip(*map(list, (back.keys, back.wins)), strict=True)) == dict(
        zip(*map(list, (rows.keys, rows.wins)), strict=True)
    )
    assert search_key(position) not in to_search(rows, NINE.replace(komi=6.5)).keys.tolist()


# ---- records in ------------------------------------------------------------------------------------------


def test_every_state_gets_a_visit_and_the_winner_his_moves(disk: GraphDisk) -> None:
    """W of a state counts wins of the side that moved into it: White won, so the states White moved into
    have a win, the empty board (White's, by its parity) among them."""
    tally = Tally()
    assert tally.add(record("W+3.5", "E5", "C3", "G3"), ImportOptions())
    disk.write_back(*tally.take())
    seen = [disk.read_keys([graph_key(p)]) for p in reversed(list(line(NINE, "E5", "C3", "G3").line()))]
    assert [(rows.visits[0], rows.wins[0]) for rows in seen] == [(1, 1), (1, 0), (1, 1), (1, 0)]


def test_a_draw_is_half_a_win(disk: GraphDisk) -> None:
    tally = Tally()
    tally.add(record("0", "E5", "C3"), ImportOptions())
    assert set(tally.take().wins.tolist()) == {0.5}


def test_a_state_is_counted_once_a_game() -> None:
    """Two passes and the stones of before: other states, for the passes are held; but E5 by two ways is one
    state."""
    tally = Tally()
    tally.add(record("B+R", "C3", "G7", "C7", "G3"), ImportOptions())
    tally.add(record("B+R", "C7", "G3", "C3", "G7"), ImportOptions())
    rows = tally.take()
    assert len(rows) == 5 + 5 - 2
    assert sorted(rows.visits.tolist()) == [1] * 6 + [2] * 2


@pytest.mark.parametrize("result", ["", "?", "Void"])
def test_a_game_without_a_winner_teaches_nothing(result: str) -> None:
    tally = Tally()
    assert not tally.add(record(result, "E5"), ImportOptions())
    assert len(tally) == 0


def test_games_are_filed_under_other_rules_on_request() -> None:
    tally = Tally()
    tally.add(record("B+R", "E5"), ImportOptions(rules="japanese", komi=6.5))
    assert graph_key(line(Rules.named("japanese", 9, 6.5), "E5")) in tally.take().keys.tolist()


def test_only_the_first_moves_on_request() -> None:
    tally = Tally()
    tally.add(record("B+R", "E5", "C3", "G3"), ImportOptions(moves=1))
    assert len(tally) == 2


def test_symmetries_file_every_form_once() -> None:
    """E5 is its own image on 9x9; C4 has eight images, of which each is a state of its own."""
    tally = Tally()
    tally.add(record("B+R", "E5", "C4"), ImportOptions(symmetries=True))
    rows = tally.take()
    assert len(rows) == 1 + 1 + 8
    assert set(rows.visits.tolist()) == {1.0}
    assert graph_key(line(NINE, "E5", "F7")) in rows.keys.tolist()


def files_of(path: Path, games: int, seed: int) -> Path:
    """A .tsv of random short games on 19x19."""
    rng = random.Random(seed)
    with path.open("w") as file:
        for number in range(games):
            letters = "".join(chr(97 + p % 19) + chr(97 + p // 19) for p in rng.sample(range(361), 12))
            file.write(f"g{number}\t2015\tA\tB\t{rng.choice('BW')}+R\t6.5\t{letters}\n")
    return path


def test_an_import_that_was_cut_off_goes_on_and_counts_nothing_twice(
    disk: GraphDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tengen.systems.graph_book.FILE_AT", 100)
    path, options = files_of(tmp_path / "games.tsv", 50, 1), ImportOptions()
    cut = import_file(disk, path, options)
    next(cut)
    next(cut)
    cut.close()
    done = disk.info().imported_games
    assert 0 < done < 50
    *_, report = import_file(disk, path, options)
    assert (report.already, report.games) == (done, 50 - done)
    assert disk.info().visits == 50 * 13
    *_, report = import_file(disk, path, options)
    assert (report.already, report.games, report.states) == (50, 0, 0)
    *_, report = import_file(disk, path, options, again=True)
    assert report.games == 50
    assert disk.info().visits == 2 * 50 * 13
    assert disk.verify().clean


# ---- lines out -------------------------------------------------------------------------------------------


def test_known_moves_are_sorted_by_visits(disk: GraphDisk) -> None:
    tally = Tally()
    for result, move in (("B+R", "E5"), ("B+R", "C3"), ("W+R", "C3"), ("B+R", "pass")):
        tally.add(record(result, move), ImportOptions())
    disk.write_back(*tally.take())
    known = known_moves(disk, Position.start(NINE))
    assert [(one.move, one.visits, one.wins) for one in known] == [
        (parse_gtp("C3", 9, 9), 2.0, 1.0),
        (PASS, 1.0, 1.0),
        (parse_gtp("E5", 9, 9), 1.0, 1.0),
    ]


def test_warm_around_follows_the_game(disk: GraphDisk) -> None:
    tally = Tally()
    tally.add(record("B+R", "E5", "C3", "G3"), ImportOptions())
    tally.add(record("B+R", "C7", "G7"), ImportOptions())
    disk.write_back(*tally.take())
    assert len(warm_around(disk, line(NINE, "E5"), 100, 10.0)) == 3
    assert len(warm_around(disk, Position.start(NINE), 100, 10.0)) == 6
    assert len(warm_around(disk, Position.start(NINE), 4, 10.0)) == 4
    assert len(warm_around(disk, line(NINE, "A1"), 100, 10.0)) == 0


# ---- the command -----------------------------------------------------------------------------------------


def test_graph_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'my.db'}"
    (tmp_path / "records").mkdir()
    for number, result in enumerate(("B+R", "W+2.5", "W+R")):
        (tmp_path / "records" / f"{number}.sgf").write_bytes(
            sgf_of(record(result, "E5", "C3", "G3"[: 2 * number]) if number else record(result, "E5", "C3"))
        )

    def run(*words: str) -> dict[str, object]:
        assert main(["graph", *words, "--json"]) == 0
        return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]

    assert run("import", url, str(tmp_path / "records"))["games"] == 3
    assert run("import", url, str(tmp_path / "records"))["already"] == 3
    assert run("info", url)["imported_files"] == 3
    assert run("verify", url)["clean"] is True
    other = f"sqlite:///{tmp_path / 'other.db'}"
    assert run("merge", other, url)["held"] == 4
    assert run("prune", other, "--min-visits", "3")["held"] == 3
    states = tmp_path / "states.jsonl"
    assert run("export", url, str(states))["written"] == 4
    assert sum(json.loads(text)["visits"] for text in states.read_text().splitlines()) == 3 + 3 + 3 + 2
    lines = tmp_path / "lines.sgf"
    assert run("export", url, str(lines), "--size", "9", "--komi", "7")["written"] == 3
    exported = record_of(load_sgf(lines, strict=True).games[0])
    assert exported.moves == list(line(NINE, "E5", "C3", "G3").moves)
    assert exported.comments[1] == "3 visits, 33.3 % won"


def test_verify_exits_with_1_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import sqlite3

    file = tmp_path / "my.db"
    with GraphDisk.open(str(file)) as disk:
        disk.write_back([1, 2], [1, 1], [1, 1])
    with sqlite3.connect(file) as vandal:
        vandal.execute("UPDATE graph_states SET visits = 5000 WHERE key = 1")
    vandal.close()
    assert main(["graph", "verify", str(file)]) == 1
    said = capsys.readouterr()
    assert "visits: 6.0 held, 2.0 by the ledger" in said.out
    assert said.err.count("\n") == 1


def test_a_broken_record_is_named_and_the_rest_filed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.sgf").write_bytes(sgf_of(record("B+R", "E5")))
    (tmp_path / "bad.sgf").write_bytes(b"this is no game")
    file = str(tmp_path / "my.db")
    assert main(["graph", "import", file, str(tmp_path / "bad.sgf"), str(tmp_path / "good.sgf")]) == 1
    said = capsys.readouterr()
    assert "1 games of 2 files" in said.out
    assert "bad.sgf" in said.err


def test_a_graph_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "info", str(tmp_path / "none.db")]) == 1
    assert "none.db: no such file" in capsys.readouterr().err
