"""Hover: what a name in a file stands for, as markdown for an editor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ..analysis.variables import reads, writes, writes_all
from ..catalog.builtin_tools import ToolEntry
from ..catalog.catalog import load_catalog
from ..checks import CODES
from ..diagnostics.diagnostic import Sink
from ..driver import CompileResult
from ..ir import AgentNode, MessageNode, Node, Workflow
from ..reading.editing import Mention
from .about import KINDS, about_node, template_text
from .symbols import Symbols

LONGEST = 600
MOST = 12
"""Nodes listed as producers or readers."""


def describe(mention: Mention, symbols: Symbols, result: CompileResult) -> str:
    """Markdown that says what the name is; "" when there is nothing to say."""
    workflow, name = _its_workflow(mention, result)
    if workflow is None:
        return ""
    match mention.kind:
        case "variable":
            return _variable(name, workflow, symbols)
        case "node":
            return _node(name, workflow, symbols)
        case "prompt":
            return _prompt(name, workflow, symbols)
        case "tool":
            return _tool(mention.name, workflow, result)
        case "workflow":
            return _workflow(mention.name, result)
        case "function":
            return _function(mention.name, symbols)
        case "agent" | "thread" | "role":
            return _users(mention.kind, name, workflow, symbols)
        case _:
            return ""


def _its_workflow(mention: Mention, result: CompileResult) -> tuple[Workflow | None, str]:
    """The workflow that a name belongs to, and the name there: `city#report` is the `report` of the
    inner workflow `city`."""
    part, _, name = mention.name.rpartition("#")
    inner = result.parsed.parts.get(part) if part and result.parsed else None
    return (result.workflow, mention.name) if inner is None else (inner, name)


def _variable(name: str, workflow: Workflow, symbols: Symbols) -> str:
    param = next((p for p in workflow.params if p.name == name), None)
    field = next((s for s in workflow.state if s.name == name), None)
    known = param or field
    rows = [f"**{_code(name)}** · variable" + (f" · {known.type}" if known else "")]
    if param is not None:
        about = "required parameter" if param.required else "parameter"
        default = "" if param.default is None else f", by default {_code(str(param.default)[:80])}"
        rows.append(about + default + (f"  \n{param.description}" if param.description else ""))
    nodes = workflow.nodes
    rows.append(_list("written by", [n for n in nodes if _writes(n, name)], symbols))
    rows.append(_list("read by", [n for n in nodes if _reads(n, name, workflow)], symbols))
    if known is None and not any(_writes(n, name) for n in nodes):
        rows.append("written by nothing in this file")
    return _join(rows)


def _writes(node: Node, name: str) -> bool:
    return any(write.name == name for write in writes(node))


def _reads(node: Node, name: str, workflow: Workflow) -> bool:
    return any(read.name == name for read in reads(node, workflow))


def _node(name: str, workflow: Workflow, symbols: Symbols) -> str:
    members = [n for n in workflow.nodes if name in (n.id, n.group)]
    rows = []
    for node in members:
        title = f" · {_plain(node.title)}" if node.title and node.title != node.id else ""
        rows.append(f"**{_code(node.id)}** · {node.kind}: {KINDS[node.kind]}{title}")
        facts = about_node(node, workflow, symbols.sources)
        rows += [f"- {f.label}: {_value(f.text, f.form)}" for f in facts]
        if writes_all(node):
            rows.append("- every variable is shared with the called workflow")
    return "\n\n".join(rows[:1]) + ("\n\n" + "\n".join(rows[1:]) if rows[1:] else "")


def _value(text: str, form: str) -> str:
    if form == "code" and "\n" not in text:
        return _code(text)
    return _plain(text[:LONGEST])


def _prompt(name: str, workflow: Workflow, symbols: Symbols) -> str:
    prompt = next((p for p in workflow.prompts if p.id == name), None)
    if prompt is None:
        return f"**{_plain(name)}** · prompt that nobody wrote"
    users = [
        n for n in workflow.nodes if isinstance(n, AgentNode | MessageNode) and n.prompt_id == name
    ]
    text = template_text(prompt.template, symbols.sources).strip()
    body = text[:LONGEST] + ("…" if len(text) > LONGEST else "")
    fence = "`" * (3 + body.count("```"))
    return _join(
        [
            f"**{_plain(name)}** · prompt of the {prompt.role}",
            f"{fence}text\n{body}\n{fence}",
            _list("used by", users, symbols),
        ]
    )


def _tool(name: str, workflow: Workflow, result: CompileResult) -> str:
    declared = next((t for t in workflow.tools if t.id == name), None)
    catalog = load_catalog(result.path, result.sources, Sink(CODES))
    entry = catalog.entries.get(name)
    if entry is None:
        about = declared.description if declared else ""
        where = "declared in this file" if declared and declared.source == "declared" else (
            "tool that nothing known provides"
        )  # fmt: skip
        return _join([f"**{_code(name)}** · {where}", _plain(about)])
    where = "built-in tool" if entry.source == "builtin" else "tool from the lock"
    rows = [f"**{_code(name)}** · {where} · {entry.effect}", _plain(entry.description)]
    return _join([*rows, "\n".join(_parameters(entry))])


def _parameters(entry: ToolEntry) -> Iterable[str]:
    schema = entry.parameters.get("properties")
    listed = entry.parameters.get("required")
    required = listed if isinstance(listed, list) else ()
    for name, about in (schema if isinstance(schema, dict) else {}).items():
        if isinstance(about, dict):
            must = ", required" if name in required else ""
            text = _plain(str(about.get("description", "")))
            yield f"- {_code(name)} ({about.get('type', 'any')}{must}) {text}"


def _workflow(path: str, result: CompileResult) -> str:
    called = dict(result.program.workflows).get(path) if result.program else None
    shown = os.path.relpath(path, os.path.dirname(result.path) or ".")
    if called is None:
        return f"**{_code(shown)}** · workflow that cannot be read"
    params = ", ".join(_code(p.name) for p in called.params)
    rows = [f"**{_code(shown)}** · workflow · {_plain(called.title or called.name)}"]
    rows.append(_plain(called.description[:LONGEST]))
    rows.append(f"parameters: {params}" if params else "")
    return _join(rows)


def _function(name: str, symbols: Symbols) -> str:
    defined = symbols.definitions("function", name)
    if not defined:
        return f"**{_code(name)}** · function of the script"
    span = defined[0].span
    source = symbols.sources.files[span.file]
    at = source.position(span.start)
    line = source.line_text(at.line).strip()
    where = f"{os.path.basename(span.file)}:{at.line}"
    return f"**{_code(name)}** · function of the script · {where}\n\n```js\n{line[:200]}\n```"


def _users(kind: str, name: str, workflow: Workflow, symbols: Symbols) -> str:
    used = [
        n
        for n in workflow.nodes
        if name in (getattr(n, "agent", None), getattr(n, "thread", None), getattr(n, "role", None))
    ]
    return _join([f"**{_code(name)}** · {kind}", _list("used by", used, symbols)])


def _list(title: str, nodes: Sequence[Node], symbols: Symbols) -> str:
    if not nodes:
        return ""
    rows = [f"{title}:"]
    for node in nodes[:MOST]:
        source = symbols.sources.get(node.span.file) if node.span else None
        line = f" (line {source.position(node.span.start).line})" if source and node.span else ""
        title = f" {_plain(node.title)}" if node.title and node.title != node.id else ""
        rows.append(f"- {_code(node.id)}{title}{line}")
    if len(nodes) > MOST:
        rows.append(f"- and {len(nodes) - MOST} more")
    return "\n".join(rows)


def _join(rows: Iterable[str]) -> str:
    return "\n\n".join(row for row in rows if row)


def _code(text: str) -> str:
    """Text as inline code, whatever backticks it holds."""
    line = " ".join(text.split())
    fence = "``" if "`" in line else "`"
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def _plain(text: str) -> str:
    """Text in which nothing is markup, on one line."""
    line = " ".join(text.split())
    return "".join("\\" + c if c in "\\`*_{}[]<>#|!" else c for c in line)
