"""Bytes to game trees: the reader behind ``tengen.go.sgf``.

One pass over the bytes with one pattern per token, no recursion, in time and memory linear in the file,
whatever is in it. What cannot be understood is skipped with a warning; what was read before stays.
"""

import re
from functools import lru_cache

from tengen.errors import SgfError
from tengen.go.encodings import Charset, detect
from tengen.go.sgf_tree import Collection, Game, Node, Property, SgfWarning, Tree, property_name

__all__ = ["parse_sgf"]

MAX_WARNINGS = 200
MAX_NODES = 4_000_000
"""Nodes kept of one file: ten times the largest real collections; bounds the memory a bad file can take."""
_BLANK = rb"[\x00-\x20]*+"
_IDENT = re.compile(rb"[A-Za-z][A-Za-z0-9]*+")
_START = re.compile(rb"\(" + _BLANK + rb"(?:;|[A-Z]{1,2}" + _BLANK + rb"\[)")
_HEADLESS = re.compile(rb";" + _BLANK + rb"[A-Z]{1,2}" + _BLANK + rb"\[")
_SKIP_BLANK = re.compile(_BLANK)
_MOVE = _BLANK + rb";[BW]\[[a-z]{0,2}\](?!" + _BLANK + rb"\[)"
_MOVES = re.compile(rb"(?:" + _MOVE + rb")++")
_EACH_MOVE = re.compile(_MOVE)
_CONTROLS = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\x1a\x1b")
_CONTROL = re.compile(rb"[" + _CONTROLS + rb"]")
_STRAY = re.compile(rb"[^;()\[A-Za-z\x00-\x20]++")


def parse_sgf(
    data: bytes | str, source: str = "<text>", *, strict: bool = False, encoding: str | Charset | None = None
) -> Collection:
    """The games of a record file in any of FF[1] to FF[4], with what was put right or lost in ``warnings``.

    Raises SgfError where nothing can be read at all, and with ``strict`` at the first flaw. ``encoding``
    overrules CA and the guesses; a Charset, as another collection has it, is taken without question. A
    text is taken as its UTF-8 bytes.
    """
    if isinstance(data, str):
        data, encoding = data.encode("utf-8", "replace"), "utf-8"
    found = detect(data, encoding)
    if (at := _binary_at(found.data)) >= 0:
        raise SgfError("binary data, not a game record", source=source, offset=at)
    charset = found.charset
    remark = SgfWarning(0, found.remark) if found.remark else None
    reader = _Reader(found.data, charset, source)
    collection = reader.read(remark)
    pairs = None if isinstance(encoding, Charset) else charset.pairs
    if pairs and re.search(pairs[0] + rb"[\\\]]", found.data):
        # Some programs put a backslash before a second byte that looks like a bracket or a backslash, most do
        # not: the reading with fewer flaws, then with more properties, is the right one.
        bytewise = _Reader(found.data, Charset(charset.codec, escaped_bytes=True), source)
        other = bytewise.read(remark)
        if (len(other.warnings), -bytewise.properties) < (len(collection.warnings), -reader.properties):
            collection = other
    if charset.wire:
        _to_wire_offsets(collection, found.data)
    if strict and collection.warnings:
        first = min(collection.warnings)
        raise SgfError(first.reason, source=source, offset=first.offset)
    return collection


def _binary_at(data: bytes) -> int:
    """Where the first control character of what is no text stands; -1 for text, with noughts and a few flaws too.

    "(;B[" turns up by chance in any large archive or picture, and a game of garbage must not replace a real one.
    """
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls <= 32 or 32 * controls <= len(data) - data.count(0):
        return -1
    first = _CONTROL.search(data)
    return first.start() if first else -1


@lru_cache(maxsize=8)
def _patterns(
    pairs: tuple[bytes, bytes] | None,
) -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    """Of a charset: a token, one bracketed value, and the inside of a value whose bracket never comes."""
    if pairs is None:
        inside = rb"(?:[^\]\\]++|\\.)*+"
    else:
        lead, trail = pairs
        high = lead[:-1].replace(b"[", b"")
        inside = rb"(?:[^\]\\%s]++|%s%s|%s|\\(?:%s%s|.))*+" % (high, lead, trail, lead, lead, trail)
    value = rb"\[(" + inside + rb")\]"
    token = (
        _BLANK
        + rb"(?:(;)?+"
        + _BLANK
        + rb"([A-Za-z][A-Za-z0-9]*+)"
        + _BLANK
        + rb"((?:\["
        + inside
        + rb"\]"
        + _BLANK
        + rb")++)|([;()]))"
    )
    return re.compile(token, re.DOTALL), re.compile(value, re.DOTALL), re.compile(inside, re.DOTALL)


class _Reader:
    """The state of one pass: where it is, the open trees, the warnings so far."""

    def __init__(self, data: bytes, charset: Charset, source: str) -> None:
        self.data = data
        self.charset = charset
        self.source = source
        self.warnings: list[SgfWarning] = []
        self.token, self.value, self.inside = _patterns(charset.pairs)
        self.seen: dict[bytes, Property] = {}
        self.properties = 0
        self.nodes = 0
        self.tree = Tree()
        # Trees above the open one, each with its parentheses that hold no node themselves; -1: the tree above
        # went on after its variations, and no parenthesis of its own was opened.
        self.stack: list[tuple[Tree, int]] = []
        self.unused = 0

    def warn(self, offset: int, reason: str) -> None:
        if len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(SgfWarning(offset, reason))
        elif len(self.warnings) == MAX_WARNINGS:
            self.warnings.append(SgfWarning(offset, "and more: no further warnings are kept"))

    def read(self, remark: SgfWarning | None) -> Collection:
        if remark is not None:
            self.warnings.append(remark)
        games: list[Game] = []
        position = 0
        while True:
            start = _START.search(self.data, position)
            if start is None:
                break
            games.append(self.new_game(position, start.start()))
            position = self.read_game(games[-1], start.start() + 1)
        if not games and (headless := _HEADLESS.search(self.data)):
            self.warn(headless.start(), 'no "(" before the first node')
            games.append(self.new_game(0, headless.start()))
            position = self.read_game(games[-1], headless.start())
        flaws = len(self.warnings) - (remark is not None)
        if not games or (flaws and not self.properties):
            raise SgfError(self.nothing_there(), source=self.source, offset=0)
        trailer = self.data[position:]
        if trailer.strip(b"\x00\x1a \t\r\n"):
            self.warn(position, f"text after the last game: {_quoted(trailer)}")
        return Collection(
            games, charset=self.charset, source=self.source, trailer=trailer, warnings=self.warnings
        )

    def nothing_there(self) -> str:
        if not self.data.strip():
            return "the file is empty"
        return f'no game record: no "(;" with a property after it, it begins {_quoted(self.data)}'

    def new_game(self, begin: int, end: int) -> Game:
        preamble = self.data[begin:end]
        if preamble.removeprefix(b"\xef\xbb\xbf").strip():
            self.warn(begin, f"text before the game: {_quoted(preamble)}")
        return Game(charset=self.charset, preamble=preamble, source=self.source)

    def read_game(self, game: Game, position: int) -> int:
        """Read one game tree whose "(" stands before ``position``; where to go on."""
        data, match_token = self.data, self.token.match
        self.tree, self.stack, self.unused = game, [], 0
        node: Node | None = None
        after_opening = False
        while True:
            match = match_token(data, position)
            if match is None:
                position, cut = self.salvage(position)
                if cut is not None:
                    node = node or self.open_node(position)
                    node.properties.append(cut)
                if position < len(data):
                    continue
                break
            semicolon, ident, values, mark = match.groups()
            position = match.end()
            if mark == b"(":
                self.unused += 1
                node = None
                after_opening = True
                continue
            if mark == b")":
                node = None
                if self.close(position - 1, after_opening):
                    return position
            elif mark or semicolon:
                node = self.open_node(match.start(4 if mark else 1))
            elif node is None:
                self.warn(match.start(2), 'a property without ";" before it')
                node = self.open_node(match.start(2))
            after_opening = False
            if ident and node is not None:
                node.properties.append(self.new_property(ident, values, match))
                if semicolon and (run := _MOVES.match(data, position)):
                    position = run.end()
                    node = self.new_moves(run[0], run.start())
            if self.nodes > MAX_NODES:
                self.warn(position, f"more than {MAX_NODES} nodes: the rest is left out")
                return len(data)
        self.warn(len(data), f"the file ends with {len(self.stack) + self.unused + 1} parentheses open")
        return len(data)

    def open_node(self, offset: int) -> Node:
        """A new node at the end of the open line, or at the head of the variation just opened."""
        if self.unused:
            child = Tree()
            self.tree.variations.append(child)
            self.stack.append((self.tree, self.unused - 1))
            self.tree, self.unused = child, 0
        elif self.tree.variations:
            self.warn(offset, "the line goes on after its variations: taken as one more")
            child = Tree()
            self.tree.variations.append(child)
            self.stack.append((self.tree, -1))
            self.tree = child
        self.nodes += 1
        node = Node((), offset)
        self.tree.nodes.append(node)
        return node

    def close(self, offset: int, empty: bool) -> bool:
        """Close what the last "(" opened; true if that was the game. ``empty``: nothing stands between."""
        if self.unused:
            self.unused -= 1
            if empty:
                self.warn(offset, "parentheses with nothing in them")
            return False
        while self.stack:
            self.tree, self.unused = self.stack.pop()
            if self.unused >= 0:
                return False
            self.unused = 0
        return True

    def new_property(self, ident: bytes, values: bytes, match: re.Match[bytes]) -> Property:
        self.properties += 1
        if len(values) <= 6:
            # Moves: one object for each, however often a file names it.
            raw = match[0]
            known = self.seen.get(raw)
            if known is not None:
                return known
            known = Property(property_name(ident), ident, tuple(self.value.findall(values)))
            self.seen[raw] = known
            return known
        return Property(property_name(ident), ident, tuple(self.value.findall(values)))

    def new_moves(self, run: bytes, offset: int) -> Node:
        """Nodes of one move each, the bulk of most files, in half the time; the last of them."""
        seen, nodes = self.seen, self.tree.nodes
        for text in _EACH_MOVE.findall(run):
            move = seen.get(text)
            if move is None:
                begin = text.index(b";") + 1
                ident = text[begin : begin + 1]
                move = seen[text] = Property(ident.decode("ascii"), ident, (text[begin + 2 : -1],))
            nodes.append(Node((move,), offset + text.index(b";")))
            offset += len(text)
            self.nodes += 1
        return nodes[-1]

    def salvage(self, position: int) -> tuple[int, Property | None]:
        """Get past what is no token: where to go on, and a property the end of the file cut short."""
        data = self.data
        position = _end(_SKIP_BLANK, data, position)
        if position >= len(data):
            return position, None
        ident = b""
        start = position
        if word := _IDENT.match(data, position):
            ident = word[0]
            position = _end(_SKIP_BLANK, data, word.end())
        if data[position : position + 1] == b"[":
            whole = self.value.match(data, position)
            if whole is not None:
                self.warn(start, f"a value without a property: {_quoted(whole[0])}")
                return whole.end(), None
            inside = self.inside.match(data, position + 1)
            assert inside is not None
            self.warn(
                start, f"the file ends within {ident.decode('latin-1') or 'a value'}[{_quoted(inside[0], 12)}"
            )
            kept = self.closable(inside[0])
            cut = Property(property_name(ident), ident, (kept,)) if ident else None
            self.properties += cut is not None
            return len(data), cut
        if ident:
            self.warn(start, f"text that is no property: {_quoted(data[start:position])}")
            return position, None
        stop = _end(_STRAY, data, position)
        self.warn(start, f"text that is no property: {_quoted(data[start:stop])}")
        return max(stop, position + 1), None

    def closable(self, value: bytes) -> bytes:
        """A value cut short, without a last byte that would swallow the bracket put behind it."""
        for end in (len(value), len(value) - 1, len(value) - 2):
            kept = value[: max(end, 0)]
            closed = self.value.match(b"[" + kept + b"]")
            if closed is not None and closed[1] == kept:
                return kept
        return b""


def _end(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    match = pattern.match(data, position)
    return position if match is None else match.end()


def _quoted(data: bytes, length: int = 24) -> str:
    """A short piece of the file for a message, on one line and printable."""
    piece = data.strip()[:length].decode("latin-1")
    shown = "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in piece)
    return f'"{shown}"' + ("..." if len(data.strip()) > length else "")


def _to_wire_offsets(collection: Collection, data: bytes) -> None:
    """Offsets in the UTF-8 form of a file made offsets in the file itself."""
    wire = collection.charset.wire
    places = {warning.offset for warning in collection.warnings}
    for game in collection.games:
        places.update(node.offset for node in game.all_nodes())
    moved: dict[int, int] = {}
    at, total = 0, 0
    for place in sorted(places):
        total += len(data[at:place].decode("utf-8", "ignore").encode(wire, "replace"))
        at, moved[place] = place, total
    collection.warnings = [SgfWarning(moved[w.offset], w.reason) for w in collection.warnings]
    for game in collection.games:
        for node in game.all_nodes():
            node.offset = moved[node.offset]
