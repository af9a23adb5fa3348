"""What an editor completes in contracts, and where their steps, gates and roles are named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...reading.editing import Editing, Mention, Slot, Suggestion
from .steps import ENFORCEMENT, GATE_TYPES, STEP_TYPES, WORKFLOW_TYPES, Contract

_KEY = re.compile(r"(?:^|[{,])[ \t]*\"(?P<word>\w*)\Z")
_TEXT = re.compile(r"\"(?P<word>[^\"]*)\Z")
_WORKFLOW = (
    Suggestion("workflow_name", "what the workflow is called"),
    Suggestion("workflow_type", "sequential, parallel or hybrid"),
    Suggestion("description", "what it is for"),
    Suggestion("steps", "who does what, in which order"),
    Suggestion("quality_gates", "what is judged before it goes on"),
    Suggestion("input_parameters", "what the workflow is about"),
    Suggestion("execution_config", "limits, retries and how strict the gates are"),
)
_STEP = (
    Suggestion("step_id", "its name, unlike any other"),
    Suggestion("step_name", "what people call it"),
    Suggestion("step_type", "task, decision, synchronization or review"),
    Suggestion("required_role", "who does it"),
    Suggestion("estimated_duration", "in minutes"),
    Suggestion("dependencies", "the steps that must be done before"),
    Suggestion("success_criteria", "when it is done"),
    Suggestion("failure_handling", "what to do when it fails"),
)
_GATE = (
    Suggestion("gate_id", "its name, unlike any other"),
    Suggestion("gate_type", "approval, quality_check or milestone"),
    Suggestion("criteria", "what is judged"),
    Suggestion("required_score", "from 0 to 1, of a quality check"),
)
_CONFIG = (
    Suggestion("max_iterations", "attempts in all"),
    Suggestion("timeout_minutes", "how long it may take"),
    Suggestion("auto_retry", "whether a failed step is tried again"),
    Suggestion("quality_enforcement", "strict, lenient or advisory"),
)


def _value(key: str) -> re.Pattern[str]:
    return re.compile(rf"\"{key}\"\s*:\s*\"(?P<word>[^\"]*)\Z")


def _words(texts: tuple[str, ...]) -> tuple[Suggestion, ...]:
    return tuple(Suggestion(text) for text in texts)


def contract_editing() -> Editing:
    """Complete keys and the words they take, steps in dependencies, roles."""
    return Editing(
        slots=(
            Slot(_value("workflow_type"), words=_words(WORKFLOW_TYPES)),
            Slot(_value("step_type"), words=_words(STEP_TYPES)),
            Slot(_value("gate_type"), words=_words(GATE_TYPES)),
            Slot(_value("quality_enforcement"), words=_words(ENFORCEMENT)),
            Slot(_value("required_role"), ("role",)),
            Slot(_TEXT, ("node",), path=re.compile(r"steps\.\*\.dependencies\.\*")),
            Slot(_KEY, words=_WORKFLOW, path=re.compile("")),
            Slot(_KEY, words=_STEP, path=re.compile(r"steps\.\*")),
            Slot(_KEY, words=_GATE, path=re.compile(r"quality_gates\.\*")),
            Slot(_KEY, words=_CONFIG, path=re.compile("execution_config")),
        ),
        keys="json",
        triggers=('"',),
    )


def contract_mentions(contract: Contract) -> Iterator[Mention]:
    """Yield where steps, gates and roles are named."""
    known = {step.id for step in contract.steps}
    for step in contract.steps:
        yield Mention("node", step.id, "define", step.span)
        if step.role is not None:
            yield Mention("role", step.role.text, "name", step.role.span)
        for need in step.needs:
            if need.text in known:
                yield Mention("node", need.text, "name", need.span)
    for gate in contract.gates:
        yield Mention("node", gate.id, "define", gate.span)
