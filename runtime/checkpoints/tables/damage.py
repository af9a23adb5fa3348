"""The error for a checkpoint that is not what was kept."""

from __future__ import annotations

from ...db.digests import changed_value
from ...errors import RunError


def damaged_checkpoint(run: str, checkpoint: str) -> RunError:
    """Return the error for a checkpoint that LangGraph did not write as it is."""
    return changed_value(f"the checkpoint {checkpoint} of run {run}")
