"""The analysis lines, against the patterns front ends read them with."""

import re

import pytest

from tengen.front.gtp.analysis import AnalysisQuestion, format_kata, format_lz, parse_question
from tengen.front.gtp.protocol import Arguments, GtpFailure
from tengen.go.coords import PASS, Color, parse_gtp
from tengen.players import AnalysisReport, MoveInfo


def at(word: str) -> int:
    return parse_gtp(word, 19, 19)


D4, Q16, R4 = at("D4"), at("Q16"), at("R4")
REPORT = AnalysisReport(
    to_move=Color.BLACK,
    moves=(
        MoveInfo(R4, 0, 0.5, 0.01, 3, (R4,)),
        MoveInfo(PASS, 3, 0.001, 0.0002, 2, (PASS,), -20.0, 9.0, -0.01),
        MoveInfo(Q16, 120, 0.4444444, 0.25, 1, (), -1.0, 12.5, 0.43),
        MoveInfo(D4, 836, 0.46564, 0.0839, 0, (D4, Q16, PASS, R4), 1.0, 12.5, 0.46404),
    ),
    root_visits=960,
    root_winrate=0.46,
    root_score=0.75,
    seconds=1.0,
    ownership=(1.0, -1.0, 0.25, -0.0000001, float("nan")) + (0.0,) * 356,
)
BLACK = AnalysisQuestion(Color.BLACK)


def test_leela_zeros_line() -> None:
    assert format_lz(REPORT, BLACK, 19, 19) == (
        "info move D4 visits 836 winrate 4656 prior 839 lcb 4640 order 0 pv D4 Q16 pass R4"
        " info move Q16 visits 120 winrate 4444 prior 2500 lcb 4300 order 1 pv Q16"
        " info move pass visits 3 winrate 10 prior 2 lcb 0 order 2 pv pass"
    )


def test_katagos_line() -> None:
    line = format_kata(REPORT, BLACK, 19, 19)
    assert line.startswith(
        "info move D4 visits 836 edgeVisits 836 utility -0.06872 winrate 0.46564 scoreMean 1.0"
        " scoreStdev 12.5 scoreLead 1.0 prior 0.0839 lcb 0.46404 utilityLcb -0.07192 order 0 pv"
        " D4 Q16 pass R4 info move Q16 "
    )
    assert line.count("info move") == 3, "what was never visited is not shown"
    assert "ownership" not in line
    assert "rootInfo" not in line


def test_root_and_ownership_only_when_asked() -> None:
    question = AnalysisQuestion(Color.BLACK, ownership=True, root_info=True)
    line = format_kata(REPORT, question, 19, 19)
    head, root, tail = re.split(" rootInfo | ownership ", line)
    assert head.endswith("order 2 pv pass")
    assert root == "visits 960 winrate 0.46 utility -0.08 scoreLead 0.75"
    assert tail.split()[:5] == ["1.0", "-1.0", "0.25", "0.0", "0.0"]
    assert len(tail.split()) == 361


def test_the_numbers_asked_for() -> None:
    assert format_lz(REPORT, AnalysisQuestion(Color.BLACK, max_moves=1), 19, 19).count("info move") == 1
    assert format_lz(REPORT, AnalysisQuestion(Color.BLACK, min_moves=9), 19, 19).count("info move") == 4
    empty = AnalysisReport(Color.BLACK, (), 0, 0.5, 0.0, 0.0)
    assert format_lz(empty, BLACK, 19, 19) == format_kata(empty, BLACK, 19, 19) == ""


def test_sabakis_pattern_finds_every_move() -> None:
    """Pairs of key and value before ``pv``, coordinates after it to the end of the block."""
    for line in (format_lz(REPORT, BLACK, 19, 19), format_kata(REPORT, BLACK, 19, 19)):
        blocks = [block.strip() for block in re.split(r"\s*info\s+", line) if block.strip()]
        assert len(blocks) == 3
        for block in blocks:
            match = re.search(r"\bpv((?:\s+(?:[A-Z]\d+|pass))+)\s*$", block)
            assert match, block
            tokens = block[: match.start()].split()
            pairs = dict(zip(tokens[::2], tokens[1::2], strict=True))
            assert {"move", "visits", "winrate", "prior", "lcb", "order"} <= set(pairs)


def test_lizzies_pattern() -> None:
    for variation in format_lz(REPORT, BLACK, 19, 19).split(" info "):
        data = variation.removeprefix("info ").split(" ")
        values = dict(zip(data[: data.index("pv") : 2], data[1 : data.index("pv") : 2], strict=True))
        assert int(values["winrate"]) in range(10001)
        assert int(values["lcb"]) in range(10001)
        assert int(values["visits"]) > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", AnalysisQuestion(Color.WHITE, 1.0)),
        ("10", AnalysisQuestion(Color.WHITE, 0.1)),
        ("B 50", AnalysisQuestion(Color.BLACK, 0.5)),
        ("black 100", AnalysisQuestion(Color.BLACK, 1.0)),
        ("interval 25 b", AnalysisQuestion(Color.BLACK, 0.25)),
        ("0", AnalysisQuestion(Color.WHITE, 0.01)),
        ("10 ownership true", AnalysisQuestion(Color.WHITE, 0.1, ownership=True)),
        (
            "w 5 rootInfo true pvVisits true maxmoves 3",
            AnalysisQuestion(Color.WHITE, 0.05, 0, 3, root_info=True),
        ),
    ],
)
def test_the_forms_front_ends_write(text: str, expected: AnalysisQuestion) -> None:
    assert parse_question(Arguments(text), Color.WHITE, 19, 19) == expected


def test_avoid_and_allow_as_lizzie_and_katrain_write_them() -> None:
    text = "avoid b D4,Q16 30 avoid w pass 1 allow b R4,pass 2"
    question = parse_question(Arguments(text), Color.BLACK, 19, 19)
    assert [(r.color, r.moves, r.depth) for r in question.avoid] == [
        (Color.BLACK, {D4, Q16}, 30),
        (Color.WHITE, {PASS}, 1),
    ]
    assert question.allow[0].moves == {R4, PASS}
    assert [question.admits(Color.BLACK, move) for move in (D4, R4, PASS, at("C3"))] == [
        False,
        True,
        True,
        False,
    ]
    assert question.admits(Color.WHITE, D4)
    assert not question.admits(Color.WHITE, PASS)
    assert format_lz(REPORT, question, 19, 19).count("info move") == 1


@pytest.mark.parametrize(
    "text", ["avoid b resign 1", "allow b , 1", "b w x", "interval b", "maxmoves -1", "5x"]
)
def test_what_makes_no_sense(text: str) -> None:
    with pytest.raises(GtpFailure, match="syntax error"):
        parse_question(Arguments(text), Color.BLACK, 19, 19)
