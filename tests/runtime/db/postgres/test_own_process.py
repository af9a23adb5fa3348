"""A process that meets itself: one of its tasks holds the run that another one wants."""

from __future__ import annotations

import pytest
from flowc.runtime.db.fence import Holder, NotHeld
from flowc.runtime.errors import RunError
from row_leases import Server, on_a_server, still


@on_a_server
async def test_a_process_meets_itself(server: Server) -> None:
    leases = still(server)
    async with leases.hold("r"):
        with pytest.raises(NotHeld, match=f"pid {Holder.here().pid}"):
            async with leases.hold("r"):
                pass
        assert await leases.held_among(["r"]) == {"r"}
    await leases.close()


@on_a_server
async def test_a_process_meets_itself_before_the_server_has_said_that_it_holds_the_run(
    server: Server,
) -> None:
    leases, found = still(server), []

    async def meet() -> None:
        server.state.committed = None
        with pytest.raises(NotHeld, match=f"pid {Holder.here().pid}"):
            async with still(server).hold("r"):
                pass
        found.append(await leases.held_among(["r"]))

    server.state.committed = meet
    async with leases.hold("r"):
        number = await server.number()
        assert number is not None
        assert server.epochs["r"] == number[0]
    assert found == [{"r"}]
    assert (dict(server.epochs), server.epochs.held) == ({}, set())
    await leases.close()


@on_a_server
async def test_a_run_that_could_not_be_taken_is_not_held(server: Server) -> None:
    async def fail() -> None:
        raise RunError("the server went away")

    server.state.committed = fail
    with pytest.raises(RunError, match="went away"):
        async with still(server).hold("r"):
            pass
    assert (dict(server.epochs), server.epochs.held) == ({}, set())


@on_a_server
async def test_who_lost_a_run_to_its_own_process_leaves_it_held(server: Server) -> None:
    leases, other = still(server), still(server)
    async with other.hold("r"):
        number = server.epochs["r"]
        ended = leases.hold("r", by_force=True)
        await ended.__aenter__()
        assert server.epochs["r"] == number + 1
    assert server.epochs.held == {"r"}
    with pytest.raises(NotHeld):
        async with other.hold("r"):
            pass
    await ended.__aexit__(None, None, None)
    assert server.epochs.held == set()
    await leases.close()
    await other.close()


@on_a_server
async def test_what_this_process_left_without_a_word_is_free(server: Server) -> None:
    await server.give(Holder.here())
    leases = still(server)
    assert await leases.held_among(["r"]) == frozenset()
    async with leases.hold("r"):
        assert server.epochs["r"] == 6
    await leases.close()
