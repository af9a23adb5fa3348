"""About: what a node is and does, in facts for people: pages and editors show them.

about_node(node, workflow)  ->  Fact("reads", "CITY, DATE"), Fact("tools", "git_log"), …
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as Lit
from typing import assert_never

from .. import ir
from ..analysis.variables import reads, writes, writes_all
from ..expr.ast import Expr, Literal, Name, Text
from ..flow_yaml.durations import show_duration
from ..source.records import dataclass
from ..source.source import SourceSet

KINDS: dict[str, str] = {
    "agent": "a model answers a prompt",
    "message": "a message is added to a conversation",
    "tool": "a tool is called",
    "exec": "shell commands are run",
    "choose": "a condition decides which way to go",
    "ask": "a person is asked",
    "wait": "the run waits for a time or an event",
    "http": "a request is sent to a host",
    "assign": "variables are set, or the run is only checkpointed",
    "call": "another workflow is run",
    "python": "a function of the program around the run is called",
    "script": "a function of a script is called",
    "task": "work for whoever holds a role",
    "gate": "what was done is judged",
    "assert": "something has to hold",
    "foreach": "a workflow is run for every element of a list",
    "end": "the workflow ends",
}
"""What each kind of node does, in a few words."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to know. `form` says how it is set: words, code, or prose of several lines."""

    label: str
    text: str
    form: Lit["words", "code", "prose"] = "words"


_UNKNOWN = {
    "ask": "you are asked about a call that was cut off",
    "repeat": "a call that was cut off is made again",
    "fail": "a call that was cut off counts as failed",
}


def about_node(node: ir.Node, workflow: ir.Workflow, sources: SourceSet) -> tuple[Fact, ...]:
    """What the node does, reads and writes, in the order in which one wants to know it."""
    facts = [fact for fact in _own(node, sources) if fact.text]
    read = dict.fromkeys(r.name for r in reads(node, workflow))
    written = dict.fromkeys(w.name for w in writes(node))
    if read:
        facts.append(Fact("reads", ", ".join(read), "code"))
    if written or writes_all(node):
        every = ["every variable"] if writes_all(node) else []
        facts.append(Fact("writes", ", ".join([*written, *every]), "code"))
    if node.timeout is not None:
        facts.append(Fact("time limit", f"{node.timeout:g} s"))
    if node.retry is not None:
        facts.append(Fact("attempts", str(node.retry.attempts)))
    if node.on_unknown is not None:
        facts.append(Fact("after a crash", _UNKNOWN[node.on_unknown]))
    if node.join == "all":
        facts.append(Fact("begins", "once every way into it was taken"))
    return tuple(facts)


def _own(node: ir.Node, sources: SourceSet) -> Iterator[Fact]:
    match node:
        case ir.AgentNode():
            yield Fact("prompt", node.prompt_id or "")
            yield Fact("tools", ", ".join(node.tools), "code")
            yield Fact(
                "asks the model", node.description or template_text(node.prompt, sources), "prose"
            )
            yield Fact("succeeds when", "\n".join(a.text for a in node.asserts), "prose")
        case ir.MessageNode():
            yield Fact("prompt", node.prompt_id or "")
            yield Fact(f"{node.role} message", template_text(node.template, sources), "prose")
        case ir.ToolNode():
            yield Fact("tool", node.tool, "code")
        case ir.ExecNode():
            yield Fact("commands", template_text(node.source, sources), "code")
        case ir.ChooseNode():
            yield Fact("decides on", _source_text(node.on, sources), "code")
        case ir.AskNode():
            yield Fact("question", template_text(node.question, sources), "prose")
            yield Fact("choices", ", ".join(node.choices))
        case ir.WaitNode():
            yield Fact("waits", wait_text(node.awaits, sources))
        case ir.HttpNode():
            yield Fact("request", f"{node.method} {template_text(node.url, sources)}", "code")
            yield Fact("further hosts", ", ".join(node.hosts), "code")
            yield Fact("secrets", ", ".join(h.secret for h in node.headers if h.secret), "code")
            yield Fact("effect", node.call_effect)
        case ir.CallNode() | ir.ForeachNode():
            yield Fact("workflow", node.workflow, "code")
        case ir.PythonNode() | ir.ScriptNode():
            yield Fact("function", node.function, "code")
        case ir.TaskNode():
            yield Fact("role", node.role)
            yield Fact("work", template_text(node.prompt, sources), "prose")
            yield Fact("criteria", "\n".join(c.text for c in node.criteria), "prose")
        case ir.GateNode():
            yield Fact("gate", f"{node.form.replace('_', ' ')}, {node.mode}")
            yield Fact("required", "" if node.required is None else f"{node.required:g}")
        case ir.AssertNode():
            yield Fact("holds", _source_text(node.condition, sources), "code")
        case ir.AssignNode():
            for assignment in node.assignments:
                value = _source_text(assignment.value, sources)
                yield Fact("sets", f"{assignment.target} = {value}", "code")
        case ir.EndNode():
            yield Fact("outcome", node.outcome)
        case _:
            assert_never(node)


def wait_text(awaits: ir.Delay | ir.Moment | ir.Event, sources: SourceSet) -> str:
    """What is waited for, in a few words."""
    match awaits:
        case ir.Delay(seconds=Literal(value=int() | float() as seconds)):
            return show_duration(seconds)
        case ir.Delay():
            return f"{_source_text(awaits.seconds, sources)} seconds"
        case ir.Moment():
            return f"until {template_text(awaits.at, sources)}"
        case ir.Event():
            most = "" if awaits.timeout is None else f", at most {show_duration(awaits.timeout)}"
            return f"for the event {awaits.name}{most}"


def template_text(expr: Expr | None, sources: SourceSet) -> str:
    """A template as one reads it: its text, with `{{NAME}}` for what is put in."""
    match expr:
        case None:
            return ""
        case Text():
            return "".join(_part(part, sources) for part in expr.parts)
        case _:
            return _part(expr, sources)


def _part(expr: Expr, sources: SourceSet) -> str:
    match expr:
        case Literal():
            return "" if expr.value is None else str(expr.value)
        case Name():
            return f"{{{{{expr.name}}}}}"
        case _:
            return f"{{{{{_source_text(expr, sources)}}}}}"


def _source_text(expr: Expr, sources: SourceSet) -> str:
    """An expression as it stands in the file; `…` where it does not stand there as such."""
    source = sources.get(expr.span.file) if expr.span else None
    if expr.span is None or source is None:
        return "…" if not isinstance(expr, Literal | Name) else _part(expr, sources).strip("{}")
    return source.text[expr.span.start : expr.span.end].strip()
