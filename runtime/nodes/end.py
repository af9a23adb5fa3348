"""end: the workflow's outcome, unless the handler for it has still to run (M46–M49)."""

from __future__ import annotations

from flowc.compiler.ir import EndNode

from ..state.channels import outcome_channel
from ..state.conversations import append
from .visit.visit import Done, Visit, assign


async def run(visit: Visit, op: EndNode) -> Done:
    """Set the outcome, or run the handler first: once, before the assignments of the end."""
    spec = visit.setting.spec
    handler = spec.on_success if op.outcome == "success" else spec.on_failed
    if handler is not None and op.outcome not in (visit.state.get("$handled") or []):
        handled = append([op.outcome])
        return Done(case="handler", channels={"$handled": handled}, text=f"runs `{handler}`")
    values = assign(visit.scope, op.assignments)
    channels = {outcome_channel(spec): op.outcome}
    return Done(variables=values, channels=channels, case="done", text=op.outcome)
