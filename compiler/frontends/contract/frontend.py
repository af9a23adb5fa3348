"""The contract format: how its files are recognised. What reads them is imported on demand."""

from __future__ import annotations

import re

from ...reading.protocol import Frontend, Reader
from ...source.source import Source

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


def _reader() -> Reader:
    from .editing import contract_editing
    from .parse import parse

    return Reader(parse, contract_editing)


CONTRACT = Frontend(
    name="contract",
    title="orchestration contract (JSON): steps with roles, criteria and quality gates",
    suffixes=(".json",),
    claims=claims,
    reader=_reader,
)
