"""The inbox of a service for a client: what waits for the person whose token the server has.

It is looked at and no more: a step of a person is completed by them, on the service's page or with
their own token.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from ..errors import RunError
from .calls import Desk, desk_of

Inbox = Callable[[int, str], Awaitable[dict[str, Any]]]
"""Returns up to so many executions' tasks behind an id. Raises `RunError`."""


async def list_inbox(
    ctx: Context[Desk],
    limit: Annotated[int, Field(ge=1, le=100, description="Executions to look at.")] = 50,
    after: Annotated[str, Field(description="`next_after` of the answer before.")] = "",
) -> dict[str, Any]:
    """What waits for your person in the executions of a service: tell them, and where they do it.
    No call of yours completes it."""
    inbox = desk_of(ctx).inbox
    if inbox is None:
        raise RunError("no service is named", help="start the server with --service URL")
    return {"success": True, **await inbox(limit, after)}
