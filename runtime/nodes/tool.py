"""tool: call one tool with computed arguments."""

from __future__ import annotations

import time

from flowc.compiler.catalog.builtin_tools import ASK_TOOL
from flowc.compiler.ir import ToolNode

from ..errors import Failure, InDoubt
from ..services import EffectCall, Json
from .ask import ask
from .visit.visit import Done, Visit, assign, shorten


async def run(visit: Visit, op: ToolNode) -> Done:
    """Put the tool's result into the variable; people see the `said` of an object. Raise `Failure`
    when the tool fails; after a time-out a tool that acts once is in doubt."""
    if op.tool == ASK_TOOL:
        question = str(assign(visit.scope, op.args).get("question", ""))
        answer = ask(visit, "ask", question)
        return Done(variables={op.into: answer} if op.into else {}, text=visit.scope.show(answer))
    schema = await visit.services.tools.schema(op.tool)
    if schema is None:
        raise Failure(
            f"nothing provides the tool `{op.tool}`",
            help="see `flowc tools list` for what there is",
        )
    args = assign(visit.scope, op.args)

    async def call() -> Json:
        started = time.monotonic()
        ok = False
        try:
            result = await _call(visit, op.tool, args)
            ok = True
            return result
        except Failure as failure:
            if failure.kind == "timeout" and schema.effect == "once":
                raise InDoubt(failure.message) from failure
            raise
        finally:
            seconds = round(time.monotonic() - started, 6)
            visit.emit("tool_called", {"tool": op.tool, "seconds": seconds, "ok": ok})

    act = EffectCall(visit.runtime, f"tool {op.tool}", schema.effect, args, call)
    result = await visit.services.journal.once(act)
    variables = {op.into: result} if op.into else {}
    said = result.get("said") if isinstance(result, dict) else None
    shown = said if isinstance(said, str) else visit.scope.show(result)
    return Done(variables=variables, text=shorten(f"{op.tool} → {shown}"))


async def _call(visit: Visit, tool: str, args: dict[str, Json]) -> Json:
    """Call the tool; a path of `write_file` counts from the workflow's file (M22)."""
    if tool == "write_file":
        path, content = str(args.get("path", "")), args.get("content")
        text, file = visit.scope.show(content), visit.setting.spec.file
        return await visit.services.files.write(path, text, file)
    return await visit.services.tools.call(tool, args)
