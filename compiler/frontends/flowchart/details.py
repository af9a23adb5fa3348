"""Details: what a chart has no signs for stands in a block of flow YAML beside it.

```yaml flow
agents: {writer: {system: You are brief.}}
nodes:
  - {name: draft, agent: writer, prompt: Write a line., into: line}
```

An activity that stands there has any id and does what it says there. Where it leads, links.py says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from ... import ir
from ...diagnostics.diagnostic import Label, Sink
from ...flow_yaml.implied import with_implied
from ...reading.details import Details, ReadDetails
from ...source.source import Source, SourceSet, Spanned
from .activities import AGENT, THREAD, kind_of
from .document import FlowchartDocument
from .mermaid.captions import break_lines
from .mermaid.chart import Chart, ChartNode

MAIN = ir.Agent(id=AGENT, thread=THREAD, remember="both")
"""Who answers the prompts that name nobody."""
_NOT_BLOCK = re.compile(r"[^\r\n]")
WHOLE = (
    "title", "description", "outputs", "model", "on_error", "on_input", "on_success", "on_failed",
    "limits", "on_unknown", "starts", "trials", "entry",
)  # fmt: skip
"""Fields of a workflow that the details give as a whole."""
Named = TypeVar("Named", bound=Spanned)


def details_of(
    document: FlowchartDocument, chart: Chart, sources: SourceSet, sink: Sink, read: ReadDetails
) -> Details:
    """Return what the document's block says; without one, nothing."""
    if not document.details:
        return Details()
    first, *more = document.details
    whole = document.whole
    for block in more:
        labels = (Label(whole.of(first[:1]), "the first one"),)
        message = "there are two blocks of flow YAML"
        sink.report("FC1004", message, whole.of(block[:1]), labels=labels, help="make one of them")
    place = whole.of(first)
    if place.end - place.start != len(first.text):
        message = "no file is included in a block of flow YAML"
        sink.report("FC1005", message, place, help="include a file that holds the whole block")
        return Details()
    text = next(s.source.text for s in whole.segments if s.source.path == place.file)
    before = _NOT_BLOCK.sub(" ", text[: place.start])
    around = ir.Workflow(
        name="the chart",
        nodes=tuple(ir.AssignNode(id=id) for id in chart.nodes if kind_of(id) != "PARAMS"),
        agents=(MAIN,),
        threads=(ir.Thread(id=THREAD),),
    )
    return read(Source(place.file, before + first.text), sources, sink, around)


def detailed_node(node: ir.Node, drawn: ChartNode) -> ir.Node:
    """Return the node with its caption as its title, unless it has one."""
    if node.title or drawn.caption is None:
        return node
    return replace(node, title=" ".join(break_lines(drawn.caption, " ").text.split()))


def speakers(
    nodes: Iterable[ir.Node], details: Details
) -> tuple[tuple[ir.Agent, ...], tuple[ir.Thread, ...]]:
    """Return the agents and threads: those of the details, plain ones for agents that these only
    name, and the chart's own where a node of it talks."""
    own, detailed = details.workflow, details.nodes
    talking = [n for n in nodes if isinstance(n, ir.AgentNode | ir.MessageNode)]
    named = dict.fromkeys(n.agent for n in talking if isinstance(n, ir.AgentNode))
    agents = own.agents or tuple(ir.Agent(id=name) for name in named if name != AGENT)
    if AGENT in named or any(node.id not in detailed for node in talking):
        agents = union(agents, (MAIN,), "id")
    used = {agent.thread for agent in agents}
    for node in nodes:
        match node:
            case ir.MessageNode() | ir.AskNode():
                used.add(node.thread)
            case ir.ScriptNode():
                used |= set(node.threads)
    thread = (ir.Thread(id=THREAD),) if THREAD in used else ()
    return agents, union(own.threads, thread, "id")


def with_details(chart: ir.Workflow, details: Details) -> ir.Workflow:
    """Return the workflow of a chart with its details: what these declare takes the place of what
    the chart has under that name, and their other keys that of the chart's."""
    own, given = details.workflow, details.given
    if not given:
        return chart
    params = union(own.params, chart.params, "name")
    listed = {param.name for param in params}
    whole = with_implied(
        replace(
            chart,
            **{name: getattr(own, name) for name in WHOLE if name in given},
            params=params,
            state=tuple(
                entry for entry in union(own.state, chart.state, "name") if entry.name not in listed
            ),
            tools=union(own.tools, chart.tools, "id"),
            scripts=own.scripts,
            prompts=union(own.prompts, chart.prompts, "id"),
            groups=own.groups,
        )
    )
    details.check(whole)
    return whole


def union(first: tuple[Named, ...], then: tuple[Named, ...], key: str) -> tuple[Named, ...]:
    """Return both, each name once: the first one counts."""
    known = {getattr(one, key) for one in first}
    return first + tuple(one for one in then if getattr(one, key) not in known)
