"""What the agents that work on a step are given (A29)."""

from __future__ import annotations

from .document import PlanDocument
from .paths import step_paths
from .values import FieldLayout, in_fence

_PLAIN = FieldLayout("* ", "", "\n")


def code_request(document: PlanDocument, id: str) -> str:
    """Return what the agent that writes a step's code gets: the step's ID and the whole document
    (A29). Raise `PlanError` for an unknown step."""
    document.step(id)
    text = document.text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    return f"Step: {id}\n\nDocument:\n\n{in_fence(text, 'markdown', _PLAIN)}"


def fix_request(document: PlanDocument, id: str, code: str, error: str) -> str:
    """Return what the agent that analyses an error gets: the code, the error, and the step's paths
    with their variables resolved (A29). Raise `PlanError`."""
    read, write = step_paths(document, id)
    return (
        f"Step: {id}\nInput Audio: {read}\nOutput Audio: {write}\n\n"
        f"Code:\n\n{in_fence(code, 'python', _PLAIN)}\nError:\n\n{in_fence(error, 'text', _PLAIN)}"
    )
