"""Flowchart workflows (`*.wf.md`): a mermaid chart below `# Workflow`, prompts below `# Prompts`.

The layers: document (headings, fences, includes), mermaid (nodes and links), activities (kinds),
values (names and templates), checks (CHECK), edges (ways out). This module puts them together.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ... import ir
from ...analysis.variables import names_read
from ...diagnostics.diagnostic import Label, Sink
from ...expr.ast import Binary, Call, Field, Literal, Name, Text
from ...flow_yaml.implied import implied_tools, with_implied
from ...reading.details import Details, ReadDetails
from ...reading.protocol import Parsed, with_file_grants
from ...source.source import Source, SourceSet
from ...source.spelling import Spelling
from .activities import (
    KINDS,
    MAX_HITS,
    Activity,
    build_node,
    kind_of,
    read_activity,
    role_of,
    set_target,
)
from .checks import UNREADABLE
from .details import detailed_node, details_of, speakers, with_details
from .document import FlowchartDocument, read_document
from .edges import Wiring, wire
from .editing import node_mentions
from .mermaid.chart import Chart, ChartNode, read_chart
from .mermaid.placed_text import PlacedText
from .mermaid.syntax import report_faults
from .nearly import nearest_heading, nearly_chart, nearly_headings
from .params import Params, demand, read_params
from .placeholders import ChartScope

DEFAULT_HITS = 3
_PARAMS = Spelling(("PARAMS",))
_CHART_FENCE = re.compile(r"^```mermaid\b", re.M)
_SUFFIX = re.compile(r"(?:\.wfh?)?\.(?:md|markdown)\Z")


def parse(source: Source, sources: SourceSet, sink: Sink, read: ReadDetails) -> Parsed:
    """Read the workflow, as far as it can be read. Without an activity there is none (M18). `read`
    reads its details."""
    document = read_document(source, sources, sink)
    chart = _read_charts(document, sink)
    if chart is None:
        return Parsed(None)
    scope = ChartScope(document, os.path.dirname(source.path), sink)
    scope.captioned = Spelling(_likely_ids(chart))
    details = details_of(document, chart, sources, sink, read)
    plain = [node for id, node in chart.nodes.items() if id not in details.nodes]
    activities = [activity for node in plain if (activity := read_activity(node, scope))]
    scope.is_complete = not chart.faults and len(activities) == len(plain)
    lists = [activity for activity in activities if activity.kind == "PARAMS"]
    running = {a.id: a for a in activities if a.kind != "PARAMS"}
    begun = (id for id in details.nodes if kind_of(id) == "START")
    start = details.workflow.entry or next(begun, "") or _find_start(running, chart, scope)
    params = read_params(lists, scope)
    _declare(params, running, scope)
    named = with_implied(details.workflow)
    scope.detailed = frozenset({p.name for p in named.params} | {f.name for f in named.state})
    nodes = _build(chart, running, details, scope)
    scope.read |= names_read(details.workflow)
    prompts = _read_prompts(document, scope)
    if not document.is_history:
        scope.report_missing_prompts()
    begin = nodes.get(start)
    if isinstance(begin, ir.AssignNode):
        nodes[start] = replace(begin, assignments=(*begin.assignments, *params.from_files))
    wiring = wire(chart, nodes, scope, _handler_flag(source), details.nodes, start)
    name = _SUFFIX.sub("", os.path.basename(source.path))
    workflow = _workflow(name, source, scope, wiring, params, prompts, start)
    agents, threads = speakers(workflow.nodes, details)
    workflow = with_details(replace(workflow, agents=agents, threads=threads), details)
    drawn = details.workflow.nodes
    parsed = Parsed(
        workflow, mentions=lambda: (*scope.mentions, *node_mentions(chart, document, drawn))
    )
    return with_file_grants(parsed, source)


def _read_charts(document: FlowchartDocument, sink: Sink) -> Chart | None:
    if document.section is None:
        _report_lost_section(document, sink)
        return None
    chart = Chart()
    for block in document.charts:
        read_chart(block.text, block.start, chart)
    report_faults(chart.faults, document.whole.span, sink)
    for known, later in chart.replaced:
        _report_caption(known, later, document, sink)
    _report_nearly_params(chart, document, sink)
    for id in chart.notes | _comments(chart):
        if kind_of(id) not in KINDS or chart.nodes[id].shape == "comment":
            del chart.nodes[id]
    if chart.faults or any(kind_of(id) != "PARAMS" for id in chart.nodes):
        return chart
    _report_no_chart(document, sink)
    return None


def _likely_ids(chart: Chart) -> Iterator[str]:
    """Yield the ids that another one may be a slip of: with a caption, or named more than once."""
    ends = (end.text for link in chart.edges for end in (link.source, link.target))
    times = Counter(ends)
    for id, node in chart.nodes.items():
        if kind_of(id) in KINDS and (times[id] > 1 or (node.caption and node.caption.text.strip())):
            yield id


def _report_lost_section(document: FlowchartDocument, sink: Sink) -> None:
    whole = document.whole
    near = nearest_heading(nearly_headings(whole.text), "workflow")
    chart = near or _CHART_FENCE.search(whole.text)
    place = whole.span(0, 0)
    if near is not None:
        place = whole.of(near)
    elif isinstance(chart, re.Match):
        place = whole.span(*chart.span())
    help = "put the flowchart below a level-1 heading `# Workflow`"
    sink.report("FC1003", "the section `# Workflow` is missing", place, help=help)


def _report_no_chart(document: FlowchartDocument, sink: Sink) -> None:
    assert document.section is not None
    whole, section = document.whole, document.section
    message = f"the section `# Workflow` holds no {'activity' if document.charts else 'flowchart'}"
    help = "write a fenced `mermaid` block that begins with `flowchart`"
    near = None if document.charts else nearly_chart(whole.text, section.end)
    labels = (Label(whole.of(near.line), near.help),) if near else ()
    sink.report("FC1008", message, whole.of(section), labels=labels, help=help)


def _report_nearly_params(chart: Chart, document: FlowchartDocument, sink: Sink) -> None:
    for id, node in chart.nodes.items():
        if node.shape == "comment" and id != "PARAMS" and _PARAMS.nearest(id):
            message = f"`{node.id.brief}` is a comment, so it lists no parameters"
            help = "did you mean `PARAMS`?"
            place = document.whole.of(node.id)
            sink.report("FC1002", message, place, severity="warning", help=help)


def _comments(chart: Chart) -> set[str]:
    """Return the nodes of the shape of a comment that no line touches (M17)."""
    linked = {end.text for link in chart.edges for end in (link.source, link.target)}
    free = {id for id, node in chart.nodes.items() if node.shape == "comment"} - linked
    return {id for id in free if kind_of(id) != "PARAMS"}


def _report_caption(
    known: ChartNode, later: PlacedText, document: FlowchartDocument, sink: Sink
) -> None:
    assert known.caption is not None
    message = f"`{known.id.text}` has two captions: the later one counts"
    labels = (Label(document.whole.of(known.caption), "which replaces this one"),)
    help = "take one of them out, or give the node an id of its own"
    place = document.whole.of(later)
    sink.report("FC1004", message, place, severity="warning", labels=labels, help=help)


def _find_start(running: dict[str, Activity], chart: Chart, scope: ChartScope) -> str:
    """Return the START activity, or "". A chart without one, or with two, is wrong (M18), but a
    chart that does not parse may hold it where it cannot be read."""
    starts = [activity for activity in running.values() if activity.kind == "START"]
    for second in starts[1:]:
        message = f"`{second.id}` is a second START"
        help = "a workflow begins at one place"
        labels = (Label(scope.span(starts[0].name), "the first one"),)
        scope.sink.report("FC1004", message, scope.span(second.name), labels=labels, help=help)
    if starts:
        return starts[0].id
    if running and not chart.faults:
        first = next(iter(running.values()))
        help = f"begin with `START --> {first.id}`"
        scope.sink.report("FC1003", "the chart has no START", scope.span(first.name), help=help)
    return ""


def _declare(params: Params, running: dict[str, Activity], scope: ChartScope) -> None:
    """Make known what the file lists or writes, before anything is looked up."""
    for param in params.params:
        scope.variables[param.name] = param.span
    for activity in running.values():
        target = set_target(activity) if activity.kind == "SET" else None
        if target is not None and target.text not in ("STATUS", "RESULT", "CONTENT"):
            scope.variables.setdefault(target.text, scope.span(target))
    if any(activity.kind in ("EXECUTE", "CALL") for activity in running.values()):
        scope.variables.setdefault("EXIT_CODE", None)
    scope.variables.setdefault(MAX_HITS, None)


def _build(
    chart: Chart, running: dict[str, Activity], details: Details, scope: ChartScope
) -> dict[str, ir.Node]:
    """Return the nodes in the chart's order. An unknown kind or a caption that does not parse
    leaves a node that does nothing, so that nothing else is reported because of it."""
    nodes: dict[str, ir.Node] = {}
    detailed = details.nodes
    unread = {id for id in chart.lost_captions if kind_of(id) not in ("SUCCESS", "FAILED")}
    for id, node in chart.nodes.items():
        activity = running.get(id)
        if id in detailed:
            nodes[id] = detailed_node(detailed[id], node)
        elif id in unread and kind_of(id).startswith("CHECK"):
            nodes[id] = ir.ChooseNode(id=id, span=scope.span(node.id), on=UNREADABLE)
        elif activity is not None and id not in unread:
            nodes[id] = build_node(activity, scope)
        elif kind_of(id) != "PARAMS":
            nodes[id] = ir.AssignNode(id=id, span=scope.span(node.id))
    return nodes


def _read_prompts(document: FlowchartDocument, scope: ChartScope) -> tuple[ir.Prompt, ...]:
    return tuple(
        ir.Prompt(
            id=name,
            role=role_of(name),
            template=scope.template(prompt),
            span=scope.span(prompt.name),
        )
        for name, prompt in document.prompts.items()
        if prompt.text.text
    )


def _handler_flag(source: Source) -> str:
    """Return a variable's name that no other file uses, so that a CALL cannot overwrite it."""
    stem = re.sub(r"\W", "_", os.path.basename(source.path).split(".")[0], flags=re.A)
    return f"ON_FAILED_{stem}"


def _workflow(
    name: str,
    source: Source,
    scope: ChartScope,
    wiring: Wiring,
    params: Params,
    prompts: tuple[ir.Prompt, ...],
    start: str,
) -> ir.Workflow:
    nodes = tuple(wiring.nodes.values())
    document = scope.document
    return ir.Workflow(
        name=name,
        title=document.title.text if document.title else "",
        description=document.description,
        params=tuple(demand(param, scope.read) for param in params.params),
        outputs=("RESULT", "STATUS"),
        state=_state(params.params, nodes, scope, wiring.handler_flag),
        tools=implied_tools((), nodes),
        prompts=prompts,
        nodes=nodes,
        edges=tuple(wiring.edges),
        entry=start,
        on_success="ON_SUCCESS" if "ON_SUCCESS" in wiring.nodes else None,
        on_failed="ON_FAILED" if "ON_FAILED" in wiring.nodes else None,
        on_error=_ON_ERROR,
        limits=(_VISITS,),
        span=document.whole.of(document.section) if document.section else None,
        origin=ir.Origin(format="flowchart", file=source.path),
    )


def _state(
    params: tuple[ir.Param, ...], nodes: tuple[ir.Node, ...], scope: ChartScope, flag: str | None
) -> tuple[ir.StateField, ...]:
    """Return every variable: built in, set, or for a caller only to give."""
    listed = {param.name for param in params}
    fields = [
        ir.StateField(name="RESULT", default=""),
        ir.StateField(name="STATUS", default="CREATED"),
    ]
    if any(isinstance(node, ir.ExecNode) for node in nodes) or "EXIT_CODE" in scope.read:
        fields.append(ir.StateField(name="EXIT_CODE", type="integer"))
    if MAX_HITS not in listed:
        fields.append(ir.StateField(name=MAX_HITS, type="any"))
    if flag is not None:
        fields.append(ir.StateField(name=flag, type="boolean", default=False))
    known = {*listed, *(entry.name for entry in fields)}
    for name, span in (*scope.variables.items(), *scope.outer.items()):
        if name not in known and name != "EXIT_CODE":
            known.add(name)
            fields.append(ir.StateField(name=name, type="any", span=span))
    return tuple(fields)


_HITS = Call(
    function="number",
    args=(Call(function="coalesce", args=(Name(name=MAX_HITS), Literal(value=DEFAULT_HITS))),),
)
_VISITS = ir.Limit(name="visits", value=Binary(op="+", left=_HITS, right=Literal(value=1)))
"""An activity is entered again at most MAX_ACTIVITY_HITS times (M45)."""
_MESSAGE = Field(object=Name(name="error"), name="message")
_STATUS_FAILED = ir.Assignment(target="STATUS", value=Literal(value="FAILED"))
_ON_ERROR = (
    ir.ErrorRule(
        kinds=("failure", "timeout", "refused"),
        assignments=(
            _STATUS_FAILED,
            ir.Assignment(target="RESULT", value=Text(parts=(Literal(value="FAILED\n"), _MESSAGE))),
        ),
    ),
    ir.ErrorRule(
        kinds=("limit",),
        assignments=(
            _STATUS_FAILED,
            ir.Assignment(
                target="RESULT",
                value=Text(parts=(_MESSAGE, Literal(value="\n"), Name(name="RESULT"))),
            ),
        ),
    ),
)
"""What a failure leaves in STATUS and RESULT (M29, M35, M45)."""
