"""The ledger of a game graph: what each write did, and the proof that nothing else happened to the graph."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, func, or_, select

from tengen.systems.graph_rows import SCALE
from tengen.systems.graph_schema import states, writes

__all__ = ["Sums", "Verification", "booked", "enter", "held", "next_number", "verify"]


@dataclass(frozen=True)
class Sums:
    """Number of states, and their visits and wins together in thousandths."""

    states: int = 0
    visits: int = 0
    wins: int = 0

    def plus(self, other: Sums) -> Sums:
        return Sums(self.states + other.states, self.visits + other.visits, self.wins + other.wins)

    def minus(self, other: Sums) -> Sums:
        return Sums(self.states - other.states, self.visits - other.visits, self.wins - other.wins)


@dataclass(frozen=True)
class Verification:
    """The outcome of ``verify``: clean if ``problems`` is empty."""

    states: int
    writes: int
    problems: tuple[str, ...]

    @property
    def clean(self) -> bool:
        return not self.problems


def next_number(connection: Connection) -> int:
    """The number of the write that is about to be made."""
    return int(connection.scalar(select(func.coalesce(func.max(writes.c.id), 0))) or 0) + 1


def enter(connection: Connection, number: int, kind: str, wrote: int, change: Sums) -> None:
    """Enter a write: how many rows bear its number, and by what it changed the sums."""
    entry = {
        "id": number,
        "kind": kind,
        "at": int(time.time()),
        "states": wrote,
        "states_change": change.states,
        "visits_change": change.visits,
        "wins_change": change.wins,
    }
    connection.execute(writes.insert().values(**entry))


def booked(connection: Connection) -> Sums:
    """What the graph must hold by its ledger."""
    columns = (writes.c.states_change, writes.c.visits_change, writes.c.wins_change)
    row = connection.execute(select(*(func.sum(column) for column in columns))).one()
    return Sums(*(int(value or 0) for value in row))


def held(connection: Connection) -> Sums:
    """What the graph holds: reads every row."""
    query = select(func.count(), func.sum(states.c.visits), func.sum(states.c.wins)).select_from(states)
    return Sums(*(int(value or 0) for value in connection.execute(query).one()))


def verify(connection: Connection) -> Verification:
    """See ``GraphDisk.verify``; within one transaction."""
    problems = list(_structure_problems(connection))
    have, want = held(connection), booked(connection)
    count, last = connection.execute(select(func.count(), func.coalesce(func.max(writes.c.id), 0))).one()
    if count != last:
        problems.append(f"{last - count} of the writes 1..{last} are missing from the ledger")
    if have.states != want.states:
        problems.append(f"states: {have.states} held, {want.states} by the ledger")
    for name in ("visits", "wins"):
        is_, should = getattr(have, name), getattr(want, name)
        if is_ != should:
            problems.append(f"{name}: {is_ / SCALE} held, {should / SCALE} by the ledger")
    outside = or_(states.c.wins < 0, states.c.wins > states.c.visits)
    if bad := int(connection.scalar(select(func.count()).select_from(states).where(outside)) or 0):
        problems.append(f"{bad} states have wins outside 0..visits")
    problems += _stamp_problems(connection, int(last))
    return Verification(have.states, int(count), tuple(problems))


def _structure_problems(connection: Connection) -> Iterator[str]:
    if connection.dialect.name == "sqlite":
        for (line,) in connection.exec_driver_sql("PRAGMA integrity_check").all():
            if line != "ok":
                yield f"database: {line}"


def _stamp_problems(connection: Connection, last: int) -> Iterator[str]:
    by_stamp = select(states.c.stamp, func.count().label("found")).group_by(states.c.stamp).subquery()
    joined = by_stamp.outerjoin(writes, writes.c.id == by_stamp.c.stamp)
    query = select(by_stamp.c.stamp, by_stamp.c.found, writes.c.states).select_from(joined)
    bearing = {}
    for stamp, found, wrote in connection.execute(query):
        bearing[stamp] = found
        if wrote is None:
            yield f"{found} states bear write {stamp}, which was never entered"
        elif found > wrote:
            yield f"{found} states bear write {stamp}, which wrote {wrote}"
    wrote = connection.scalar(select(writes.c.states).where(writes.c.id == last))
    if wrote is not None and bearing.get(last, 0) < wrote:
        yield f"the last write, {last}, wrote {wrote} states and {bearing.get(last, 0)} bear it"
