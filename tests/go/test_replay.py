"""Games as letter pairs: to their final boards, and the first move that cannot be."""

import lzma
import subprocess
import sys
from pathlib import Path

import pytest

import tengen
from tengen.commands.replay import bench_replay
from tengen.errors import DataError, IllegalMove
from tengen.go.board import Board
from tengen.go.coords import PASS, Color
from tengen.go.game_lines import check_games, read_games, sized_texts
from tengen.go.record import GameRecord
from tengen.go.replay import replay_into, replay_moves
from tengen.go.rules import Rules


def test_the_board_after_a_game() -> None:
    board = replay_moves(b"bbbacaccaa", 3, 3)
    assert board.stones_list() == [1, 0, 1, 0, 1, 0, 0, 0, 2]
    assert board.captures == (1, 0)


def test_passes_and_white_first() -> None:
    board = replay_moves(b"ddttccttpp")
    assert board.stones_list().count(Color.BLACK) == 3
    assert replay_moves(b"aa", 5, 5, first=2).color_at(0) == Color.WHITE
    assert replay_moves(b"tt", 25, 25).color_at(19 * 25 + 19) == Color.BLACK


@pytest.mark.parametrize(
    ("moves", "number"),
    [
        (b"ddpppd" + b"dd", 4),  # occupied
        (b"ddtz", 2),  # off the board
        (b"dd--", 2),
        (b"ddAA", 2),
        (b"ddp", 2),  # half a move
        (b"baddabaa", 4),  # suicide in the corner
        (b"\xff\xff", 1),
    ],
)
def test_the_first_illegal_move_is_named(moves: bytes, number: int) -> None:
    with pytest.raises(IllegalMove, match=f"move {number},"):
        replay_moves(moves)
    board = Board(19, 19)
    assert replay_into(board, moves) == number - 1


def test_retaking_a_ko_at_once_is_illegal() -> None:
    # . X O .   Black's last stone at C3 has taken the one at B3; White may
    # X . X O   take back only after a move elsewhere.
    # . X O .
    game = b"bacaabdbbcccssbbcb"
    assert replay_moves(game).captures == (1, 0)
    with pytest.raises(IllegalMove, match="move 10, 'bb'"):
        replay_moves(game + b"bb")
    assert replay_moves(game + b"qqqpbb").captures == (1, 1)


def test_suicide_of_several_stones_where_it_is_asked_for() -> None:
    # O O X   White's third stone, at A4, takes the last liberty of his own
    # . X .   two; a lone stone never may die so.
    # X . .
    wall = b"acttca" + b"aabbba"
    with pytest.raises(IllegalMove, match="move 8, 'ab'"):
        replay_moves(wall + b"ttab", 5, 5)
    board = replay_moves(wall + b"ttab", 5, 5, suicide=True)
    assert board.stones_list()[:3] == [0, 0, 1]
    assert board.captures == (3, 0)
    with pytest.raises(IllegalMove):
        replay_moves(b"ba" + b"tt" + b"ab" + b"aa", 5, 5, suicide=True)


def test_uncompiled_it_says_the_same(tmp_path: Path) -> None:
    package = Path(tengen.__file__).parent
    for source in (*package.glob("*.py"), *(package / "go").glob("*.py")):
        target = tmp_path / "tengen" / source.relative_to(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    game = b"bacaabdbbcccssbbcbqqqpbb"
    script = f"import tengen.go.replay as r; print(r.__file__); print(r.replay_moves({game!r}).hash)"
    run = [sys.executable, "-c", script]
    found = subprocess.run(run, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert found.stdout.split() == [str(tmp_path / "tengen/go/replay.py"), str(replay_moves(game).hash)]


def test_the_same_board_serves_many_games() -> None:
    board = Board(19, 19)
    for _ in range(3):
        assert replay_into(board, b"ddpp") == 2
        assert board.stones_list().count(Color.BLACK) == 1


def game_file(path: Path, *lines: str) -> Path:
    path.write_bytes(lzma.compress("".join(line + "\n" for line in lines).encode()))
    return path


def test_files_of_games(tmp_path: Path) -> None:
    path = game_file(
        tmp_path / "a.tsv.xz",
        "one\t2020-01-01\t古力/9d\tx/8d\tB+R\t7.5\tppddtt",
        "two\t\ta/1d\tb/1d\tW+0.5\t\tppdddd",
    )
    one, two = read_games(path)
    assert (one.id, one.black, one.komi, one.result) == ("one", "古力/9d", 7.5, "B+R")
    assert one.sequence() == [(Color.BLACK, 15 * 19 + 15), (Color.WHITE, 3 * 19 + 3), (Color.BLACK, PASS)]
    assert two.komi is None
    check = check_games(path)
    assert (check.games, check.moves, check.illegal) == (2, 5, [("two", 3)])
    assert check_games(path, limit=1).games == 1
    found = bench_replay([path, path])
    assert (found["games"], found["moves"], found["illegal"]) == (4, 10, 2)
    assert bench_replay([path, path], limit=1)["games"] == 2


def test_files_of_games_with_judged_positions(tmp_path: Path) -> None:
    path = game_file(tmp_path / "pos.tsv.xz", "1-3\t3\t5.5\tbbbacaccaa\t6", "1-5\t5\t7.0\tccccdd\t3")
    assert list(sized_texts(path)) == [(3, b"bbbacaccaa"), (5, b"ccccdd")]
    found = bench_replay([path])
    assert (found["games"], found["moves"], found["illegal"]) == (2, 6, 1)
    with pytest.raises(DataError, match=r"no\.tsv\.xz, line 1: no game: 'a"):
        bench_replay([game_file(tmp_path / "no.tsv.xz", "a\tmany\t6.5\tnl")])


def test_positions_of_games_told_elsewhere_are_no_games(tmp_path: Path) -> None:
    path = game_file(tmp_path / "mixed.tsv.xz", "a\t138\t6.5\tnl", "1-5\t5\t7.0\tccccdd\t3")
    assert list(sized_texts(path)) == [(5, b"ccccdd")]
    assert bench_replay([path])["games"] == 1


def test_a_line_that_is_no_game_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.tsv\.xz, line 2: 3 columns"):
        list(read_games(game_file(tmp_path / "a.tsv.xz", "a\tb\tc\td\te\t\tdd", "x\ty\tz")))
    with pytest.raises(DataError, match="komi 'x' is no number"):
        list(read_games(game_file(tmp_path / "b.tsv.xz", "a\tb\tc\td\te\tx\tdd")))
    (tmp_path / "c.tsv.xz").write_bytes(b"not xz")
    for path in (tmp_path / "c.tsv.xz", tmp_path / "nothing.tsv"):
        with pytest.raises(DataError, match=path.name):
            list(read_games(path))


@pytest.mark.parametrize("name", ["ai", "kgs", "tom", "tygem"])
def test_real_games_replay_legally(shared_data: Path, name: str) -> None:
    path = shared_data / "games19" / f"validation-{name}.tsv.xz"
    check = check_games(path)
    assert check.games > 200
    assert check.illegal == []


@pytest.mark.parametrize("size", [9, 13])
def test_games_of_the_labels_replay_legally(shared_data: Path, size: int) -> None:
    board = Board(size, size)
    for path in sorted((shared_data / "labels").glob(f"pos{size}-*.tsv.xz")):
        for line in lzma.decompress(path.read_bytes()).decode().splitlines():
            name, side, _, moves, _ = line.split("\t")
            assert int(side) == size
            assert 2 * replay_into(board, moves.encode(), suicide=True) == len(moves), name  # Tromp-Taylor


def test_replay_agrees_with_positions(shared_data: Path) -> None:
    games = read_games(shared_data / "games19" / "validation-ai.tsv.xz")
    for game, _ in zip(games, range(4), strict=False):
        record = GameRecord(rules=Rules.named("chinese"), moves=game.sequence())
        final = record.final_position().board
        board = replay_moves(game.moves)
        assert (board.hash, board.captures) == (final.hash, final.captures)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ai", "kgs", "tom", "tygem"])
def test_every_training_game_replays_legally(shared_data: Path, name: str) -> None:
    check = check_games(shared_data / "games19" / f"train-{name}.tsv.xz")
    assert check.games > 11_000
    assert check.illegal == []
