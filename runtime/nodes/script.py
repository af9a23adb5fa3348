"""script: call a function of a script; its changes come back as writes (J19, J24–J27).

A script has no effect but its result, so that a call that was cut short is simply repeated, with
the same time and seed: the first script of a run notes both, later ones read the note. The clock of
a call stands still, one millisecond after that time for each step of the run (J32).
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

from flowc.compiler.ir import AgentNode, ScriptNode
from flowc.compiler.lowering.graphspec import GraphSpec

from ..errors import Failure
from ..services import Conversation, Json, ScriptCall
from ..state.channels import variables_of
from ..state.conversations import messages_of, reset
from .ask import ask_approval
from .visit.visit import Done, Visit, shorten

_CLOCK = "$clock"
_CHOICES = ("yes", "no")


async def run(visit: Visit, op: ScriptNode) -> Done:
    """Call the function. Raise `Failure` with the place in the script (J30)."""
    note = visit.state.get(_CLOCK)
    clock = note or {"time": time.time_ns() // 1_000_000, "seed": secrets.token_hex(16)}
    call = _call(visit, op, clock)
    if call.script.language == "python" and not visit.services.scripts.sandboxed:
        _approve(visit, call)
    result = await visit.services.scripts.evaluate(call)
    for level, line in result.log:
        visit.emit("script_said", {"level": level, "line": line})
    channels: dict[str, Any] = {} if note else {_CLOCK: clock}
    for thread, change in result.threads.items():
        channels |= visit.change_thread(thread, change)
    shown = visit.scope.show(result.value) if op.into else ""
    done = Done(channels=channels, text=shorten(shown))
    if op.keeps and result.kept is not None:
        done.variables[op.keeps] = result.kept
    if op.into:
        done.variables[op.into] = result.value
    _share(visit, done, result.shares)
    return done


def _call(visit: Visit, op: ScriptNode, clock: dict[str, Any]) -> ScriptCall:
    spec = visit.setting.spec
    values = visit.scope.values
    replies = _replies(spec)
    threads = {thread.id: thread for thread in spec.threads}
    kept = values.get(op.keeps) if op.keeps else None
    return ScriptCall(
        script=next(script for script in spec.scripts if script.id == op.script),
        function=op.function,
        args=tuple(visit.value(arg) for arg in op.args),
        shares={n: raw(values.get(n)) if n in replies else values.get(n) for n in op.shares},
        fixed=op.fixed,
        kept=kept if isinstance(kept, dict) else {},
        threads={
            name: Conversation(
                messages=tuple(messages_of(spec, visit.state, name)),
                max_chars=threads[name].max_chars,
                keep_min=threads[name].keep_min,
            )
            for name in op.threads
        },
        time=clock["time"] + visit.steps,
        seed=f"{clock['seed']}/{visit.node.id}/{visit.number}",
        wants=op.into is not None,
    )


def _share(visit: Visit, done: Done, shares: dict[str, Json]) -> None:
    """Add the writes of the variables that the script changed, as their reducers need them."""
    # A variable that did not change may be written by a parallel node.
    channels = variables_of(visit.setting.spec)
    for name, new in shares.items():
        old = visit.scope.values.get(name)
        match channels[name].reducer, old, new:
            case "append", list(), list() if new[: len(old)] == old:
                done.variables[name] = new[len(old) :]
            case "append", _, list():
                done.channels[channels[name].name] = reset(new)
            case "add", int() | float() | None, int() | float():
                done.variables[name] = new - (old or 0)
            case _:
                done.variables[name] = new


def _replies(spec: GraphSpec) -> set[str]:
    """Return the variables that hold whole replies of models."""
    ops = [node.op for node in spec.nodes]
    return {op.reply_into for op in ops if isinstance(op, AgentNode) and op.reply_into}


def raw(reply: Json) -> Json:
    """Return a reply as a provider would send it, `choices[0].message` with arguments as JSON text
    (J25), and any other value as it is."""
    match reply:
        case {"content": content, "tool_calls": list() as calls, **rest} if not rest:
            message: dict[str, Json] = {"role": "assistant", "content": content}
            if calls:
                message["tool_calls"] = [_raw_call(call) for call in calls]
            return {"choices": [{"index": 0, "message": message}]}
    return reply


def _raw_call(call: dict[str, Json]) -> Json:
    args = call.get("args")
    text = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
    function = {"name": call.get("name"), "arguments": text}
    return {"id": call.get("id"), "type": "function", "function": function}


def _approve(visit: Visit, call: ScriptCall) -> None:
    """Raise `Failure` (kind refused) unless a script in Python, which has the rights of the person
    without the sandbox, may run as a command may."""
    about = "wants to run Python code of the workflow without a sandbox, with all your rights"
    commands = [f"{call.script.file}: {call.function}"]
    if visit.services.approve == "allow":
        return
    if ask_approval(visit, f"`{visit.node.id}` {about}", _CHOICES, commands) == "no":
        raise Failure(
            "the script was not approved",
            "refused",
            help="`--allow-exec` lets a workflow run commands and scripts in Python",
        )
