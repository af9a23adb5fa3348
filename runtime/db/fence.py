"""The fence of a run: who took it last stands in the store, and every write compares it.

Whoever takes a run gives it a new number (`epoch`), in the table `leases`. A process that holds a
run writes nothing of it, an intention, a result, a checkpoint, an event, a record, but in a
transaction that compares the number and locks its row: a process that believes it still holds the
run, whatever its clock, its lock file or its connection says, cannot write once another one has
taken it. A run that nobody here has taken is written without a comparison.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from ..errors import RunError

if TYPE_CHECKING:
    import sqlite3

    from .url import Location

Result = TypeVar("Result")

TABLES = """
create table if not exists leases (
    run text not null primary key, epoch integer not null, holder text not null
);
create table if not exists heartbeats (run text not null primary key, until integer not null)
"""
HELD = "select epoch, holder from leases where run = ?"
FORGET = "delete from leases where run = ? and run not in (select id from runs)"


def about_lease(run: str) -> str:
    """Return what a transaction is about that takes a run, or ends its lease."""
    return f"lease {run}"


class NotHeld(RunError):
    """Another process executes the run, or may: this one must not."""


class Epochs(dict[str, int]):
    """The numbers under which this process holds runs of one store, and `held`, the runs that it
    executes. The number of one that was lost stays: a task that comes late writes nothing either.
    """

    __slots__ = ("__weakref__", "held")

    def __init__(self) -> None:
        self.held: set[str] = set()


_KNOWN: WeakValueDictionary[str, Epochs] = WeakValueDictionary()


def epochs_of(location: Location) -> Epochs:
    """Return the numbers of a store, the same for everything in this process that opens it."""
    if location.kind == "memory":
        return Epochs()
    name = os.path.realpath(location.path) if location.path else location.address
    return _KNOWN.setdefault(name, Epochs())


def guard_write(
    db: sqlite3.Connection, run: str, epoch: int | None, write: Callable[[], Result]
) -> Result:
    """Write in a transaction before which nobody else has taken the run; without an epoch, in a
    transaction. Return what `write` does. Raise `NotHeld` or `sqlite3.Error`."""
    db.execute("begin immediate")
    try:
        if epoch is not None:
            require_epoch(run, epoch, db.execute(HELD, (run,)).fetchone())
        result = write()
        db.commit()
    except BaseException:
        db.rollback()
        raise
    return result


def require_epoch(run: str, epoch: int, row: Sequence[Any] | None) -> None:
    """Raise `NotHeld` unless a row of `HELD` has this number."""
    if row is None or row[0] != epoch:
        raise taken_over(run, row[1] if row else "")


def taken_over(run: str, holder: str) -> NotHeld:
    """Return the error for the process that held the run before."""
    by = Holder.read(holder)
    who = f" by {by}" if by is not None else ""
    return NotHeld(
        f"run {run} was taken over{who}: nothing more of it is written here",
        help="`flowc runs` shows whether another process executes it; if none does, resume it",
    )


@dataclass(frozen=True, slots=True)
class Holder:
    """A process, told apart from every other: by its machine's start (`boot`), its namespace of
    numbers (`space`), its number and when it began. The last three are "" where the system does not
    say them."""

    host: str
    pid: int
    boot: str = ""
    space: str = ""
    began: str = ""

    @classmethod
    def here(cls) -> Holder:
        """Return this process."""
        return _process(os.getpid())

    @classmethod
    def read(cls, text: str) -> Holder | None:
        """Return the process that `as_text` wrote; None for "" or what cannot be read."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            return None

    def as_text(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @property
    def is_here(self) -> bool:
        """Return whether it is this process."""
        return self == Holder.here()

    @property
    def is_dead(self) -> bool:
        """Return whether it is known to have died: only on this machine anybody can know."""
        here = Holder.here()
        if not self.boot or self.host != here.host:
            return False
        if self.boot != here.boot:
            return True  # the machine was started anew
        return self.space == here.space and _began(self.pid) != self.began

    def __str__(self) -> str:
        return f"pid {self.pid} on {self.host}"


@cache
def _process(pid: int) -> Holder:
    return Holder(socket.gethostname(), pid, _boot(), _space(), _began(pid))


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def _space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _began(pid: int) -> str:
    """Return when a process began, in ticks since the machine did; "" for none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()  # its name stands in brackets and may hold anything
    return fields[19] if fields[0] not in "ZX" else ""
