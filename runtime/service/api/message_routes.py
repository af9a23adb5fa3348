"""GET_MESSAGES as a path: what it is asked with stands in the query."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Request
from pydantic import BaseModel

from ..contract import message_requests as asked
from ..contract import message_responses as told
from ..contract.requests import ID_PATTERN, Id, Time
from ..operations.messages import get_messages
from .context import Who, made, service_of

AgentId = Annotated[str, Query(min_length=1, max_length=200, pattern=ID_PATTERN)]


def add_message_routes(app: FastAPI) -> None:
    """The path."""

    @app.get(
        "/v1/executions/{execution_id}/messages",
        response_model=told.MessageList,
        operation_id="list_messages",
    )
    async def messages(
        request: Request,
        caller: Who,
        execution_id: Id,
        agent_id: AgentId | None = None,
        message_types: Annotated[list[asked.MessageType] | None, Query(max_length=4)] = None,
        senders: Annotated[list[AgentId] | None, Query(max_length=100)] = None,
        priority: asked.MessagePriority | None = None,
        unread_only: bool = False,
        since_timestamp: Annotated[Time | None, Query()] = None,
        sort_order: asked.SortOrder = "oldest_first",
        after: Annotated[int, Query(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=asked.MOST_LISTED)] = 50,
    ) -> BaseModel:
        """What agents wrote to each other, or to `agent_id` alone, behind a position (C20)."""
        filters = {
            "message_types": message_types,
            "senders": senders,
            "priority": priority,
            "unread_only": unread_only,
            "since_timestamp": since_timestamp,
        }
        given = {
            "execution_id": execution_id,
            "agent_id": agent_id,
            "filters": filters,
            "limit": limit,
            "sort_order": sort_order,
            "after": after,
        }
        executing = service_of(request).executing
        return await get_messages(executing, caller, made(asked.LookAtMessages, given))
