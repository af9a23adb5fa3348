"""Templates whose values are quoted for their place: shell commands, and addresses of requests."""

from __future__ import annotations

import re
from typing import Protocol

from ....analysis.hosts import host_fault, host_in
from ....diagnostics.diagnostic import Label
from ....expr.ast import Expr
from ....expr.template import Template, quoted_address, quoted_command
from ....flow_yaml.shapes import Key
from ....reading.tree import MapAt, Scalar, Value, brief
from ....source.source import Span

_SCHEME = re.compile(r"https?://", re.IGNORECASE)


class TextReader(Protocol):
    """The reader of the file: of templates, and of what is wrong."""

    texts: list[Scalar]
    commands: list[Scalar]

    def template(self, key: Key, name: Scalar, node: Value) -> Expr | None: ...

    def template_in(self, node: Scalar) -> Template: ...

    def wrong(self, key: Scalar, wanted: str, node: Value, help: str) -> None: ...

    def report(self, code: str, message: str, span: Span, help: str, *labels: Label) -> None: ...


def read_command(key: Key, name: Scalar, node: Value, reader: TextReader) -> Expr | None:
    """Return a shell command. Each value is quoted for its place, so that no text of a model or a
    person becomes a command. One value alone stays as it is."""
    if isinstance(node, MapAt) and node.get("file") is not None:
        help = "write the command here; `bash FILE` runs a script"
        reader.wrong(name, "a command", node, help)
        return None
    if not isinstance(node, Scalar):
        return reader.template(key, name, node)
    reader.commands.append(node)
    expr, refusals = quoted_command(reader.template_in(node), node.text)
    for hole, why in refusals:
        written = brief(node.text[hole.start : hole.end])
        message = f"the value of `{written}` cannot be quoted {why}"
        help = "put it into a word of its own or into quotes"
        reader.report("FC3006", message, node.at(hole.start, hole.end), help)
    return node.place_expression(expr)


def read_address(key: Key, name: Scalar, node: Value, reader: TextReader) -> Expr | None:
    """Return the URL of a request. Each value behind its beginning is quoted, so that none changes
    where it leads. A value at the beginning stays as it is: then `hosts` say where it may lead."""
    if isinstance(node, MapAt) and node.get("file") is not None:
        reader.wrong(name, "a URL", node, "write the URL here, or `value:` with an expression")
        return None
    if not isinstance(node, Scalar):
        return reader.template(key, name, node)
    reader.texts.append(node)
    template, text = reader.template_in(node), node.text
    holes = template.placeholders
    begins_with_value = bool(holes) and holes[0].start == 0
    if begins_with_value:
        return node.place_expression(quoted_address(template, beginning=True))
    if _SCHEME.match(text) is None:
        help = "write it whole: `https://example.com/path`"
        reader.report("FC1005", f"`{brief(text)}` is not a URL", node.span, help)
        return None
    host = host_in(text)
    end = text.lower().find(host) + len(host) if host else 0
    inside = [hole for hole in holes if hole.start < end or (not host and hole is holes[0])]
    if inside:
        message = "a value decides which host the request goes to"
        help = "write the host; or let a value be the whole beginning and list `hosts:`"
        reader.report("FC3006", message, node.at(inside[0].start, inside[0].end), help)
        return None
    if fault := host_fault(host):
        reader.report("FC1005", f"`{brief(host)}` is not a host", node.span, fault)
        return None
    return node.place_expression(quoted_address(template))
