"""FRONTENDS: the one place where a format registers."""

from __future__ import annotations

from ..reading.protocol import Frontend
from ..source.source import Source
from .contract.frontend import CONTRACT
from .flow.frontend import FLOW
from .flowchart.frontend import FLOWCHART, MERMAID
from .machine.frontend import MACHINE
from .plan.frontend import PLAN
from .steps.parse import STEPS

FRONTENDS: tuple[Frontend, ...] = (STEPS, FLOWCHART, MERMAID, MACHINE, PLAN, CONTRACT, FLOW)
SURE = 50
"""A claim from which on a file counts as a workflow without having been named."""


def by_name(name: str) -> Frontend | None:
    """The front end of that name, if there is one."""
    return next((f for f in FRONTENDS if f.name == name), None)


def is_workflow(source: Source) -> bool:
    """Whether a file that nobody named is surely one: a page about a format, say, is not."""
    return any(f.claims(source) >= SURE for f in FRONTENDS)


def detect(source: Source) -> list[Frontend]:
    """The formats that claim the file, the surest first. Two with the same claim are ambiguous."""
    claims = [(f.claims(source), f) for f in FRONTENDS]
    return [f for n, f in sorted(claims, key=lambda c: -c[0]) if n > 0]
