"""FRONTENDS: the one place where a format registers."""

from __future__ import annotations

from collections.abc import Callable

from ..reading.details import ReadDetails
from ..reading.editing import Editing
from ..reading.protocol import Frontend
from ..source.source import Source
from .contract.frontend import CONTRACT
from .flow.frontend import FLOW
from .flowchart.frontend import MERMAID, flowchart
from .machine.frontend import MACHINE
from .plan.frontend import PLAN
from .steps.parse import STEPS


def _details() -> tuple[ReadDetails, Callable[[], Editing]]:
    from .flow.details import read_details
    from .flow.editing import details_editing

    return read_details, details_editing


FLOWCHART = flowchart(_details)
FRONTENDS: tuple[Frontend, ...] = (STEPS, FLOWCHART, MERMAID, MACHINE, PLAN, CONTRACT, FLOW)
SURE = 50
"""A claim from which on an unnamed file counts as a workflow."""


def by_name(name: str) -> Frontend | None:
    """Return the front end of that name, or None."""
    return next((f for f in FRONTENDS if f.name == name), None)


def is_workflow(source: Source) -> bool:
    """Return whether a file that nobody named is surely a workflow, and not a page about a
    format."""
    return any(f.claims(source) >= SURE for f in FRONTENDS)


def detect(source: Source) -> list[Frontend]:
    """Return the formats that claim the file, the surest first. Two equal claims are ambiguous."""
    claims = [(f.claims(source), f) for f in FRONTENDS]
    return [f for n, f in sorted(claims, key=lambda c: -c[0]) if n > 0]
