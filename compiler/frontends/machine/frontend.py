"""State machines: how their files are recognised. What reads them is imported on demand."""

from __future__ import annotations

import re

from ...reading.protocol import Frontend, Reader
from ...source.source import Source

_KEY = re.compile(r'"(workflow_name|contexts|agents|states)"[ \t\r\n]*:')


def claims(source: Source) -> int:
    """Return 90 for JSON with states and agents or contexts, less for only some of the keys."""
    if not source.text.lstrip().startswith("{"):
        return 0
    keys = set(_KEY.findall(source.text))
    if "states" in keys:
        return 90 if keys & {"agents", "contexts"} else 60 if "workflow_name" in keys else 20
    if keys & {"agents", "contexts"}:
        return 70 if "workflow_name" in keys else 20
    return 30 if keys else 0


def _reader() -> Reader:
    from .editing import machine_editing
    from .parse import parse

    return Reader(parse, machine_editing)


MACHINE = Frontend(
    name="machine",
    title="state machine: JSON with contexts, agents and states",
    suffixes=(".json",),
    claims=claims,
    reader=_reader,
)
