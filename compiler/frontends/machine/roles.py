"""The roles file: the system text of each agent, and its tools (J17).

It stands in the machine's own folder (`<name>/roles.json`) or, for all machines of a folder, beside
them (`roles.json`); the nearer one counts.

    {"writer": {"level": "fast", "systemMessage": "…", "includedTools": ["read_file"],
                "parsingTools": [{"type": "function", "function": {"name": "done", …}}]}}
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ...diagnostics.diagnostic import Sink
from ...expr.ast import Expr, Literal
from ...ir import Agent, Json, Tool
from ...reading.json_fields import Fields, Tree, read_json
from ...reading.tree import Scalar
from ...source.records import dataclass
from ...source.source import Source, SourceSet, Unreadable
from ...source.spelling import Spelling
from .document import Machine, Role

ROLES = "roles.json"
_KEYS = ("level", "systemMessage", "includedTools", "parsingTools", "description")
_TYPES = Spelling(("object", "array", "string", "number", "integer", "boolean", "null"))
_OTHER_TYPES = {
    **dict.fromkeys(("str", "text"), "string"),
    **dict.fromkeys(("bool", "truth"), "boolean"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("list", "tuple"), "array"),
    **dict.fromkeys(("dict", "map", "mapping"), "object"),
}
"""What other languages call them."""
_NO_ARGUMENTS = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class RoleEntry:
    """What the file says about one role."""

    system: Expr | None
    tools: tuple[Tool, ...]


def read_roles(machine: Machine, sources: SourceSet, sink: Sink) -> dict[str, RoleEntry]:
    """Return the entries of the agents that the machine declares; none without a roles file."""
    source = _find(machine.tree.source.path, sources, sink)
    tree = read_json(source, sink) if source is not None else None
    top = tree.fields(tree.root, "the roles file") if tree is not None else None
    if source is None or tree is None or top is None:
        return {}
    entries: dict[str, RoleEntry] = {}
    spelling = Spelling(top.members)
    for agent in machine.agents:
        name = agent.name.text
        fields = top.fields(name, f"role `{name}`")
        if fields is not None:
            entries[name] = _entry(tree, fields)
        elif name not in top.members and tree.complete:
            _absent(agent, source, spelling, sink)
    return entries


def _find(path: str, sources: SourceSet, sink: Sink) -> Source | None:
    folder, file = os.path.split(path)
    own = os.path.join(folder, os.path.splitext(file)[0], ROLES)
    for candidate in (own, os.path.join(folder, ROLES)):
        try:
            return sources.read(candidate)
        except Unreadable as error:
            if error.reason != "not found":
                message = f"the roles file `{candidate}` {error.reason}"
                help = error.help or "replace it by a JSON file, or remove it"
                sink.report("FC0001", message, sources.files[path].span(0), help=help)
                return None
    return None


def _absent(agent: Role, source: Source, spelling: Spelling, sink: Sink) -> None:
    message = f"`{source.path}` says nothing about the agent `{agent.name.text}`"
    help = spelling.advice(agent.name.text, "add its system text and tools there")
    sink.report("FC1003", message, agent.name.span, severity="warning", help=help)


def _entry(tree: Tree, fields: Fields) -> RoleEntry:
    fields.unknown(_KEYS, severity="warning")
    fields.text("level")
    system = fields.text("systemMessage", empty=True)
    tools = [*_included_tools(tree, fields), *_parsing_tools(tree, fields)]
    return RoleEntry(
        system=Literal(value=system.text, span=system.span)
        if system and system.text.strip()
        else None,
        tools=tuple({tool.id: tool for tool in reversed(tools)}.values())[::-1],
    )


def _included_tools(tree: Tree, fields: Fields) -> Iterator[Tool]:
    for node in fields.items("includedTools"):
        name = tree.text(node, f"an item of `includedTools` of {fields.what}")
        if name is not None:
            yield Tool(id=name.text, span=name.span)


def _parsing_tools(tree: Tree, fields: Fields) -> Iterator[Tool]:
    """Yield functions whose call is the answer; they are never executed."""
    for node in fields.items("parsingTools"):
        what = f"a parsing tool of {fields.what}"
        outer = tree.fields(node, what)
        if outer is None:
            continue
        outer.unknown(("type", "function", "parsingOnly"), severity="warning")
        inner = outer.fields("function", what, required=True)
        name = inner.text("name", required=True) if inner else None
        if inner is None or name is None:
            continue
        inner.unknown(("name", "description", "parameters", "strict"), severity="warning")
        description = inner.text("description")
        yield Tool(
            id=name.text,
            source="declared",
            effect="pure",
            result="answer",
            description=description.text if description else "",
            schema=_schema(tree, inner),
            span=name.span,
        )


def _schema(tree: Tree, function: Fields) -> Json:
    node = function.get("parameters")
    if node is None:
        return _NO_ARGUMENTS
    schema = tree.fields(node, f"`parameters` of {function.what}")
    if schema is not None:
        _check_schema(tree, schema, tree.sink)
    return tree.value(node, "`parameters`") if schema is not None else _NO_ARGUMENTS


def _check_schema(tree: Tree, schema: Fields, sink: Sink) -> None:
    """Warn of types that JSON Schema does not have, and of arguments that are required and not
    described."""
    own = schema.get("type")
    properties = schema.fields("properties", schema.what)
    described = {} if properties is None else properties.members
    entries = [tree.fields(value, f"`{key}`") for key, (_, value) in described.items()]
    types = [own, *(entry.get("type") for entry in entries if entry is not None)]
    for written in types:
        if isinstance(written, Scalar) and written.text not in _TYPES:
            near = _OTHER_TYPES.get(written.text.lower()) or _TYPES.nearest(written.text)
            message = f"`{written.text}` is not a type of JSON Schema"
            help = f"did you mean `{near}`?" if near else "one of object, string, number, boolean"
            sink.report("FC1005", message, written.span, severity="warning", help=help)
    spelling = Spelling(described)
    for item in schema.items("required"):
        if isinstance(item, Scalar) and properties is not None and item.text not in described:
            message = f"`{item.text}` is required and not described"
            help = spelling.advice(item.text, "describe it below `properties`")
            sink.report("FC1005", message, item.span, severity="warning", help=help)


def agent_of(role: Role, entry: RoleEntry | None, stores: bool) -> Agent:
    """Return the agent of the IR. In the older dialect what it is sent and answers is stored (J36);
    otherwise only scripts change a context (J16). The side is its perspective (J14)."""
    return Agent(
        id=role.name.text,
        role=role.name.text,
        tools=tuple(tool.id for tool in entry.tools) if entry else (),
        system=entry.system if entry else None,
        thread=role.context,
        perspective="user" if role.side == "user" else "assistant",
        remember="both" if stores else "none",
        span=role.name.span,
    )
