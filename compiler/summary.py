"""The format-neutral summary of a file, behind `flowc inspect --json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import ir
from .analysis.outline import Element, elements, ways
from .analysis.schedule import schedule_of
from .diagnostics.diagnostic import Diagnostic
from .diagnostics.render import as_dict
from .expr.ast import Literal
from .reading.protocol import Parsed
from .source.source import SourceSet, Span

SCHEMA_VERSION = 1


def summarize(
    path: str,
    format: str | None,
    parsed: Parsed | None,
    workflow: ir.Workflow | None,
    diagnostics: tuple[Diagnostic, ...],
    sources: SourceSet,
) -> dict[str, Any]:
    """JSON values; the keys are those of docs/cli.md. A file that could not be read has no nodes,
    but always its diagnostics."""
    w = workflow or ir.Workflow(name="")
    details = parsed.details if parsed else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "format": format,
        "file": path,
        "name": w.name,
        "title": w.title,
        "description": w.description,
        "params": [
            {"name": p.name, "type": p.type, "required": p.required, "default": p.default}
            for p in w.params
        ],
        "nodes": [_element(element, details, sources) for element in elements(w, details)],
        "edges": [
            {"source": e.source, "target": e.target, "label": e.label} for e in ways(w, details)
        ],
        "agents": [_agent(agent.id, w) for agent in w.agents],
        "prompts": [
            {"name": p.id, "role": p.role, "line": _position(p.span, sources)["line"]}
            for p in w.prompts
        ],
        "scripts": [
            {"name": s.id, "language": s.language, "functions": list(s.functions)}
            for s in w.scripts
        ],
        "schedule": _schedule(w),
        "limits": {limit.name: _limit(limit) for limit in w.limits},
        "progress": dict(parsed.progress) if parsed and parsed.progress else None,
        "diagnostics": [as_dict(d, sources) for d in diagnostics],
    }


def _element(
    element: Element, details: Mapping[str, Mapping[str, Any]], sources: SourceSet
) -> dict[str, Any]:
    """An element of the file with what its front end says of it, else what the IR does."""
    node = element.node
    own = _step(node) if isinstance(node, ir.AgentNode) and node.report else _activity(node)
    return {
        "id": element.id,
        "kind": node.kind,
        "title": element.title,
        **_position(element.span, sources),
        "detail": dict(details[element.id]) if element.id in details else own,
    }


def _step(node: ir.AgentNode) -> dict[str, Any]:
    return {
        "description": node.description,
        "tools": list(node.tools),
        "inputs": [[x.name, x.description] for x in node.inputs],
        "outputs": [[x.source, x.name] for x in node.outputs],
        "asserts": [x.text for x in node.asserts],
        "section": node.section,
    }


def _activity(node: ir.Node) -> dict[str, Any]:
    prompt = node.prompt_id if isinstance(node, ir.AgentNode | ir.MessageNode) else None
    return {"expression": node.title, "prompt": prompt}


def _agent(id: str, workflow: ir.Workflow) -> dict[str, Any]:
    agent = next(a for a in workflow.agents if a.id == id)
    nodes = [
        n for n in workflow.nodes if isinstance(n, ir.AgentNode | ir.TaskNode) and n.agent == id
    ]
    tools = dict.fromkeys((*agent.tools, *(tool for node in nodes for tool in node.tools)))
    return {
        "id": id,
        "role": agent.role,
        "person": agent.person,
        "tools": list(tools),
        "thread": agent.thread,
        "perspective": agent.perspective,
    }


def _schedule(workflow: ir.Workflow) -> dict[str, Any] | None:
    """Minutes of the tasks, where the file estimates them."""
    found = schedule_of(workflow)
    if found is None:
        return None
    path = {"nodes": list(found.critical_path), "minutes": found.critical}
    return {"total_minutes": found.total, "critical_path": path}


def _limit(limit: ir.Limit) -> Any:
    """The bound where it is a plain number; the word `computed` where variables decide."""
    return limit.value.value if isinstance(limit.value, Literal) else "computed"


def _position(span: Span | None, sources: SourceSet) -> dict[str, int | None]:
    source = sources.get(span.file) if span else None
    if span is None or source is None:
        return {"line": None, "column": None}
    at = source.position(span.start)
    return {"line": at.line, "column": at.column}
