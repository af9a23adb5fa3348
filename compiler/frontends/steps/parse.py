"""The step markdown front end: documents made of `### 🔧 WORKFLOW STEP: name` sections.

Step N becomes the agent node `step_N`; its tools are used in the listed order and it has to report
its result. A step that fails leads to `failed`, the last one to `end`.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from flowc.grammar.lexing import FENCE, ICON, LISTS, heading_token

from ... import ir
from ...diagnostics.diagnostic import Sink
from ...reading.editing import Mention
from ...reading.protocol import Frontend, Parsed, Reader
from ...source.source import Source, SourceSet
from .editing import steps_editing
from .lines import read_document
from .model import Step, StepDocument
from .placeholders import check_placeholders
from .prompt import read_assertions, step_prompt

_STEP = re.compile(rf"^[ ]{{0,3}}\#{{3,6}}[ \t]*+{ICON}WORKFLOW[ ]STEPS?:", re.MULTILINE)
_FENCE_OR_STEP = re.compile(rf"^(?:{FENCE}|(?P<step>{_STEP.pattern[1:]}))", re.MULTILINE | re.X)
_SIGNED = re.compile(rf"^[ ]{{0,3}}\#{{1,6}}[ \t]*+(?P<icon>{ICON})[A-Za-z][^\n]*", re.MULTILINE)
_ANY_FAILURE = ir.OnError(errors=("failure", "timeout", "limit", "refused"))
AGENT, END, FAILED = "worker", "end", "failed"


def claims(source: Source) -> int:
    """Return 90 for a file with a step heading; 60 when that has its sign, but another level or
    other letters; 40 when all are in fences (a document about the format) or only other sections
    have a sign."""
    text = source.text
    if "#" not in text:
        return 0
    if "WORKFLOW STEP" in text and any(m["step"] for m in _FENCE_OR_STEP.finditer(text)):
        return 90
    signed = [m[0] for m in _SIGNED.finditer(text) if m["icon"].strip()]
    kinds = {heading_token(heading) for heading in signed}
    if "STEP" in kinds:
        return 40 if _STEP.search(text) else 60
    return 40 if kinds & {"TOOL", *LISTS} else 0


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a file. Without a step there is no workflow (FC1008, S22)."""
    del sources
    document = read_document(source, sink)
    if not document.steps:
        message = f"`{source.path}` has no workflow steps"
        help = "begin a step with a line `### 🔧 WORKFLOW STEP: name`"
        fenced = "step headings inside fenced blocks are examples, not steps"
        notes = (fenced,) if _STEP.search(source.text) else ()
        sink.report("FC1008", message, source.span(0), notes=notes, help=help)
        return Parsed(None)
    check_placeholders(document.steps, source, sink)
    return Parsed(_workflow(document, source, sink), mentions=lambda: _tool_mentions(document))


def _tool_mentions(document: StepDocument) -> list[Mention]:
    tools = (tool for step in document.steps for tool in step.tools)
    return [Mention("tool", tool.text, "name", tool.span) for tool in tools]


def _workflow(document: StepDocument, source: Source, sink: Sink) -> ir.Workflow:
    steps = document.steps
    # Backwards, so that of two with one name the first one counts.
    written = {o.name: o for step in reversed(steps) for o in reversed(step.outputs)}
    needed = {i.name: i for step in reversed(steps) for i in reversed(step.inputs)}
    needed = {name: i for name, i in reversed(needed.items()) if name not in written}
    tools = {tool.text: tool.span for step in reversed(steps) for tool in reversed(step.tools)}
    variables = written.keys() | needed.keys()
    nodes: list[ir.Node] = [_node(step, variables, source, sink) for step in steps]
    name = PurePath(source.path).stem
    return ir.Workflow(
        name=name,
        title=document.title or name,
        description=document.prose,
        params=tuple(
            ir.Param(name=i.name, required=True, description=i.description, type="any", span=i.span)
            for i in needed.values()
        ),
        outputs=tuple(dict.fromkeys(o.name for s in reversed(steps) for o in s.outputs)),
        state=tuple(
            ir.StateField(name=o.name, type="any", span=o.span) for o in reversed(written.values())
        ),
        agents=(ir.Agent(id=AGENT),),
        tools=tuple(ir.Tool(id=name, span=span) for name, span in reversed(tools.items())),
        nodes=(
            *nodes,
            ir.EndNode(id=END, title="end", outcome="success"),
            ir.EndNode(id=FAILED, title="failed", outcome="failed"),
        ),
        edges=tuple(edge for step in steps for edge in _edges(step, len(steps))),
        entry="step_0",
        span=source.span(0),
        origin=ir.Origin(format="steps", file=source.path),
    )


def _node(step: Step, variables: set[str], source: Source, sink: Sink) -> ir.AgentNode:
    return ir.AgentNode(
        id=f"step_{step.number}",
        title=step.name,
        agent=AGENT,
        prompt=step_prompt(step, variables, source),
        tools=tuple(tool.text for tool in step.tools),
        ordered=True,
        inputs=tuple(step.inputs),
        outputs=tuple(step.outputs),
        asserts=read_assertions(step, variables, source, sink),
        report=True,
        step=step.number,
        section=step.section,
        description=step.description.text if step.description else "",
        span=step.span,
    )


def _edges(step: Step, total: int) -> tuple[ir.Edge, ir.Edge]:
    here, last = f"step_{step.number}", step.number + 1 == total
    return (
        ir.Edge(
            source=here,
            target=END if last else f"step_{step.number + 1}",
            implied=last,
            span=step.span,
        ),
        ir.Edge(source=here, target=FAILED, guard=_ANY_FAILURE, implied=True, span=step.span),
    )


STEPS = Frontend(
    name="steps",
    title="step markdown: `### 🔧 WORKFLOW STEP: …` sections",
    suffixes=(".md",),
    claims=claims,
    reader=lambda: Reader(parse, steps_editing),
    comment=("<!--", "-->"),
)
