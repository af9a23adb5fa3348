"""python: call a function of the program around the run, as an effect like the call of a tool."""

from __future__ import annotations

import time
from copy import deepcopy

from flowc.compiler.ir import PythonNode

from ...errors import Failure, InDoubt
from ...services import EffectCall, FunctionCall, Json
from ..visit.visit import Done, Visit, assign, shorten


async def run(visit: Visit, op: PythonNode) -> Done:
    """Put the function's result into the variable, or its values into those that it sets. Raise
    `Failure` when it fails; after a time-out a function that acts once is in doubt."""
    functions = visit.services.functions
    if functions is None:
        raise Failure("this run calls no functions", "refused")
    args = assign(visit.scope, op.args)
    effect = op.effect or "once"
    state = deepcopy(dict(visit.scope.values))

    async def call() -> Json:
        started, ok = time.monotonic(), False
        wanted = FunctionCall(op.function, dict(args), state, visit.config, visit.runtime)
        try:
            result = await functions(wanted)
            ok = True
            return result
        except Failure as failure:
            if failure.kind == "timeout" and effect == "once":
                raise InDoubt(failure.message) from failure
            raise
        finally:
            seconds = round(time.monotonic() - started, 6)
            visit.emit("tool_called", {"tool": op.function, "seconds": seconds, "ok": ok})

    act = EffectCall(visit.runtime, f"function {op.function}", effect, args, call)
    result = await visit.services.journal.once(act)
    variables = {op.into: result} if op.into else {}
    shown = shorten(f"{op.function} → {visit.scope.show(result)}")
    return Done(variables={**_set(op, result), **variables}, text=shown)


def _set(op: PythonNode, result: Json) -> dict[str, Json]:
    """Return the values of the variables that the function sets. Raise `Failure` for a result that
    is not an object of such values; what it leaves out stays as it is."""
    if not op.sets:
        return {}
    listed = ", ".join(f"`{name}`" for name in op.sets)
    if not isinstance(result, dict):
        raise Failure(f"`{op.function}` has to return an object with {listed}")
    for name in result:
        if name not in op.sets:
            raise Failure(
                f"`{op.function}` sets `{name}`, which the node does not say",
                help=f"`sets` names {listed}",
            )
    return dict(result)
