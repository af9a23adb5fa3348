"""A row and a heartbeat for each run: who holds it, until when, and who has lost it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from flowc.runtime.db.fence import Holder, NotHeld
from flowc.runtime.db.postgres.row_lease import BEAT, EXPIRY
from flowc.runtime.errors import RunError
from row_leases import ELSEWHERE, Server, beating, comes, lose, on_a_server, still


@on_a_server
async def test_a_run_is_held_for_half_a_minute_and_free_once_it_is_let_go(server: Server) -> None:
    leases = still(server)
    async with leases.hold("r"):
        number = await server.number()
        assert number is not None
        assert (server.epochs["r"], number[1]) == (number[0], Holder.here().as_text())
        assert await server.until() == 30
        assert await leases.held_among(["r", "q"]) == {"r"}
    assert await leases.held_among(["r", "q"]) == frozenset()
    assert await server.number() == number, "whoever comes late reads who was the last"
    assert await server.until() == -server.state.now
    assert (dict(server.epochs), server.epochs.held) == ({}, set())
    await leases.close()


def test_five_heartbeats_may_be_lost() -> None:
    assert EXPIRY == 6 * BEAT == 30


@on_a_server
async def test_each_holder_has_another_number(server: Server) -> None:
    leases, numbers = still(server), []
    for _ in range(2):
        async with leases.hold("r"):
            numbers.append(server.epochs["r"])
    assert numbers[1] == numbers[0] + 1
    await leases.close()


@on_a_server
async def test_the_second_process_learns_who_is_the_first(server: Server) -> None:
    await server.give(ELSEWHERE)
    number = await server.number()
    with pytest.raises(NotHeld, match=r"run r is being .* \(pid 7 on elsewhere\)") as refused:
        async with still(server).hold("r"):
            pass
    assert "--take-over" in refused.value.help
    assert (await server.number(), dict(server.epochs)) == (number, {})


@on_a_server
async def test_who_cannot_be_read_may_be_alive(server: Server) -> None:
    await server.give("?")
    with pytest.raises(NotHeld, match=r"\(unknown\)"):
        async with still(server).hold("r"):
            pass


@on_a_server
async def test_a_dead_holder_is_not_waited_for(server: Server) -> None:
    """A process of this machine that has the number of the dead one is another one."""
    await server.give(replace(Holder.here(), began="1"))
    leases = still(server)
    assert await leases.held_among(["r"]) == frozenset()
    async with leases.hold("r"):
        pass
    await leases.close()


@on_a_server
async def test_a_lease_lasts_to_its_last_second(server: Server) -> None:
    leases = still(server)
    await server.give(ELSEWHERE)
    server.state.now += EXPIRY
    assert await leases.held_among(["r"]) == {"r"}
    server.state.now += 1
    assert await leases.held_among(["r"]) == frozenset()
    async with leases.hold("r"):
        assert server.epochs["r"] == 6
    await leases.close()


@on_a_server
async def test_a_number_without_a_heartbeat_is_free(server: Server) -> None:
    await server.give(ELSEWHERE)
    await server.inner.run("delete from heartbeats")
    assert await still(server).held_among(["r"]) == frozenset()


@on_a_server
async def test_by_force_a_run_is_taken_from_whoever_has_it(server: Server) -> None:
    await server.give(ELSEWHERE, left=5)
    leases = still(server)
    async with leases.hold("r", by_force=True):
        assert await server.number() == (6, Holder.here().as_text())
        assert await server.until() == EXPIRY
    await leases.close()


@on_a_server
async def test_nothing_is_asked_about_no_runs(server: Server) -> None:
    assert await still(server).held_among([]) == frozenset()
    assert server.state.asked == []


@on_a_server
async def test_a_heart_beats_for_every_run_as_long_as_they_are_held(server: Server) -> None:
    leases = beating(server)
    async with leases.hold("r"), leases.hold("q"):
        server.state.now += EXPIRY + 5

        async def beaten() -> bool:
            return (await server.until("r"), await server.until("q")) == (EXPIRY, EXPIRY)

        await comes(beaten)
    server.state.asked.clear()
    for _ in range(20):
        await server.until()
    assert server.state.asked == [], "of what is done with nothing more is said"
    await leases.close()


@on_a_server
async def test_between_two_heartbeats_it_rests(server: Server) -> None:
    leases = still(server)
    async with leases.hold("r"):
        server.state.now += 5
        for _ in range(20):
            assert await server.until() == EXPIRY - 5
    await leases.close()


@on_a_server
async def test_whoever_lost_a_run_stops_and_writes_nothing_more(server: Server) -> None:
    leases = beating(server)
    own = await lose(leases, lambda: server.give(ELSEWHERE), "by pid 7 on elsewhere: nothing")
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    assert server.epochs["r"] == own, "what comes late is refused"
    assert await server.until() == EXPIRY, "the lease of the other one is not touched"
    assert await leases.held_among(["r"]) == {"r"}
    await leases.close()


@on_a_server
async def test_a_run_that_is_no_longer_there_is_lost_too(server: Server) -> None:
    leases = beating(server)
    await lose(leases, lambda: server.inner.run("delete from leases"), "over: nothing")
    await leases.close()


@on_a_server
async def test_who_cancels_a_holder_is_not_told_that_the_run_was_lost(server: Server) -> None:
    leases = beating(server)

    async def hold(by_force: bool) -> None:
        async with leases.hold("r", by_force=by_force):
            held.set()
            await asyncio.Event().wait()

    await lose(leases, lambda: server.give(ELSEWHERE), "over by")
    for by_force in (True, False):
        held = asyncio.Event()
        holding = asyncio.create_task(hold(by_force))
        await held.wait()
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        assert await server.until() == -server.state.now
    await leases.close()


@on_a_server
async def test_one_run_that_is_lost_does_not_stop_another(server: Server) -> None:
    leases = beating(server)

    async with leases.hold("q"):
        taking = lose(leases, lambda: server.give(ELSEWHERE), "over by")
        await asyncio.create_task(taking)
        server.state.now += 5

        async def beaten() -> bool:
            return await server.until("q") == EXPIRY

        await comes(beaten)
    await leases.close()


@on_a_server
async def test_a_server_that_is_away_stops_nobody(server: Server) -> None:
    leases = beating(server)
    async with leases.hold("r"):
        server.state.away = True
        asked = len(server.state.asked)

        async def asked_again() -> bool:
            await server.until()
            return len(server.state.asked) > asked + 3

        await comes(asked_again)
        server.state.away, server.state.now = False, server.state.now + 5

        async def beaten() -> bool:
            return await server.until() == EXPIRY

        await comes(beaten)
    await leases.close()


@on_a_server
async def test_a_server_that_was_away_learns_later_what_is_done_with(server: Server) -> None:
    leases = beating(server)
    async with leases.hold("r"):
        server.state.away = True
    assert await server.until() == EXPIRY
    assert "r" in server.epochs
    server.state.away = False

    async def free() -> bool:
        return await server.until() == -server.state.now and not server.epochs

    await comes(free)
    server.state.asked.clear()
    for _ in range(20):
        await server.until()
    assert server.state.asked == [], "it is told once"
    await leases.close()


@on_a_server
async def test_a_run_let_go_of_meanwhile_is_not_lost(server: Server) -> None:
    """The heart asks who has taken a run; before it is told, the holder is done with it."""
    leases, let_go, done = beating(server), asyncio.Event(), asyncio.Event()

    async def before(query: str) -> None:
        if query.startswith("select holder"):
            let_go.set()
            await done.wait()

    async with leases.hold("q"):
        async with leases.hold("r"):
            server.state.before = before
            await server.give(ELSEWHERE)
            await let_go.wait()
        done.set()
        server.state.now += 5

        async def beaten() -> bool:
            return await server.until("q") == EXPIRY

        await comes(beaten)
    await leases.close()


@on_a_server
async def test_a_run_taken_back_meanwhile_is_not_lost(server: Server) -> None:
    leases, asked, done = beating(server), asyncio.Event(), asyncio.Event()

    async def before(query: str) -> None:
        if query.startswith("select holder"):
            asked.set()
            await done.wait()

    async with leases.hold("r"):
        server.state.before = before
        await server.give(ELSEWHERE)
        await asked.wait()
    async with leases.hold("r", by_force=True):
        done.set()
        server.state.now += 5

        async def beaten() -> bool:
            return await server.until() == EXPIRY

        await comes(beaten)
    await leases.close()


@on_a_server
async def test_once_closed_no_heart_beats(server: Server) -> None:
    leases, before = beating(server), asyncio.all_tasks()
    async with leases.hold("r"):
        assert len(asyncio.all_tasks() - before) == 1
        await leases.close()
        assert asyncio.all_tasks() == before
    await still(server).close()


@on_a_server
async def test_the_leases_of_runs_that_nobody_executes_end_with_the_transaction(
    server: Server,
) -> None:
    for run, left in (("free", -1), ("held", 1), ("other", -1)):
        await server.give(ELSEWHERE, run, left=left)
    async with still(server).end(server, ["free", "held", "new"]) as (inside, free):
        assert free == ["free", "new"]
        await inside.run("delete from leases where run = 'other'")
    assert [await server.number(run) for run in ("free", "other")] == [None, None]
    assert await server.until("free") is None
    assert (await server.number("held"), await server.until("held")) == (
        (5, ELSEWHERE.as_text()),
        1,
    )


@on_a_server
async def test_a_lease_does_not_end_when_the_transaction_fails(server: Server) -> None:
    await server.give(ELSEWHERE, left=-1)
    with pytest.raises(RunError, match="full"):
        async with still(server).end(server, ["r"]):
            raise RunError("the disk is full")
    assert await server.until() == -1


async def known() -> frozenset[str]:
    return frozenset({"known"})


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_sweep_removes_what_is_left_of_unknown_runs_that_nobody_holds(dry_run: bool) -> None:
    runs = ("known", "held", "loose", "lost")

    @on_a_server
    async def sweep(server: Server) -> None:
        for run, left in zip(runs, (-1, 1, -1, -9), strict=True):
            await server.give(ELSEWHERE, run, left=left)
        await server.inner.run("insert into heartbeats values ('stray', 0)")
        leases = still(server)
        assert await leases.sweep(known, dry_run=dry_run) == 2
        there = [run for run in runs if await server.number(run) is not None]
        beats = [run for run in (*runs, "stray") if await server.until(run) is not None]
        if dry_run:
            assert (there, beats) == ([*runs], [*runs, "stray"])
        else:
            assert (there, beats) == (["known", "held"], ["known", "held"])
        await leases.close()

    sweep()


@on_a_server
async def test_a_run_that_begins_during_a_sweep_keeps_its_lease(server: Server) -> None:
    for run in ("r", "q", "loose"):
        await server.give(ELSEWHERE, run, left=-1)

    async def meanwhile() -> frozenset[str]:
        await server.give(ELSEWHERE, "r")
        await server.give(ELSEWHERE, "q")
        return frozenset()

    leases = still(server)
    await leases.sweep(meanwhile, dry_run=False)
    assert await server.until("r") == await server.until("q") == EXPIRY
    assert await server.number("loose") is None
    await leases.close()
