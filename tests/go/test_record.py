"""Game records: sizes, komi, rules, handicap, results and moves in the spellings real files have."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.errors import IllegalMove, SgfError
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.go.diagram import format_diagram
from tengen.go.record import GameRecord, Result, parse_result
from tengen.go.rules import Ko, Rules, Scoring, Tax
from tengen.go.sgf import parse_sgf, record_of, sgf_of
from tengen.go.sgf_record import parse_komi, parse_rules, parse_size

BLACK, WHITE = Color.BLACK, Color.WHITE


def record(text: str | bytes) -> GameRecord:
    return record_of(parse_sgf(text).games[0])


def moves(text: str, size: int = 9) -> list[tuple[Color, int]]:
    """``B E5, W pass`` as the moves of a record."""
    pairs = [move.split() for move in text.split(",")] if text else []
    return [(BLACK if color == "B" else WHITE, parse_gtp(vertex, size, size)) for color, vertex in pairs]


def test_a_whole_game() -> None:
    game = record(
        "(;GM[1]FF[4]SZ[9]KM[6.5]RU[Japanese]PB[Aya]BR[3d]PW[Bo]WR[4d]DT[2020-01-02]EV[Cup]RO[2]PC[Ulm]RE[W+2.5]"
        "TM[1800]OT[3x30 byo-yomi]C[hello];B[ee];W[gc]C[wide];B[];W[tt])"
    )
    assert game.moves == moves("B E5, W G7, B pass, W pass")
    assert game.rules == Rules.named("japanese", 9, 6.5)
    assert (game.black, game.black_rank, game.white, game.white_rank) == ("Aya", "3d", "Bo", "4d")
    assert (game.date, game.event, game.round, game.place) == ("2020-01-02", "Cup", "2", "Ulm")
    assert (game.main_time, game.overtime) == (1800.0, "3x30 byo-yomi")
    assert game.comments == {0: "hello", 2: "wide"}
    assert game.winner is WHITE
    assert game.outcome == Result(WHITE, 2.5, "score")
    assert game.warnings == []


def test_facts_may_stand_in_a_later_node() -> None:
    game = record("(;\n;SZ[9]KM[5.5]PB[Aya];RE[B+R];B[ee];W[gc]PW[not here])")
    assert (game.rules.size, game.rules.komi, game.black, game.result) == (9, 5.5, "Aya", "B+R")
    assert game.white == ""


def test_positions_of_a_game() -> None:
    game = record("(;SZ[3]KM[0];B[bb];W[ba];B[ca];W[cc];B[aa])")
    positions = list(game.positions())
    assert len(positions) == 6
    assert positions[0].board.stones_list() == [0] * 9
    assert format_diagram(positions[3], coordinates=False) == ". O X\n. X .\n. . ."
    assert format_diagram(game.final_position(), coordinates=False) == "X . X\n. X .\n. . O"
    assert game.final_position().captures == (1, 0)


@pytest.mark.parametrize(
    ("text", "played"),
    [
        ("(;SZ[9];B[ee];W[])", "B E5, W pass"),
        ("(;SZ[9];B[E5];W[g7];B[Pass])", "B E5, W G7, B pass"),
        ("(;SZ[9];B[EE];W[gc])", "B E5, W G7"),
        ("(;SZ[9];B[ ee ];W[zz])", "B E5, W pass"),
        ("(;SZ[9]B[ee];W[gc])", "B E5, W G7"),
        ("(;SZ[9];B[ee]W[gc])", "B E5, W G7"),
        ("(;SZ[9];Black[ee];White[gc])", "B E5, W G7"),
        ("(;SZ[9];B[ee];B[gc];W[cc])", "B E5, B G7, W C7"),
    ],
)
def test_moves_in_odd_notation(text: str, played: str) -> None:
    assert record(text).moves == moves(played)


def test_tt_is_a_point_of_a_large_board() -> None:
    assert record("(;SZ[21];B[tt])").moves == [(BLACK, 19 * 21 + 19)]
    assert record("(;SZ[19];B[tt])").moves == [(BLACK, PASS)]


def test_a_move_off_the_board_is_skipped_with_a_note() -> None:
    game = record("(;SZ[9]KM[0];B[cg];W[ee];B[rs];W[cb])")
    assert game.moves == moves("B C3, W E5, W C8")
    assert game.warnings == ["byte 24: B[rs] is no point of the 9x9 board: skipped"]


@pytest.mark.parametrize(
    ("text", "kept", "reason"),
    [
        ("(;SZ[9]KM[0];B[ee];W[ee];B[aa])", 1, "move 2: E5 is occupied"),
        ("(;SZ[3]KM[0];B[ab];W[cc];B[ba];W[aa]C[oh])", 3, "move 4: A3 is suicide"),
    ],
)
def test_the_record_ends_before_an_illegal_move(text: str, kept: int, reason: str) -> None:
    game = record(text)
    assert len(game.moves) == kept
    assert game.warnings[0].startswith(reason)
    assert game.comments == {}
    assert len(list(game.positions())) == len(game.moves) + 1


def test_retaking_a_ko_at_once_ends_the_record() -> None:
    text = "(;SZ[4]KM[0]AB[ba][ab][bc]AW[ca][bb][dc][cc][db];B[cb]C[takes];W[bb]C[too soon])"
    game = record(text)
    assert format_diagram(game.start(), coordinates=False) == ". X O .\nX O . O\n. X O O\n. . . ."
    assert len(game.moves) == 1
    assert "retakes the ko" in game.warnings[0]
    assert game.comments == {1: "takes"}


def test_suicide_is_a_matter_of_rules() -> None:
    # White has two stones in the corner of Black's wall; the third fills their last liberty.
    text = "(;SZ[5]KM[0]RU[%s]AB[ca][cb][bc][ac]AW[aa][ba];W[bb];B[ee];W[ab])"
    assert len(record(text % "Japanese").moves) == 2
    game = record(text % "NZ")
    assert len(game.moves) == 3
    assert format_diagram(game.final_position(), coordinates=False).startswith(". . X . .\n. . X . .")


def test_stones_set_up_in_mid_game_end_the_record() -> None:
    game = record("(;SZ[9]KM[0]AB[cc];W[ee];B[dd];AW[aa]AE[cc];W[bb])")
    assert game.setup_black == (20,)
    assert game.moves == moves("W E5, B D6")
    assert game.warnings == ["byte 30: stones are set up after move 2: the record ends there"]


def test_setup_before_the_first_move_is_one() -> None:
    game = record("(;SZ[5]KM[0]AB[aa:cb]AW[ee];AE[bb][ba]AW[aa]PL[W])")
    assert format_diagram(game.start(), coordinates=False).splitlines()[:2] == ["O . X . .", "X . X . ."]
    assert game.first is WHITE
    assert game.start().to_move is WHITE


def test_setup_without_a_liberty_is_left_out() -> None:
    game = record("(;SZ[3]KM[0]AB[ba][ab]AW[aa][cc])")
    assert game.setup_white == (8,)
    assert "A3 left out" in game.warnings[0]


@pytest.mark.parametrize(
    ("text", "handicap", "first", "noted"),
    [
        ("(;SZ[9]KM[0]HA[2]AB[cg][gc];W[ee])", 2, WHITE, False),
        ("(;SZ[9]KM[0]AB[cg][gc];W[ee])", 2, WHITE, False),
        ("(;SZ[9]KM[0]HA[two stones]AB[cg][gc];W[ee])", 2, WHITE, True),
        ("(;SZ[9]KM[0]HA[3 stones]AB[cg][gc][cc];W[ee])", 3, WHITE, False),
        ("(;SZ[9]KM[0]HA[0];B[ee])", 0, BLACK, False),
        ("(;SZ[9]KM[0]HA[1];B[ee])", 0, BLACK, False),
        ("(;SZ[9]KM[0]HA[4];W[ee])", 4, WHITE, True),
        ("(;SZ[9]KM[0]HA[2]AB[cg][gc])", 2, WHITE, False),
        ("(;SZ[9]KM[0]HA[-3];B[ee])", 0, BLACK, False),
        ("(;SZ[9]KM[0]HA[9999];B[ee])", 0, BLACK, False),
        ("(;SZ[9]KM[0]AB[cg][gc]AW[gg][cc];W[ee])", 0, WHITE, False),
    ],
)
def test_handicap(text: str, handicap: int, first: Color, noted: bool) -> None:
    game = record(text)
    assert (game.handicap, game.first, bool(game.warnings)) == (handicap, first, noted)
    assert game.start().handicap == handicap


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("19", (19, 19)),
        ("9", (9, 9)),
        ("19:13", (19, 13)),
        ("7x5", (7, 5)),
        (" 13 ", (13, 13)),
        ("200", (200, 200)),
    ],
)
def test_sizes(text: str, size: tuple[int, int]) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["26", "200", "0", "-10", "19:26", "10:53", "big", "9:", "1e1", "9" * 30])
def test_a_board_that_cannot_be_is_an_error_that_names_it(text: str) -> None:
    collection = parse_sgf(f"(;GM[1]SZ[{text}];B[aa])", "big.sgf")
    with pytest.raises(SgfError, match=rf"big\.sgf, byte 1: .*{text[:2]}"):
        record_of(collection.games[0])


def test_a_rectangle() -> None:
    game = record("(;SZ[7:5]KM[0];B[ge];W[aa])")
    assert (game.rules.width, game.rules.height) == (7, 5)
    assert game.moves == [(BLACK, 4 * 7 + 6), (WHITE, 0)]


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("6.5", 6.5),
        ("6,5", 6.5),
        ("0", 0.0),
        ("-59.5", -59.5),
        ("5 1/2", 5.5),
        ("6.500000", 6.5),
        ("6½", 6.5),
        ("6目半", 6.5),
        ("五目半", 5.5),
        ("750", 7.5),
        ("650", 6.5),
        ("375", 7.5),
        ("3.75", 7.5),
        ("2.75", 5.5),
        ("3.25", 6.5),
        ("3又3/4子", 7.5),
        ("3 3/4", 7.5),
        ("none", 0.0),
        ("7.5 points", 7.5),
        ("", None),
        ("?", None),
    ],
)
def test_komi(text: str, komi: float | None) -> None:
    assert parse_komi(text) == komi


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("(;RU[Japanese];B[aa])", 6.5),
        ("(;RU[Chinese];B[aa])", 7.5),
        ("(;HA[2]AB[dd][pp];W[aa])", 0.0),
        ("(;RU[Japanese]RE[B+4];B[aa])", 0.0),
        ("(;DT[1846-09-11]RE[B+R];B[aa])", 0.0),
    ],
)
def test_missing_komi_is_assumed_and_said(text: str, komi: float) -> None:
    game = record(text)
    assert game.rules.komi == komi
    assert game.warnings == [f"byte 1: no KM: komi {komi:g} assumed"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Japanese", "japanese"),
        ("jp", "japanese"),
        ("日本規則", "japanese"),
        ("Chinese", "chinese"),
        ("cn", "chinese"),
        ("中国规则", "chinese"),
        ("AGA", "aga"),
        ("NZ", "new-zealand"),
        ("New Zealand", "new-zealand"),
        ("Tromp-Taylor", "tromp-taylor"),
        ("Korean", "korean"),
        ("Group tax?", "stone-scoring"),
        ("capture", "capture"),
        ("nonsense", "chinese"),
    ],
)
def test_rules_by_name(text: str, name: str) -> None:
    assert parse_rules(text) == Rules.named(name)


def test_ing_rules_and_rules_as_fields() -> None:
    ing = parse_rules("GOE")
    assert (ing.suicide, ing.scoring) == (True, Scoring.AREA)
    assert parse_rules('{"ko":"SITUATIONAL","tax":"SEKI"}').ko is Ko.SITUATIONAL
    assert parse_rules('{"ko":"SITUATIONAL","tax":"SEKI"}').tax is Tax.SEKI
    assert parse_rules("{broken") == Rules.named("chinese")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+3.5", Result(BLACK, 3.5, "score")),
        ("W+12.50", Result(WHITE, 12.5, "score")),
        ("B+R", Result(BLACK, None, "resign")),
        ("W+Resign", Result(WHITE, None, "resign")),
        ("b+resign.", Result(BLACK, None, "resign")),
        ("W+T", Result(WHITE, None, "time")),
        ("W+time", Result(WHITE, None, "time")),
        ("B+F", Result(BLACK, None, "forfeit")),
        ("W+", Result(WHITE)),
        ("0", Result(Color.EMPTY, 0.0, "draw")),
        ("Draw", Result(Color.EMPTY, 0.0, "draw")),
        ("Jigo", Result(Color.EMPTY, 0.0, "draw")),
        ("Void", Result(None, None, "void")),
        ("?", Result(None)),
        ("", Result(None)),
        ("a good game", Result(None)),
        ("john wins", Result(None)),
        ("black wins by 5 3/4 points", Result(BLACK, 5.75, "score")),
        ("White wins by resignation", Result(WHITE, None, "resign")),
        ("B+0,5", Result(BLACK, 0.5, "score")),
        ("B + 1.5", Result(BLACK, 1.5, "score")),
        ("W+5.5 (moves after 200 not known)", Result(WHITE, 5.5, "score")),
        ("黑中盘胜", Result(BLACK, None, "resign")),
        ("白中押し勝ち", Result(WHITE, None, "resign")),
        ("257手完, 黒中押し勝ち", Result(BLACK, None, "resign")),
        ("黒4目半勝ち", Result(BLACK, 4.5, "score")),
        ("白番半目勝", Result(WHITE, 0.5, "score")),
        ("黑胜1又3/4子", Result(BLACK, 3.5, "score")),
        ("흑 불계승", Result(BLACK, None, "resign")),
        ("백 2집반승", Result(WHITE, 2.5, "score")),
    ],
)
def test_results(text: str, result: Result) -> None:
    assert parse_result(text) == result


@pytest.mark.parametrize("text", ["B+3.5", "W+R", "B+T", "W+F", "0", "Void", "?", "B+"])
def test_a_result_written_is_read_as_it_was(text: str) -> None:
    assert str(parse_result(text)) == text


@given(st.text(max_size=60))
def test_no_text_breaks_the_small_parsers(text: str) -> None:
    parse_result(text)
    parse_komi(text)
    parse_rules(text)


points = st.integers(min_value=-1, max_value=7 * 9 - 1)
texts = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=12).map(
    lambda text: " ".join(text.split())
)


@settings(max_examples=60)
@given(
    played=st.lists(st.tuples(st.sampled_from([BLACK, WHITE]), points), max_size=40),
    stones=st.sets(st.integers(0, 62), max_size=6),
    black=texts,
    event=texts,
    comment=texts,
    komi=st.sampled_from([0.0, 0.5, 6.5, 7.0, -3.5]),
    rules=st.sampled_from(
        ["japanese", "chinese", "aga", "tromp-taylor", "new-zealand", "aga-button", "capture"]
    ),
)
def test_a_record_written_is_read_as_it_was(  # type: ignore[no-untyped-def]
    played, stones, black, event, comment, komi, rules
) -> None:
    setup = sorted(stones)
    game = GameRecord(
        rules=Rules.named(rules, (7, 9), komi),
        setup_black=tuple(setup[::2]),
        setup_white=tuple(setup[1::2]),
        first=played[0][0] if played else WHITE,
        moves=list(played),
        result="B+2.5",
        black=black,
        event=event,
        comments={0: comment, len(played): comment} if comment else {},
    )
    once = record_of(parse_sgf(sgf_of(game), strict=True).games[0])
    assert (once.rules, once.first, once.black, once.event) == (game.rules, game.first, black, event)
    assert once.moves == played[: len(once.moves)]
    try:
        final = game.final_position()
    except IllegalMove:
        assert once.warnings
    else:
        assert once == game
        assert once.final_position().hash == final.hash
