"""What a game record file holds: a collection of games, each a tree of nodes of properties.

Everything is kept as it stood: identifiers as written, values as bytes with their escapes, what is unknown
beside what is known. A tree is a line of nodes followed by its variations, as the parentheses of a file have
it, so a game of any length nests no deeper than its variations do; nothing here recurses.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tengen.errors import SgfError
from tengen.go.encodings import Charset

__all__ = ["Collection", "Game", "Node", "Property", "SgfWarning", "Tree", "property_name"]


class Property(NamedTuple):
    """One property: name (``B``), identifier as written (``Black``), values with their escapes."""

    name: str
    ident: bytes
    values: tuple[bytes, ...]


class SgfWarning(NamedTuple):
    """Something put right, skipped or lost while reading, and the byte of the file it stands at."""

    offset: int
    reason: str

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


@lru_cache(maxsize=1024)
def property_name(ident: bytes) -> str:
    """The name of an identifier: FF[1] to FF[3] may write lower case letters, which do not count.

    An identifier without any upper case letter is taken as if written in upper case.
    """
    text = ident.decode("latin-1")
    return "".join(letter for letter in text if not letter.islower()) or text.upper()


class Node:
    """Properties in their order, and the byte of the file the node begins at (0 for one made here)."""

    __slots__ = ("offset", "properties")

    def __init__(self, properties: Iterable[Property] = (), offset: int = 0) -> None:
        self.properties = list(properties)
        self.offset = offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.properties == other.properties

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Node({[f'{p.name}[{p.values[0]!r}..]' for p in self.properties]})"

    def __contains__(self, name: str) -> bool:
        return any(p.name == name for p in self.properties)

    def values(self, name: str) -> tuple[bytes, ...]:
        """All values of a property, those of repeated ones one after another; empty if there is none."""
        found: tuple[bytes, ...] = ()
        for p in self.properties:
            if p.name == name:
                found = found + p.values if found else p.values
        return found

    def first(self, name: str) -> bytes | None:
        """The first value of a property, or None."""
        for p in self.properties:
            if p.name == name:
                return p.values[0]
        return None

    def put(self, name: str, *values: bytes) -> None:
        """Set a property to values that are escaped already, in its old place if it had one."""
        new = Property(property_name(name.encode("ascii")), name.encode("ascii"), values)
        places = [i for i, p in enumerate(self.properties) if p.name == new.name]
        if not places:
            self.properties.append(new)
            return
        self.properties[places[0]] = new
        for place in reversed(places[1:]):
            del self.properties[place]

    def drop(self, name: str) -> None:
        """Remove a property; nothing happens if it is not there."""
        self.properties = [p for p in self.properties if p.name != name]


class Tree:
    """A line of nodes, then the variations that follow its last one; the first variation is the main line."""

    __slots__ = ("nodes", "variations")

    def __init__(self, nodes: Iterable[Node] = (), variations: Iterable["Tree"] = ()) -> None:
        self.nodes = list(nodes)
        self.variations = list(variations)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if one.nodes != two.nodes or len(one.variations) != len(two.variations):
                return False
            pairs.extend(zip(one.variations, two.variations, strict=True))
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.nodes)} nodes, {len(self.variations)} variations)"

    def line(self, choices: Sequence[int] = ()) -> Iterator[Node]:
        """The nodes of one line: ``choices`` picks a variation at each fork in turn, then always the first.

        Raises IndexError where a choice names a variation that is not there.
        """
        tree, taken = self, 0
        while True:
            yield from tree.nodes
            if not tree.variations:
                return
            tree = tree.variations[choices[taken] if taken < len(choices) else 0]
            taken += 1

    def trees(self) -> Iterator["Tree"]:
        """This tree and every variation within, each before its own variations."""
        stack = [self]
        while stack:
            tree = stack.pop()
            yield tree
            stack.extend(reversed(tree.variations))

    def all_nodes(self) -> Iterator[Node]:
        """Every node, in the order of the file."""
        for tree in self.trees():
            yield from tree.nodes

    def leaves(self) -> Iterator[tuple[int, ...]]:
        """The choices that lead to the end of each line, for ``line``; the main line comes first."""
        stack: list[tuple[Tree, tuple[int, ...]]] = [(self, ())]
        while stack:
            tree, choices = stack.pop()
            if not tree.variations:
                yield choices
            forks = reversed(list(enumerate(tree.variations)))
            stack.extend((variation, (*choices, index)) for index, variation in forks)


class Game(Tree):
    """A whole game tree with its charset, the name of its file, and the text before it."""

    __slots__ = ("charset", "preamble", "source")

    def __init__(
        self,
        nodes: Iterable[Node] = (),
        variations: Iterable[Tree] = (),
        *,
        charset: Charset | None = None,
        preamble: bytes = b"",
        source: str = "<text>",
    ) -> None:
        super().__init__(nodes, variations)
        self.charset = Charset() if charset is None else charset
        self.preamble = preamble
        self.source = source

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def text(self, node: Node, name: str) -> str | None:
        """A property's first value as text; None if the node has none."""
        value = node.first(name)
        return None if value is None else self.charset.text(value)

    def simple_text(self, node: Node, name: str) -> str | None:
        """A property's first value as text on one line; None if the node has none."""
        value = node.first(name)
        return None if value is None else self.charset.simple_text(value)

    def put_text(self, node: Node, name: str, text: str) -> None:
        """Set a property to a text. Raises SgfError where the file's charset cannot write it."""
        try:
            node.put(name, self.charset.value(text))
        except UnicodeEncodeError as error:
            raise SgfError(
                f"{name}: {self.charset.codec} has no {text[error.start]!r}", source=self.source
            ) from None


class Collection:
    """The games of one file, the text after them, and what was wrong with it. ``games`` is never empty."""

    __slots__ = ("charset", "games", "source", "trailer", "warnings")

    def __init__(
        self,
        games: Iterable[Game],
        *,
        charset: Charset | None = None,
        source: str = "<text>",
        trailer: bytes = b"\n",
        warnings: Iterable[SgfWarning] = (),
    ) -> None:
        self.games = list(games)
        self.charset = Charset() if charset is None else charset
        self.source = source
        self.trailer = trailer
        self.warnings = list(warnings)

    def __eq__(self, other: object) -> bool:
        """Equal contents: trees, charset, text between them; not the source and the warnings."""
        if not isinstance(other, Collection):
            return NotImplemented
        return (
            self.charset == other.charset
            and self.trailer == other.trailer
            and [game.preamble for game in self.games] == [game.preamble for game in other.games]
            and self.games == other.games
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Collection({len(self.games)} games of {self.source}, {len(self.warnings)} warnings)"
