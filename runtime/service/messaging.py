"""SEND_MESSAGE, and the messages of an execution for whoever reads them (C20)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from flowc.compiler.ir import Agent

from . import answers as told
from . import requests as asked
from .access import Caller
from .executing import Executing
from .faults import ServiceFault
from .messages import ALL, Messages, StoredMessage
from .progressing import now, standing_of
from .register import made_id
from .requests import LONGEST_MESSAGE
from .standing import Standing

SHOWN = 50
"""Messages that a status shows at most: the latest."""


async def send_message(
    executing: Executing, caller: Caller, request: asked.SendMessage
) -> told.MessageSent:
    """SEND_MESSAGE (C20). People read it at once; a model finds it when its next step begins."""
    standing = await standing_of(executing, caller, request.execution_id)
    if standing.status in ("completed", "failed"):
        raise ServiceFault(
            "EXECUTION_NOT_ACTIVE",
            f"execution {request.execution_id} is {standing.status}",
            execution=request.execution_id,
        )
    agents = {agent.id: agent for agent in standing.workflow.agents}
    recipients = _recipients(agents, request)
    content = request.content
    sent = await Messages(executing.db).send(
        StoredMessage(
            execution=request.execution_id,
            number=0,
            id=made_id("msg"),
            sender=request.sender_agent_id,
            role=agents[request.sender_agent_id].role,
            recipients=[ALL] if ALL in request.recipient_agent_ids else recipients,
            kind=request.message_type,
            text=content.text,
            data=content.data,
            attachments=content.attachments,
            priority=request.priority,
            requires_response=request.requires_response,
            context_reference=request.context_reference,
            time=now(executing),
        )
    )
    return told.MessageSent(
        message_id=sent.id,
        position=sent.number,
        timestamp=sent.time,
        delivery_status=told.DeliveryStatus(
            delivered_to=[id for id in recipients if agents[id].person],
            failed_delivery=[],
            pending_delivery=[id for id in recipients if not agents[id].person],
        ),
    )


def _recipients(agents: Mapping[str, Agent], request: asked.SendMessage) -> list[str]:
    """The agents that it is for. Raises `ServiceFault` for what the rules refuse."""
    fault = partial(ServiceFault, execution=request.execution_id)
    sender, asked_for = request.sender_agent_id, list(dict.fromkeys(request.recipient_agent_ids))
    known = ", ".join(agents) or "nobody"
    if sender not in agents:
        raise fault("AGENT_NOT_FOUND", f"`{sender}` is not in the team, which is {known}")
    if len(request.content.text) > LONGEST_MESSAGE:
        raise fault(
            "MESSAGE_TOO_LONG",
            f"content.text has {len(request.content.text)} characters, the most are"
            f" {LONGEST_MESSAGE}",
        )
    if sender in asked_for:
        raise fault("INVALID_RECIPIENT", f"`{sender}` is the sender", agents=(sender,))
    if ALL in asked_for:
        if len(asked_for) > 1:
            raise fault("INVALID_RECIPIENT", f"`{ALL}` stands alone: it is everybody")
        return [id for id in agents if id != sender]
    strange = next((id for id in asked_for if id not in agents), None)
    if strange is not None:
        raise fault("INVALID_RECIPIENT", f"`{strange}` is not in the team, which is {known}")
    return asked_for


async def get_messages(
    executing: Executing, caller: Caller, execution: str, agent: str | None, after: int, limit: int
) -> told.MessageList:
    """The messages of an execution behind a position, the oldest first; those for one `agent`, or
    all. Raises `ServiceFault` for an agent who is not of the team."""
    standing = await standing_of(executing, caller, execution)
    known = [member.id for member in standing.workflow.agents]
    if agent is not None and agent not in known:
        raise ServiceFault(
            "AGENT_NOT_FOUND",
            f"`{agent}` is not in the team, which is {', '.join(known) or 'nobody'}",
            execution=execution,
        )
    found = await Messages(executing.db).of(execution, after)
    own = [m for m in found if agent is None or m.is_for(agent)]
    return told.MessageList(messages=[_told(m) for m in own[:limit]], total_count=len(own))


async def latest_messages(executing: Executing, standing: Standing) -> list[told.Message]:
    """The last messages of an execution, as its status shows them."""
    found = await Messages(executing.db).of(standing.execution.id)
    return [_told(message) for message in found[-SHOWN:]]


def _told(message: StoredMessage) -> told.Message:
    return told.Message.model_validate(
        {
            "message_id": message.id,
            "position": message.number,
            "sender_agent_id": message.sender,
            "sender_role": message.role,
            "recipient_agent_ids": message.recipients,
            "message_type": message.kind,
            "content": {
                "text": message.text,
                "data": message.data,
                "attachments": message.attachments,
            },
            "priority": message.priority,
            "timestamp": message.time,
            "requires_response": message.requires_response,
            "context_reference": message.context_reference,
        }
    )
