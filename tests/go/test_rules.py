"""Rule sets by name and by KataGo's fields."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import CoordinateError, RulesError, TengenError
from tengen.go.coords import Color
from tengen.go.rules import RULE_SETS, Goal, Ko, Rules, Scoring, Tax, WhiteBonus


@pytest.mark.parametrize(
    ("name", "ko", "scoring", "tax", "suicide", "bonus"),
    [
        ("tromp-taylor", Ko.POSITIONAL, Scoring.AREA, Tax.NONE, True, WhiteBonus.ZERO),
        ("chinese", Ko.SIMPLE, Scoring.AREA, Tax.NONE, False, WhiteBonus.N),
        ("chinese-kgs", Ko.POSITIONAL, Scoring.AREA, Tax.NONE, False, WhiteBonus.N),
        ("japanese", Ko.SIMPLE, Scoring.TERRITORY, Tax.SEKI, False, WhiteBonus.ZERO),
        ("korean", Ko.SIMPLE, Scoring.TERRITORY, Tax.SEKI, False, WhiteBonus.ZERO),
        ("aga", Ko.SITUATIONAL, Scoring.AREA, Tax.NONE, False, WhiteBonus.N_MINUS_1),
        ("new-zealand", Ko.SITUATIONAL, Scoring.AREA, Tax.NONE, True, WhiteBonus.ZERO),
        ("stone-scoring", Ko.SIMPLE, Scoring.AREA, Tax.ALL, False, WhiteBonus.ZERO),
    ],
)
def test_named_sets_have_katagos_fields(
    name: str, ko: Ko, scoring: Scoring, tax: Tax, suicide: bool, bonus: WhiteBonus
) -> None:
    rules = Rules.named(name)
    assert (rules.ko, rules.scoring, rules.tax) == (ko, scoring, tax)
    assert (rules.suicide, rules.white_bonus) == (suicide, bonus)


@pytest.mark.parametrize("name", RULE_SETS)
def test_fields_give_the_set_back(name: str) -> None:
    rules = Rules.named(name, (9, 13), 5.5)
    assert (rules.width, rules.height, rules.komi) == (9, 13, 5.5)
    plain = Rules.named("chinese", (9, 13), 5.5).replace(goal=rules.goal)
    assert plain.with_kata(rules.to_kata()) == rules
    assert plain.with_kata(json.dumps(rules.to_kata())) == rules
    assert Rules.named("aga", (9, 13), 5.5).with_kata(f" {name.upper()} ") == rules


def test_one_field() -> None:
    rules = Rules.named("chinese")
    assert rules.with_kata_field("ko", "POSITIONAL").ko is Ko.POSITIONAL
    assert rules.with_kata_field("suicide", "true").suicide is True
    assert rules.with_kata_field("hasButton", "false").has_button is False
    assert rules.with_kata_field("whiteHandicapBonus", "N-1").white_bonus is WhiteBonus.N_MINUS_1
    assert rules.with_kata_field("scoring", "territory").scoring is Scoring.TERRITORY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "martian",
        '{"ko": "SOMETIMES"}',
        '{"colour": 1}',
        "{",
        '{"suicide": 2}',
        '{"ko":' * 50_000,
        '{"a": NaN}',
    ],
)
def test_unknown_rules_are_refused_and_quoted(text: str) -> None:
    with pytest.raises(RulesError):
        Rules().with_kata(text)


@given(st.text(max_size=30))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        rules = Rules().with_kata(text)
    except TengenError:
        return
    assert isinstance(rules, Rules)


def test_handicap_compensation() -> None:
    assert [Rules.named("chinese").handicap_bonus(n) for n in (0, 1, 2, 9)] == [0.0, 0.0, 2.0, 9.0]
    assert [Rules.named("aga").handicap_bonus(n) for n in (0, 2, 9)] == [0.0, 1.0, 8.0]
    assert Rules.named("japanese").handicap_bonus(9) == 0.0
    assert [Rules().first_to_move(n) for n in (0, 1, 2)] == [Color.BLACK, Color.BLACK, Color.WHITE]


def test_rules_do_not_change() -> None:
    rules = Rules.named("chinese", 9)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.komi = 1.0  # type: ignore[misc]
    assert (rules.replace(komi=0.5).komi, rules.komi) == (0.5, 7.5)
    assert (rules.area, rules.size, Rules(width=7, height=5).size) == (81, 9, 7)


def test_values_no_rules_have() -> None:
    for komi in (float("nan"), float("inf"), 1e9, -1001.0):
        with pytest.raises(RulesError, match="komi"):
            Rules(komi=komi)
    with pytest.raises(CoordinateError):
        Rules(width=26, height=26)


def test_capture_go() -> None:
    assert Rules.named("capture", 9).goal is Goal.FIRST_CAPTURE
