"""What follows from an answer, as OpenAPI links it: what was made is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HERE = {"execution_id": "$request.path.execution_id"}
_BEGUN = {"execution_id": "$response.body#/execution_id"}


def _of(name: str) -> str:
    """The operation's id below an execution."""
    return f"{name}_of_execution"


LINKS: Mapping[str, Mapping[str, Any]] = {
    "CREATE_WORKFLOW": {
        "execute": {
            "operationId": "execute_workflow",
            "requestBody": {"workflow_id": "$response.body#/workflow_id"},
        }
    },
    "CREATE_TEAM": {
        "execute": {
            "operationId": "execute_workflow",
            "requestBody": {"team_id": "$response.body#/team_id"},
        }
    },
    "EXECUTE_WORKFLOW": {
        "status": {"operationId": "get_status", "parameters": _BEGUN},
        "messages": {"operationId": "list_messages", "parameters": _BEGUN},
        "pause": {"operationId": _of("pause_workflow"), "parameters": _BEGUN},
        "complete": {
            "operationId": _of("complete_step"),
            "parameters": _BEGUN,
            "requestBody": {"assignment_id": "$response.body#/initial_assignments/0/assignment_id"},
        },
        "write": {
            "operationId": _of("broadcast_update"),
            "parameters": _BEGUN,
            "requestBody": {"sender_agent_id": "$response.body#/initial_assignments/0/agent_id"},
        },
    },
    "PAUSE_WORKFLOW": {
        "resume": {
            "operationId": _of("resume_workflow"),
            "parameters": _HERE,
            "requestBody": {"resume_token": "$response.body#/resume_token"},
        }
    },
    "SEND_MESSAGE": {
        "respond": {
            "operationId": _of("respond_to_message"),
            "parameters": _HERE,
            "requestBody": {"original_message_id": "$response.body#/message_id"},
        },
        "read": {
            "operationId": _of("mark_message_read"),
            "parameters": _HERE,
            "requestBody": {"message_ids": ["$response.body#/message_id"]},
        },
    },
}
"""By the operation that answers, at its REST path."""


def linked(name: str) -> dict[int | str, dict[str, Any]]:
    """The additional part of a path's responses."""
    found = LINKS.get(name)
    return {200: {"description": "Done.", "links": dict(found)}} if found else {}
