"""The number of finished effects that stands outside of a SQLite file, by itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from flowc.runtime.db.high_water import COPIED, LOST, HighWater, stem_of
from leases import descriptors, lease


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
    done(water, 2)
    following = later(water)
    following.begin("r", 5)
    following.renew("r")
    assert (following.doubt("r"), told_in(water)) == ("", [5])
    following.add("r")
    assert told_in(water) == [6]


def test_a_run_that_begins_anew_where_one_was_lost_asks(water) -> None:
    done(water, 5)
    following = later(water)
    following.begin("r", 2)
    following.renew("r")
    assert (following.doubt("r"), told_in(water)) == (LOST, [5])
    later(water).renew("r")
    assert told_in(water) == [5]


def test_what_is_forgotten_is_not_counted_and_leaves_nothing(water) -> None:
    for run in ("a", "b", "c"):
        water.begin(run, 0)
    water.forget("a", "b", "unknown")
    assert told_in(water) == [0]
    water.add("a")
    assert told_in(water) == [0]
    assert water.doubt("a") == water.doubt("unknown") == ""


def test_a_number_is_for_its_owner_alone_and_its_file_is_closed(water) -> None:
    before = descriptors()
    water.begin("r \udc80", 0)
    water.add("r \udc80")
    (file,) = water.folder.glob("*.done")
    assert file.stat().st_mode & 0o777 == 0o600
    assert descriptors() <= before


def test_the_number_of_a_run_lies_beside_its_lock(water) -> None:
    water.begin("r", 0)
    with lease(water.folder, "r"):
        (lock,), (file,) = water.folder.glob("*.lock"), water.folder.glob("*.done")
    assert lock.stem == file.stem


def test_the_files_of_a_run_are_called_what_earlier_versions_called_them() -> None:
    assert stem_of("r") == "454349e422f05297191ead13e21d3db5"
