"""Contents that are kept once: under which hash, for whom, and until when."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from flowc.runtime.db.database import Database, create_tables
from flowc.runtime.db.encryption import VARIABLE, Seal, seal_from
from flowc.runtime.db.kept import (
    HOLD,
    KEEP,
    RELEASE_PLACE,
    RELEASE_RUN,
    SCHEMA,
    close_content,
    hash_of,
    open_content,
    release_runs,
)
from flowc.runtime.db.sqlite import open_sqlite
from flowc.runtime.db.url import MEMORY, locate


def seal(digit: str) -> Seal:
    sealed = seal_from({VARIABLE: digit * 64})
    assert sealed is not None
    return sealed


ONE, OTHER = seal("1"), seal("2")


@pytest.mark.parametrize("cipher", [None, ONE], ids=["open", "encrypted"])
def test_a_content_is_found_under_its_hash_and_no_other(cipher) -> None:
    name = hash_of(b"content", cipher)
    data = close_content(b"content", cipher)
    assert open_content(data, name, cipher) == b"content"
    assert open_content(data, hash_of(b"another", cipher), cipher) is None
    assert open_content(close_content(b"another", cipher), name, cipher) is None
    assert open_content(data + b"!", name, cipher) is None


def test_equal_contents_have_equal_hashes_of_sixteen_bytes_under_one_key_alone() -> None:
    teams = [each.for_realm(team) for each in (ONE, OTHER) for team in "ab"]
    hashes = {hash_of(b"content", cipher) for cipher in (None, ONE, OTHER, *teams)}
    assert {len(name) for name in hashes} == {16}
    assert len(hashes) == 7
    assert hash_of(b"content", seal("1")) == hash_of(b"content", ONE)
    again = seal("1").for_realm("a")
    assert hash_of(b"content", again) == hash_of(b"content", ONE.for_realm("a"))


def test_a_store_with_a_key_shows_nothing_and_reads_nothing_of_another_key() -> None:
    data = close_content(b"content", ONE)
    assert b"content" not in data
    assert open_content(data, hash_of(b"content", OTHER), OTHER) is None
    assert open_content(b"content", hash_of(b"content", ONE), ONE) is None
    assert close_content(b"content", None) == b"content"


Places = dict[tuple[str, str], str]
"""What places of runs hold: (run, place) to the letters of contents."""
PLACES: Places = {("r", "@a"): "xy", ("r", "@b"): "yz", ("r", "note"): "zn", ("q", "@a"): "xq"}


def after(work: Callable[[Database], Awaitable[object]], places: Places = PLACES) -> str:
    """The contents that are kept once it is done; those of the realm `team` in capitals."""

    async def go() -> str:
        async with open_sqlite(locate(MEMORY), durable=False) as db:
            await create_tables(db, SCHEMA)
            for (run, place), letters in places.items():
                for letter in letters:
                    realm = "team" if letter.isupper() else ""
                    content = letter.lower().encode()
                    await db.run(KEEP, (realm, content, content))
                    await db.run(HOLD, (run, place, content, realm))
            await work(db)
            rows = await db.rows("select realm, hash from blobs")
            held = await db.rows("select distinct realm, hash from holds")
            assert sorted(rows) == sorted(held), "each is held, and what is held is there"
            letters = (row[1].decode() for row in rows)
            named = (one.upper() if row[0] else one for one, row in zip(letters, rows, strict=True))
            return "".join(sorted(named))

    return asyncio.run(go())


def test_a_content_stays_as_long_as_a_place_holds_it() -> None:
    async def release(db: Database) -> None:
        for statement, times in RELEASE_PLACE:
            await db.run(statement, ("r", "@a") * times)

    assert after(release) == "nqxyz"
    assert after(release, {**PLACES, ("q", "@a"): "q"}) == "nqyz"
    assert after(release, {("r", "@a"): "xy"}) == ""


def test_the_checkpoints_of_a_run_let_go_and_its_notes_do_not() -> None:
    async def release(db: Database) -> None:
        for statement, times in RELEASE_RUN:
            await db.run(statement, ("r",) * times)

    assert after(release) == "nqxz"


@pytest.mark.parametrize(
    ("runs", "left"),
    [(["r"], "qx"), (["q"], "nxyz"), (["r", "q"], ""), (["p"], "nqxyz"), ([], "nqxyz")],
)
def test_runs_let_go_all_that_they_hold(runs, left) -> None:
    assert after(lambda db: release_runs(db, runs)) == left


def test_a_content_of_a_realm_is_another_one_elsewhere() -> None:
    places = {("r", "@a"): "xY", ("q", "@a"): "Xy"}
    assert after(lambda db: release_runs(db, ["r"]), places) == "Xy"
