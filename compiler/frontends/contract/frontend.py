"""The contract format: how its files are recognised. What reads them is imported on demand."""

from __future__ import annotations

import re

from ...diagnostics.diagnostic import Sink
from ...reading.editing import Editing
from ...reading.protocol import Frontend, Parsed
from ...source.source import Source, SourceSet

_OWN = re.compile(r'"(?:workflow_type|required_role|success_criteria|quality_gates)"\s*:')
_USUAL = re.compile(r'"(?:workflow_name|steps|step_id)"\s*:')


def claims(source: Source) -> int:
    """Return 90 for a JSON object with a key that only a contract has, 60 for its usual keys."""
    if not source.text.lstrip().startswith("{"):
        return 0
    if _OWN.search(source.text):
        return 90
    named = source.path.endswith(".contract.json")
    return 60 if named or (_USUAL.search(source.text) and '"states"' not in source.text) else 0


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a contract."""
    from .parse import parse as read

    return read(source, sources, sink)


def _editing() -> Editing:
    from .editing import contract_editing

    return contract_editing()


CONTRACT = Frontend(
    name="contract",
    title="orchestration contract (JSON): steps with roles, criteria and quality gates",
    suffixes=(".json",),
    claims=claims,
    parse=parse,
    comment=("", ""),
    editing=_editing,
)
