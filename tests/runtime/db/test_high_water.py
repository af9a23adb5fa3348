"""A SQLite file that lost what was done last is noticed before anything is done again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import ToolNode
from flowc.runtime.db.high_water import HighWater
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from specs import SUCCESS, ask, program
from worlds import Functions, World, start

STEPS = 4


def sending(sent: list[str]) -> Any:
    """A world whose tool notes that it was called."""

    def note() -> str:
        sent.append("sent")
        return f"number {len(sent)}"

    return World(tools=Functions({"note": note}))


SPEC = program(
    *(ToolNode(id=f"a{n}", tool="note", into="RESULT") for n in range(STEPS)),
    ask("q"),
    *(ToolNode(id=f"b{n}", tool="note", into="RESULT") for n in range(STEPS)),
    ask("r"),
    SUCCESS,
)


@pytest.fixture
def lost(tmp_path: Path, wait) -> tuple[str, list[str]]:
    """A store with a run that has done eight effects and asks; it knows of the first four."""
    url, sent = f"sqlite:///{tmp_path / 'runs.db'}", list[str]()

    async def go() -> None:
        async with open_engine(url) as engine:
            assert (await start(engine, SPEC, sending(sent))).status == "paused"
        shutil.copy(tmp_path / "runs.db", tmp_path / "old.db")
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "x"})
            assert (outcome.status, len(sent)) == ("paused", 2 * STEPS)

    wait(go())
    os.replace(tmp_path / "old.db", tmp_path / "runs.db")
    return url, sent


def test_a_lost_log_is_told_before_anything_is_repeated(lost, wait) -> None:
    url, sent = lost

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "x"})
            for _ in range(STEPS):
                assert (outcome.status, len(sent)) == ("paused", 2 * STEPS)
                assert outcome.questions[0].kind == "unknown"
                outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "it was sent"})
            assert [question.node for question in outcome.questions] == ["r"]
        assert len(sent) == 2 * STEPS

    wait(go())


def test_the_question_says_what_is_lost(lost, wait) -> None:
    url, sent = lost

    async def go() -> str:
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "x"})
            return str(outcome.questions[0].text)

    assert "has lost its log" in wait(go())


def test_what_is_repeated_is_repeated(lost, wait) -> None:
    url, sent = lost

    async def go() -> Any:
        async with open_engine(url) as engine:
            answers = {"": "x"}
            return await engine.resume(
                "r", SPEC, sending(sent), answers=answers, on_unknown="repeat"
            )

    outcome = wait(go())
    assert ([q.node for q in outcome.questions], len(sent)) == (["r"], 3 * STEPS)


@pytest.fixture
def unborn(tmp_path: Path, wait) -> tuple[str, list[str]]:
    """A store whose whole log was lost: nothing in it knows of the run that did four effects."""
    url, sent, path = f"sqlite:///{tmp_path / 'runs.db'}", list[str](), tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(url):
            pass
        before = path.read_bytes()
        async with open_engine(url) as engine:
            assert (await start(engine, SPEC, sending(sent))).status == "paused"
        path.write_bytes(before)  # the same file on its disk

    wait(go())
    return url, sent


def test_a_run_of_which_all_is_lost_is_told(unborn, wait) -> None:
    url, sent = unborn

    async def go() -> None:
        async with open_engine(url) as engine:
            with pytest.raises(RunError, match=r"4 of its effects were finished.*lost its log"):
                await engine.resume("r", SPEC, sending(sent), answers={})
            with pytest.raises(RunError, match="there is no run `s`"):
                await engine.store.get("s")

    wait(go())


def test_a_new_run_of_that_name_asks_before_it_does_it_again(unborn, wait) -> None:
    url, sent = unborn

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, SPEC, sending(sent))
            for _ in range(STEPS):
                assert (outcome.status, outcome.questions[0].kind) == ("paused", "unknown")
                outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "it was sent"})
            assert [question.node for question in outcome.questions] == ["q"]
            assert len(sent) == STEPS

    wait(go())


@pytest.mark.parametrize("how", ["forgotten", "deleted"])
def test_a_run_that_was_forgotten_is_nothing_lost(unborn, wait, tmp_path, how) -> None:
    url, sent = unborn

    async def go() -> None:
        if how == "deleted":
            (tmp_path / "runs.db").unlink()
        async with open_engine(url) as engine:
            if how == "forgotten":
                await start(engine, SPEC, sending(sent))
                await engine.forget(["r"])
            assert [
                question.node for question in (await start(engine, SPEC, sending(sent))).questions
            ] == ["q"]
        assert len(sent) == 2 * STEPS

    wait(go())


def number(folder: Path) -> int:
    (file,) = (folder / "runs.db.leases").glob("*.done")
    return int(file.read_bytes().split()[0])


def change_number(folder: Path, change: str) -> None:
    """Do something to the number, or to the file that it is of."""
    (file,) = (folder / "runs.db.leases").glob("*.done")
    told, of = file.read_bytes().split()
    match change:
        case "absent":
            file.unlink()
        case "damaged":
            file.write_bytes(b"what?")
        case "copied":
            shutil.copy(folder / "runs.db", folder / "copy.db")
            os.replace(folder / "copy.db", folder / "runs.db")
        case "of another store":
            file.write_bytes(told + b" 7")
        case "too low":
            file.write_bytes(b"%020d " % 1 + of)


@pytest.mark.parametrize("change", ["absent", "damaged", "copied", "of another store"])
def test_a_number_that_says_nothing_is_asked_about_once(tmp_path, wait, change: str) -> None:
    url, sent = f"sqlite:///{tmp_path / 'runs.db'}", list[str]()

    async def begin() -> None:
        async with open_engine(url) as engine:
            await start(engine, SPEC, sending(sent))

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", SPEC, sending(sent), answers={"": "x"})
            assert (outcome.status, len(sent)) == ("paused", STEPS)
            (question,) = outcome.questions
            assert (question.kind, "may be a copy" in str(question.text)) == ("unknown", True)
            return await engine.resume("r", SPEC, sending(sent), answers={"": "repeat"})

    wait(begin())
    assert number(tmp_path) == STEPS
    change_number(tmp_path, change)
    assert ([q.node for q in wait(go()).questions], len(sent)) == (["r"], 2 * STEPS)
    assert number(tmp_path) == 2 * STEPS


@pytest.mark.parametrize("change", ["nothing", "too low"])
def test_nothing_is_asked_where_nothing_can_be_lost(tmp_path, wait, change: str) -> None:
    """A kill between an effect's result and its number leaves that too low."""
    url, sent = f"sqlite:///{tmp_path / 'runs.db'}", list[str]()

    async def begin() -> None:
        async with open_engine(url) as engine:
            await start(engine, SPEC, sending(sent))

    async def go() -> Any:
        async with open_engine(url) as engine:
            return await engine.resume("r", SPEC, sending(sent), answers={"": "x"})

    async def end() -> None:
        async with open_engine(url) as engine:
            await engine.delete("r")

    wait(begin())
    change_number(tmp_path, change)
    assert [q.node for q in wait(go()).questions] == ["r"]
    assert number(tmp_path) == 2 * STEPS
    wait(end())
    assert list(tmp_path.glob("runs.db.leases/*.done")) == []


@pytest.mark.parametrize("change", ["absent", "copied"])
def test_a_run_without_finished_effects_asks_nothing(tmp_path, wait, change: str) -> None:
    url, sent = f"sqlite:///{tmp_path / 'runs.db'}", list[str]()
    spec = program(ask("q"), ToolNode(id="a", tool="note", into="RESULT"), SUCCESS)

    async def begin() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, sending(sent))

    async def go() -> Any:
        async with open_engine(url) as engine:
            return await engine.resume("r", spec, sending(sent), answers={"": "x"})

    wait(begin())
    shutil.rmtree(tmp_path / "runs.db.leases")
    if change == "copied":
        shutil.copy(tmp_path / "runs.db", tmp_path / "copy.db")
        os.replace(tmp_path / "copy.db", tmp_path / "runs.db")
    assert (wait(go()).status, sent) == ("success", ["sent"])


def test_a_run_of_the_same_name_begins_anew(tmp_path, wait) -> None:
    url, sent = f"sqlite:///{tmp_path / 'runs.db'}", list[str]()

    async def go() -> Any:
        async with open_engine(url) as engine:
            await start(engine, SPEC, sending(sent))
        for file in tmp_path.glob("runs.db*"):
            if file.is_file():
                file.unlink()
        async with open_engine(url) as engine:
            return await start(engine, SPEC, sending(sent))

    assert [q.node for q in wait(go()).questions] == ["q"]


def test_without_a_folder_nothing_is_told() -> None:
    water = HighWater()
    water.begin("r", 3)
    assert not water.doubt("r")
    water.add("r")
    water.begin("r", 1)
    assert not water.doubt("r")
    water.renew("r")
    water.forget("r")
    assert not water.doubt("r")
