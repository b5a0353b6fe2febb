"""The tables of a game graph on disk, and how a database holding them is opened.

Three tables, the same in SQLite and PostgreSQL:

``graph_states``
    one row a state. ``key`` is the 64 bits of ``graph_book.graph_key`` read as a signed integer (in SQLite
    it *is* the row's address, so no index stands beside the table). ``visits`` and ``wins`` are
    thousandths, as integers: Eq. 3 is then exact integer arithmetic, the same in both databases, and a row
    is small. ``stamp`` is the number of the write that last touched the row.
``graph_writes``
    the ledger: one row a transaction, with what it did to the number of states and to the sums of visits
    and wins. The sums over the ledger must equal the sums over the states at any moment: that is what
    ``verify`` proves.
``graph_imports``
    which record files were filed, and how many games of each, so that an import resumes and repeats nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    RootTransaction,
    Select,
    Table,
    Text,
    create_engine,
    delete,
    event,
    inspect,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from tengen.errors import ConfigError, DataError
from tengen.systems.graph_rows import Batch

__all__ = [
    "APPLICATION_ID",
    "FORMAT",
    "batch",
    "begin_read",
    "begin_write",
    "graph_url",
    "imports",
    "meta",
    "open_database",
    "reason",
    "stage",
    "states",
    "stream_rows",
    "writes",
]

FORMAT = 1
APPLICATION_ID = 0x54474752  # "TGGR" in the SQLite header: file(1) and we can tell whose the file is
BUSY_SECONDS = 30.0
_ADVISORY_LOCK = 0x74656E67656E

_schema = MetaData()
_wide = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

meta = Table(
    "graph_meta",
    _schema,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
states = Table(
    "graph_states",
    _schema,
    Column("key", _wide, primary_key=True, autoincrement=False),
    Column("visits", _wide, nullable=False),
    Column("wins", _wide, nullable=False),
    Column("stamp", Integer, nullable=False),
    CheckConstraint("wins >= 0 AND wins <= visits", name="graph_states_wins"),
)
writes = Table(
    "graph_writes",
    _schema,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("at", _wide, nullable=False),
    Column("states", _wide, nullable=False),
    Column("states_change", _wide, nullable=False),
    Column("visits_change", _wide, nullable=False),
    Column("wins_change", _wide, nullable=False),
)
imports = Table(
    "graph_imports",
    _schema,
    Column("digest", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("games", Integer, nullable=False),
    Column("complete", Integer, nullable=False),
)

batch = Table(
    "graph_batch",
    MetaData(),
    Column("key", _wide, primary_key=True, autoincrement=False),
    Column("visits", _wide),
    Column("wins", _wide),
    prefixes=["TEMPORARY"],
)
"""Where a connection lays the rows of one bulk read or write; private to it, gone with it."""


def graph_url(text: str) -> URL:
    """The database a person means: ``sqlite:///my.db``, ``postgresql://host/db``, or a bare path of a file.

    PostgreSQL is spoken through psycopg (the extra ``postgres``). Raises ConfigError for anything else.
    """
    if "://" not in text:
        if not text.strip():
            raise ConfigError("graph: a file or a URL expected")
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise ConfigError(f"graph {text!r}: {error}") from None
    kind = url.drivername.partition("+")[0]
    if kind in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    if kind == "sqlite":
        return url.set(drivername="sqlite")
    raise ConfigError(f"graph {text!r}: sqlite:///FILE or postgresql://HOST/DATABASE expected")


def open_database(url: URL, fingerprint: str, *, create: bool) -> Connection:
    """One connection to a checked graph database, new and empty if ``create`` and there was none.

    Raises DataError for a missing file (without ``create``), a file that is no database or another
    program's, a graph of a newer format, and one whose keys were made of other numbers (``fingerprint``).
    """
    is_file = url.drivername == "sqlite" and url.database not in (None, "", ":memory:")
    if is_file and not create and not Path(str(url.database)).exists():
        raise DataError(f"graph {url.database}: no such file")
    try:
        engine = _make_engine(url)
        connection = engine.connect()
        try:
            _check(connection, url, fingerprint, create)
        except BaseException:
            connection.close()
            raise
        return connection
    except (NoSuchModuleError, ImportError) as error:
        raise ConfigError(f"graph {_shown(url)}: {error} (pip install 'tengen[postgres]')") from None
    except SQLAlchemyError as error:
        raise DataError(f"graph {_shown(url)}: {reason(error)}") from None


def begin_read(connection: Connection) -> RootTransaction:
    """Begin a transaction that sees the graph as it is now, whatever others write meanwhile."""
    connection.execution_options(graph_write=False)
    return connection.begin()


def begin_write(connection: Connection) -> RootTransaction:
    """Begin a transaction in which no other process writes to this graph: a context that commits or rolls
    back.

    Readers are not held up. Writers queue: a write-back lasts a second or two, and two that touch the same
    states in different orders would otherwise stop each other.
    """
    connection.execution_options(graph_write=True)
    transaction = connection.begin()
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
    return transaction


def stage(connection: Connection, rows: Batch) -> None:
    """Lay rows (ascending, no key twice) into this connection's own ``batch``, in place of what lay there.

    Each database has its own fast way in, and this is the only place where they differ: a bound statement a
    row in SQLite, which is in this process; one binary stream to PostgreSQL, which is not.
    """
    connection.execute(delete(batch))
    raw: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        columns = (column.tolist() for column in rows)
        raw.executemany("INSERT INTO graph_batch VALUES (?, ?, ?)", zip(*columns, strict=True))
        return
    with raw.cursor() as cursor:
        with cursor.copy("COPY graph_batch (key, visits, wins) FROM STDIN (FORMAT BINARY)") as stream:
            stream.write(_copy_stream(rows))
        cursor.execute("ANALYZE graph_batch")  # or the planner takes it for a small table


def stream_rows(connection: Connection, query: Select[Any], chunk: int) -> Iterator[NDArray[np.int64]]:
    """The rows of a query for whole numbers, as arrays of up to ``chunk`` rows, as the database hands them
    out.

    Past SQLAlchemy's row objects, which would cost more than the reading. An iterator given up half-way
    ends with the transaction it belongs to.
    """
    said = query.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
    raw: Any = connection.connection.dbapi_connection
    # A cursor without a name would have PostgreSQL send everything before the first row is seen.
    cursor = raw.cursor() if connection.dialect.name == "sqlite" else raw.cursor("graph_rows")
    try:
        cursor.execute(str(said))
        while rows := cursor.fetchmany(chunk):
            yield np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * len(rows[0])).reshape(
                len(rows), -1
            )
    except connection.dialect.loaded_dbapi.Error as error:
        raise DataError(f"graph: {error}") from None
    finally:
        cursor.close()


def _copy_stream(rows: Batch) -> bytes:
    """The rows in PostgreSQL's binary COPY format: per row the number of fields, then each one's length and
    bytes."""
    layout = np.dtype(
        [
            ("fields", ">i2"),
            *(
                (f"{part}{i}", ">i4" if part == "length" else ">i8")
                for i in range(3)
                for part in ("length", "value")
            ),
        ]
    )
    table = np.zeros(len(rows.keys), layout)
    table["fields"] = 3
    for i, column in enumerate(rows):
        table[f"length{i}"] = 8
        table[f"value{i}"] = column
    return b"PGCOPY\n\xff\r\n\0" + bytes(8) + table.tobytes() + b"\xff\xff"


def _make_engine(url: URL) -> Engine:
    # One connection a graph, closed with it: a pool would keep files open behind the caller's back.
    engine = create_engine(url, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _on_sqlite_connect)
        event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(dbapi_connection: Any, _record: Any) -> None:
    dbapi_connection.isolation_level = None  # we say BEGIN ourselves, see _on_sqlite_begin
    cursor = dbapi_connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    cursor.execute("PRAGMA temp_store = MEMORY")
    # FULL makes a commit wait for the disk: one wait of milliseconds a search. With NORMAL a killed process
    # loses nothing either, but a power cut could take back several searches that had been reported as kept.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    # A deferred transaction that first reads and then writes fails at once when another wrote in between,
    # however long the busy timeout; one that is going to write therefore asks for the lock first.
    immediate = connection.get_execution_options().get("graph_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _check(connection: Connection, url: URL, fingerprint: str, create: bool) -> None:
    with begin_read(connection):
        found = set(inspect(connection).get_table_names())
    if meta.name not in found:
        if connection.dialect.name == "sqlite" and found:
            named = ", ".join(sorted(found)[:3])
            raise DataError(f"graph {_shown(url)}: a database of another program (tables {named})")
        if not create:
            raise DataError(f"graph {_shown(url)}: holds no game graph")
        _create(connection, fingerprint)
    with begin_read(connection):
        facts = {row.name: row.value for row in connection.execute(select(meta.c.name, meta.c.value))}
    written = facts.get("format", "")
    if not written.isdigit() or int(written) < 1:
        raise DataError(f"graph {_shown(url)}: format {written!r} is unknown")
    if int(written) > FORMAT:
        newer = f"written by a newer tengen (format {written}; this one reads {FORMAT})"
        raise DataError(f"graph {_shown(url)}: {newer}")
    if facts.get("fingerprint") != fingerprint:
        raise DataError(
            f"graph {_shown(url)}: its keys were made of other Zobrist numbers ({facts.get('fingerprint')},"
            f" here {fingerprint}): no state in it would be found"
        )


def _create(connection: Connection, fingerprint: str) -> None:
    if connection.dialect.name == "sqlite":
        # WAL: readers go on while one process writes, and a commit is one append. It cannot be set within a
        # transaction.
        _raw_sqlite(connection, "PRAGMA journal_mode = WAL")
    with begin_write(connection):
        if meta.name in inspect(connection).get_table_names():
            return  # another process was first
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        _schema.create_all(connection, checkfirst=False)
        facts = {"format": str(FORMAT), "fingerprint": fingerprint, "created": str(int(time.time()))}
        connection.execute(meta.insert(), [{"name": name, "value": value} for name, value in facts.items()])


def _raw_sqlite(connection: Connection, statement: str) -> None:
    raw: Any = connection.connection.dbapi_connection
    raw.execute(statement)


def _shown(url: URL) -> str:
    return str(url.database) if url.drivername == "sqlite" else url.render_as_string(hide_password=True)


def reason(error: SQLAlchemyError) -> str:
    """The database's own words, in one line."""
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split())
