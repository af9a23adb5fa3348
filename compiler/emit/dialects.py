"""DIALECTS: the one place where a writer of a format registers."""

from __future__ import annotations

from .manuscript import Dialect
from .to_contract import write_contract
from .to_flow import write_flow
from .to_flowchart import write_flowchart
from .to_machine import write_machine
from .to_mermaid import write_picture
from .to_plan import write_plan
from .to_steps import write_steps

DIALECTS: tuple[Dialect, ...] = (
    Dialect("flow", ".flow.yaml", write_flow, holds_parts=True),
    Dialect("steps", ".md", write_steps),
    Dialect("flowchart", ".wf.md", write_flowchart),
    Dialect("machine", ".json", write_machine),
    Dialect("plan", ".md", write_plan),
    Dialect("contract", ".json", write_contract),
    Dialect("mermaid", ".mmd", write_picture),
)


def dialect_named(name: str) -> Dialect | None:
    """The dialect of that name, if it can be written."""
    return next((d for d in DIALECTS if d.name == name), None)
