"""Charsets: declared rightly, wrongly, not at all; second bytes that look like brackets; text escapes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import SgfError
from tengen.go.encodings import Charset, lookup_charset
from tengen.go.sgf import format_sgf, parse_sgf, to_utf8

TEXTS = {
    "gb18030": ("古力", "柯洁", "白棋在右上角跳出，黑棋应该先守住自己的角部，这是一步好棋。"),
    "cp932": ("山下敬吾", "井山裕太", "第三期棋聖戦。この手は次の一手で、黒の形がよくなりました。"),
    "big5hkscs": ("黃翊祖", "周俊勳", "黑棋這手棋下得不好，白棋先手得利，局面領先。"),
    "cp949": ("이세돌", "박정환", "백이 이 수를 두면 흑이 곤란하다. 흑은 여기서 손을 빼고 싶다."),
    "euc_jp": ("山下敬吾", "井山裕太", "第三期棋聖戦。この手は次の一手で、黒の形がよくなりました。"),
}


def game(black: str, white: str, comment: str, declared: str = "") -> str:
    charset = f"CA[{declared}]" if declared else ""
    return f"(;GM[1]SZ[19]{charset}PB[{black}]PW[{white}];B[pd];W[dp]C[{comment}])"


def texts(data: bytes) -> tuple[str | None, str | None, str | None]:
    tree = parse_sgf(data).games[0]
    return tree.text(tree.root, "PB"), tree.text(tree.root, "PW"), tree.text(tree.nodes[2], "C")


@pytest.mark.parametrize("codec", TEXTS)
@pytest.mark.parametrize("declared", ["right", "none", "utf-8", "iso-8859-1", "nonsense"])
def test_east_asian_files(codec: str, declared: str) -> None:
    names = {"right": codec, "none": ""}
    data = game(*TEXTS[codec], names.get(declared, declared)).encode(codec)
    assert texts(data) == TEXTS[codec]
    remarks = [w.reason for w in parse_sgf(data).warnings]
    assert bool(remarks) == (declared != "right"), remarks


@pytest.mark.parametrize("declared", ["ISO-8859-1", "Windows-1252", ""])
@pytest.mark.parametrize(
    "text", ["Müller", "Désolé, ça va très bien à Orléans", "Åke Söderström spelade på Öland", "¿Qué?"]
)
def test_western_texts_are_not_taken_for_chinese(declared: str, text: str) -> None:
    assert texts(game(text, text, text, declared).encode("cp1252")) == (text, text, text)


def test_cyrillic_is_believed() -> None:
    text = "Привет, хорошая партия"
    assert texts(game(text, text, text, "windows-1251").encode("cp1251")) == (text, text, text)


@pytest.mark.parametrize("declared", ["GB2312", "Shift_JIS", "ISO-8859-1", "ASCII", "", "foo"])
def test_utf8_is_recognised_whatever_is_declared(declared: str) -> None:
    wanted = ("柯洁", "Müller", "黒の形がよくなりました 好棋")
    assert texts(game(*wanted, declared).encode()) == wanted


@pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_wide_forms_and_byte_order_marks(form: str) -> None:
    wanted = ("古力", "Müller", "이세돌 [x\\]")
    data = game(*wanted).encode(form)
    if form == "utf-32":
        data = game(*wanted).encode("utf-32")
    collection = parse_sgf(data)
    tree = collection.games[0]
    assert (tree.text(tree.root, "PB"), tree.text(tree.nodes[2], "C")) == ("古力", "이세돌 [x]")
    assert parse_sgf(format_sgf(collection)) == collection
    if form.startswith("utf-16"):
        begin = tree.nodes[1].offset
        assert data[begin : begin + 8].replace(b"\0", b"")[:3] == b";B["


def test_iso_2022() -> None:
    wanted = TEXTS["cp932"]
    data = game(*wanted, "ISO-2022-JP").encode("iso2022_jp")
    assert texts(data) == wanted
    assert texts(format_sgf(parse_sgf(data))) == wanted


@pytest.mark.parametrize(
    ("codec", "text"),
    [("cp932", "表示能力ソ十表"), ("big5", "功許蓋許功"), ("gbk", "誠俓乗漒刓")],
)
def test_second_bytes_that_are_brackets_or_backslashes(codec: str, text: str) -> None:
    plain = game(text, text, text + "。", codec).encode(codec)
    assert any(byte in plain.replace(b"]", b"", 0) for byte in b"\\")
    assert texts(plain) == (text, text, text + "。")
    escaped = b"(;CA[" + codec.encode() + b"]PB["
    escaped += text.encode(codec).replace(b"\\", b"\\\\").replace(b"]", b"\\]") + b"];B[aa])"
    tree = parse_sgf(escaped).games[0]
    assert tree.nodes[1].first("B") == b"aa"


def test_a_byte_escaped_file_is_noticed() -> None:
    text = "能力表"
    raw = text.encode("cp932")  # ends in a byte that is a backslash
    data = b"(;CA[Shift_JIS]PB[" + raw.replace(b"\\", b"\\\\") + b"]PW[x];B[aa])"
    assert raw.endswith(b"\\")
    tree = parse_sgf(data).games[0]
    assert tree.text(tree.root, "PW") == "x"
    assert tree.nodes[1].first("B") == b"aa"
    assert tree.text(tree.root, "PB") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"a \\] b", "a ] b"),
        (b"a\\\\b", "a\\b"),
        (b"soft\\\nbreak", "softbreak"),
        (b"soft\\\r\nbreak", "softbreak"),
        (b"hard\r\nbreak\rand\n\rmore", "hard\nbreak\nand\nmore"),
        (b"tab\there", "tab here"),
        (b"\\:\\x", ":x"),
    ],
)
def test_text_escapes(value: bytes, text: str) -> None:
    assert Charset().text(value) == text


def test_simple_text_is_one_line() -> None:
    assert Charset().simple_text(b" two\nlines\\\n joined ") == "two lines joined"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\t\v\f\0"), max_size=40))
def test_text_round_trip(text: str) -> None:
    assert Charset().text(Charset().value(text)) == text


@given(st.sampled_from(sorted(TEXTS)), st.text(max_size=30))
def test_east_asian_text_round_trip(codec: str, text: str) -> None:
    charset = Charset(codec)
    kept = text.encode(codec, "ignore").decode(codec, "ignore")
    plain = kept.replace("\r", "").replace("\t", "").replace("\v", "").replace("\f", "").replace("\0", "")
    data = b"(;C[" + charset.value(plain) + b"]N[end])"
    tree = parse_sgf(data, encoding=charset).games[0]
    assert tree.text(tree.root, "C") == charset.text(charset.value(plain))
    assert tree.text(tree.root, "N") == "end"


def test_a_character_the_charset_lacks_is_refused() -> None:
    tree = parse_sgf(b"(;CA[Shift_JIS]PB[x])").games[0]
    with pytest.raises(SgfError, match="cp932 has no '한'"):
        tree.put_text(tree.root, "PB", "한글")


@pytest.mark.parametrize("codec", TEXTS)
def test_a_file_made_utf8_says_the_same(codec: str) -> None:
    collection = parse_sgf(game(*TEXTS[codec], codec)[:-1].encode(codec) + b"(;W[aa]C[\\]])(;W[bb]))\n")
    plain = to_utf8(collection)
    tree = plain.games[0]
    assert texts(format_sgf(plain)) == TEXTS[codec]
    assert tree.text(tree.root, "CA") == "UTF-8"
    assert [len(list(tree.line(choices))) for choices in tree.leaves()] == [4, 4]
    assert parse_sgf(format_sgf(plain), strict=True) == plain
    tree.put_text(tree.root, "C", "한글 和 Ünïcode")
    assert parse_sgf(format_sgf(plain)).games[0].text(tree.root, "C") == "한글 和 Ünïcode"


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("UTF8", "utf-8"),
        ("gb2312", "gb18030"),
        ("EUC-CN", "gb18030"),
        ("x-sjis", "cp932"),
        ("Windows-1252", "cp1252"),
        ("ISO8859_1", "iso8859-1"),
        ("Big5", "big5hkscs"),
        ("EUC-KR", "cp949"),
        ("utf-7", None),
        ("utf-16", None),
        ("rot13", None),
        ("base64", None),
        ("no such", None),
        ("../../x", None),
        ("", None),
    ],
)
def test_charset_names(name: str, codec: str | None) -> None:
    assert lookup_charset(name) == codec
