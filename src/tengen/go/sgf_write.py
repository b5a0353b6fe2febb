"""Game trees and game records to bytes."""

import json

from tengen import __version__
from tengen.go.coords import Color
from tengen.go.coords import format_sgf as format_point
from tengen.go.encodings import Charset
from tengen.go.record import GameRecord
from tengen.go.rules import RULE_SETS, Rules
from tengen.go.sgf_tree import Collection, Game, Node, Property, Tree

__all__ = ["collection_of", "format_sgf", "sgf_of", "to_utf8"]


def format_sgf(collection: Collection) -> bytes:
    """The bytes of a collection: every identifier, value and text between games as it was read.

    Only white space between them is new. ``parse_sgf`` of the result, given the collection's charset, is
    equal to the collection.
    """
    pieces: list[bytes] = []
    for game in collection.games:
        pieces.append(game.preamble)
        _format_tree(game, pieces)
    pieces.append(collection.trailer)
    data = b"".join(pieces)
    if not collection.charset.wire:
        return data
    return data.decode("utf-8", "replace").encode(collection.charset.wire, "replace")


def to_utf8(collection: Collection) -> Collection:
    """The same games in UTF-8, with CA saying so: for adding text that the file's charset cannot write."""
    old, new = collection.charset, Charset()

    def recoded(value: bytes) -> bytes:
        if value.isascii() and not old.escaped_bytes:
            return value
        return new.value(old.text(value)) if old.escaped_bytes else old.decoded(value).encode("utf-8")

    games = []
    for game in collection.games:
        copies: dict[int, Tree] = {}
        for tree in reversed(list(game.trees())):
            nodes = [
                Node(
                    (Property(p.name, p.ident, tuple(map(recoded, p.values))) for p in node.properties),
                    node.offset,
                )
                for node in tree.nodes
            ]
            copies[id(tree)] = Tree(nodes, [copies[id(variation)] for variation in tree.variations])
        whole = copies[id(game)]
        preamble = old.decoded(game.preamble).encode("utf-8")
        games.append(Game(whole.nodes, whole.variations, charset=new, preamble=preamble, source=game.source))
        games[-1].root.put("CA", b"UTF-8")
    trailer = old.decoded(collection.trailer).encode("utf-8")
    return Collection(
        games, charset=new, source=collection.source, trailer=trailer, warnings=collection.warnings
    )


def _format_tree(game: Tree, pieces: list[bytes]) -> None:
    # A tree to open, or None: the parenthesis that closes one.
    stack: list[Tree | None] = [game]
    while stack:
        tree = stack.pop()
        if tree is None:
            pieces.append(b")")
            continue
        if tree is not game:
            pieces.append(b"\n")
        pieces.append(b"(")
        _format_line(tree.nodes, pieces)
        stack.append(None)
        stack.extend(reversed(tree.variations))


def _format_line(nodes: list[Node], pieces: list[bytes]) -> None:
    """Nodes with more than a move begin a line of the file; so does every tenth move."""
    on_line = 0
    for index, node in enumerate(nodes):
        texts = [p.ident + b"[" + b"][".join(p.values) + b"]" for p in node.properties]
        long = sum(map(len, texts)) > 8
        if index and (long or on_line == 10 or on_line == 0):
            pieces.append(b"\n")
            on_line = 0
        pieces.append(b";")
        pieces.append((b"\n" if long and sum(map(len, texts)) > 100 else b"").join(texts))
        on_line = 0 if long else on_line + 1


def sgf_of(record: GameRecord) -> bytes:
    """A fresh FF[4] file in UTF-8 of one game; ``record_of`` it is the record again."""
    return format_sgf(collection_of(record))


def collection_of(record: GameRecord) -> Collection:
    """A collection of one game: the record as a tree without variations."""
    rules = record.rules
    width, height = rules.width, rules.height
    game = Game([Node()])
    root = game.root
    root.put("GM", b"1")
    root.put("FF", b"4")
    root.put("CA", b"UTF-8")
    root.put("AP", game.charset.value(f"tengen:{__version__}"))
    root.put("SZ", b"%d" % width if width == height else b"%d:%d" % (width, height))
    root.put("KM", _number(rules.komi).encode("ascii"))
    game.put_text(root, "RU", rules_text(rules))
    if record.handicap or (record.setup_black and not record.setup_white):
        root.put("HA", b"%d" % record.handicap)
    for name, text in (
        ("PB", record.black),
        ("BR", record.black_rank),
        ("PW", record.white),
        ("WR", record.white_rank),
        ("DT", record.date),
        ("EV", record.event),
        ("RO", record.round),
        ("PC", record.place),
        ("GN", record.name),
        ("TM", "" if record.main_time is None else _number(record.main_time)),
        ("OT", record.overtime),
        ("RE", record.result or ""),
    ):
        if text:
            game.put_text(root, name, text)
    for name, stones in (("AB", record.setup_black), ("AW", record.setup_white)):
        if stones:
            root.put(name, *(format_point(stone, width, height).encode("ascii") for stone in stones))
    begins = record.moves[0][0] if record.moves else rules.first_to_move(record.handicap)
    if record.first != begins:
        root.put("PL", b"B" if record.first is Color.BLACK else b"W")
    if comment := record.comments.get(0):
        game.put_text(root, "C", comment)
    for number, (color, move) in enumerate(record.moves, 1):
        node = Node()
        node.put("B" if color is Color.BLACK else "W", format_point(move, width, height).encode("ascii"))
        if comment := record.comments.get(number):
            game.put_text(node, "C", comment)
        game.nodes.append(node)
    return Collection([game])


def _number(value: float) -> str:
    """A number as people write it where that is exact: ``7``, ``6.5``."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def rules_text(rules: Rules) -> str:
    """The name of a rule set as RU has it, or its fields as a JSON object where none fits."""
    for name in ("japanese", "chinese", "aga", "new-zealand", "tromp-taylor", *RULE_SETS):
        if Rules.named(name, (rules.width, rules.height), rules.komi) == rules:
            return _RULES_TEXTS.get(name, name)
    return json.dumps(rules.to_kata())


_RULES_TEXTS = {
    "japanese": "Japanese",
    "chinese": "Chinese",
    "aga": "AGA",
    "new-zealand": "NZ",
    "tromp-taylor": "Tromp-Taylor",
}
