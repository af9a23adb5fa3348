"""The operations of the service. A row is the only place that lists one: HTTP routes, OpenAPI with
its examples and links, the client and the table in docs/api.md are made from it. Those that look
stand in `list_operations`.
"""

from __future__ import annotations

from . import message_requests, message_responses, requests, responses
from .checkpoint_operations import LOOKING_BACK
from .documents import ContractWorkflow, TeamDocument, TeamText, WorkflowText
from .list_operations import LOOKING
from .operation import Operation
from .operation import OperationLink as Link
from .webhook_operations import WATCHING

_ANA, _BEN = "agent-0c1d2e3f4a5b6c7d", "agent-8e9f0a1b2c3d4e5f"
_MESSAGE = "msg-1a2b3c4d5e6f7a8b"
_DEADLINE = "2030-01-31T17:00:00+00:00"
_RESPONSE = "$response.body#"
_FIRST = f"{_RESPONSE}/initial_assignments/0"

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "CREATE_WORKFLOW",
        "POST /v1/workflows",
        WorkflowText,
        responses.WorkflowCreated,
        "create.create_workflow",
        'a contract\'s JSON, or `{"file_name", "source"}` with a text in any'
        " [dialect](formats/contract.md)",
        documents={
            "contract": (
                ContractWorkflow,
                {
                    "workflow_name": "Study",
                    "workflow_type": "sequential",
                    "steps": [
                        {
                            "step_id": "gather",
                            "required_role": "researcher",
                            "success_criteria": "3 sources",
                        }
                    ],
                },
            ),
            "dialect": (
                requests.SourceWorkflow,
                {
                    "file_name": "greet.flow.yaml",
                    "source": "flow: 1\nname: greet\nstate: {WORD: text}\nnodes:\n"
                    "  - {name: greet, assign: {WORD: '\"hello\"'}}\n",
                },
            ),
        },
        links=(Link("execute", "EXECUTE_WORKFLOW", {"workflow_id": f"{_RESPONSE}/workflow_id"}),),
    ),
    Operation(
        "CREATE_TEAM",
        "POST /v1/teams",
        TeamText,
        responses.TeamCreated,
        "create.create_team",
        '2 to 5 agents with different roles; `"type": "person"` makes one a person',
        documents={
            "team": (
                TeamDocument,
                {
                    "team_name": "Hedge",
                    "team_type": "research",
                    "agent_roles": [
                        {"role_name": "researcher", "type": "person"},
                        {"role_name": "analyst", "agent_config": {"model": "gpt-5-mini"}},
                    ],
                },
            )
        },
        links=(Link("execute", "EXECUTE_WORKFLOW", {"team_id": f"{_RESPONSE}/team_id"}),),
    ),
    Operation(
        "EXECUTE_WORKFLOW",
        "POST /v1/executions",
        requests.ExecuteWorkflow,
        responses.WorkflowExecuted,
        "create.execute_workflow",
        "starts at once; the first assignments are in the answer",
        example={
            "workflow_id": "wf-3fa1f1504f422252",
            "team_id": "team-77c2d1b0a9e8f706",
            "execution_config": {"timeout_minutes": 240, "quality_enforcement": "lenient"},
        },
        links=(
            Link("status", "GET_WORKFLOW_STATUS"),
            Link("messages", "GET_MESSAGES"),
            Link("pause", "PAUSE_WORKFLOW"),
            Link("complete", "COMPLETE_STEP", {"assignment_id": f"{_FIRST}/assignment_id"}),
            Link("write", "BROADCAST_UPDATE", {"sender_agent_id": f"{_FIRST}/agent_id"}),
        ),
    ),
    Operation(
        "GET_WORKFLOW_STATUS",
        "GET /v1/executions/{execution_id}",
        requests.StatusQuery,
        responses.WorkflowStatus,
        "control.get_workflow_status",
        "`?include_details=true&include_metrics=true`",
        "read",
        {"include_details": True, "include_metrics": True},
    ),
    Operation(
        "ASSIGN_TASK",
        "POST /v1/executions/{execution_id}/assignments",
        requests.AssignTaskBody,
        responses.TaskAssigned,
        "assignments.assign_task",
        "a step that can start, to another agent",
        example={
            "step_id": "gather",
            "agent_id": _BEN,
            "assignment_config": {"priority": "high", "context": {"archive": "Kiel"}},
            "override_role_check": True,
        },
    ),
    Operation(
        "COMPLETE_STEP",
        "POST /v1/executions/{execution_id}/completions",
        requests.CompleteStepBody,
        responses.StepCompleted,
        "assignments.complete_step",
        "by a person; a model completes its own",
        example={
            "assignment_id": "as-9b8a7c6d5e4f3a2b",
            "completion_data": {
                "status": "completed",
                "output": "three sources",
                "quality_self_assessment": 0.9,
            },
            "handoff_data": {"sources": ["A", "B", "C"]},
        },
    ),
    Operation(
        "PAUSE_WORKFLOW",
        "POST /v1/executions/{execution_id}/pause",
        requests.PauseWorkflowBody,
        responses.WorkflowPaused,
        "control.pause_workflow",
        "graceful or immediate; the answer holds the resume token, which opens once",
        example={"pause_type": "graceful", "pause_reason": "the archive is closed"},
        links=(Link("resume", "RESUME_WORKFLOW", {"resume_token": f"{_RESPONSE}/resume_token"}),),
    ),
    Operation(
        "RESUME_WORKFLOW",
        "POST /v1/executions/{execution_id}/resume",
        requests.ResumeWorkflowBody,
        responses.WorkflowResumed,
        "control.resume_workflow",
        example={
            "resume_token": "the token that the pause answered",
            "resume_config": {"update_deadlines": True},
        },
    ),
    Operation(
        "SEND_MESSAGE",
        "POST /v1/executions/{execution_id}/messages",
        message_requests.SendMessageBody,
        message_responses.MessageSent,
        "messages.send_message",
        'from an agent of the team to [others](#messages), or to `["ALL"]`',
        example={
            "sender_agent_id": _ANA,
            "recipient_agent_ids": [_BEN],
            "message_type": "request",
            "content": {"text": "Which years?", "data": {"archive": "Kiel"}},
            "priority": "high",
            "requires_response": True,
            "response_deadline": _DEADLINE,
        },
        links=(
            Link(
                "respond", "RESPOND_TO_MESSAGE", {"original_message_id": f"{_RESPONSE}/message_id"}
            ),
            Link("read", "MARK_MESSAGE_READ", {"message_ids": [f"{_RESPONSE}/message_id"]}),
        ),
    ),
    Operation(
        "GET_MESSAGES",
        "GET /v1/executions/{execution_id}/messages",
        message_requests.MessageQuery,
        message_responses.MessageList,
        "messages.get_messages",
        "`?agent_id=ID&unread_only=true&after=POSITION&limit=50`, the oldest first",
        "read",
        {
            "agent_id": _BEN,
            "filters": {"message_types": ["request"], "unread_only": True},
            "limit": 20,
            "sort_order": "newest_first",
        },
        by_name=message_requests.GetMessages,
    ),
    Operation(
        "MARK_MESSAGE_READ",
        "POST /v1/executions/{execution_id}/messages/read",
        message_requests.MarkMessageReadBody,
        message_responses.MessagesRead,
        "messages.mark_message_read",
        "by an agent that they were written to",
        example={"agent_id": _BEN, "message_ids": [_MESSAGE]},
    ),
    Operation(
        "RESPOND_TO_MESSAGE",
        "POST /v1/executions/{execution_id}/messages/responses",
        message_requests.RespondToMessageBody,
        message_responses.MessageAnswered,
        "messages.respond_to_message",
        "`completed`, `partial`, `unable` or `delegated`",
        example={
            "responder_agent_id": _BEN,
            "original_message_id": _MESSAGE,
            "response_content": {"text": "1871 to 1918", "status": "completed"},
        },
    ),
    Operation(
        "BROADCAST_UPDATE",
        "POST /v1/executions/{execution_id}/messages/broadcasts",
        message_requests.BroadcastUpdateBody,
        message_responses.UpdateBroadcast,
        "messages.broadcast_update",
        "to all others",
        example={
            "sender_agent_id": _ANA,
            "update_type": "discovery",
            "content": {
                "summary": "The register of 1890 is complete.",
                "impact": "Step two can begin a day earlier.",
                "action_required": False,
            },
            "urgency": "attention",
        },
    ),
    Operation(
        "REQUEST_ASSISTANCE",
        "POST /v1/executions/{execution_id}/messages/assistance",
        message_requests.RequestAssistanceBody,
        message_responses.AssistanceRequested,
        "messages.request_assistance",
        "from agents that are named, or from all others",
        example={
            "requester_agent_id": _ANA,
            "assistance_type": "review",
            "required_capabilities": ["statistics"],
            "request_details": {
                "description": "Is the sample large enough?",
                "deadline": _DEADLINE,
                "priority": "high",
            },
        },
    ),
    Operation(
        "cancel_execution",
        "POST /v1/executions/{execution_id}/cancel",
        requests.CancelExecution,
        responses.ExecutionCancelled,
        "ending.cancel_execution",
        "ends it for good, also while it is paused; graceful or immediate",
    ),
    Operation(
        "reissue_resume_token",
        "POST /v1/executions/{execution_id}/resume-token",
        requests.Request,
        responses.TokenReissued,
        "control.reissue_resume_token",
        "another token for a pause whose token was lost; scope `admin`",
        "admin",
    ),
    Operation(
        "answer_question",
        "POST /v1/executions/{execution_id}/questions/{question_id:path}",
        requests.AnswerQuestion,
        responses.WorkflowStatus,
        "control.answer_question",
        "what waits for a person and is not a step: an approval gate",
    ),
    Operation(
        "events",
        "GET /v1/executions/{execution_id}/events",
        requests.Request,
        None,
        "",
        "[what happens](#events), as it happens",
        "read",
    ),
    *LOOKING,
    *LOOKING_BACK,
    *WATCHING,
)


def operation_of(name: str) -> Operation:
    """Return the row of a name."""
    return next(row for row in OPERATIONS if row.name == name)
