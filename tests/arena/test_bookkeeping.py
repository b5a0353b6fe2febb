"""Specifications, conditions, clocks, openings, the journal: texts in, data out, errors that say where."""

import json
from pathlib import Path

import pytest
from known_games import result

from tengen.arena.conditions import Conditions
from tengen.arena.journal import Journal
from tengen.arena.openings import OpeningBook, random_opening
from tengen.arena.results import GameKey, GameResult, derive_seed
from tengen.arena.specs import PlayerSpec, command_words, distinct
from tengen.arena.timekeeping import ClockSettings, GameClock
from tengen.arena.tournament import load_tournament, make_schedule, parse_tournament
from tengen.errors import ConfigError, DataError
from tengen.go.coords import format_gtp


def test_player_specifications() -> None:
    mucgo = PlayerSpec.parse("mucgo:f=0.6, threads=1")
    assert (mucgo.system, mucgo.parameters, mucgo.name) == (
        "mucgo",
        {"f": "0.6", "threads": "1"},
        "mucgo:f=0.6, threads=1",
    )
    assert PlayerSpec.parse(mucgo.text, mucgo.name) == mucgo
    gnugo = PlayerSpec.parse("GNU Go@cmd:gnugo --mode gtp --level 10")
    assert (gnugo.name, gnugo.command, gnugo.is_program) == ("GNU Go", "gnugo --mode gtp --level 10", True)
    mail = PlayerSpec.parse("cmd:ssh go@host engine")
    assert mail.command == "ssh go@host engine"
    seeded = PlayerSpec.parse("cmd:prog --seed {seed}")
    assert seeded.takes_seed
    assert seeded.command_with_seed(2**62 + 5) == "prog --seed 5"
    for wrong in ("", "cmd:", "cmd:'unclosed", "two words", "mucgo:f", "mucgo:f=1,f=2"):
        with pytest.raises(ConfigError):
            PlayerSpec.parse(wrong)


def test_a_command_line_is_read_as_its_system_writes_it() -> None:
    shell = """play/prog -x 'a b' "c d" e\\ f"""
    assert command_words(shell, windows=False) == ["play/prog", "-x", "a b", "c d", "e f"]
    windows = r'"C:\Program Files\go\gnugo.exe" --mode gtp --file=C:\net.bin --name="two words"'
    assert command_words(windows, windows=True) == [
        r"C:\Program Files\go\gnugo.exe",
        "--mode",
        "gtp",
        r"--file=C:\net.bin",
        "--name=two words",
    ]
    with pytest.raises(ValueError, match="quotation"):
        command_words('prog "open', windows=True)


def test_two_of_the_same_get_different_names() -> None:
    same = [PlayerSpec.parse("cmd:gnugo --mode gtp")] * 2
    assert [spec.name for spec in distinct(same)] == ["cmd:gnugo --mode gtp", "cmd:gnugo --mode gtp#2"]


@pytest.mark.parametrize("text", ["60", "60/30/10", "60/10x5", "0/30/5", "60+2", "0.5"])
def test_clocks_as_text(text: str) -> None:
    assert ClockSettings.parse(text).format() == text


@pytest.mark.parametrize("text", ["", "0", "60/30", "60/30/0", "60/0x5", "a", "60-2"])
def test_wrong_clocks(text: str) -> None:
    with pytest.raises(ConfigError):
        ClockSettings.parse(text)


def spend(clock: str, *moves: float) -> tuple[list[bool], GameClock]:
    running = GameClock(ClockSettings.parse(clock))
    return [running.spend(seconds) for seconds in moves], running


def test_absolute_time() -> None:
    flags, clock = spend("10", 4, 5, 0.9, 0.2)
    assert flags == [True, True, True, False]
    assert clock.longest_move < 0


def test_fischer_time_grows_by_its_increment() -> None:
    flags, clock = spend("10+2", 9, 2, 3.5)
    assert flags == [True, True, False]
    assert clock.settings.byo_time == 2


def test_canadian_time_runs_over_into_its_period() -> None:
    flags, clock = spend("10/30/3", 8, 6, 10)
    assert flags == [True, True, True]
    # 2 s were left, so 4 s of the second move came off the period.
    assert (clock.in_overtime, clock.time_left, clock.stones_left) == (True, 16, 1)
    assert clock.spend(16)
    assert (clock.time_left, clock.stones_left) == (30, 3)
    assert not clock.spend(30.1)


def test_byoyomi_periods_are_lost_one_by_one() -> None:
    flags, clock = spend("5/10x3", 4, 8)
    assert flags == [True, True]
    assert (clock.in_overtime, clock.stones_left) == (True, 3)
    assert clock.longest_move == 30
    assert clock.spend(15)
    assert clock.stones_left == 2
    assert clock.spend(10)
    assert clock.stones_left == 2
    assert not clock.spend(20.1)


def test_the_clock_forgives_its_grace() -> None:
    clock = GameClock(ClockSettings.parse("1"), grace=0.1)
    assert all(clock.spend(0.1) for _ in range(50))
    assert clock.time_left == pytest.approx(1)


def test_conditions_say_what_is_wrong() -> None:
    with pytest.raises(ConfigError, match="size"):
        Conditions.of(size=1)
    with pytest.raises(ConfigError, match="unknown key"):
        Conditions.of(sise=9)
    with pytest.raises(ConfigError, match="clock 'soon'"):
        Conditions.of(clock="soon")
    with pytest.raises(ConfigError, match="marsian"):
        Conditions.of(rules="marsian")
    assert Conditions.of(size=13).game_rules().width == 13
    assert Conditions.of(rules="japanese").game_rules().komi == 6.5


def test_boards_may_be_rectangles() -> None:
    conditions = Conditions.of(size="9x7")
    rules = conditions.game_rules()
    assert (rules.width, rules.height, conditions.longest_game) == (9, 7, 189)
    assert Conditions.of(size="9") == Conditions.of(size="9x9") == Conditions.of(size=9)
    for wrong in ("9x", "big", "9x26", "1x5", 26):
        with pytest.raises(ConfigError, match=r"conditions: size: .*(expected|from 2 to 25)"):
            Conditions.of(size=wrong)


def test_changed_conditions_are_checked_too() -> None:
    conditions = Conditions.of(size=9, playouts=100)
    assert conditions.changed(size="13") == Conditions.of(size=13, playouts=100)
    with pytest.raises(ConfigError, match="playouts"):
        conditions.changed(playouts=0)
    with pytest.raises(ConfigError, match="from 2 to 25"):
        conditions.changed(size="99")


# ---- openings


def test_random_openings_are_level_apart_and_repeatable() -> None:
    for seed in range(50):
        opening = random_opening(seed, 9, 9, 6)
        assert opening == random_opening(seed, 9, 9, 6)
        assert len(set(opening.moves)) == 6
        heights = [min(m // 9, m % 9, 8 - m // 9, 8 - m % 9) + 1 for m in opening.moves]
        assert heights[::2] == heights[1::2]
        assert set(heights) <= {3, 4}
    assert len({random_opening(seed, 9, 9, 4).moves for seed in range(200)}) > 150


def test_openings_on_tiny_and_rectangular_boards() -> None:
    assert random_opening(1, 2, 2, 4).moves
    assert all(0 <= move < 5 * 13 for move in random_opening(1, 5, 13, 6).moves)
    assert random_opening(1, 9, 9, 0).moves == ()


def test_openings_from_lines(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("# two openings\nE5 C3\n\nG7 pass G3 # with a pass\n")
    book = OpeningBook.of_file(path, 9, 9)
    assert [format_gtp(move, 9, 9) for move in book.opening(1, 0).moves] == ["G7", "pass", "G3"]
    assert book.opening(2, 0) == book.opening(0, 99)
    assert "2 openings for 5 pairs" in (book.check(5) or "")
    assert book.check(2) is None
    path.write_text("E5\nE55\n")
    with pytest.raises(ConfigError, match="line 2"):
        OpeningBook.of_file(path, 9, 9)
    with pytest.raises(ConfigError, match="No such file"):
        OpeningBook.of_file(tmp_path / "none.txt", 9, 9)


def test_openings_from_sgf(tmp_path: Path) -> None:
    path = tmp_path / "book.sgf"
    path.write_text("(;GM[1]FF[4]SZ[9]KM[7];B[ee];W[cc])(;GM[1]FF[4]SZ[9]KM[7];B[gg])")
    book = OpeningBook.of_file(path, 9, 9)
    assert [format_gtp(move, 9, 9) for move in book.opening(0, 0).moves] == ["E5", "C7"]
    with pytest.raises(ConfigError, match="board of 9x9"):
        OpeningBook.of_file(path, 13, 13)


# ---- the journal


def game(number: int, winner: str = "a") -> GameResult:
    return result(GameKey("a", "b", number), "a", "b", winner)


def test_the_journal_gives_back_what_it_was_given(tmp_path: Path) -> None:
    with Journal(tmp_path, {"seed": 1}, resume=False) as journal:
        journal.add([game(0), game(1, "b"), game(2, "")])
        assert journal.add([game(1)]) == []
    with Journal(tmp_path, {"seed": 1}, resume=True) as journal:
        assert list(journal.results.values()) == [game(0), game(1, "b"), game(2, "")]


def test_the_journal_is_one_matchs_and_one_processs(tmp_path: Path) -> None:
    with Journal(tmp_path, {"seed": 1, "conditions": {"size": 9}}, resume=False) as journal:
        journal.add([game(0)])
        with pytest.raises(ConfigError, match="another process"):
            Journal(tmp_path, {"seed": 1, "conditions": {"size": 9}}, resume=True)
    with pytest.raises(ConfigError, match="--resume"):
        Journal(tmp_path, {"seed": 1, "conditions": {"size": 9}}, resume=False)
    with pytest.raises(ConfigError, match=r"conditions\.size: 9 there, 13 now"):
        Journal(tmp_path, {"seed": 1, "conditions": {"size": 13}}, resume=True)


def test_a_journal_without_games_is_free_for_another_match(tmp_path: Path) -> None:
    with Journal(tmp_path, {"seed": 1}, resume=False):
        pass
    with Journal(tmp_path, {"seed": 2}, resume=False) as journal:
        journal.add([game(0)])
    with pytest.raises(ConfigError, match="seed: 2 there, 1 now"):
        Journal(tmp_path, {"seed": 1}, resume=True)


def test_a_damaged_journal_names_the_line(tmp_path: Path) -> None:
    with Journal(tmp_path, {}, resume=False) as journal:
        journal.add([game(0), game(1)])
    path = tmp_path / "games.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:50], lines[2]]) + "\n")
    with pytest.raises(DataError, match="line 2"):
        Journal(tmp_path, {}, resume=True)
    path.write_text('{"something": "else"}\n')
    with pytest.raises(DataError, match="not a list of games"):
        Journal(tmp_path, {}, resume=True)


def test_every_cut_of_the_journal_can_be_taken_up(tmp_path: Path) -> None:
    with Journal(tmp_path, {}, resume=False) as journal:
        journal.add([game(0), game(1)])
    path = tmp_path / "games.jsonl"
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with Journal(tmp_path, {}, resume=True) as journal:
            journal.add([game(0), game(1)])
        stored = [json.loads(line)["key"][2] for line in path.read_text().splitlines()[1:]]
        assert stored == [0, 1]


def test_seeds_depend_on_every_part() -> None:
    assert derive_seed(1, "a", 2) == derive_seed(1, "a", 2)
    assert (
        len({derive_seed(1, "a", 2), derive_seed(2, "a", 2), derive_seed(1, "b", 2), derive_seed(1, "a2")})
        == 4
    )


# ---- tournaments as files

TOML = """
name = "small"
kind = "gauntlet"
games = 10
[conditions]
size = 13
clock = "60/30/10"
[[players]]
spec = "uct"
[[players]]
name = "GNU Go"
spec = "cmd:gnugo --mode gtp"
seconds = 0.5
"""


def test_a_tournament_file(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(TOML)
    config = load_tournament(path)
    schedule = make_schedule(config)
    assert schedule.most_games == 10
    assert schedule.players[1].name == "GNU Go"
    assert schedule.players[1].seconds == 0.5
    assert config.scaled(0.1).games == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("size = 13", "sice = 13", "conditions.sice: unknown key"),
        ('"uct"', '"uct:f"', r"players.0.spec: .*key=value"),
        ('"gauntlet"', '"swiss"', "kind: "),
        ("games = 10", "games = 0", "games: "),
        ('spec = "uct"', 'spec = "uct" "', "small.toml"),
        ('"60/30/10"', '"soon"', "conditions.clock: clock 'soon'"),
    ],
)
def test_errors_of_a_tournament_file_name_the_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(TOML.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        load_tournament(path)


def test_a_ladder_takes_no_sequential_test() -> None:
    fields = {"kind": "ladder", "sprt": "0,10", "players": [{"spec": "a"}, {"spec": "b"}]}
    with pytest.raises(ConfigError, match="ladder takes no sprt"):
        make_schedule(parse_tournament(fields, "test"))
