"""DIALECTS: the one place where a writer of a format registers."""

from __future__ import annotations

from .contract import write_contract
from .flow import write_flow
from .flowchart import write_flowchart
from .machine import write_machine
from .manuscript import Dialect
from .mermaid import write_picture
from .plan import write_plan
from .steps import write_steps

DIALECTS: tuple[Dialect, ...] = (
    Dialect("flow", ".flow.yaml", write_flow, holds_parts=True),
    Dialect("steps", ".md", write_steps),
    Dialect("flowchart", ".wf.md", write_flowchart, holds_details=True),
    Dialect("machine", ".json", write_machine),
    Dialect("plan", ".md", write_plan),
    Dialect("contract", ".json", write_contract),
    Dialect("mermaid", ".mmd", write_picture),
)


def dialect_named(name: str) -> Dialect | None:
    """The dialect of that name, if it can be written."""
    return next((d for d in DIALECTS if d.name == name), None)
