"""What the agents that work on a step are given (A29)."""

from __future__ import annotations

from .document import PlanDocument
from .paths import step_paths
from .values import Layout, fenced

_PLAIN = Layout("* ", "", "\n")


def code_request(document: PlanDocument, id: str) -> str:
    """For the agent that writes a step's code: the whole document and the step's ID. Raises
    `Refused` for an unknown step."""
    document.step(id)
    text = document.text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    return f"Step: {id}\n\nDocument:\n\n{fenced(text, 'markdown', _PLAIN)}"


def fix_request(document: PlanDocument, id: str, code: str, error: str) -> str:
    """For the agent that analyses an error: the code, the error, and the step's paths with their
    variables resolved. Raises `Refused`."""
    read, write = step_paths(document, id)
    return (
        f"Step: {id}\nInput Audio: {read}\nOutput Audio: {write}\n\n"
        f"Code:\n\n{fenced(code, 'python', _PLAIN)}\nError:\n\n{fenced(error, 'text', _PLAIN)}"
    )
