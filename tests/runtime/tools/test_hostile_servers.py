"""Whatever an MCP server says, a call ends in a value or a failure of its node, in time."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

import hostile_mcp_server as server
import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.tools.mcp import McpServer
from flowc.runtime.tools.mcp_connections import end_connections
from flowc.runtime.tools.mcp_servers import ServerSettings
from flowc.runtime.tools.registry import ToolBox

pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
WAYS = (*server.LISTS, *server.CALLS, *server.LINES, *server.ACTS)
FEW = ("a pattern without an end", "numbers that are none", "questions", "no end")
"""Those of `make test`; each starts a process."""
SECONDS = 15.0
MOST_KIB = 300 * 1024
FINE = {
    "a page without an end": "well",
    "many tools": "well",
    "a pattern without an end": "does not match",
    "a schema of itself": "is broken",
    "a schema of a file": "Unresolvable",
    "links to files": "[resource_link]",
    "somebody else's answer": "well",
    "questions": [False, False, False],
    "no end": "is not read: longer than 16,777,216 bytes",
    "brackets": "well",
    "a deep answer": "is not read: it is nested more than",
    "a wide answer": "is not read: it holds more than 2,000,000 values",
    "words without an end": "well",
    "two answers": "one",
}
"""What comes of some of them; a failure of the others says what was wrong."""


def call(way: str) -> object:
    """The value of a call, or the text of its failure."""
    settings = ServerSettings(sys.executable, (str(Path(server.__file__)), way))
    box = ToolBox((McpServer("far", settings, SECONDS),), seconds=SECONDS)

    async def use() -> object:
        try:
            await box.open_all()
            return await box.call("look", {"text": "a" * 60 + "!"})
        except (Failure, RunError) as refused:
            return refused.message
        finally:
            await box.close()

    return asyncio.run(use())


@pytest.mark.parametrize(
    "way", [w if w in FEW else pytest.param(w, marks=pytest.mark.soak) for w in WAYS]
)
def test_a_server_that_lies_ends_nothing_but_its_call(way: str) -> None:
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        said = call(way)
    finally:
        end_connections()
    print(f"{way}: {time.monotonic() - begin:.1f} s, {str(said)[:100]!r}")  # for `pytest -rP`
    assert time.monotonic() - begin < 5 * SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_KIB
    json.dumps(said, allow_nan=False)
    wanted = FINE.get(way, said)
    assert wanted in said if isinstance(said, str) and isinstance(wanted, str) else wanted == said


def test_half_a_character_reaches_a_server() -> None:
    settings = ServerSettings(sys.executable, (str(Path(server.__file__)), "well"))
    box = ToolBox((McpServer("far", settings, SECONDS),), seconds=SECONDS)

    async def use() -> object:
        await box.open_all()
        return await box.call("look", {"text": "\ud800"})

    try:
        assert asyncio.run(use()) == "well"
    finally:
        end_connections()
