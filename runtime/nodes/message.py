"""message: change a thread without a model call (M27)."""

from __future__ import annotations

from flowc.compiler.ir import MessageNode

from ..services import Json
from .visit.visit import Done, Visit


async def run(visit: Visit, op: MessageNode) -> Done:
    """Change the thread: `append` adds the rendered text and puts it into the variable; `reset`
    leaves only that text, `clear` leaves nothing, and both empty the variable."""
    text = visit.text(op.template)
    message = {"role": op.role, "content": text}
    if op.mode == "append":
        write = visit.append_to(op.thread, [message])
    else:
        left = [message] if op.mode == "reset" else []
        write = visit.change_thread(op.thread, {"reset": left})
    variables: dict[str, Json] = {op.into: text if op.mode == "append" else ""} if op.into else {}
    return Done(variables=variables, channels=write, text=text)
