"""Writing records: what was read is written again, and a record made here reads as it was made."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.go.coords import PASS, Color
from tengen.go.record import GameRecord
from tengen.go.rules import Ko, Rules, Tax
from tengen.go.sgf import Charset, Collection, Game, Node, Tree, format_sgf, parse_sgf, record_of, sgf_of
from tengen.go.sgf_write import rules_text

UTF8 = Charset()
# Control characters are no text: many of them make a file a binary one.
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=15).map(UTF8.value)
values = st.one_of(st.sampled_from([b"", b"aa", b"tt", b"aa:cc", b"\\\\", b"\\]", b"a\\:b"]), texts)
names = st.sampled_from(["B", "W", "AB", "C", "KM", "XX", "LONGNAME"])


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    node = Node()
    for name in draw(st.lists(names, max_size=3)):
        node.put(name, *draw(st.lists(values, min_size=1, max_size=3)))
    return node


trees = st.recursive(
    st.builds(Tree, st.lists(nodes(), min_size=1, max_size=4)),
    lambda inner: st.builds(Tree, st.lists(nodes(), min_size=1, max_size=3), st.lists(inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=150)
@given(st.lists(trees, min_size=1, max_size=3))
def test_trees_written_are_read_as_they_were(made: list[Tree]) -> None:
    games = [Game(tree.nodes, tree.variations, preamble=b"\n" * bool(i)) for i, tree in enumerate(made)]
    collection = Collection(games)
    if not any(node.properties for game in games for node in game.all_nodes()):
        return
    assert parse_sgf(format_sgf(collection), encoding=UTF8, strict=True) == collection


@pytest.mark.parametrize(
    "data",
    [
        b"(;GM[1]FF[4];B[aa];W[bb])",
        b"(;GaMe[1]\n;Black[aa]XyZ[what is this][and this];White[bb])",
        b"\xef\xbb\xbf(;C[hard\r\nbreak\\\nsoft \\] \\\\ \\: end])\r\n",
        b"junk before (;B[aa](;W[bb])(;W[cc]))\n\n(;B[dd]) after",
        b"(;B[aa]B[bb]AB[cc]AB[dd][ee])",
        b"(;;;B[];W[tt])",
    ],
)
def test_only_white_space_between_nodes_is_new(data: bytes) -> None:
    written = format_sgf(parse_sgf(data))
    assert [byte for byte in written if byte > 32] == [byte for byte in data if byte > 32]
    assert format_sgf(parse_sgf(written)) == written


def test_long_lines_are_broken() -> None:
    data = b"(;GM[1]" + b";B[aa];W[bb]" * 100 + b")"
    assert max(map(len, format_sgf(parse_sgf(data)).splitlines())) < 80


def test_a_fresh_file() -> None:
    record = GameRecord(
        rules=Rules.named("japanese", 9, 6.5),
        moves=[(Color.BLACK, 40), (Color.WHITE, PASS)],
        result="B+R",
        black="A [1] \\",
        white="ü 古",
        comments={0: "start", 1: "a ] b"},
    )
    text = sgf_of(record).decode("utf-8")
    assert text.startswith("(;GM[1]FF[4]CA[UTF-8]AP[tengen:")
    for piece in ("SZ[9]", "KM[6.5]", "RU[Japanese]", "PB[A [1\\] \\\\]", "PW[ü 古]", "RE[B+R]", "C[start]"):
        assert piece in text
    assert ";B[ee]C[a \\] b]" in text
    assert ";W[]" in text
    assert "HA[" not in text
    assert record_of(parse_sgf(text, strict=True).games[0]) == record


def test_handicap_and_who_begins() -> None:
    record = GameRecord(
        rules=Rules.named("chinese", (7, 5), 0.5), handicap=2, setup_black=(8, 26), first=Color.WHITE
    )
    text = sgf_of(record).decode()
    assert "SZ[7:5]" in text
    assert "HA[2]" in text
    assert "AB[bb][fd]" in text
    assert record_of(parse_sgf(text).games[0]) == record


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Rules.named("japanese"), "Japanese"),
        (Rules.named("tromp-taylor", 9), "Tromp-Taylor"),
        (Rules.named("capture", 9), "capture"),
        (Rules(ko=Ko.SITUATIONAL, tax=Tax.SEKI), None),
    ],
)
def test_rules_have_a_name_or_their_fields(rules: Rules, text: str | None) -> None:
    written = rules_text(rules)
    assert (written == text) if text else written.startswith("{")
    record = GameRecord(rules=rules, moves=[(Color.BLACK, 0)])
    assert record_of(parse_sgf(sgf_of(record)).games[0]).rules == rules
