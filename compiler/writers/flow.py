"""A workflow as flow YAML, in which every workflow can be said."""

from __future__ import annotations

from ..emit.flow.program import emit_flow_yaml
from ..ir import Program
from .manuscript import Manuscript, Rendition


def write_flow(manuscript: Manuscript) -> Rendition:
    """The canonical text, with inner workflows below `workflows`."""
    main = manuscript.path
    parts = {f"{main}#{name}": workflow for name, workflow in manuscript.parts.items()}
    workflows = ((main, manuscript.workflow), *parts.items())
    return Rendition(emit_flow_yaml(Program(entry=main, workflows=workflows)))
