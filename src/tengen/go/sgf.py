"""Go game records (SGF, FF[1] to FF[4]): reading what real files hold, writing it back without loss.

Written here rather than left to pysgf or sgfmill: neither says at which byte a file is broken, saves what
stands before, keeps old identifiers and unknown text as they were, or guesses an undeclared charset.

    >>> collection = parse_sgf(b"(;GM[1]SZ[9]KM[7];B[ee];W[ge](;B[df])(;B[de]C[solid]))")
    >>> record = record_of(collection.games[0])
    >>> [(color.name, move) for color, move in record.moves]
    [('BLACK', 40), ('WHITE', 42), ('BLACK', 48)]
    >>> record_of(collection.games[0], choices=[1]).comments
    {3: 'solid'}
    >>> format_sgf(collection)
    b'(;GM[1]SZ[9]KM[7]\\n;B[ee];W[ge]\\n(;B[df])\\n(;B[de]C[solid]))'
"""

from pathlib import Path

from tengen.errors import SgfError
from tengen.go.encodings import Charset
from tengen.go.sgf_parse import parse_sgf
from tengen.go.sgf_record import record_of
from tengen.go.sgf_tree import Collection, Game, Node, Property, SgfWarning, Tree
from tengen.go.sgf_write import collection_of, format_sgf, sgf_of, to_utf8

__all__ = [
    "Charset",
    "Collection",
    "Game",
    "Node",
    "Property",
    "SgfWarning",
    "Tree",
    "collection_of",
    "format_sgf",
    "load_sgf",
    "parse_sgf",
    "record_of",
    "sgf_of",
    "to_utf8",
]

MAX_FILE = 256 << 20
"""Bytes: a larger file is refused rather than read into memory."""


def load_sgf(path: str | Path, *, strict: bool = False, encoding: str | Charset | None = None) -> Collection:
    """``parse_sgf`` of a file. Raises SgfError, for a file that cannot be opened too."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_FILE:
            raise SgfError(f"larger than {MAX_FILE >> 20} MiB", source=str(path))
        data = path.read_bytes()
    except OSError as error:
        raise SgfError(error.strerror or str(error), source=str(path)) from None
    return parse_sgf(data, str(path), strict=strict, encoding=encoding)
