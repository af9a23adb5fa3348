"""A program as canonical flow YAML: the IR's text form, which reads back as the same program.

flow: 1
name: review

nodes:
  - name: draft
    agent: writer
    prompt: Write about {{ topic }}.
    into: draft
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ... import ir
from ...flow_yaml import keys
from ...flow_yaml.implied import called_functions, implied_tools
from .forms import mapping_of, short_form
from .routes import OutgoingEdges, outgoing_edges, write_default, write_ways
from .yaml_text import Inline, Sections, Spaced, Value, yaml_text

Near = Callable[[str], str]
"""How a path is written in the file."""


def emit_flow_yaml(program: ir.Program, folder: str | None = None) -> str:
    """The program's main workflow with those that stand in the same file; called files are named
    relative to `folder`, which is by default that of the main one."""
    home = os.path.dirname(program.entry) if folder is None else folder
    inside = f"{program.entry}#"
    parts = {p.removeprefix(inside): w for p, w in program.workflows if p.startswith(inside)}

    def near(path: str) -> str:
        if path.startswith(inside) and path.removeprefix(inside) in parts:
            return path.removeprefix(inside)
        text = os.path.relpath(path, home or ".").replace(os.sep, "/")
        return f"./{text}" if text in parts else text

    document = Sections(flow=keys.VERSION, **_workflow(program.main, near, program.entry))
    if parts:
        document["workflows"] = Sections(
            {name: _workflow(workflow, near, program.entry) for name, workflow in parts.items()}
        )
    return yaml_text(document)


def emit_details(workflow: ir.Workflow, empty: Iterable[str], path: str) -> str:
    """What a document at `path` says of a workflow beside its picture: the declarations, and the
    nodes without their ways. `empty` are keys that it has with nothing behind them."""

    def near(called: str) -> str:
        return os.path.relpath(called, os.path.dirname(path) or ".").replace(os.sep, "/")

    found = Sections(dict.fromkeys(empty)) | _workflow(workflow, near, path)
    for key in ("name", "start", "defaults", "nodes"):
        found.pop(key, None)
    if workflow.entry:
        found["start"] = workflow.entry
    if workflow.nodes:
        found["nodes"] = Spaced([_node(node, workflow, near) for node in workflow.nodes])
    return yaml_text(Sections(found)) if found else ""


def _workflow(workflow: ir.Workflow, near: Near, file: str) -> Sections:
    top = mapping_of(workflow, keys.MapShape(ir.Workflow, keys.TOP))
    ways = outgoing_edges(workflow)
    found = Sections(name=workflow.name)
    found |= {key: top[key] for key in ("title", "description") if key in top}
    found["params"] = {p.name: _param(p) for p in workflow.params}
    found["state"] = {f.name: _state(f) for f in workflow.state}
    found |= {"outputs": top["outputs"]} if "outputs" in top else {}
    found |= {"model": top["model"]} if "model" in top else {}
    found["agents"] = {a.id: dict(mapping_of(a, keys.AGENT)) for a in workflow.agents}
    found["tools"] = _tools(workflow)
    found["threads"] = {t.id: _thread(t) for t in workflow.threads}
    found["scripts"] = {s.id: _script(s, workflow, near, file) for s in workflow.scripts}
    found["prompts"] = {
        p.id: short_form(mapping_of(p, keys.PROMPT), keys.PROMPT) for p in workflow.prompts
    }
    found["groups"] = {g.id: g.title for g in workflow.groups}
    found |= {key: top[key] for key in ("limits", "on_unknown") if key in top}
    found["on_error"] = [dict(mapping_of(rule, keys.RULE)) for rule in workflow.on_error]
    if workflow.starts:
        found["on"] = _starts(workflow.starts)
    if workflow.on_input is not None:
        found["on_input"] = short_form(mapping_of(workflow.on_input, keys.ON_INPUT), keys.ON_INPUT)
    found |= {key: top[key] for key in ("on_success", "on_failed") if key in top}
    if ways.default is not None:
        found["defaults"] = {"on_error": write_default(ways.default)}
    if not ways.listed or workflow.entry != ways.listed[0].id:
        found["start"] = workflow.entry
    found["nodes"] = Spaced(_nodes(workflow, ways, near))
    found["tests"] = Sections({t.name: dict(mapping_of(t, keys.TRIAL)) for t in workflow.trials})
    return Sections({key: value for key, value in found.items() if value not in ({}, [])})


def _param(param: ir.Param) -> Value:
    found = mapping_of(param, keys.PARAM, "required")
    if param.required == (param.default is not None):
        found["required"] = param.required
    return short_form(Inline({"type": param.type, **found}), keys.PARAM)


def _starts(starts: tuple[ir.CronSchedule | ir.WebhookStart, ...]) -> Value:
    listed = [
        short_form(mapping_of(one, keys.SCHEDULE), keys.SCHEDULE)
        if isinstance(one, ir.CronSchedule)
        else dict(mapping_of(one, keys.WEBHOOK))
        for one in starts
    ]
    alone = len(listed) == 1 and isinstance(listed[0], dict)
    return listed[0] if alone else [_whole(one) for one in listed]


def _whole(schedule: Value) -> Value:
    return schedule if isinstance(schedule, dict) else Inline(schedule=schedule)


def _state(field: ir.StateField) -> Value:
    return short_form(Inline({"type": field.type, **mapping_of(field, keys.STATE)}), keys.STATE)


def _tools(workflow: ir.Workflow) -> Value:
    """Nothing when the tools are those that nodes and agents name."""
    bare = all(tool.source != "declared" and tool.effect is None for tool in workflow.tools)
    named = [tool.id for tool in implied_tools(workflow.agents, workflow.nodes)]
    if bare and [tool.id for tool in workflow.tools] == named:
        return {}
    return {tool.id: _tool(tool) for tool in workflow.tools}


def _tool(tool: ir.Tool) -> Value:
    found = dict(mapping_of(tool, keys.TOOL))
    if tool.source == "declared" and not found.keys() & {"description", "schema", "result"}:
        found["result"] = tool.result
    return found


def _thread(thread: ir.Thread) -> Value:
    found: dict[str, Any] = dict(mapping_of(thread, keys.THREAD))
    if thread.seed:
        found["seed"] = [{seed.role: seed.content} for seed in thread.seed]
    return found


def _script(script: ir.Script, workflow: ir.Workflow, near: Near, file: str) -> Value:
    """The file's name where the script is a file, else its text."""
    functions = (
        list(script.functions) if script.functions != called_functions(script.id, workflow) else []
    )
    more: dict[str, Value] = {"functions": functions} if functions else {}
    by_name = keys.LANGUAGES.get(os.path.splitext(script.file)[1])
    if script.file != file and by_name is not None and script.line == 1:
        if by_name != script.language:
            more["language"] = script.language
        return Inline(file=near(script.file), **more) if more else near(script.file)
    more = {"language": script.language, **more}
    if script.file != file:
        more |= {"file": near(script.file), "line": script.line}
    return {**more, "source": script.source}


def _nodes(workflow: ir.Workflow, ways: OutgoingEdges, near: Near) -> list[Value]:
    found: list[Value] = []
    for at, node in enumerate(ways.listed):
        after = ways.listed[at + 1] if at + 1 < len(ways.listed) else None
        found.append(_node(node, workflow, near) | write_ways(node, after, ways))
    return found


def _node(node: ir.Node, workflow: ir.Workflow, near: Near) -> dict[str, Value]:
    around = mapping_of(node, keys.MapShape(type(node), keys.COMMON))
    found: dict[str, Value] = {"name": node.id}
    if "title" in around:
        found["title"] = around.pop("title")
    own = mapping_of(node, keys.NODES[node.kind])
    if isinstance(node, ir.CallNode | ir.ForeachNode):
        own["call" if node.kind == "call" else "do"] = near(node.workflow)
    if isinstance(node, ir.AgentNode | ir.MessageNode):
        _use_prompt(node, own, workflow)
    return {**found, **own, **around}


def _use_prompt(node: ir.AgentNode | ir.MessageNode, own: Inline, workflow: ir.Workflow) -> None:
    """Leave out a text that is the one of the prompt it uses."""
    prompt = next((p for p in workflow.prompts if p.id == node.prompt_id), None)
    if prompt is None:
        return
    if isinstance(node, ir.MessageNode):
        own["message"] = None if node.template == prompt.template else own["message"]
    elif node.prompt is None:
        own["prompt"] = None
    elif node.prompt == prompt.template:
        del own["prompt"]
