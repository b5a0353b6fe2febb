"""The game graph on disk: what is known of every state ever searched, kept from game to game.

The paper (Huang and Liu, "A Persistent Game Graph in Computer GO") keeps for each state its visits V_h and
its wins W_h, shares them whatever path led to the state, feeds them to the search (Eq. 2) and after a
search lets the old knowledge fade as the new is added:

    Eq. 3   V_h,new = V + n V_h,old     (and W alike), n < 1

Here a *win* of a state is a win of the side that moved into it, so W/V is the worth of the move to the one
who has to choose it, as a node's W/V in UCB1 (Eq. 1) is. A draw is half a win. For the empty board before
Black's first move the side that moved into it is White.

A search asks for what it may need before it starts (``warm``, ``read_keys``) and hands back what it found
in one transaction after it (``write_back``): a process killed in between loses that search and nothing
else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import (
    Connection,
    FromClause,
    Select,
    Table,
    delete,
    desc,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.schema import CreateTable

from tengen.errors import ConfigError, DataError
from tengen.systems import graph_ledger
from tengen.systems.graph_ledger import Sums, Verification
from tengen.systems.graph_rows import (
    FACTOR_SCALE,
    SCALE,
    Batch,
    GraphRows,
    as_keys,
    batch_of,
    fade,
    faded,
    rows_of,
)
from tengen.systems.graph_schema import (
    batch,
    begin_read,
    begin_write,
    graph_url,
    imports,
    meta,
    open_database,
    reason,
    stage,
    states,
    stream_rows,
    writes,
)

__all__ = ["GraphDisk", "GraphInfo", "GraphRows", "Verification", "fade"]

ATTEMPTS = 3
_CHUNK = 20_000
_BULK = 200_000
_SAMPLE = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True)
class GraphInfo:
    """What ``tengen graph info`` says. Times are seconds since 1970."""

    url: str
    format: int
    created: int
    states: int
    visits: float
    wins: float
    writes: int
    last_write: int | None
    searches: int
    imported_files: int
    imported_games: int
    bytes: int

    @property
    def bytes_per_state(self) -> float:
        return self.bytes / self.states if self.states else 0.0


class GraphDisk:
    """One open game graph. Methods may be called from any thread, one at a time; every write is one
    transaction."""

    def __init__(self, connection: Connection, url: str) -> None:
        self._connection = connection
        self._lock = threading.RLock()
        self._is_sqlite = connection.dialect.name == "sqlite"
        self.url = url
        with self._reading():
            connection.execute(CreateTable(batch, if_not_exists=True))

    @classmethod
    def open(cls, url: str, *, create: bool = True) -> GraphDisk:
        """Open ``sqlite:///FILE``, ``postgresql://..`` or a bare file name; new and empty if it does not
        exist.

        Raises ConfigError for an address nobody can open, DataError for a foreign, newer, broken or (with
        ``create=False``) missing graph.
        """
        from tengen.systems.graph_book import key_fingerprint

        address = graph_url(url)
        connection = open_database(address, key_fingerprint(), create=create)
        return cls(connection, address.render_as_string(hide_password=True))

    def close(self) -> None:
        """Let go of the database. Idempotent."""
        with self._lock:
            self._connection.close()
            self._connection.engine.dispose()

    def __enter__(self) -> GraphDisk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- reading -------------------------------------------------------------------------------------------

    def count(self) -> int:
        """How many states are held: read off the ledger, so the cost does not grow with the graph."""
        with self._reading() as connection:
            return graph_ledger.booked(connection).states

    def read_keys(self, keys: ArrayLike) -> GraphRows:
        """What is known of these states; the unknown are left out."""
        wanted = np.unique(as_keys(keys))
        unused = np.zeros(len(wanted), np.int64)
        query = select(states.c.key, states.c.visits, states.c.wins).select_from(_staged_and_known())
        with self._reading() as connection:
            stage(connection, Batch(wanted, unused, unused))
            return rows_of(list(stream_rows(connection, query, _CHUNK)))

    def read_all(self, limit: int | None = None) -> GraphRows:
        """Every state, or the first ``limit`` by key (keys are random: that is a fair sample)."""
        query = select(states.c.key, states.c.visits, states.c.wins).order_by(states.c.key).limit(limit)
        with self._reading() as connection:
            return rows_of(list(stream_rows(connection, query, _CHUNK)))

    def scan(self, min_visits: float = 0.0) -> Iterator[GraphRows]:
        """Every state with that many visits, by key and in pieces, from one moment of the graph."""
        query = select(states.c.key, states.c.visits, states.c.wins).order_by(states.c.key)
        if min_visits > 0.0:
            query = query.where(states.c.visits >= round(min_visits * SCALE))
        with self._reading() as connection:
            for part in stream_rows(connection, query, _BULK):
                yield rows_of([part])

    def warm(self, limit: int, seconds: float) -> GraphRows:
        """The states worth having in memory before a search: at most ``limit``, read for at most ``seconds``.

        A graph of no more than ``limit`` states comes whole; of a larger one the most visited, by a
        threshold taken from a sample of it, so that nothing need be sorted or indexed. When the time is up:
        what was read so far.
        """
        deadline = time.monotonic() + seconds
        collected: list[NDArray[np.int64]] = []
        with self._reading() as connection:
            least = self._visit_threshold(connection, limit)
            # Many states may have just so many visits: they come after those with more.
            for which in (states.c.visits > least, states.c.visits == least):
                held = sum(len(part) for part in collected)
                query = select(states.c.key, states.c.visits, states.c.wins).where(which).limit(limit - held)
                for part in stream_rows(connection, query, _CHUNK):
                    collected.append(part)
                    if time.monotonic() >= deadline:
                        return rows_of(collected)
        return rows_of(collected)

    def _visit_threshold(self, connection: Connection, limit: int) -> int:
        """The visits, in thousandths, that about ``limit`` states have reached; 0 if there are no more than
        that."""
        held = graph_ledger.booked(connection).states
        if held <= limit:
            return 0
        sample = connection.scalars(select(states.c.visits).order_by(states.c.key).limit(_SAMPLE)).all()
        return int(np.quantile(np.array(sample, np.int64), 1.0 - limit / held, method="lower"))

    # -- writing -------------------------------------------------------------------------------------------

    def write_back(
        self, keys: ArrayLike, visits: ArrayLike, wins: ArrayLike, *, n: float = 1.0, kind: str = "search"
    ) -> int:
        """Add a search's visits and wins in one transaction, Eq. 3: V_h,new = V + n V_h,old; returns its
        number.

        A key given twice counts with its sum. States not named keep what they have: only what was searched
        again fades. Raises ConfigError for n outside 0..1 and for wins outside 0..visits, DataError if the
        database fails or stays locked; then nothing was written.
        """
        rows = batch_of(keys, visits, wins)
        return self._writing(lambda connection: self._add(connection, [rows], n, kind))

    def file_games(self, digest: str, name: str, games: int, complete: bool, rows: GraphRows) -> int:
        """Add what a record file's games say (n = 1) and note, in the same transaction, that its first
        ``games`` are in now: an import that was cut off goes on after them. Returns the write's number."""
        prepared = batch_of(rows.keys, rows.visits, rows.wins)

        def work(connection: Connection) -> int:
            number = self._add(connection, [prepared], 1.0, "import")
            note = {"digest": digest, "name": name, "games": games, "complete": int(complete)}
            changed = connection.execute(update(imports).where(imports.c.digest == digest).values(**note))
            if changed.rowcount == 0:
                connection.execute(imports.insert().values(**note))
            return number

        return self._writing(work)

    def filed_games(self, digest: str) -> tuple[int, bool]:
        """How many games of the file with this digest are in, and whether that is all of them."""
        query = select(imports.c.games, imports.c.complete).where(imports.c.digest == digest)
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
        return (0, False) if row is None else (int(row.games), bool(row.complete))

    def merge(self, other: GraphDisk, *, n: float = 1.0) -> int:
        """Add all of another graph's states in one transaction, ours fading by n as in Eq. 3; returns its
        number."""
        if other.url == self.url:
            raise ConfigError(f"graph {self.url}: a graph cannot be merged into itself")
        return self._writing(lambda connection: self._add(connection, other._stored(), n, "merge"))

    def prune(
        self, *, min_visits: float | None = None, max_states: int | None = None, unused_for: int | None = None
    ) -> int:
        """Drop states with fewer than ``min_visits``, then those no write of the last ``unused_for``
        touched, then the least visited until ``max_states`` are left; one transaction; returns how many
        went. The file shrinks."""

        def work(connection: Connection) -> int:
            before = graph_ledger.held(connection)
            number = graph_ledger.next_number(connection)
            if min_visits is not None:
                connection.execute(delete(states).where(states.c.visits < round(min_visits * SCALE)))
            if unused_for is not None:
                connection.execute(delete(states).where(states.c.stamp < number - unused_for))
            if max_states is not None:
                order = (desc(states.c.visits), desc(states.c.stamp), states.c.key)
                kept = select(states.c.key).order_by(*order).limit(max_states)
                connection.execute(delete(states).where(states.c.key.not_in(kept)))
            change = graph_ledger.held(connection).minus(before)
            graph_ledger.enter(connection, number, "prune", 0, change)
            return -change.states

        gone = self._writing(work)
        if gone:
            self._compact()
        return gone

    def _add(self, connection: Connection, batches: Iterable[Batch], n: float, kind: str) -> int:
        """The rows of one write, each key at most once over all batches, added under one ledger entry."""
        if not 0.0 <= n <= 1.0:
            raise ConfigError(f"graph: n = {n} (Eq. 3) must be between 0 and 1")
        number = graph_ledger.next_number(connection)
        factor = round(n * FACTOR_SCALE)
        wrote, change = 0, Sums()
        for rows in batches:
            stage(connection, rows)
            lost = [func.sum(column - faded(column, factor)) for column in (states.c.visits, states.c.wins)]
            totals = select(func.count(), *lost).select_from(_staged_and_known())
            known, visits, wins = connection.execute(totals).one()
            connection.execute(self._upsert(number, factor))
            added = Sums(len(rows.keys), int(rows.visits.sum()), int(rows.wins.sum()))
            change = change.plus(added).minus(Sums(int(known), int(visits or 0), int(wins or 0)))
            wrote += len(rows.keys)
        graph_ledger.enter(connection, number, kind, wrote, change)
        return number

    def _upsert(self, number: int, factor: int) -> Any:
        """Eq. 3 as one statement: INSERT .. SELECT .. ON CONFLICT DO UPDATE, in key order."""
        # SQLite takes the ON of ON CONFLICT for a join's after a bare SELECT; a WHERE settles it.
        staged = select(batch.c.key, batch.c.visits, batch.c.wins, literal(number)).where(batch.c.visits >= 0)
        insert: Any = sqlite.insert if self._is_sqlite else postgresql.insert
        columns = ["key", "visits", "wins", "stamp"]
        statement = insert(states).from_select(columns, staged.order_by(batch.c.key))
        new = statement.excluded
        return statement.on_conflict_do_update(
            index_elements=[states.c.key],
            set_={
                "visits": new.visits + faded(states.c.visits, factor),
                "wins": new.wins + faded(states.c.wins, factor),
                "stamp": new.stamp,
            },
        )

    def _stored(self) -> Iterator[Batch]:
        """All rows as they are stored, in large batches, from one moment of the graph."""
        query = select(states.c.key, states.c.visits, states.c.wins).order_by(states.c.key)
        with self._reading() as connection:
            for part in stream_rows(connection, query, _BULK):
                yield Batch(*np.ascontiguousarray(part.T))

    # -- asking about it -----------------------------------------------------------------------------------

    def info(self) -> GraphInfo:
        with self._reading() as connection:
            facts = {row.name: row.value for row in connection.execute(select(meta.c.name, meta.c.value))}
            held = graph_ledger.booked(connection)
            searches = select(func.count()).select_from(writes).where(writes.c.kind == "search")
            made, last = connection.execute(_summary(writes, func.max(writes.c.at))).one()
            files, games = connection.execute(_summary(imports, func.sum(imports.c.games))).one()
            return GraphInfo(
                url=self.url,
                format=int(facts["format"]),
                created=int(facts["created"]),
                states=held.states,
                visits=held.visits / SCALE,
                wins=held.wins / SCALE,
                writes=int(made),
                last_write=None if last is None else int(last),
                searches=int(connection.scalar(searches) or 0),
                imported_files=int(files),
                imported_games=int(games or 0),
                bytes=self._bytes(connection),
            )

    def _bytes(self, connection: Connection) -> int:
        """The size of the database (SQLite), or of this graph's tables and indexes in it (PostgreSQL)."""
        if self._is_sqlite:
            pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
            return pages * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
        names = [table.name for table in (states, writes, imports, meta)]
        return sum(int(connection.scalar(select(func.pg_total_relation_size(name))) or 0) for name in names)

    def verify(self) -> Verification:
        """Whether every write ever made is in whole or not at all, and nothing else changed the graph.

        Checked: the database's own structure (SQLite: ``integrity_check``), the range of every row, that
        writes are numbered without a gap, that no row bears a number never entered or more rows a number
        than its write had (the last: exactly as many), and that the number of states and the sums of visits
        and of wins are those of the ledger, to the last thousandth.
        """
        with self._reading() as connection:
            return graph_ledger.verify(connection)

    # -- transactions --------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """One moment of the graph."""
        with self._lock:
            try:
                with begin_read(self._connection):
                    yield self._connection
            except SQLAlchemyError as error:
                raise DataError(f"graph {self.url}: {reason(error)}") from None

    def _writing(self, work: Callable[[Connection], _T]) -> _T:
        """Do ``work`` in one write transaction; again, from its start, if another process stood in the
        way."""
        with self._lock:
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    with begin_write(self._connection):
                        return work(self._connection)
                except SQLAlchemyError as error:
                    if attempt == ATTEMPTS or not _is_passing(error):
                        raise DataError(f"graph {self.url}: {reason(error)}") from None
                    time.sleep(0.1 * attempt)
        raise AssertionError("the last attempt returns or raises")

    def _compact(self) -> None:
        """Give the space of removed rows back; a process at work on the file may keep us from it, which is
        no harm."""
        if not self._is_sqlite:
            return
        with self._lock:
            raw: Any = self._connection.connection.dbapi_connection
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                try:
                    raw.execute(statement)
                except self._connection.dialect.loaded_dbapi.OperationalError as error:
                    if "locked" not in str(error):
                        raise DataError(f"graph {self.url}: {error}") from None


def _staged_and_known() -> FromClause:
    return batch.join(states, batch.c.key == states.c.key)


def _summary(table: Table, figure: Any) -> Select[Any]:
    return select(func.count(), figure).select_from(table)


def _is_passing(error: SQLAlchemyError) -> bool:
    """Locked by another process, or chosen to give way in a deadlock: it may well work the next time."""
    if not isinstance(error, OperationalError):
        return False
    code = getattr(error.orig, "sqlstate", None)
    return "locked" in str(error.orig) or code in ("40001", "40P01", "55P03")
