"""What an editor completes in contracts, and where their steps, gates and roles are named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...reading.editing import Editing, Mention, Slot, Suggestion, json_keys, json_value
from .steps import (
    CONFIG_KEYS,
    ENFORCEMENT,
    GATE_KEYS,
    GATE_TYPES,
    STEP_KEYS,
    STEP_TYPES,
    WORKFLOW_KEYS,
    WORKFLOW_TYPES,
    Contract,
)

_TEXT = re.compile(r"\"(?P<word>[^\"]*)\Z")


def _words(texts: tuple[str, ...]) -> tuple[Suggestion, ...]:
    return tuple(Suggestion(text) for text in texts)


def contract_editing() -> Editing:
    """Complete keys and the words they take, steps in dependencies, roles."""
    return Editing(
        slots=(
            Slot(json_value("workflow_type"), words=_words(WORKFLOW_TYPES)),
            Slot(json_value("step_type"), words=_words(STEP_TYPES)),
            Slot(json_value("gate_type"), words=_words(GATE_TYPES)),
            Slot(json_value("quality_enforcement"), words=_words(ENFORCEMENT)),
            Slot(json_value("required_role"), ("role",)),
            Slot(_TEXT, ("node",), path=re.compile(r"steps\.\*\.dependencies\.\*")),
            json_keys("", WORKFLOW_KEYS),
            json_keys(r"steps\.\*", STEP_KEYS),
            json_keys(r"quality_gates\.\*", GATE_KEYS),
            json_keys("execution_config", CONFIG_KEYS),
        ),
        keys="json",
        triggers=('"',),
    )


def contract_mentions(contract: Contract) -> Iterator[Mention]:
    """Yield the places where steps, gates and roles are named."""
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
