"""Lower: a checked program becomes a GraphSpec, LangGraph's own shape.

    CHECK --true--> A          node CHECK writes "true" to $route.CHECK
    CHECK --false--> B         branch: true -> A, false -> B, error:failure -> FAILED
    CHECK --error--> FAILED

A node with one kind of way out gets plain edges; every other node gets one branch with all its
cases, so that a case nobody wrote cannot be lost (`ways.py`). An end node leads to its handler,
once, or out; where branches run side by side the handler of success waits for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from .. import ir
from ..analysis.graphs import edges_from
from ..analysis.variables import writes, writes_all
from ..source.records import dataclass
from ..source.source import SourceSet, Span
from .graphspec import MESSAGES, Branch, Channel, GraphSpec, NodeSpec, Place, PromptSpec
from .routes import connections_of
from .serde import digest

_BOOKKEEPING: tuple[Channel, ...] = (
    Channel(name="$visits", role="visits", type="object", reducer="merge"),
    Channel(name="$reports", role="reports", type="object", reducer="merge"),
    Channel(name="$handled", role="handled", type="list", reducer="append"),
    Channel(name="$clock", role="clock", type="object"),
)
"""What a graph has for flowc alone where a node may write it: visits by node, reports by node,
handlers that ran, the time and seed of scripts. Every channel costs time in every step."""
_OUTCOME = "outcome"


def lower(program: ir.Program, sources: SourceSet) -> GraphSpec:
    """The GraphSpec of the program's main workflow, with every called workflow as a subgraph."""
    stamp = digest(program)
    specs = {
        path: _lower_workflow(workflow, path, stamp, program, sources)
        for path, workflow in program.workflows
    }
    main = specs.pop(program.entry)
    return replace(main, subgraphs=tuple(sorted(specs.items())), outside=_outside(sources))


def _outside(sources: SourceSet) -> tuple[tuple[str, str], ...] | None:
    folder = os.path.realpath(os.path.dirname(sources.entry or ""))
    found = ((os.path.relpath(file, folder), sha) for file, sha in sources.outside.items())
    return tuple(sorted(found)) or None


def _lower_workflow(
    workflow: ir.Workflow, path: str, stamp: str, program: ir.Program, sources: SourceSet
) -> GraphSpec:
    keys = _Keys.of(workflow)
    outgoing = edges_from(workflow.edges)
    ways = connections_of(workflow)
    branches = {branch.source: branch for branch in ways.branches}
    deferred = workflow.on_success if ways.forks else None
    nodes = [
        _lower_node(node, outgoing.get(node.id, []), branches.get(node.id), workflow, keys, sources)
        for node in workflow.nodes
    ]
    written = {channel for node in nodes for channel in node.writes}
    return GraphSpec(
        name=workflow.name,
        title=workflow.title,
        file=path,
        digest=stamp,
        channels=_channels(workflow, keys, ways.branches, written),
        nodes=tuple(replace(n, defer=True) if n.id == deferred else n for n in nodes),
        edges=ways.edges,
        branches=ways.branches,
        entry=workflow.entry,
        params=workflow.params,
        outputs=workflow.outputs,
        model=workflow.model,
        agents=workflow.agents,
        prompts=tuple(
            PromptSpec(id=p.id, role=p.role, template=p.template) for p in workflow.prompts
        ),
        joins=ways.joins,
        relays=ways.relays,
        tools=tuple(tool for tool in workflow.tools if tool.source == "declared" or tool.effect),
        threads=workflow.threads,
        scripts=tuple(replace(s, indent=_indent(s, sources)) for s in workflow.scripts),
        groups=workflow.groups,
        on_input=workflow.on_input,
        on_success=workflow.on_success,
        on_failed=workflow.on_failed,
        on_error=workflow.on_error,
        limits=tuple(limit for limit in workflow.limits if limit.name != "visits"),
        param_places=tuple(
            (p.name, place) for p in workflow.params if (place := place_of(p.span, sources))
        ),
    )


def _lower_node(
    node: ir.Node,
    outgoing: list[ir.Edge],
    branch: Branch | None,
    workflow: ir.Workflow,
    keys: _Keys,
    sources: SourceSet,
) -> NodeSpec:
    catches: list[ir.ErrorKind] = []
    for edge in outgoing:
        if isinstance(edge.guard, ir.OnError):
            catches.extend(kind for kind in edge.guard.errors if kind not in catches)
    own = {limit.name for limit in node.limits}
    shared = tuple(m for m in workflow.limits if m.name == "visits" and m.name not in own)
    # An end is not an activity (M45): a limit there would keep a failed run from ending FAILED.
    limits: tuple[ir.Limit, ...] = node.limits if node.kind == "end" else (*node.limits, *shared)
    if node.on_unknown is None and workflow.on_unknown is not None:
        node = replace(node, on_unknown=workflow.on_unknown)
    return NodeSpec(
        id=node.id,
        op=node,
        place=place_of(node.span, sources),
        writes=tuple(dict.fromkeys(_writes(node, workflow, keys))),
        route=branch.channel if branch else None,
        catches=tuple(catches),
        limits=limits,
    )


@dataclass(frozen=True, slots=True)
class _Keys:
    """LangGraph's keys: of variables their names, of the first thread `messages`, as LangGraph's
    chats name it, of others their own names. What would be another's key already gets a longer
    one."""

    variables: tuple[str, ...]
    outcome: str
    threads: Mapping[str, str]

    @classmethod
    def of(cls, workflow: ir.Workflow) -> _Keys:
        variables = (*(p.name for p in workflow.params), *(f.name for f in workflow.state))
        outcome = f"workflow_{_OUTCOME}" if _OUTCOME in variables else _OUTCOME
        taken = {*variables, outcome}
        threads: dict[str, str] = {}
        for number, thread in enumerate(workflow.threads):
            key = thread.id if number else MESSAGES
            while key in taken:
                key = f"{key} {MESSAGES}"
            taken.add(key)
            threads[thread.id] = key
        return cls(tuple(dict.fromkeys(variables)), outcome, threads)


def _channels(
    workflow: ir.Workflow, keys: _Keys, branches: tuple[Branch, ...], written: set[str]
) -> tuple[Channel, ...]:
    channels: dict[str, Channel] = {}
    schemas = _schemas(workflow)
    for param in workflow.params:
        channels[param.name] = Channel(
            name=param.name, variable=param.name, type=param.type, default=param.default
        )
    for entry in workflow.state:
        known = channels.get(entry.name)
        channels[entry.name] = Channel(
            name=entry.name,
            variable=entry.name,
            type=entry.type,
            reducer=entry.reducer,
            keep=entry.keep,
            schema=schemas.get(entry.name) if entry.reducer == "replace" else None,
            default=entry.default if known is None or known.default is None else known.default,
        )
    threads = [
        Channel(name=name, variable=thread, role="messages", type="list", reducer="append")
        for thread, name in keys.threads.items()
    ]
    sessions = [
        Channel(name=f"$session.{name}", role="session", type="text")
        for name in dict.fromkeys(_sessions(workflow))
    ]
    kept = [channel for channel in _BOOKKEEPING if channel.name in written]
    routes = [Channel(name=b.channel, role="route", type="text") for b in branches]
    outcome = Channel(name=keys.outcome, role="outcome", type="text")
    return (*channels.values(), outcome, *threads, *sessions, *kept, *routes)


def _on_errors(workflow: ir.Workflow) -> list[ir.Assignment]:
    return [a for rule in workflow.on_error for a in rule.assignments]


def _schemas(workflow: ir.Workflow) -> dict[str, ir.Json]:
    """The schema of each variable that nothing but agents with one schema write."""
    if any(writes_all(node) for node in workflow.nodes):
        return {}
    others = [*(p.name for p in workflow.params), *(a.target for a in _on_errors(workflow))]
    found: dict[str, list[ir.Json]] = {name: [None] for name in others}
    for node in workflow.nodes:
        schema = node.schema if isinstance(node, ir.AgentNode) else None
        for write in writes(node):
            is_answer = isinstance(node, ir.AgentNode) and write.name == node.into
            found.setdefault(write.name, []).append(schema if is_answer else None)
    return {
        name: schemas[0]
        for name, schemas in found.items()
        if schemas[0] is not None and all(schema == schemas[0] for schema in schemas)
    }


def _sessions(workflow: ir.Workflow) -> list[str]:
    own = [node.session for node in workflow.nodes if isinstance(node, ir.ExecNode)]
    shared = any(isinstance(node, ir.CallNode) and node.shares_sessions for node in workflow.nodes)
    return [*own, "main"] if shared else own


def _writes(node: ir.Node, workflow: ir.Workflow, keys: _Keys) -> list[str]:
    """The channels a node may write: its variables, and what the runtime keeps for its kind."""
    errors = [a.target for a in _on_errors(workflow)]
    own = keys.variables if writes_all(node) else [w.name for w in writes(node)]
    variables = [name for name in (*own, *errors) if name in keys.variables]
    return [*variables, *_system_writes(node, workflow, keys)]


def _system_writes(node: ir.Node, workflow: ir.Workflow, keys: _Keys) -> list[str]:
    always = ["$visits"]
    match node:
        case ir.AgentNode():
            threads = [a.thread for a in workflow.agents if a.id == node.agent and a.thread]
            reports = ["$reports"] if node.report or node.inputs else []
            return [*always, *reports, *(keys.threads[thread] for thread in threads)]
        case ir.MessageNode():
            return [*always, keys.threads[node.thread]]
        case ir.ExecNode():
            return [*always, f"$session.{node.session}"]
        case ir.CallNode():
            sessions = _sessions(workflow) if node.shares_sessions else []
            return [*always, *(f"$session.{name}" for name in dict.fromkeys(sessions))]
        case ir.EndNode():
            handled = ["$handled"] if workflow.on_success or workflow.on_failed else []
            return [*always, keys.outcome, *handled]
        case ir.ScriptNode():
            return [*always, "$clock", *(keys.threads[thread] for thread in node.threads)]
        case ir.AskNode():
            return [*always, *([keys.threads[node.thread]] if node.thread else [])]
        case (
            ir.ToolNode()
            | ir.PythonNode()
            | ir.WaitNode()
            | ir.HttpNode()
            | ir.AssignNode()
            | ir.ChooseNode()
            | ir.AssertNode()
            | ir.TaskNode()
            | ir.GateNode()
            | ir.ForeachNode()
        ):
            return always
        case _:
            assert_never(node)


def place_of(span: Span | None, sources: SourceSet) -> Place | None:
    """The lines and columns of a span; None when its file is not among the sources."""
    source = sources.get(span.file) if span else None
    if span is None or source is None:
        return None
    first, last = source.position(span.start), source.position(span.end)
    return Place(
        file=span.file,
        line=first.line,
        column=first.column,
        end_line=last.line,
        end_column=last.column,
    )


def _indent(script: ir.Script, sources: SourceSet) -> int:
    """How far a script that is written inside another file is indented there."""
    source = sources.get(script.file)
    lines = enumerate(script.source.splitlines(), script.line)
    written = next(((number, line) for number, line in lines if line.strip()), None)
    if source is None or written is None:
        return 0
    return max(source.line_text(written[0]).find(written[1]), 0)
