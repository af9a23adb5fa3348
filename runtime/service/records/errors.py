"""Faults of the service in the contract's form: a code, a message, a context, recovery options.

The first eight codes are the contract's own (C18), `MessageCode` those of messages (C20),
TEAM_NOT_FOUND and INVALID_TEAM_CONFIG those of teams (C9), the others ours (C24).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

MessageCode = Literal[
    "AGENT_NOT_FOUND",
    "MESSAGE_NOT_FOUND",
    "INVALID_RECIPIENT",
    "MESSAGE_TOO_LONG",
    "RESPONSE_NOT_REQUIRED",
    "RESPONSE_DEADLINE_PASSED",
]
OwnCode = Literal[
    "WORKFLOW_NOT_FOUND",
    "EXECUTION_NOT_FOUND",
    "INVALID_WORKFLOW_DEFINITION",
    "MISSING_REQUIRED_ROLES",
    "STEP_DEPENDENCIES_NOT_MET",
    "ASSIGNMENT_NOT_FOUND",
    "QUALITY_GATE_FAILED",
    "WORKFLOW_TIMEOUT",
    "INVALID_REQUEST",
    "TEAM_NOT_FOUND",
    "WEBHOOK_NOT_FOUND",
    "CHECKPOINT_NOT_FOUND",
    "INVALID_TEAM_CONFIG",
    "AGENT_NOT_ELIGIBLE",
    "EXECUTION_NOT_ACTIVE",
    "INVALID_RESUME_TOKEN",
    "FORBIDDEN",
    "UNAUTHENTICATED",
    "TOO_MANY_REQUESTS",
    "CONFLICT",
    "UNAVAILABLE",
    "INTERNAL",
]
FaultCode = OwnCode | MessageCode
OF_MESSAGES: frozenset[str] = frozenset(get_args(MessageCode))
"""Their answers carry `details` and `suggested_action` too, as the contract of messages has it."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A code with its HTTP status and what usually helps."""

    code: FaultCode
    status: int
    recovery: tuple[str, ...]


FAULTS: tuple[FaultKind, ...] = (
    FaultKind("WORKFLOW_NOT_FOUND", 404, ("list the workflows: GET /v1/workflows",)),
    FaultKind("EXECUTION_NOT_FOUND", 404, ("list the executions: GET /v1/executions",)),
    FaultKind("INVALID_WORKFLOW_DEFINITION", 422, ("correct the definition and create it again",)),
    FaultKind("MISSING_REQUIRED_ROLES", 409, ("create a team that has every required role",)),
    FaultKind("STEP_DEPENDENCIES_NOT_MET", 409, ("complete the pending steps first",)),
    FaultKind("ASSIGNMENT_NOT_FOUND", 404, ("ask for the execution's status: active_steps",)),
    FaultKind(
        "QUALITY_GATE_FAILED", 409, ("improve the step and complete it again in a new execution",)
    ),
    FaultKind("WORKFLOW_TIMEOUT", 409, ("resume with reset_timeout",)),
    FaultKind("INVALID_REQUEST", 422, ("correct the fields that the message names",)),
    FaultKind("TEAM_NOT_FOUND", 404, ("create the team: POST /v1/teams",)),
    FaultKind("WEBHOOK_NOT_FOUND", 404, ("list the webhooks: GET /v1/webhooks",)),
    FaultKind(
        "CHECKPOINT_NOT_FOUND", 404, ("list the checkpoints: GET /v1/executions/ID/checkpoints",)
    ),
    FaultKind("INVALID_TEAM_CONFIG", 422, ("correct the team and create it again",)),
    FaultKind(
        "AGENT_NOT_ELIGIBLE",
        409,
        ("choose an agent of the team with the step's role", "set override_role_check"),
    ),
    FaultKind("EXECUTION_NOT_ACTIVE", 409, ("ask for the execution's status",)),
    FaultKind("INVALID_RESUME_TOKEN", 403, ("use the token that the last pause answered",)),
    FaultKind("AGENT_NOT_FOUND", 404, ("name an agent of the execution's team by its agent_id",)),
    FaultKind(
        "INVALID_RECIPIENT", 422, ("name other agents of the team", 'or send to ["ALL"] alone')
    ),
    FaultKind("MESSAGE_NOT_FOUND", 404, ("list the messages: GET …/messages?agent_id=ID",)),
    FaultKind("RESPONSE_NOT_REQUIRED", 409, ("send a message of its own: SEND_MESSAGE",)),
    FaultKind("RESPONSE_DEADLINE_PASSED", 409, ("send a message of its own: SEND_MESSAGE",)),
    FaultKind("MESSAGE_TOO_LONG", 422, ("shorten content.text", "send data in parts")),
    FaultKind("FORBIDDEN", 403, ("use a token with the scope that this needs",)),
    FaultKind("UNAUTHENTICATED", 401, ("send the header Authorization: Bearer TOKEN",)),
    FaultKind("TOO_MANY_REQUESTS", 429, ("wait as long as the header Retry-After says",)),
    FaultKind("CONFLICT", 409, ("use another idempotency key for another request",)),
    FaultKind("UNAVAILABLE", 503, ("try again in a moment",)),
    FaultKind("INTERNAL", 500, ("tell whoever runs the service: its log says more",)),
)
_BY_CODE = {kind.code: kind for kind in FAULTS}
_FORM = {"success", "error_code", "error_message", "execution_context", "recovery_options"}
_FORM |= {"details", "suggested_action"}


class ServiceFault(Exception):
    """An operation that cannot be done. Nothing has changed unless the message says so."""

    def __init__(
        self,
        code: FaultCode,
        message: str,
        *,
        execution: str = "",
        step: str = "",
        agents: tuple[str, ...] = (),
        recovery: tuple[str, ...] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.execution = execution
        self.step = step
        self.agents = agents
        self.recovery = recovery or _BY_CODE[code].recovery
        self.details = details or {}

    @property
    def status(self) -> int:
        """The HTTP status."""
        return _BY_CODE[self.code].status

    def as_answer(self) -> dict[str, Any]:
        """Return the contract's form of an error. `details` stand beside it, those of messages
        below a key of their own."""
        beside = self.details
        if self.code in OF_MESSAGES:
            beside = {"details": self.details, "suggested_action": self.recovery[0]}
        return {
            "success": False,
            "error_code": self.code,
            "error_message": self.message,
            "execution_context": {
                "execution_id": self.execution,
                "current_step": self.step,
                "affected_agents": list(self.agents),
            },
            "recovery_options": list(self.recovery),
            **beside,
        }

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> ServiceFault:
        """Return the fault whose `as_answer` this is."""
        context = answer["execution_context"]
        beside = {name: value for name, value in answer.items() if name not in _FORM}
        return cls(
            answer["error_code"],
            answer["error_message"],
            execution=context["execution_id"],
            step=context["current_step"],
            agents=tuple(context["affected_agents"]),
            recovery=tuple(answer["recovery_options"]),
            details={**(answer.get("details") or {}), **beside},
        )
