"""A workflow as a plain chart: a picture of it, which says what follows what and nothing else."""

from __future__ import annotations

from dataclasses import replace

from ..emit.picture.mermaid import emit_mermaid, mermaid_ids
from .manuscript import Manuscript, Rendition


def write_picture(manuscript: Manuscript) -> Rendition:
    """What `flowc graph` draws, but for the name: a chart takes it from its file."""
    workflow = replace(manuscript.workflow, name="")
    return Rendition(emit_mermaid(workflow), names=mermaid_ids(workflow))
