"""`flowc run --dry-run`: what a run would do, node by node, and what it may touch. Runs nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, assert_never

from flowc.compiler import ir
from flowc.compiler.driver import CompileResult
from flowc.compiler.editor.about import template_text, wait_text
from flowc.compiler.expr.ast import Expr, Literal, Text
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent
from flowc.compiler.source.source import SourceSet

from ...assembly.inputs import RawInputs, type_inputs
from ...assembly.run_options import RunOptions
from ..app import OK
from ..screen import count_of, one_line
from ..streams import Mode, print_result

_WIDTH = 96


def print_plan(compiled: CompileResult, given: RawInputs, options: RunOptions, mode: Mode) -> int:
    """Print the plan to stdout, then refuse as a run would when an input is missing or wrong."""
    workflow, sources = compiled.workflow, compiled.sources
    assert workflow is not None
    plan = plan_of(compiled.spec, workflow, sources, options)
    if mode in ("json", "jsonl"):
        print_result(plan)
    else:
        print("\n".join(_text(plan)))
    type_inputs(given, workflow, sources)
    return OK


def plan_of(
    spec: GraphSpec, workflow: ir.Workflow, sources: SourceSet, options: RunOptions
) -> dict[str, Any]:
    """Return the plan as JSON: inputs, nodes with what they do, permissions."""
    effects = {tool.id: tool for tool in workflow.tools}
    by_id = {node.id: node for node in workflow.nodes}
    nodes = []
    for name in _in_order(workflow):
        node = by_id[name]
        following = [
            {"to": edge.target, "when": edge.label or _guard(edge.guard)}
            for edge in workflow.edges
            if edge.source == name and not (edge.implied and isinstance(edge.guard, ir.OnError))
        ]
        nodes.append(
            {
                "id": name,
                "kind": node.kind,
                "does": does(node, sources),
                "tools": [
                    {"name": t, "source": effects[t].source, "effect": effects[t].call_effect}
                    for t in _tools(node)
                    if t in effects
                ],
                "next": following,
            }
        )
    return {
        "workflow": workflow.name,
        "file": spec.file,
        "answered_by": options.answers or options.model,
        "inputs": [
            {"name": p.name, "type": p.type, "required": p.required, "default": p.default}
            for p in workflow.params
        ],
        "nodes": nodes,
        "permissions": list(_permissions(spec, options)),
    }


def does(node: ir.Node, sources: SourceSet) -> str:
    """Return what a node would do, in a few words."""
    match node:
        case ir.AgentNode():
            what = f"prompt {node.prompt_id}" if node.prompt_id else node.title
            return f"asks the model: {what}"
        case ir.MessageNode():
            verb = "starts the conversation with" if node.mode == "reset" else "says"
            return f"{verb} {node.prompt_id or node.role}"
        case ir.ExecNode():
            command = _known_text(node.source)
            if node.form == "blocks":
                return "runs the shell blocks of the last answer"
            written = _text_of(node.source, sources) or node.title
            return f"runs $ {command}" if command else f"runs a command: {written}"
        case ir.ChooseNode():
            return f"checks {_text_of(node.on, sources) or node.title}"
        case ir.AskNode():
            return "asks a person"
        case ir.WaitNode():
            return f"waits {wait_text(node.awaits, sources)}"
        case ir.HttpNode():
            return f"sends {node.method} {template_text(node.url, sources)}"
        case ir.AssignNode():
            names = ", ".join(a.target for a in node.assignments)
            return f"sets {names}" if names else "is a checkpoint"
        case ir.CallNode():
            return f"runs the workflow {node.workflow}"
        case ir.ToolNode():
            return f"calls the tool {node.tool}"
        case ir.PythonNode():
            return f"calls the function {node.function}"
        case ir.ScriptNode():
            return f"calls {node.function} of {node.script}"
        case ir.TaskNode():
            done_by = "nobody: merges results" if node.form == "synchronization" else node.role
            return f"{node.form} for {done_by or 'anyone'}"
        case ir.GateNode():
            return f"{node.form.replace('_', ' ')}, {node.mode}"
        case ir.AssertNode():
            return f"asserts {_text_of(node.condition, sources) or node.title}"
        case ir.ForeachNode():
            return f"runs the workflow {node.workflow} for each element"
        case ir.EndNode():
            return f"ends: {node.outcome.upper()}"
    assert_never(node)


def _text_of(expr: Expr, sources: SourceSet) -> str:
    """Return an expression as it stands in the file, in one line; "" where it does not."""
    return " ".join(sources.text_at(expr.span).split())


def _known_text(expr: Expr) -> str:
    """Return the text of an expression without variables, else ""."""
    parts = expr.parts if isinstance(expr, Text) else (expr,)
    known = [str(p.value) for p in parts if isinstance(p, Literal)]
    return "".join(known) if len(known) == len(parts) else ""


def _guard(guard: Any) -> str:
    match guard:
        case None:
            return ""
        case _ if guard.kind == "case":
            return str(guard.value)
        case _ if guard.kind == "error":
            return "on failure"
        case _:
            return "otherwise"


def _in_order(workflow: ir.Workflow) -> Iterator[str]:
    """Yield node ids from the entry on, breadth first; then the handlers and what follows."""
    seen: dict[str, None] = {}
    handlers = (workflow.on_success, workflow.on_failed)
    for start in (workflow.entry, *(h for h in handlers if h)):
        queue = deque([start])
        while queue:
            name = queue.popleft()
            if name in seen:
                continue
            seen[name] = None
            queue.extend(e.target for e in workflow.edges if e.source == name)
    ends = {n.id for n in workflow.nodes if isinstance(n, ir.EndNode)}
    known = {n.id for n in workflow.nodes}
    yield from (name for name in seen if name in known and name not in ends)
    yield from (name for name in seen if name in ends)


def _tools(node: ir.Node) -> tuple[str, ...]:
    if isinstance(node, ir.AgentNode):
        return node.tools
    return (node.tool,) if isinstance(node, ir.ToolNode) else ()


def _permissions(spec: GraphSpec, options: RunOptions) -> Iterator[str]:
    """Yield what the run may do to this machine, and what it asks for before."""
    specs = (spec, *(inner for _, inner in spec.subgraphs))
    ops = [node.op for one in specs for node in one.nodes]
    if any(isinstance(op, ir.ExecNode) for op in ops):
        how = "without asking (--allow-exec)" if options.allow_exec else "after your approval"
        where = f"{options.workspace} and " if options.workspace else ""
        network = "with the network" if options.network else "without the network"
        yield f"shell commands: {how}, {network}, writing in {where}a folder of the run's own"
        yield f"sandbox: {options.sandbox or 'auto'} (docs/sandbox.md)"
    if any(answering_agent(node.op, one) for one in specs for node in one.nodes):
        if options.answers:
            yield f"no model calls: scripted answers ({options.answers})"
        else:
            yield f"model calls: {options.model or 'no model is chosen (--model or --answers)'}"
    folders = ", ".join(["the workflow's folder", *options.roots])
    yield f"files: below {folders}"
    names = [p.env for one in specs for p in one.params if p.env]
    if names:
        yield f"environment: {', '.join(names)}"


def _text(plan: dict[str, Any]) -> Iterator[str]:
    yield f"{plan['file']} · {count_of(len(plan['nodes']), 'node')} · dry run: nothing is run"
    if plan["inputs"]:
        yield "inputs"
        for item in plan["inputs"]:
            needed = "required" if item["required"] else f"default {item['default']!r}"
            yield f"  {item['name']}: {item['type']}, {needed}"
    yield "nodes"
    width = max(len(node["id"]) for node in plan["nodes"])
    for number, node in enumerate(plan["nodes"], start=1):
        yield f"  {number:>2} {node['id']:<{width}}  {one_line(node['does'], _WIDTH - width)}"
        for tool in node["tools"]:
            known = "" if tool["source"] != "unknown" else ", not known at compile time"
            yield f"     {'':<{width}}  tool {tool['name']} ({tool['effect']}{known})"
        if len(node["next"]) > 1:
            ways = [f"{way['when'] or 'then'} → {way['to']}" for way in node["next"]]
            yield f"     {'':<{width}}  {one_line(' · '.join(ways), _WIDTH - width)}"
    yield "permissions"
    yield from (f"  {line}" for line in plan["permissions"])
