"""A SQLite file that lost what was done last is noticed before anything is done again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import ToolNode
from flowc.runtime.db.high_water import COPIED, LOST, HighWater, stem_of
from flowc.runtime.engine.engine import open_engine
from leases import lease
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


@pytest.fixture
def water(tmp_path: Path) -> HighWater:
    """The numbers of a store, as a process that begins finds them; of nothing yet."""
    (tmp_path / "leases").mkdir()
    (tmp_path / "runs.db").touch()
    return HighWater(tmp_path / "leases", tmp_path / "runs.db")


def later(water: HighWater) -> HighWater:
    """The same, as the next process finds it."""
    return HighWater(water.folder, water.store)


def told_in(water: HighWater) -> list[int]:
    assert water.folder is not None
    return [int(file.read_bytes().split()[0]) for file in water.folder.glob("*.done")]


def done(water: HighWater, effects: int) -> None:
    """The run `r` begins, and has so many effects."""
    water.begin("r", 0)
    for _ in range(effects):
        water.add("r")


def of_another_store(water: HighWater) -> HighWater:
    """The next process finds a copy of the store."""
    assert water.store is not None
    copy = shutil.copy(water.store, water.store.with_name("copy.db"))
    os.replace(copy, water.store)
    return later(water)


def test_each_effect_raises_the_number(water) -> None:
    water.begin("r", 0)
    assert told_in(water) == [0]
    for count in (1, 2, 3):
        water.add("r")
        assert told_in(water) == [count]
    assert water.doubt("r") == ""
    following = later(water)
    following.begin("r", 3)
    assert following.doubt("r") == ""
    following.add("r")
    assert told_in(water) == [4]


@pytest.mark.parametrize(("finished", "doubt"), [(1, LOST), (2, ""), (3, "")])
def test_a_store_with_fewer_effects_than_were_told_has_lost_some(water, finished, doubt) -> None:
    done(water, 2)
    following = later(water)
    following.begin("r", finished)
    assert following.doubt("r") == doubt
    assert told_in(water) == [max(finished, 2)]


def test_a_lost_effect_that_is_done_again_is_lost_no_more(water) -> None:
    done(water, 3)
    following = later(water)
    following.begin("r", 1)
    (file,) = water.folder.glob("*.done")
    os.utime(file, (1, 1))
    for doubt in (LOST, ""):
        following.add("r")
        assert (following.doubt("r"), told_in(water)) == (doubt, [3])
        assert file.stat().st_mtime == 1, "what stands there is not written again"
    following.add("r")
    assert told_in(water) == [4]


@pytest.mark.parametrize(("finished", "doubt"), [(0, ""), (1, COPIED), (2, COPIED)])
def test_only_of_finished_effects_a_number_is_missed(water, finished, doubt) -> None:
    water.begin("r", finished)
    assert water.doubt("r") == doubt
    assert told_in(water) == ([] if doubt else [0])
    water.add("r")
    assert water.doubt("r") == ""
    assert told_in(water) == [finished + 1]


@pytest.mark.parametrize(("finished", "told"), [(0, 2), (2, 2), (3, 2)])
def test_the_number_of_another_file_is_not_written_over_before_an_effect_is(
    water, finished, told
) -> None:
    done(water, 2)
    copied = of_another_store(water)
    copied.begin("r", finished)
    assert told_in(water) == [told]
    assert copied.doubt("r") == (COPIED if finished else LOST)


def test_a_number_that_stands_there_is_not_written_again(water) -> None:
    water.begin("r", 0)
    water.add("r")
    (file,) = water.folder.glob("*.done")
    os.utime(file, (1, 1))
    later(water).begin("r", 1)
    assert file.stat().st_mtime == 1


def test_a_run_that_begins_anew_has_what_it_has(water) -> None:
    done(water, 5)
    following = later(water)
    following.begin("r", 2)
    assert following.doubt("r") == LOST
    following.renew("r")
    assert (following.doubt("r"), told_in(water)) == ("", [2])
    following.add("r")
    assert told_in(water) == [3]


def test_a_run_that_nobody_counts_leaves_no_number_of_an_earlier_one(water) -> None:
    done(water, 5)
    later(water).renew("r")
    assert told_in(water) == []


def test_what_is_forgotten_is_not_counted_and_leaves_nothing(water) -> None:
    for run in ("a", "b", "c"):
        water.begin(run, 0)
    water.forget("a", "b", "unknown")
    assert told_in(water) == [0]
    water.add("a")
    assert told_in(water) == [0]
    assert water.doubt("a") == water.doubt("unknown") == ""


def test_a_number_is_for_its_owner_alone_and_its_file_is_closed(water) -> None:
    before = os.listdir("/proc/self/fd")
    water.begin("r \udc80", 0)
    water.add("r \udc80")
    (file,) = water.folder.glob("*.done")
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir("/proc/self/fd") == before


def test_the_number_of_a_run_lies_beside_its_lock(water) -> None:
    water.begin("r", 0)
    with lease(water.folder, "r"):
        (lock,), (file,) = water.folder.glob("*.lock"), water.folder.glob("*.done")
    assert lock.stem == file.stem


def test_the_files_of_a_run_are_called_what_earlier_versions_called_them() -> None:
    assert stem_of("r") == "454349e422f05297191ead13e21d3db5"
