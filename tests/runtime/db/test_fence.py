"""The number of a run that every write compares, and the process that stands beside it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from flowc.runtime.db.fence import TABLES, Holder, NotHeld, epochs_of, guard_write, require_epoch
from flowc.runtime.db.url import MEMORY, locate

ELSEWHERE = Holder("elsewhere", 7, "boot", "space", "1")
ANOTHER = """
import sys
open("/proc/self/comm", "w").write("a) Z 1 (b")
from flowc.runtime.db.fence import Holder
print(Holder.here().as_text(), flush=True)
sys.stdin.read()
"""
"""A process that says who it is, and whose name looks like the numbers that follow a name."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A store in which another process holds the run `r` under the number 5."""
    with sqlite3.connect(tmp_path / "runs.db") as db:
        db.executescript(f"{TABLES}; create table kept (value text)")
        db.execute("insert into leases values ('r', 5, ?)", (ELSEWHERE.as_text(),))
    db.close()
    return tmp_path / "runs.db"


@contextmanager
def connection(file: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(file, isolation_level=None, timeout=0)
    try:
        yield db
    finally:
        db.close()


def kept(file: Path) -> list[str]:
    """What another process finds in the store."""
    with connection(file) as db:
        return [row[0] for row in db.execute("select value from kept")]


@pytest.mark.parametrize("epoch", [5, None])
def test_a_holder_writes_and_so_does_who_has_taken_nothing(file, epoch):
    with connection(file) as db:
        written = guard_write(db, "r", epoch, lambda: db.execute("insert into kept values ('a')"))
        assert written.rowcount == 1
        assert kept(file) == ["a"]


@pytest.mark.parametrize("epoch", [4, 6])
def test_under_another_number_nothing_is_written(file, epoch):
    with connection(file) as db:
        with pytest.raises(NotHeld, match="run r was taken over by pid 7 on elsewhere"):
            guard_write(db, "r", epoch, lambda: db.execute("insert into kept values ('a')"))
        assert not db.in_transaction
    assert kept(file) == []


def test_a_run_that_was_forgotten_is_nobodys(file):
    with connection(file) as db, pytest.raises(NotHeld, match="run gone was taken over: nothing"):
        guard_write(db, "gone", 5, lambda: db.execute("insert into kept values ('a')"))
    assert kept(file) == []


def test_what_fails_half_way_leaves_nothing(file):
    with connection(file) as db:

        def write() -> None:
            db.execute("insert into kept values ('a')")
            db.execute("insert into nowhere values ('b')")

        with pytest.raises(sqlite3.Error, match="nowhere"):
            guard_write(db, "r", 5, write)
        assert not db.in_transaction
    assert kept(file) == []


def test_nobody_takes_the_run_between_the_comparison_and_the_write(file):
    with connection(file) as db, connection(file) as other:

        def write() -> None:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("update leases set epoch = 6")

        guard_write(db, "r", 5, write)
        other.execute("update leases set epoch = 6")


def test_the_number_is_compared_and_not_the_name():
    require_epoch("r", 5, (5, "6"))
    with pytest.raises(NotHeld, match="taken over: nothing"):
        require_epoch("r", 6, (5, 6))


def test_what_opens_one_store_shares_its_numbers(tmp_path):
    file = tmp_path / "runs.db"
    file.touch()
    (tmp_path / "link.db").symlink_to(file)
    own = epochs_of(locate(f"sqlite:///{file}"))
    assert epochs_of(locate(f"sqlite:///{tmp_path}/link.db")) is own
    assert epochs_of(locate(f"sqlite:///{tmp_path}/other.db")) is not own


def test_a_server_is_known_by_its_address_and_memory_by_nothing():
    one, other = "postgresql://a@localhost/one", "postgresql://a@localhost/other"
    own = epochs_of(locate(one))
    assert epochs_of(locate(one)) is own
    assert epochs_of(locate(other)) is not own
    memory = epochs_of(locate(MEMORY))
    assert epochs_of(locate(MEMORY)) is not memory


def test_a_holder_is_read_as_it_was_written():
    assert Holder.read(ELSEWHERE.as_text()) == ELSEWHERE
    assert str(ELSEWHERE) == "pid 7 on elsewhere"
    assert Holder.here().pid == os.getpid()
    assert Holder.here().is_here
    assert not replace(Holder.here(), began="1").is_here


@pytest.mark.parametrize("text", ["", "pid 7", "[]", '{"host": "a"}', '{"name": "b"}', "7"])
def test_what_names_no_process_is_nobody(text):
    assert Holder.read(text) is None


def test_only_on_its_own_machine_a_process_is_known_to_have_died():
    here = Holder.here()
    assert not here.is_dead
    for elsewhere in (
        replace(here, host="elsewhere", began="1"),
        replace(here, host="elsewhere", boot="another"),
        replace(here, boot="", began="1"),
        replace(here, space="another", began="1"),
    ):
        assert not elsewhere.is_dead, elsewhere


def test_a_machine_that_was_started_anew_has_none_of_its_processes_left():
    assert replace(Holder.here(), boot="another").is_dead


def test_another_process_that_has_its_number_is_another():
    assert replace(Holder.here(), began="1").is_dead


def test_a_process_is_known_to_be_dead_before_and_after_it_is_waited_for():
    child = subprocess.Popen(
        [sys.executable, "-c", ANOTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        holder = Holder.read(child.stdout.readline())
        assert holder is not None
        assert (holder.pid, holder.is_here, holder.is_dead) == (child.pid, False, False)
        since = float(Path("/proc/uptime").read_text().split()[0]) * os.sysconf("SC_CLK_TCK")
        assert 0 < since - int(holder.began) < 60 * os.sysconf("SC_CLK_TCK")
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert holder.is_dead, "it has ended, and its parent has not asked yet"
    assert holder.is_dead
