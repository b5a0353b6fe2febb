"""Reading records: old forms, trees, broken files, what is said about them."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import SgfError
from tengen.go.sgf import Tree, format_sgf, load_sgf, parse_sgf


def names(tree: Tree) -> str:
    """A tree as one line: the properties of its nodes, its variations in brackets."""
    line = ";".join(
        "".join(f"{p.name}{b','.join(p.values).decode()}" for p in node.properties) for node in tree.nodes
    )
    return line + "".join(f"({names(variation)})" for variation in tree.variations)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(;GM[1];B[aa];W[bb])", "GM1;Baa;Wbb"),
        ("(;GM[1]\n ; B [aa]\tW\n[bb])", "GM1;BaaWbb"),
        ("(;AB[aa][bb] [cc];B[dd])", "ABaa,bb,cc;Bdd"),
        ("(;B[aa][bb];W[cc][dd])", "Baa,bb;Wcc,dd"),
        ("(;GM[1](;B[aa];W[bb])(;B[cc](;W[dd])(;W[ee])))", "GM1(Baa;Wbb)(Bcc(Wdd)(Wee))"),
        ("(;GM[1]((;B[aa])(;B[bb])))", "GM1(Baa)(Bbb)"),
        ("(;GaMe[1]PLayer[B];Black[aa];White[bb]Comment[x])", "GM1PLB;Baa;WbbCx"),
        ("(;;;B[aa])", ";;Baa"),
        ("(;C[a \\] b \\\\];B[aa])", "Ca \\] b \\\\;Baa"),
        ("(;C[(;B[aa])];W[bb])", "C(;B[aa);Wbb"),
    ],
)
def test_trees(text: str, tree: str) -> None:
    if "C[(;B[aa])]" in text:  # brackets inside a comment have to be escaped; without, the value ends early
        assert names(parse_sgf(text).games[0]).startswith("C(;B[aa")
    else:
        collection = parse_sgf(text, strict=True)
        assert names(collection.games[0]) == tree


def test_old_identifiers_are_written_as_they_were() -> None:
    text = b"(;GaMe[1]SiZe[9];Black[aa];White[bb]Comment[x])"
    game = parse_sgf(text).games[0]
    assert game.nodes[1].first("B") == b"aa"
    assert b"Black[aa]" in format_sgf(parse_sgf(text))


def test_several_games_and_the_text_between_them() -> None:
    collection = parse_sgf(b"From: a friend\n\n(;B[aa])\n-- next --\n(;B[bb])\nbye")
    assert [names(game) for game in collection.games] == ["Baa", "Bbb"]
    assert [game.preamble for game in collection.games] == [b"From: a friend\n\n", b"\n-- next --\n"]
    assert [w.offset for w in collection.warnings] == [0, 24, 44]
    assert format_sgf(collection) == b"From: a friend\n\n(;B[aa])\n-- next --\n(;B[bb])\nbye"


@pytest.mark.parametrize(
    ("text", "tree", "offset", "reason"),
    [
        ("(;GM[1];B[aa];W[bb]", "GM1;Baa;Wbb", 19, "1 parentheses open"),
        ("(;GM[1](;B[aa](;W[bb]", "GM1;Baa;Wbb", 21, "3 parentheses open"),
        ("(;GM[1];B[aa];C[the end is", "GM1;Baa;Cthe end is", 14, "ends within C"),
        ("(;GM[1];B[aa];B[b", "GM1;Baa;Bb", 14, "ends within B"),
        ("(;B[aa];C[cut\\", "Baa;Ccut", 8, "ends within C"),
        ("(;B[aa] stray W[bb])", "BaaWbb", 8, "no property"),
        ("(;B[aa]];W[bb])", "Baa;Wbb", 7, "no property"),
        ("(;B[aa];[bb];W[cc])", "Baa;;Wcc", 8, "value without a property"),
        ("(B[aa];W[bb])", "Baa;Wbb", 1, '";"'),
        (";GM[1];B[aa];W[bb]", "GM1;Baa;Wbb", 0, '"("'),
        ("(;B[aa]();W[bb])", "Baa;Wbb", 8, "nothing in them"),
        ("(;B[aa](;W[bb]);W[cc])", "Baa(Wbb)(Wcc)", 15, "after its variations"),
    ],
)
def test_what_can_be_saved_is(text: str, tree: str, offset: int, reason: str) -> None:
    collection = parse_sgf(text, "game.sgf")
    found = names(collection.games[0]).replace("(", ";").replace(")", "") if "open" in reason else None
    assert (found or names(collection.games[0])) == tree
    assert reason in collection.warnings[0].reason
    assert collection.warnings[0].offset == offset
    with pytest.raises(SgfError, match=rf"game\.sgf, byte {offset}: ") as caught:
        parse_sgf(text, "game.sgf", strict=True)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    "data", [b"", b"  \n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"hello world", b"(", b")", b"()", b"(;junk"]
)
def test_nothing_readable_is_an_error(data: bytes) -> None:
    with pytest.raises(SgfError, match="thing, byte 0: "):
        parse_sgf(data, "thing")


def test_a_lone_root_is_a_game() -> None:
    assert names(parse_sgf("(;)", strict=True).games[0]) == ""


def test_a_missing_file_is_an_sgf_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SgfError, match="No such file"):
        load_sgf(tmp_path / "nothing.sgf")
    (tmp_path / "a.sgf").write_bytes(b"(;B[aa])")
    assert load_sgf(tmp_path / "a.sgf").source.endswith("a.sgf")


def test_line_choices() -> None:
    game = parse_sgf("(;GM[1](;B[aa];W[bb])(;B[cc](;W[dd])(;W[ee])))").games[0]
    moves = {
        choices: [p.values[0] for n in game.line(choices) for p in n.properties][1:]
        for choices in game.leaves()
    }
    assert moves == {(0,): [b"aa", b"bb"], (1, 0): [b"cc", b"dd"], (1, 1): [b"cc", b"ee"]}
    assert next(game.leaves()) == (0,)
    with pytest.raises(IndexError):
        list(game.line([2]))


def test_editing_keeps_the_rest() -> None:
    collection = parse_sgf(b"(;GM[1]XX[what] ;B[aa]C[old])")
    game = collection.games[0]
    game.put_text(game.nodes[1], "C", "new [x]")
    game.nodes[1].put("TE", b"1")
    game.root.drop("GM")
    assert format_sgf(collection) == b"(;XX[what]\n;B[aa]C[new [x\\]]TE[1])"


@pytest.mark.parametrize(
    "data",
    [
        b"(;B[aa]" * 50_000 + b")" * 50_000,
        b"(;B[aa]" + b"(" * 400_000,
        b"(;" + b";B[aa];W[bb]" * 40_000 + b")",
        b"(;B[aa]" + b"] " * 150_000,
        b"(;B[aa]C[" + b"\\" * 500_001,
        b"(;B[aa]" + b"A " * 150_000,
        b"(;AB" + b"[aa]" * 100_000 + b")",
        b"(;C[" + b"\xb0\xa1" * 200_000,
        b"(;B[aa]" + b"(;W[bb]);B[cc]" * 10_000 + b")",
        b"(;B[aa]" + b"C[x" * 100_000,
    ],
    ids=["nest", "open", "long", "junk", "backslashes", "idents", "values", "bytes", "after", "unclosed"],
)
def test_big_and_deep_files_take_linear_time(data: bytes) -> None:
    start = time.process_time()
    collection = parse_sgf(data)
    assert parse_sgf(format_sgf(collection), encoding=collection.charset) == collection
    assert time.process_time() - start < 15


@given(
    st.binary(max_size=60), st.binary(max_size=30), st.sampled_from([b"", b"(;", b"(;B[aa]", b"(;CA[GBK]C["])
)
def test_any_bytes_are_read_or_refused(before: bytes, after: bytes, middle: bytes) -> None:
    try:
        collection = parse_sgf(before + middle + after)
    except SgfError as error:
        assert error.offset is not None  # noqa: PT017
        return
    again = parse_sgf(format_sgf(collection), encoding=collection.charset)
    assert again == collection


def test_the_number_of_warnings_is_bounded() -> None:
    collection = parse_sgf(b"(;B[aa]" + b"] A " * 1000 + b")")
    assert len(collection.warnings) == 201
    assert "no further" in collection.warnings[-1].reason


def test_an_archive_that_holds_the_beginning_of_a_record_is_none() -> None:
    noise = random.Random(3).randbytes(5_000)
    with pytest.raises(SgfError, match=r"game\.xz, byte \d+: binary data"):
        parse_sgf(noise[:2_500] + b"(;B[aa]" + noise[2_500:], "game.xz")


def test_noughts_and_a_few_control_characters_are_no_archive() -> None:
    moves = b"(;SZ[9];B[aa]\x01;W[bb]" + b"\x02" * 20 + b"C[x])"
    assert names(parse_sgf(b"\0" * 128 + moves + b"\0" * 900).games[0]).startswith("SZ9;Baa;Wbb")
