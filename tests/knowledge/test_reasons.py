"""Reasons in words, on positions where the reason is plain."""

import pytest
from drawing import drawn

from tengen.errors import IllegalMove
from tengen.go.coords import PASS, Color
from tengen.go.diagram import parse_diagram
from tengen.knowledge.reasons import reasons


def said(text: str, mark: str = "a", color: Color = Color.BLACK) -> list[str]:
    _, marks = drawn(text)
    plain = "".join("." if letter.islower() else letter for letter in text)
    return reasons(parse_diagram(plain, to_move=color), marks[mark])


def test_a_capture_is_counted() -> None:
    assert said(". X X .\nX O O a\n. X X .\n. . . .")[0] == "captures 2 stones"


def test_a_chain_is_saved_from_a_ladder() -> None:
    text = """
        . . O . . . .
        . O X a . . .
        . O b . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    assert any("saves C6 from a ladder" in said(text, mark) for mark in "ab")


def test_an_atari_that_catches_is_told_from_one_that_does_not() -> None:
    caught = said(". . O . .\n. O X a .\n. O . . .\n. . . . .\n. . . . .", color=Color.WHITE)
    assert caught[0] == "puts C4 in atari, and it cannot get away"
    free = said(". . . . .\n. X O a .\n. . X . .\n. . . . .\n. . . . .")
    assert any(reason.startswith("puts C4 in atari") for reason in free)


def test_nakade_and_its_answer() -> None:
    eye = "O O O O O .\nO . a . O .\nO O O O O .\n. . . . . ."
    assert said(eye)[0].startswith("makes a nakade at C3")
    assert said(eye, color=Color.WHITE)[0].startswith("divides the eye at C3")


def test_self_atari_and_sacrifice() -> None:
    assert said(". a O . .\nO O . . .\n. . . . .\n. . . . .") == ["self-atari of one stone"]


def test_connection_and_cut() -> None:
    found = said(". . O . .\n. X a X .\n. . O . .\n. . . . .\n. . . . .")
    assert found == ["connects 2 chains", "cuts between 2 chains"]


def test_an_own_eye_is_named() -> None:
    assert "fills an own eye" in said("a X .\nX X .\n. . .")


def test_pass_has_no_reasons_and_an_occupied_point_is_refused() -> None:
    position = parse_diagram("X . .\n. . .\n. . .", to_move=Color.WHITE)
    assert reasons(position, PASS) == []
    with pytest.raises(IllegalMove):
        reasons(position, 0)
