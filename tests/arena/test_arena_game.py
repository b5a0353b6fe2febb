"""One game: the referee, the clock, and every way a player can fail."""

import sys
from pathlib import Path

import pytest
from simple_players import SimpleBuilder

from tengen.arena.conditions import Conditions
from tengen.arena.contestants import Contestant
from tengen.arena.game import GameTask, play_game
from tengen.arena.openings import Opening, random_opening
from tengen.arena.results import GameKey, GameResult, Reason, digest_of_moves
from tengen.arena.specs import PlayerSpec
from tengen.errors import ConfigError
from tengen.go.coords import Color, parse_gtp
from tengen.go.sgf import parse_sgf, record_of

EMPTY_BOARD = Opening("empty board", ())


def play(
    black: str,
    white: str,
    *,
    seed: int = 1,
    opening: Opening = EMPTY_BOARD,
    opinion: object = None,
    **conditions: object,
) -> GameResult:
    given = Conditions.of(**conditions)
    players = [PlayerSpec.parse(black, "black"), PlayerSpec.parse(white, "white")]
    task = GameTask(GameKey("black", "white", 0), *players, seed, opening, given)
    seats = [Contestant(player, given, SimpleBuilder()) for player in players]
    try:
        return play_game(task, *seats, opinion)  # type: ignore[arg-type]
    finally:
        for seat in seats:
            seat.close()


def test_two_passes_on_the_empty_board_give_white_the_komi() -> None:
    game = play("script:do=pass", "script:do=pass")
    assert (game.result, game.winner, game.reason, game.moves) == ("W+7.5", "white", Reason.SCORE, 2)
    assert play("script:do=pass", "script:do=pass", komi=-7.5).result == "B+7.5"
    draw = play("script:do=pass", "script:do=pass", komi=0)
    assert (draw.result, draw.winner, draw.loser) == ("0", "", "")


def test_the_same_seed_gives_the_same_game_and_another_seed_another() -> None:
    one, same, other = (play("random", "random", seed=seed) for seed in (5, 5, 6))
    assert one.digest == same.digest != other.digest
    assert one.moves > 40
    assert one.reason in (Reason.SCORE, Reason.MOVE_LIMIT)


def test_a_player_kept_from_another_game_plays_the_same_game() -> None:
    given = Conditions.of()
    players = [PlayerSpec.parse("random", "a"), PlayerSpec.parse("random", "b")]
    seats = [Contestant(player, given, SimpleBuilder()) for player in players]

    def game(number: int) -> GameResult:
        return play_game(GameTask(GameKey("a", "b", number), *players, 7, EMPTY_BOARD, given), *seats)

    assert game(0).digest == game(1).digest


def test_resignation_and_the_arenas_own_resign_rule() -> None:
    assert play("script:do=resign", "random").result == "W+R"
    hopeless = play("script:do=winrate=0.01", "script:do=first", resign_below=0.05, resign_moves=3)
    assert (hopeless.result, hopeless.reason, hopeless.winner) == ("W+R", Reason.RESIGN, "white")
    assert hopeless.black_cost.moves == 3
    fine = play("script:do=winrate=0.06", "script:do=first", resign_below=0.05, move_limit=30)
    assert fine.reason is Reason.MOVE_LIMIT


def test_adjudication_needs_both_sides_to_agree() -> None:
    rule = {"adjudicate_above": 0.95, "adjudicate_moves": 6, "move_limit": 40}
    agreed = play("script:do=winrate=0.99", "script:do=winrate=0.02", **rule)
    assert (agreed.result, agreed.reason, agreed.moves) == ("B+R", Reason.ADJUDICATION, 6)
    assert play("script:do=winrate=0.99", "script:do=winrate=0.99", **rule).reason is Reason.MOVE_LIMIT


def test_the_move_limit_counts_what_stands() -> None:
    game = play("script:do=first", "script:do=pass", move_limit=10)
    assert game.reason is Reason.MOVE_LIMIT
    assert game.moves == 10


def test_an_in_process_player_that_raises_loses_with_the_reason() -> None:
    game = play("random", "script:do=raise")
    assert (game.winner, game.reason, game.result) == ("black", Reason.ERROR, "B+F")
    assert "out of ideas" in game.detail


def test_an_illegal_move_loses() -> None:
    game = play("random", "script:do=occupied")
    assert (game.winner, game.reason) == ("black", Reason.ILLEGAL)
    assert "occupied" in game.detail


def test_the_flag_falls() -> None:
    game = play("script:do=sleep=0.15", "random", clock="0.1", clock_grace=0.0)
    assert (game.winner, game.reason, game.result) == ("white", Reason.TIME, "W+T")
    slow = play("script:do=sleep=0.15", "script:do=pass", clock="10")
    assert slow.reason is Reason.SCORE
    assert 0.14 < slow.black_cost.slowest < 1.0


def test_what_cannot_be_built_ends_the_match_rather_than_losing_games() -> None:
    with pytest.raises(ConfigError, match="no system 'nobody'"):
        play("nobody", "random")


def test_capture_go_ends_with_the_first_capture() -> None:
    game = play("random", "greedy", rules="capture", seed=3)
    assert game.reason is Reason.CAPTURE
    assert game.result in ("B+1", "W+1")
    nobody = play("script:do=pass", "script:do=pass", rules="capture")
    assert (nobody.winner, nobody.result) == ("", "0")


def test_the_record_has_the_moves_the_result_times_and_evaluations() -> None:
    opening = random_opening(3, 9, 9, 4)
    game = play("random", "script:do=winrate=0.25", opening=opening, move_limit=20)
    assert game.sgf is not None
    record = record_of(parse_sgf(game.sgf).games[0])
    assert [move for _, move in record.moves[:4]] == list(opening.moves)
    assert digest_of_moves([move for _, move in record.moves]) == game.digest
    assert (record.black, record.white, record.result) == ("black", "white", game.result)
    assert record.comments[6].endswith("Black 75.0 %")
    assert 4 not in record.comments
    assert " s" in record.comments[5]


def test_a_handicap_is_on_the_board_and_in_the_record() -> None:
    game = play("script:do=pass", "script:do=pass", handicap=3, komi=0.5)
    assert game.sgf is not None
    record = record_of(parse_sgf(game.sgf).games[0])
    assert record.handicap == 3
    assert len(record.setup_black) == 3
    assert record.moves[0][0] is Color.WHITE


class _Opinion:
    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __call__(self, position: object) -> str:
        if self.answer == "fail":
            raise RuntimeError("no idea")
        return self.answer


def test_a_second_referee_is_heard_and_a_disagreement_marked() -> None:
    asked = {"second_opinion": "always"}
    same = play("script:do=pass", "script:do=pass", opinion=_Opinion("W+7.5"), **asked)
    assert (same.second_opinion, same.disagreement) == ("W+7.5", False)
    other = play("script:do=pass", "script:do=pass", opinion=_Opinion("B+2.5"), **asked)
    assert other.disagreement
    silent = play("script:do=pass", "script:do=pass", opinion=_Opinion("fail"), **asked)
    assert not silent.disagreement
    assert "no idea" in (silent.second_opinion or "")
    quick = play("script:do=pass", "script:do=pass", opinion=_Opinion("B+2.5"), second_opinion="auto")
    assert quick.second_opinion is None


# ---- programs

PROGRAM = """
import sys, time
kind, turn = sys.argv[1], 0
for line in sys.stdin:
    words = line.split()
    number, words = (words[0], words[1:]) if words and words[0].isdigit() else ("", words)
    if not words:
        continue
    answer = ""
    if words[0] == "list_commands":
        known = "name version protocol_version list_commands boardsize clear_board komi play genmove quit"
        answer = "\\n".join(known.split())
    elif words[0] in ("name", "version", "protocol_version"):
        answer = "2"
    elif words[0] == "play" and kind == "refuses" and turn == 1:
        turn += 1
        print(f"?{number} illegal move\\n", flush=True)
        continue
    elif words[0] == "genmove":
        turn += 1
        answer = "pass"
        if turn == 2:
            if kind == "hangs":
                time.sleep(600)
            if kind == "dies":
                sys.stderr.write("segmentation fault (not really)\\n")
                sys.exit(3)
            if kind == "garbage":
                answer = "I think therefore I am"
            if kind == "illegal":
                answer = "E5"
    print(f"={number} {answer}\\n", flush=True)
    if words[0] == "quit":
        break
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "bad.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize(
    ("kind", "reason", "says"),
    [
        ("hangs", Reason.HANG, "genmove"),
        ("dies", Reason.CRASH, "segmentation fault"),
        ("garbage", Reason.GARBAGE, "I think"),
        ("illegal", Reason.ILLEGAL, "E5"),
        ("refuses", Reason.REFUSAL, "illegal move"),
    ],
)
def test_a_bad_program_loses_the_game_with_the_reason_and_is_started_anew(
    program: Path, kind: str, reason: Reason, says: str
) -> None:
    given = Conditions.of(opening_moves=0)
    builder = SimpleBuilder(move_timeout=0.7)
    middle = Opening("middle", (parse_gtp("E5", 9, 9),))
    bad = PlayerSpec.parse(f"bad@cmd:{sys.executable} {program} {kind}")
    good = PlayerSpec.parse("good@random")
    seats = {spec.name: Contestant(spec, given, builder) for spec in (bad, good)}
    try:
        for number in range(2):
            task = GameTask(GameKey("bad", "good", number), good, bad, number, middle, given)
            game = play_game(task, seats["good"], seats["bad"])
            assert (game.winner, game.reason, game.result) == ("good", reason, "B+F")
            assert says in game.detail
            assert game.cost_of("bad").moves >= 2
            assert game.cost_of("bad").own_process
    finally:
        for seat in seats.values():
            seat.close()


def test_a_program_that_knows_no_such_board_ends_the_match(program: Path) -> None:
    given = Conditions.of(size="9x7")
    spec = PlayerSpec.parse(f"square@cmd:{sys.executable} {program} plays")
    seat = Contestant(spec, given, SimpleBuilder())
    try:
        with pytest.raises(ConfigError, match=r"'square' will not play this: .*knows no board of 9x7"):
            seat.begin(given.game_rules(), 1)
    finally:
        seat.close()


def test_a_program_that_hangs_under_a_clock_loses_on_time(program: Path) -> None:
    given = Conditions.of(clock="0.5")
    bad, good = PlayerSpec.parse(f"bad@cmd:{sys.executable} {program} hangs"), PlayerSpec.parse("good@random")
    seats = [Contestant(spec, given, SimpleBuilder()) for spec in (good, bad)]
    game = play_game(GameTask(GameKey("good", "bad", 0), good, bad, 1, EMPTY_BOARD, given), *seats)
    assert (game.winner, game.reason) == ("good", Reason.TIME)


def test_what_a_program_uses_is_measured(program: Path) -> None:
    game = play(f"cmd:{sys.executable} {program} fine", "script:do=pass")
    assert game.reason is Reason.SCORE
    assert game.black_cost.own_process
    assert (game.program_of("black"), game.program_of("white")) == ("2 2", "")
    assert game.black_cost.peak_memory > 1 << 20
    assert game.black_cost.seconds > 0
