"""A SQLite file that is damaged: told at open, with what helps, and left as it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.compiler.ir import AskNode
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from specs import SUCCESS, assign, lit, program
from worlds import World, start

SPEC = program(
    *(assign(f"a{n}", RESULT=lit("x" * 3_000)) for n in range(12)),
    AskNode(id="q", question=lit("?"), into="RESULT"),
    SUCCESS,
)
PAGE = 4096


def middle(data: bytes) -> bytes:
    """A page in the middle holds something else."""
    at = len(data) // PAGE // 2 * PAGE
    return data[:at] + b"\xa5" * PAGE + data[at + PAGE :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "header": lambda data: b"\0" * 100 + data[100:],
    "schema": lambda data: data[:100] + b"\xa5" * (PAGE - 100) + data[PAGE:],
    "cut off": lambda data: data[: len(data) // 2],
    "cut off in a page": lambda data: data[: PAGE + 100],
    "emptied": lambda data: b"",
    "garbage": middle,
}


def contents(file: Path) -> bytes:
    return file.read_bytes()


@pytest.fixture
def kept(tmp_path: Path, wait) -> Path:
    """A store with a run that waits for an answer, and a copy of it."""
    file = tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(f"sqlite:///{file}") as engine:
            assert (await start(engine, SPEC, World())).status == "paused"

    wait(go())
    shutil.copyfile(file, tmp_path / "copy.db")
    return file


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_and_a_copy_goes_on(kept: Path, wait, damage: str) -> None:
    broken = DAMAGES[damage]((kept.parent / "copy.db").read_bytes())
    kept.write_bytes(broken)

    async def resume() -> str:
        async with open_engine(f"sqlite:///{kept}") as engine:
            return (await engine.resume("r", SPEC, World(), answers={"": "on"})).status

    with pytest.raises(RunError) as lease_refusal:
        wait(resume())
    assert "damaged" in lease_refusal.value.message
    if damage != "header":
        assert f"sqlite3 {kept} .recover | sqlite3 {kept}.recovered" in lease_refusal.value.help
    assert kept.read_bytes() == broken
    shutil.copyfile(kept.parent / "copy.db", kept)
    assert wait(resume()) == "success"


def test_a_damaged_file_is_not_written_to_from_its_log(kept: Path, wait) -> None:
    """What waits in the write-ahead log would go into the file when a writer closes it."""

    async def hold() -> tuple[bytes, bytes]:
        async with open_engine(f"sqlite:///{kept}") as engine:
            await engine.store.request("r", "pause")
            return contents(kept), contents(kept.with_name("runs.db-wal"))

    data, log = wait(hold())
    assert log
    broken = middle(data)
    kept.write_bytes(broken)
    kept.with_name("runs.db-wal").write_bytes(log)

    async def resume() -> None:
        async with open_engine(f"sqlite:///{kept}"):
            pass

    with pytest.raises(RunError, match="damaged"):
        wait(resume())
    assert kept.read_bytes() == broken
