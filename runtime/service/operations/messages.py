"""The operations on messages (C20); a broadcast and a request for help are messages too."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent

from ..contract import message_requests as requests
from ..contract import message_responses as responses
from ..records.access import REQUEST, Caller, id_of_request
from ..records.errors import ServiceFault
from ..records.messages import ALL, StoredMessage, contract_fields
from ..records.metrics import iso
from ..records.tables import StoredExecution
from .correspondence import Correspondence, correspondence_of, last_words
from .dispatch import standing_of
from .executions import Executing
from .status import ENDS, ExecutionState

SHOWN = 50
"""Messages that a status shows at most: the latest."""


async def send_message(
    executing: Executing, caller: Caller, id: str, request: requests.SendMessageBody
) -> responses.MessageSent:
    """SEND_MESSAGE (C20). People read it at once; a model finds it when its next step begins, or
    when it looks."""
    content = request.content
    message = StoredMessage(
        sender=request.sender_agent_id,
        text=content.text,
        recipients=list(request.recipient_agent_ids),
        kind=request.message_type,
        data=content.data,
        attachments=content.attachments,
        priority=request.priority,
        requires_response=request.requires_response,
        response_deadline=utc_text(request.response_deadline),
        context_reference=request.context_reference,
    )
    team, _ = await writable(executing, caller, id, message)
    sent = await team.send(message)
    recipients = [id for id in team.agents if sent.is_for(id)]
    return responses.MessageSent(
        message_id=sent.id,
        position=sent.number,
        timestamp=sent.time,
        delivery_status=responses.DeliveryStatus(
            delivered_to=[id for id in recipients if team.agents[id].person],
            failed_delivery=[],
            pending_delivery=[id for id in recipients if not team.agents[id].person],
        ),
    )


async def respond_to_message(
    executing: Executing, caller: Caller, id: str, request: requests.RespondToMessageBody
) -> responses.MessageAnswered:
    """RESPOND_TO_MESSAGE (C20): to a message that asked for it, by one of its recipients."""
    content = request.response_content
    message = StoredMessage(
        sender=request.responder_agent_id,
        text=content.text,
        data=content.data,
        response_status=content.status,
    )
    team, _ = await writable(executing, caller, id, message)
    sent, updated = await team.respond(
        request.original_message_id, message, request.additional_recipients
    )
    return responses.MessageAnswered(
        response_message_id=sent.id,
        position=sent.number,
        original_message_updated=updated,
        timestamp=sent.time,
    )


async def mark_message_read(
    executing: Executing, caller: Caller, id: str, request: requests.MarkMessageReadBody
) -> responses.MessagesRead:
    """MARK_MESSAGE_READ (C20): the first mark of an agent counts. Also after the end."""
    team = await readable(executing, caller, id)
    agent = request.agent_id
    team.member(agent)
    own = {m.id for m in await team.kept.of(team.execution) if m.is_for(agent)}
    wanted = list(dict.fromkeys(request.message_ids))
    present = [id for id in wanted if id in own]
    seed = REQUEST.get().seed and id_of_request("read")
    fresh = await team.kept.read(team.execution, agent, present, executing.now(), seed)
    return responses.MessagesRead(
        marked_read=[id for id in present if id in fresh],
        not_found=[id for id in wanted if id not in own],
        already_read=[id for id in present if id not in fresh],
    )


async def get_messages(
    executing: Executing, caller: Caller, id: str, request: requests.MessageQuery
) -> responses.MessageList:
    """What agents wrote to each other, or to `agent_id` alone, behind a position (C20)."""
    team = await readable(executing, caller, id)
    agent, filters = request.agent_id, request.filters
    for named in (agent, *(filters.senders or ())):
        if named is not None:
            team.member(named)
    if agent is None and filters.unread_only:
        raise ServiceFault(
            "INVALID_REQUEST", "unread_only needs an agent_id", execution=team.execution
        )
    known = await team.kept.of(team.execution)
    readings = await team.kept.readings(team.execution)
    last = last_words(known)
    own = [
        _as_response(team, m, last, readings.get(m.id, {}), agent)
        for m in known
        if agent is None or m.is_for(agent)
    ]
    fit = [one for one in own if _fits(one, request)]
    if request.sort_order == "newest_first":
        fit.reverse()
    return responses.MessageList(
        messages=fit[: request.limit],
        total_count=len(fit),
        unread_count=sum(not one.read_status for one in own),
    )


async def latest_messages(
    executing: Executing, standing: ExecutionState
) -> list[responses.Message]:
    """Return the last messages of an execution, as its status lists them."""
    team = await correspondence_of(executing, standing.execution)
    known = await team.kept.of(team.execution)
    if not known:
        return []
    readings = await team.kept.readings(team.execution)
    last = last_words(known)
    return [_as_response(team, m, last, readings.get(m.id, {}), None) for m in known[-SHOWN:]]


async def writable(
    executing: Executing, caller: Caller, id: str, message: StoredMessage
) -> tuple[Correspondence, ExecutionState]:
    """Return the messages of an execution that goes on, and its state. Raises `ServiceFault` after
    its end, unless the draft was sent before and only the response was lost."""
    standing = await standing_of(executing, caller, id)
    team = await correspondence_of(executing, standing.execution)
    ended = standing.status in ENDS
    if ended and await team.kept.get(message.id) is None:
        raise standing.refusal("EXECUTION_NOT_ACTIVE", f"execution {id} is {standing.status}")
    return team, standing


async def readable(executing: Executing, caller: Caller, id: str) -> Correspondence:
    """Return the messages of an execution that the caller may see. Raises `ServiceFault`."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    return await correspondence_of(executing, execution)


def utc_text(time: datetime | None) -> str | None:
    """Return a time as it is stored."""
    return None if time is None else iso(time.astimezone(UTC))


def _fits(message: responses.Message, request: requests.MessageQuery) -> bool:
    """Return whether the filters let a message pass."""
    filters, after = request.filters, request.after
    if after and request.sort_order == "newest_first":
        behind = message.position < after
    else:
        behind = message.position > after
    since = filters.since_timestamp
    return (
        behind
        and (filters.message_types is None or message.message_type in filters.message_types)
        and (filters.senders is None or message.sender_agent_id in filters.senders)
        and (filters.priority is None or message.priority == filters.priority)
        and not (filters.unread_only and message.read_status)
        and (since is None or datetime.fromisoformat(message.timestamp) > since)
    )


def _as_response(
    team: Correspondence,
    message: StoredMessage,
    last: Mapping[str, Collection[str]],
    readings: Mapping[str, str],
    agent: str | None,
) -> responses.Message:
    readers = [id for id in team.agents if message.is_for(id)] if agent is None else [agent]
    fields = contract_fields(message)
    beside = {name: fields.pop(name) for name in ("text", "data", "attachments")}
    return responses.Message.model_validate(
        {
            **fields,
            "position": message.number,
            "recipient_agent_ids": message.recipients,
            "content": beside,
            "responses_awaited": team.responses_missing(message, last),
            "read_status": all(id in readings for id in readers),
            "read_by": [{"agent_id": id, "read_at": time} for id, time in readings.items()],
        }
    )


_PRIORITY: dict[requests.Urgency, requests.MessagePriority] = {
    "info": "normal",
    "attention": "high",
    "action_required": "high",
    "critical": "urgent",
}
"""How urgent a broadcast is, as the priority of its message."""


async def broadcast_update(
    executing: Executing, caller: Caller, id: str, request: requests.BroadcastUpdateBody
) -> responses.UpdateBroadcast:
    """BROADCAST_UPDATE (C20): information for everybody else, the rest of it in `data`."""
    content = request.content
    message = StoredMessage(
        sender=request.sender_agent_id,
        text=content.summary,
        recipients=[ALL],
        priority=_PRIORITY[request.urgency],
        data={
            "update_type": request.update_type,
            "details": content.details,
            "impact": content.impact,
            "action_required": content.action_required,
            "urgency": request.urgency,
        },
    )
    team, _ = await writable(executing, caller, id, message)
    sent = await team.send(message)
    return responses.UpdateBroadcast(
        broadcast_id=sent.id,
        position=sent.number,
        recipients=[id for id in team.agents if sent.is_for(id)],
        timestamp=sent.time,
    )


async def request_assistance(
    executing: Executing, caller: Caller, id: str, request: requests.RequestAssistanceBody
) -> responses.AssistanceRequested:
    """REQUEST_ASSISTANCE (C20): a request that wants a response, to those that are named, else to
    everybody else."""
    details = request.request_details
    message = StoredMessage(
        sender=request.requester_agent_id,
        text=details.description,
        recipients=list(request.target_agents) or [ALL],
        kind="request",
        priority=details.priority,
        requires_response=True,
        response_deadline=utc_text(details.deadline),
        data={
            "assistance_type": request.assistance_type,
            "required_capabilities": list(request.required_capabilities),
            "context": details.context,
        },
    )
    team, standing = await writable(executing, caller, id, message)
    sent = await team.send(message)
    responders = [
        responses.Responder(
            agent_id=agent.id,
            role=agent.role,
            capability_match=capability_match(agent, request.required_capabilities),
            availability=_availability(standing, agent),
        )
        for agent in team.agents.values()
        if sent.is_for(agent.id)
    ]
    return responses.AssistanceRequested(
        request_id=sent.id,
        position=sent.number,
        timestamp=sent.time,
        potential_responders=sorted(responders, key=lambda r: -(r.capability_match or 0)),
        broadcast_sent=sent.recipients == [ALL],
    )


def capability_match(agent: Agent, wanted: Collection[str]) -> float | None:
    """Return the share of the capabilities, 0 to 1, that appear as whole words in an agent's role,
    tools or instructions; None when none is wanted."""
    if not wanted:
        return None
    instructions = agent.system.value if isinstance(agent.system, Literal) else ""
    known = _plain([agent.role, *agent.tools, str(instructions)])
    matches = sum(f" {_plain([one])} " in f" {known} " for one in wanted)
    return round(matches / len(wanted), 3)


def _plain(texts: Sequence[str]) -> str:
    """Return the words of texts, with a space between them and " . " between texts."""
    return " . ".join(" ".join(re.findall(r"[^\W_]+", text.casefold())) for text in texts)


def _availability(standing: ExecutionState, agent: Agent) -> responses.Availability:
    """Return the availability: nobody works in a paused execution, and an assignment makes busy."""
    if standing.status == "paused":
        return "unavailable"
    return "busy" if any(a.agent == agent.id for a in standing.open) else "available"
