"""What a client can say about messages: one talk for each operation, as in `talks`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from ..contract import message_requests as asked
from ..contract import message_responses as told
from ..records.messages import ResponseStatus
from .calls import path_of
from .exchange import Talk, get, post


def send_message(
    execution_id: str,
    sender_agent_id: str,
    recipient_agent_ids: Sequence[str],
    content: asked.MessageContent | Mapping[str, Any] | str,
    *,
    message_type: asked.MessageType = "information",
    priority: asked.MessagePriority = "normal",
    requires_response: bool = False,
    response_deadline: datetime | None = None,
    context_reference: str | None = None,
    key: str | None = None,
) -> Talk[told.MessageSent]:
    """SEND_MESSAGE: from one agent of the team to others, or to `["ALL"]`; the content may be its
    text alone. A deadline has an offset, and needs `requires_response`."""
    body = {
        "sender_agent_id": sender_agent_id,
        "recipient_agent_ids": list(recipient_agent_ids),
        "message_type": message_type,
        "content": {"text": content} if isinstance(content, str) else content,
        "priority": priority,
        "requires_response": requires_response,
        "response_deadline": response_deadline,
        "context_reference": context_reference,
    }
    return post(path_of(execution_id, "messages"), told.MessageSent, body, key)


def get_messages(
    execution_id: str,
    agent_id: str | None = None,
    *,
    message_types: Sequence[asked.MessageType] | None = None,
    senders: Sequence[str] | None = None,
    priority: asked.MessagePriority | None = None,
    unread_only: bool = False,
    since_timestamp: datetime | None = None,
    sort_order: asked.SortOrder = "oldest_first",
    after: int = 0,
    limit: int = 50,
) -> Talk[told.MessageList]:
    """GET_MESSAGES: what agents wrote to each other, or to one agent, behind a position. With
    `newest_first` that is what came before it."""
    query = {
        "agent_id": agent_id,
        "message_types": None if message_types is None else list(message_types),
        "senders": None if senders is None else list(senders),
        "priority": priority,
        "unread_only": unread_only,
        "since_timestamp": None if since_timestamp is None else since_timestamp.isoformat(),
        "sort_order": sort_order,
        "after": after,
        "limit": limit,
    }
    return get(path_of(execution_id, "messages"), told.MessageList, **query)


def mark_message_read(
    execution_id: str, agent_id: str, message_ids: Sequence[str], *, key: str | None = None
) -> Talk[told.MessagesRead]:
    """MARK_MESSAGE_READ: by an agent that they were written to."""
    body = {"agent_id": agent_id, "message_ids": list(message_ids)}
    return post(path_of(execution_id, "messages", "read"), told.MessagesRead, body, key)


def respond_to_message(
    execution_id: str,
    responder_agent_id: str,
    original_message_id: str,
    response_content: asked.ResponseContent | Mapping[str, Any] | str,
    *,
    status: ResponseStatus = "completed",
    additional_recipients: Sequence[str] = (),
    key: str | None = None,
) -> Talk[told.MessageAnswered]:
    """RESPOND_TO_MESSAGE; the content may be its text alone, whose status is `status`."""
    content = response_content
    if isinstance(content, str):
        content = {"text": content, "status": status}
    body = {
        "responder_agent_id": responder_agent_id,
        "original_message_id": original_message_id,
        "response_content": content,
        "additional_recipients": list(additional_recipients),
    }
    return post(path_of(execution_id, "messages", "responses"), told.MessageAnswered, body, key)


def broadcast_update(
    execution_id: str,
    sender_agent_id: str,
    content: asked.UpdateContent | Mapping[str, Any] | str,
    *,
    update_type: Literal["progress", "discovery", "issue", "completion"] = "progress",
    urgency: asked.Urgency = "info",
    key: str | None = None,
) -> Talk[told.UpdateBroadcast]:
    """BROADCAST_UPDATE: to all others; the content may be its summary alone."""
    body = {
        "sender_agent_id": sender_agent_id,
        "update_type": update_type,
        "content": {"summary": content} if isinstance(content, str) else content,
        "urgency": urgency,
    }
    return post(path_of(execution_id, "messages", "broadcasts"), told.UpdateBroadcast, body, key)


def request_assistance(
    execution_id: str,
    requester_agent_id: str,
    request_details: asked.RequestDetails | Mapping[str, Any] | str,
    *,
    assistance_type: Literal["expertise", "resources", "review", "collaboration"] = "expertise",
    target_agents: Sequence[str] = (),
    required_capabilities: Sequence[str] = (),
    key: str | None = None,
) -> Talk[told.AssistanceRequested]:
    """REQUEST_ASSISTANCE: from agents that are named, else from all others; the details may be
    their description alone."""
    details = request_details
    body = {
        "requester_agent_id": requester_agent_id,
        "assistance_type": assistance_type,
        "target_agents": list(target_agents),
        "required_capabilities": list(required_capabilities),
        "request_details": {"description": details} if isinstance(details, str) else details,
    }
    path = path_of(execution_id, "messages", "assistance")
    return post(path, told.AssistanceRequested, body, key)
