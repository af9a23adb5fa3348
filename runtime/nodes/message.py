"""message: change a thread without a model call (M27)."""

from __future__ import annotations

from flowc.compiler.ir import MessageNode

from ..state.channels import reset
from ..state.conversations import adding, channel_of
from .visit.visit import Done, Visit


async def run(visit: Visit) -> Done:
    """`append` adds the rendered text to the thread and puts it into the variable; `reset` leaves
    nothing but it in the thread, `clear` leaves nothing; both empty the variable."""
    op = visit.node.op
    assert isinstance(op, MessageNode)
    text = visit.text(op.template)
    message = {"role": op.role, "content": text}
    appends = op.mode == "append"
    threads = {thread.id: thread for thread in visit.setting.spec.threads}
    if appends:
        write = adding(threads.get(op.thread), [message])
    else:
        write = reset([message] if op.mode == "reset" else [])
    variables = {op.into: text if appends else ""} if op.into else {}
    return Done(variables=variables, channels={channel_of(op.thread): write}, text=text)
