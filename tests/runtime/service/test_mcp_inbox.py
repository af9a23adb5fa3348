"""An assistant asks a service what waits for its person, and can do no more about it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
from fleet import until
from flowc.runtime.service import Client
from flowc.runtime.service.records.access import ActsFor
from mcp import Client as Assistant
from mcp.client.stdio import StdioServerParameters, stdio_client

from .conftest import contract, team
from .served import Served, served


def key_of(service: Served, name: str, scope: Any, *agents: ActsFor) -> str:
    inside = service.app.state.service
    now = inside.executing.clock()
    return str(service.in_loop(inside.tokens.create(name, scope, None, None, now, agents)))


async def _ask(folder: Path, address: str, key: str) -> tuple[list[str], dict[str, Any]]:
    path = os.pathsep.join(part for part in sys.path if part)
    about = StdioServerParameters(
        command=sys.executable,
        args=["-m", "flowc", "mcp", "--service", address],
        cwd=str(folder),
        env={**os.environ, "PYTHONPATH": path, "FLOWC_TOKEN": key},
    )
    async with Assistant(stdio_client(about)) as assistant:
        tools = [tool.name for tool in (await assistant.list_tools()).tools]
        told = await assistant.call_tool("list_inbox", {})
        assert told.structured_content is not None, told
        return tools, dict(told.structured_content)


def ask(folder: Path, address: str, key: str) -> tuple[list[str], dict[str, Any]]:
    return asyncio.run(_ask(folder, address, key))


def test_an_assistant_lists_what_waits_for_its_person(tmp_path: Path) -> None:
    folder = tmp_path / "assistant"
    folder.mkdir()
    with served(tmp_path) as service:
        admin = key_of(service, "root", "admin")
        with Client(service.address, admin) as client:
            made = client.create_workflow(contract())
            crew = client.create_team(team())
            id = client.execute_workflow(made.workflow_id, crew.team_id).execution_id
            until(lambda: bool(client.list_assignments().assignments))
        agents = {agent.role: agent.agent_id for agent in crew.agents}
        ana, ben = (
            key_of(service, name, "operate", ActsFor(agents[role], crew.team_id))
            for name, role in (("ana", "researcher"), ("ben", "analyst"))
        )
        tools, told = ask(folder, service.address, ana)
        (task,) = told["waits_for_person"]
        assert (task["step_id"], task["agent_id"]) == ("gather", agents["researcher"])
        assert task["done_at"] == f"{service.address}/executions/{id}"
        assert ask(folder, service.address, ben)[1]["waits_for_person"] == []
        assert not [name for name in tools if "complete" in name or "answer" in name]
        refused = ask(folder, service.address, "flowc_nobody")[1]
        assert (refused["success"], refused["error"]) == (
            False,
            "the token is unknown or has expired",
        )
