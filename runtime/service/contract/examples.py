"""A request of each operation, as the OpenAPI description shows it; without its execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EXECUTION = "ex-5f0c3a9d2b7e4816"
_ANA, _BEN = "agent-0c1d2e3f4a5b6c7d", "agent-8e9f0a1b2c3d4e5f"
_MESSAGE = "msg-1a2b3c4d5e6f7a8b"
_DEADLINE = "2030-01-31T17:00:00+00:00"

EXAMPLES: Mapping[str, dict[str, Any]] = {
    "EXECUTE_WORKFLOW": {
        "workflow_id": "wf-3fa1f1504f422252",
        "team_id": "team-77c2d1b0a9e8f706",
        "execution_config": {"timeout_minutes": 240, "quality_enforcement": "lenient"},
    },
    "GET_WORKFLOW_STATUS": {"include_details": True, "include_metrics": True},
    "ASSIGN_TASK": {
        "step_id": "gather",
        "agent_id": _BEN,
        "assignment_config": {"priority": "high", "context": {"archive": "Kiel"}},
        "override_role_check": True,
    },
    "COMPLETE_STEP": {
        "assignment_id": "as-9b8a7c6d5e4f3a2b",
        "completion_data": {
            "status": "completed",
            "output": "three sources",
            "quality_self_assessment": 0.9,
        },
        "handoff_data": {"sources": ["A", "B", "C"]},
    },
    "PAUSE_WORKFLOW": {"pause_type": "graceful", "pause_reason": "the archive is closed"},
    "RESUME_WORKFLOW": {
        "resume_token": "the token that the pause answered",
        "resume_config": {"update_deadlines": True},
    },
    "SEND_MESSAGE": {
        "sender_agent_id": _ANA,
        "recipient_agent_ids": [_BEN],
        "message_type": "request",
        "content": {"text": "Which years?", "data": {"archive": "Kiel"}},
        "priority": "high",
        "requires_response": True,
        "response_deadline": _DEADLINE,
    },
    "GET_MESSAGES": {
        "agent_id": _BEN,
        "filters": {"message_types": ["request"], "unread_only": True},
        "limit": 20,
        "sort_order": "newest_first",
    },
    "MARK_MESSAGE_READ": {"agent_id": _BEN, "message_ids": [_MESSAGE]},
    "RESPOND_TO_MESSAGE": {
        "responder_agent_id": _BEN,
        "original_message_id": _MESSAGE,
        "response_content": {"text": "1871 to 1918", "status": "completed"},
    },
    "BROADCAST_UPDATE": {
        "sender_agent_id": _ANA,
        "update_type": "discovery",
        "content": {
            "summary": "The register of 1890 is complete.",
            "impact": "Step two can begin a day earlier.",
            "action_required": False,
        },
        "urgency": "attention",
    },
    "REQUEST_ASSISTANCE": {
        "requester_agent_id": _ANA,
        "assistance_type": "review",
        "required_capabilities": ["statistics"],
        "request_details": {
            "description": "Is the sample large enough?",
            "deadline": _DEADLINE,
            "priority": "high",
        },
    },
}


def shown(name: str, *, whole: bool) -> dict[str, Any]:
    """The example in the words of OpenAPI, beside the body's schema; `whole` with the execution."""
    value = EXAMPLES[name]
    if whole and name != "EXECUTE_WORKFLOW":
        value = {"execution_id": EXECUTION, **value}
    content = {"application/json": {"examples": {name.lower(): {"value": value}}}}
    return {"requestBody": {"content": content}}
