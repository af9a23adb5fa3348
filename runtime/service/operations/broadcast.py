"""BROADCAST_UPDATE and REQUEST_ASSISTANCE: messages of a form of their own (C20)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent

from ..contract import message_requests as asked
from ..contract import message_responses as told
from ..records.messages import ALL
from ..records.tokens import Caller
from .executions import Executing
from .messages import draft, writable, written
from .status import Standing

_PRIORITY: dict[asked.Urgency, asked.MessagePriority] = {
    "info": "normal",
    "attention": "high",
    "action_required": "high",
    "critical": "urgent",
}
"""How urgent a broadcast is, as the priority of its message."""


async def broadcast_update(
    executing: Executing, caller: Caller, request: asked.BroadcastUpdate
) -> told.UpdateBroadcast:
    """BROADCAST_UPDATE (C20): information for everybody else, the rest of it in `data`."""
    content = request.content
    drafted = draft(
        request.sender_agent_id,
        content.summary,
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
    team, _ = await writable(executing, caller, request.execution_id, drafted)
    sent = await team.send(drafted)
    return told.UpdateBroadcast(
        broadcast_id=sent.id,
        position=sent.number,
        recipients=[id for id in team.agents if sent.is_for(id)],
        timestamp=sent.time,
    )


async def request_assistance(
    executing: Executing, caller: Caller, request: asked.RequestAssistance
) -> told.AssistanceRequested:
    """REQUEST_ASSISTANCE (C20): a request that wants a response, to those that are named, else to
    everybody else."""
    details = request.request_details
    drafted = draft(
        request.requester_agent_id,
        details.description,
        recipients=list(request.target_agents) or [ALL],
        kind="request",
        priority=details.priority,
        requires_response=True,
        response_deadline=written(details.deadline),
        data={
            "assistance_type": request.assistance_type,
            "required_capabilities": list(request.required_capabilities),
            "context": details.context,
        },
    )
    team, standing = await writable(executing, caller, request.execution_id, drafted)
    sent = await team.send(drafted)
    responders = [
        told.Responder(
            agent_id=agent.id,
            role=agent.role,
            capability_match=capability_match(agent, request.required_capabilities),
            availability=_availability(standing, agent),
        )
        for agent in team.agents.values()
        if sent.is_for(agent.id)
    ]
    return told.AssistanceRequested(
        request_id=sent.id,
        position=sent.number,
        timestamp=sent.time,
        potential_responders=sorted(responders, key=lambda r: -(r.capability_match or 0)),
        broadcast_sent=sent.recipients == [ALL],
    )


def capability_match(agent: Agent, wanted: Collection[str]) -> float | None:
    """The share of the capabilities that stand in what is known of an agent: its role, its tools,
    its instructions; 0 to 1, None when none is wanted. Only whole words count, in any case."""
    if not wanted:
        return None
    instructions = agent.system.value if isinstance(agent.system, Literal) else ""
    known = _plain([agent.role, *agent.tools, str(instructions)])
    found = sum(f" {_plain([one])} " in f" {known} " for one in wanted)
    return round(found / len(wanted), 3)


def _plain(texts: Sequence[str]) -> str:
    """The words of texts, with a space between them and " . " between texts."""
    return " . ".join(" ".join(re.findall(r"[^\W_]+", text.casefold())) for text in texts)


def _availability(standing: Standing, agent: Agent) -> told.Availability:
    """Nobody is at work in an execution that is paused; who has an assignment is busy."""
    if standing.status == "paused":
        return "unavailable"
    return "busy" if any(a.agent == agent.id for a in standing.open) else "available"
