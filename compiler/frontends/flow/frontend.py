"""The flow YAML format: how its files are recognised. What reads them is imported on demand."""

from __future__ import annotations

import re

from ...reading.protocol import Frontend, Reader
from ...source.source import Source

_VERSION = re.compile(r"^flow[ \t]*:[ \t]*[0-9]", re.MULTILINE)
_FIRST_KEY = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n|---[ \t]*\r?\n)*+flow[ \t]*:[ \t]*[0-9]"
)


def claims(source: Source) -> int:
    """Return 90 for a `*.flow.yaml` name. Another YAML file, or a text without a name, is one when
    `flow:` with a version stands at its top level; so files of answers and of servers are not."""
    if source.path.endswith((".flow.yaml", ".flow.yml")):
        return 90
    if source.path.endswith((".yaml", ".yml")):
        return 80 if _VERSION.search(source.text) else 0
    return 60 if _FIRST_KEY.match(source.text) else 0


def _reader() -> Reader:
    from .document import read_document
    from .editing import flow_editing

    return Reader(read_document, flow_editing)


FLOW = Frontend(
    name="flow",
    title="flow YAML (*.flow.yaml)",
    suffixes=(".flow.yaml", ".flow.yml", ".yaml", ".yml"),
    claims=claims,
    reader=_reader,
    comment=("#", ""),
)
