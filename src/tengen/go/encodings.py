"""Which characters the bytes of a game record mean.

Records name their charset in CA, wrongly or not at all as often as not. ``detect`` settles one charset for a
file: a byte order mark first, then UTF-8 where the bytes are UTF-8, then what CA says if the bytes agree,
then the likeliest of the East Asian charsets by how common the characters would be, then Windows-1252.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from encodings.aliases import aliases
from functools import lru_cache

__all__ = ["Charset", "Detection", "detect", "lookup_charset"]

SUPERSETS = {
    "ascii": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "cp950": "big5hkscs",
}
"""What programs mean when they name the smaller set."""

_PAIRS = {
    "cp932": (rb"[\x81-\x9f\xe0-\xfc]", rb"[\x40-\x7e\x80-\xfc]"),
    "shift_jis_2004": (rb"[\x81-\x9f\xe0-\xfc]", rb"[\x40-\x7e\x80-\xfc]"),
    "shift_jisx0213": (rb"[\x81-\x9f\xe0-\xfc]", rb"[\x40-\x7e\x80-\xfc]"),
    "gb18030": (rb"[\x81-\xfe]", rb"[\x40-\x7e\x80-\xfe]"),
    "big5hkscs": (rb"[\x81-\xfe]", rb"[\x40-\x7e\xa1-\xfe]"),
}
"""Charsets whose second bytes may be a backslash or a closing bracket: (lead byte, trail byte)."""

_NOT_FOR_TEXT = {
    "idna",
    "punycode",
    "raw_unicode_escape",
    "undefined",
    "unicode_escape",
    "utf_7",
    "utf_8_sig",
}
_KNOWN_NAMES = set(aliases) | set(aliases.values())
_PROBE = "(;ABab09[\\]:)"


@lru_cache(maxsize=256)
def lookup_charset(name: str) -> str | None:
    """The codec for a charset as a CA property names it; None for unknown and not ASCII-like ones."""
    key = re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_").removeprefix("x_")
    squeezed = key.replace("_", "")
    found = next((k for k in (key, squeezed, f"cp{squeezed[2:]}") if k in _KNOWN_NAMES), None)
    if found is None:
        windows = re.fullmatch(r"(?:ms|win|windows)?_?(125\d|936|932|949|950)", key)
        found = f"cp{windows[1]}" if windows else None
    if found is None and (latin := re.fullmatch(r"iso_?8859_?(\d{1,2})", key)):
        found = f"iso8859_{latin[1]}"
    found = {"cp936": "gbk", "euccn": "gb2312", "euctw": "big5"}.get(found or key, found)
    if found is None:
        return None
    try:
        codec = codecs.lookup(found)
        if codec.name in _NOT_FOR_TEXT or _PROBE.encode(codec.name) != _PROBE.encode("ascii"):
            return None
    except (LookupError, ValueError, TypeError):
        return None
    plain = codec.name.replace("-", "_")
    return SUPERSETS.get(plain, codec.name)


@dataclass(frozen=True)
class Charset:
    """One file's charset. Values are kept as bytes; this turns them into text and back.

    ``wire`` names the form the whole file has where that is not ASCII-like (UTF-16, ISO-2022): its values are
    then held as UTF-8 and ``codec`` is utf-8. ``escaped_bytes`` tells that backslashes were put among the
    bytes of the encoded text, not among its characters (the two differ for GBK, Big5 and Shift-JIS).
    """

    codec: str = "utf-8"
    wire: str = ""
    escaped_bytes: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """The codec of the whole file: what ``parse_sgf`` takes as ``encoding``."""
        return self.wire or self.codec

    @property
    def pairs(self) -> tuple[bytes, bytes] | None:
        """Patterns of lead and trail byte, where a trail may look like a backslash or a bracket."""
        return None if self.escaped_bytes else _PAIRS.get(self.codec)

    def decoded(self, data: bytes) -> str:
        """Bytes as characters, escapes left alone; what the charset lacks becomes U+FFFD."""
        return data.decode(self.codec, "replace")

    def text(self, value: bytes) -> str:
        """A Text value: escapes undone, soft line breaks removed, other white space made blanks."""
        if b"\\" not in value:
            decoded = self.decoded(value)
        elif self.escaped_bytes:
            decoded = _UNESCAPE_BYTES.sub(_unescaped_bytes, value).decode(self.codec, "replace")
        else:
            decoded = _UNESCAPE.sub(_unescaped, self.decoded(value))
        return _LINE_BREAK.sub("\n", decoded).translate(_BLANKS)

    def simple_text(self, value: bytes) -> str:
        """A SimpleText value: like ``text``, on one line, without blanks around it."""
        return " ".join(self.text(value).split("\n")).strip()

    def value(self, text: str) -> bytes:
        """The bytes of a Text value, escaped. Raises UnicodeEncodeError for characters the charset lacks."""
        if self.escaped_bytes:
            return re.sub(rb"([\\\]])", rb"\\\1", text.encode(self.codec))
        return re.sub(r"([\\\]])", r"\\\1", text).encode(self.codec)


_LINE_BREAK = re.compile("\r\n|\n\r|\r|\n")
_BLANKS = {9: " ", 11: " ", 12: " ", 0: " "}
_UNESCAPE = re.compile("\\\\(\r\n|\n\r|.)|\\\\$", re.DOTALL)
_UNESCAPE_BYTES = re.compile(rb"\\(\r\n|\n\r|.)|\\$", re.DOTALL)


def _unescaped(match: re.Match[str]) -> str:
    character = match[1] or ""
    return "" if character[:1] in "\r\n" else character


def _unescaped_bytes(match: re.Match[bytes]) -> bytes:
    character = match[1] or b""
    return b"" if character[:1] in b"\r\n" else character


@dataclass(frozen=True)
class Detection:
    """What ``detect`` found: the charset, the bytes to parse (another form of the data where ``wire`` is
    set), and a remark where CA is absent, unknown or wrong."""

    charset: Charset
    data: bytes
    remark: str = ""


def detect(data: bytes, encoding: str | Charset | None = None) -> Detection:
    """Settle a file's charset. A name overrules all but UTF-16 and ISO-2022 forms, a Charset these too."""
    if isinstance(encoding, Charset):
        if encoding.wire:
            data = data.decode(encoding.wire, "replace").encode("utf-8", "replace")
        return Detection(encoding, data)
    if wire := _wide_form(data):
        text = data.decode(wire, "replace")
        return Detection(Charset("utf-8", wire), text.encode("utf-8", "replace"))
    named = _CA.search(data)
    declared = encoding or (named[1].decode("latin-1").strip() if named else "")
    if b"\x1b" in data and (found := _iso_2022(data, declared)):
        return found
    if encoding is not None:
        return Detection(Charset(lookup_charset(encoding) or encoding), data)
    codec = lookup_charset(declared) if declared else None
    remark = f"CA[{declared[:40]}]: no charset known by that name" if declared and codec is None else ""
    if data.isascii():
        return Detection(Charset(codec or "utf-8"), data, remark)
    likeliest = _likeliest(data, codec)
    if codec is not None and likeliest != codec:
        remark = f"CA[{declared}] does not fit the bytes: read as {likeliest}"
    elif codec is None and not remark and likeliest != "utf-8":
        remark = f"no CA: read as {likeliest}"
    return Detection(Charset(likeliest), data, remark)


_CA = re.compile(rb"(?<![A-Za-z])C[a-z]*A[a-z]*\s*\[([^\]\\]{1,40})\]")


def _wide_form(data: bytes) -> str:
    """utf-16-le and its kin, by byte order mark or by the zeros beside the first bracket; else empty."""
    if data[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "utf-32-le" if data[:4] == codecs.BOM_UTF32_LE else "utf-32-be"
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16-le" if data[:2] == codecs.BOM_UTF16_LE else "utf-16-be"
    if re.match(rb"(?:[\s]\x00)*\(\x00(?:[\s]\x00)*;\x00", data):
        return "utf-16-le"
    if re.match(rb"(?:\x00[\s])*\x00\((?:\x00[\s])*\x00;", data):
        return "utf-16-be"
    return ""


def _iso_2022(data: bytes, declared: str) -> Detection | None:
    """The data as UTF-8 if it is one of the seven-bit forms switched by escape sequences."""
    name = declared.lower().replace("-", "").replace("_", "")
    tries = [f"iso2022_{name[7:]}"] if re.fullmatch(r"iso2022(?:jp|kr)[0-9a-z]{0,4}", name) else []
    if not tries and lookup_charset(declared):
        return None
    if re.search(rb"\x1b\$[@B]|\x1b\([JI]", data):
        tries.append("iso2022_jp_ext")
    if b"\x1b$)C" in data:
        tries.append("iso2022_kr")
    for codec in tries:
        try:
            text = data.decode(codec)
            if text.encode(codec).decode(codec) == text:
                return Detection(Charset("utf-8", codecs.lookup(codec).name), text.encode("utf-8"))
        except (LookupError, UnicodeError):
            continue
    return None


def _likeliest(data: bytes, declared: str | None) -> str:
    """The codec for bytes that are not all ASCII."""
    if _is_utf8(data) and (declared == "utf-8" or _is_plausible_utf8(data, declared)):
        return "utf-8"
    believed = declared is not None and declared != "utf-8" and _fits(data, declared)
    if believed and declared not in _WESTERN:
        return declared or ""
    sample = _sample(data)
    scores = {codec: _score(sample, codec, rate) for codec, rate in _SCORES.items()}
    best = max(scores, key=lambda codec: scores[codec])
    # Every byte fits the western charsets, and many programs name one of them whatever they write.
    if believed and scores[best] < 0.8:
        return declared or ""
    if scores[best] > 0.2:
        return best
    return "cp1252" if _fits(data, "cp1252") else "iso8859-1"


_WESTERN = ("cp1252", "iso8859-1", "iso8859-15")


def _is_plausible_utf8(data: bytes, declared: str | None) -> bool:
    """Whether bytes that can be read as UTF-8 are it, and not a few characters of another charset by chance.

    Three bytes in its pattern hardly come by chance; pairs do, and are then letters nobody writes.
    """
    if re.search(rb"[\xe3-\xef][\x80-\xbf][\x80-\xbf]", data):
        return True
    if declared in _SCORES and _fits(data, declared or ""):
        return False
    text = _sample(data).decode("utf-8", "ignore")
    return bool(re.search(r"[^\x00-\x7f]", text)) and not re.search(
        r"[^\x00-\x7f\u00a0-\u017f\u0370-\u03ff\u0400-\u045f\u2010-\u203a\u20ac]", text
    )


def _is_utf8(data: bytes) -> bool:
    """Whether the data is UTF-8, but for a few broken characters."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        good = len(
            re.findall(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", data)
        )
        broken = data.decode("utf-8", "replace").count("\ufffd") - data.count(b"\xef\xbf\xbd")
        return broken * 20 <= good
    return True


def _fits(data: bytes, codec: str) -> bool:
    """Whether the codec can read the data, but for one broken character in fifty."""
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        foreign = len(text) - len(text.encode("ascii", "ignore"))
        return text.count("\ufffd") * 50 <= foreign
    return True


def _sample(data: bytes, size: int = 3000) -> bytes:
    """The stretches of the data that are not ASCII, each with the byte after it, up to some length."""
    pieces: list[bytes] = []
    length = 0
    first = re.search(rb"[\x80-\xff]", data)
    begin = first.start() if first else 0
    data = data[begin : begin + 100 * size]
    for match in re.finditer(rb"[\x80-\xff](?:[\x20-\xff]{0,3}[\x80-\xff])*[\x40-\x7e]?", data):
        pieces.append(match[0][:size])
        length += len(pieces[-1])
        if length > size:
            break
    return b"\n".join(pieces)


def _score(sample: bytes, codec: str, rate: Callable[[str, bytes], float]) -> float:
    """How usual a sample's characters are in a codec: about 1 for its own texts, negative for foreign."""
    text = sample.decode(codec, "replace")
    counts = Counter(character for character in text if character > "\x7f")
    total = counts.total()
    if not total or counts["\ufffd"] * 25 > total:
        return -9.0
    points = 0.0
    for character, count in counts.items():
        if character == "\ufffd":
            continue
        if character in _GO_WORDS:
            points += 2.0 * count
        elif "\ue000" <= character <= "\uf8ff" or character < "\u0370":
            points -= 2.0 * count
        elif "\u3000" <= character <= "\u3020" or "\uff01" <= character <= "\uff5e":
            points += 0.4 * count
        else:
            points += count * rate(character, character.encode(codec, "ignore"))
    return points / total


_GO_WORDS = frozenset("段品級级黑白棋手目局先番勝胜负敗盤盘提劫囲碁围定단급흑백승집반바둑불계")
_CHINESE = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天"
    "而能好都然没日于起还发成事只作当想看文无开十用主行方又如前所本见经头面公同三已老从动两长知样现分将外但身些与"
    "高意进把法此实回二理美点月明其种声全工话者向情部正名女问力机给等几很最间新打便位因重被走四第门相次东海口使西"
    "再平真听世气信北少关并内加化由却代入山五太水万眼体别处才场师书比住员九笑性通华立马命张活难神数件安表原应路"
    "期叫死常感金何更反合放做利受光王果今京制解各至清物记边共风战接它许八特望直林南度色字交让认算百六功指思非流青"
    "连远带花快变言往展该近留红决周保达运武半七必城强步完深区即求士转空技轻江语极令黄德收取始双越千片像友广改形早"
    "火首影失香石若兵飞争包落视喜离坏宝随格剑虎龙侠客狂刀冰寒球哥布屠聋鹰狼云雨雪梦星魔圣仙佛醉侯孤独逍遥星陈刘杨"
    "吴赵柯洁古罗朴崔韩李申崔來個這說們為時學對過後麼發當無開見經頭動兩長樣現將與實聲話幾間門東氣關處場師書華馬"
    "張難數應戰許黃飛爭視離龍劍雲夢"
)
_JAPANESE = frozenset(
    "山田中村小林加藤佐伊吉木井本高橋渡辺松野川石原上下武宮大竹治結城羽根依紀基士期戦聖名人天元形打手次"
)
_KOREAN = frozenset(
    "이다의에가을는은로고하지기어아나사리서자한도인시대그정수일해라있부보만전오들여장구우제스니거원조상미과주유소마"
    "선동진경모성공신연안간물건당데내관생각되면년말를등비세방실영회화교국중때문단차위통른람무드려속천준김박최강윤임민"
    "재현희태철호용혁훈석환식운복종창규병길남황권송류홍산돌패축두것같좋않게까네요습했었겠잘못"
)


def _kana(character: str) -> bool:
    return "\u3041" <= character <= "\u30fe"


def _rate_cp932(character: str, code: bytes) -> float:
    if len(code) == 1:
        return -1.0  # half-width katakana: what other charsets look like when read as Shift-JIS
    if _kana(character) or character in _JAPANESE:
        return 1.5
    return 0.9 if 0x88 <= code[0] <= 0x97 else -0.4


def _rate_euc_jp(character: str, code: bytes) -> float:
    if _kana(character) or character in _JAPANESE:
        return 1.5
    return 0.5 if len(code) == 2 and 0xB0 <= code[0] <= 0xCF else -0.5


def _rate_gb(character: str, code: bytes) -> float:
    if _kana(character):
        return 0.0
    if character in _CHINESE:
        return 1.7
    return 0.8 if len(code) == 2 and 0xB0 <= code[0] <= 0xD7 and code[1] >= 0xA1 else -0.3


def _rate_big5(character: str, code: bytes) -> float:
    if _kana(character):
        return 0.0
    if character in _CHINESE:
        return 1.5
    return 0.9 if len(code) == 2 and 0xA4 <= code[0] <= 0xC6 else -0.5


def _rate_korean(character: str, code: bytes) -> float:
    if character in _KOREAN:
        return 1.7
    if "\uac00" <= character <= "\ud7a3":
        return 0.9 if len(code) == 2 and code[0] >= 0xB0 and code[1] >= 0xA1 else -0.5
    return -0.4


_SCORES: dict[str, Callable[[str, bytes], float]] = {
    "gb18030": _rate_gb,
    "cp932": _rate_cp932,
    "big5hkscs": _rate_big5,
    "cp949": _rate_korean,
    "euc_jp": _rate_euc_jp,
}
"""How usual a character is in each. Chosen on the players' names of 4,600 real games: two names
alone, without CA, are read rightly in 97 % (GBK, Big5), 91 % (EUC-KR), 90 % (EUC-JP), all (Shift-JIS)."""
