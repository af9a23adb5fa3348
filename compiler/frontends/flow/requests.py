"""`hosts:` and `headers:` of a node that sends a request."""

from __future__ import annotations

import re
from typing import Any, Protocol

from ... import ir
from ...analysis.hosts import host_fault, hosts_of
from ...flow_yaml.shapes import Key, MapShape
from ...reading.tree import ListAt, MapAt, Scalar, Value, brief
from ...source.source import Span
from .texts.quoted_texts import TextReader

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_|~-]{1,100}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
OURS = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding")
"""Headers that follow from the request."""
SECRET = MapShape(ir.HttpHeader, (
    Key("secret", "text", "the environment variable with the secret", required=True),
    Key("prefix", "text", "what stands before it, such as `Bearer `"),
))  # fmt: skip
_TEMPLATE = Key("value", "template", "")


class HeaderReader(TextReader, Protocol):
    """The reader of the file: of mappings and templates too."""

    def fields(
        self, mapping: MapAt, element: MapShape, what: str, *further: str
    ) -> dict[str, Any] | None: ...


def read_hosts(key: Key, name: Scalar, node: Value, reader: HeaderReader) -> tuple[str, ...] | None:
    """Return hosts, in small letters."""
    hosts: list[str] = []
    for item in node.items if isinstance(node, ListAt) else [node]:
        if not isinstance(item, Scalar) or item.is_null:
            reader.wrong(name, "a list of hosts", item, "write for instance `[api.example.com]`")
            return None
        if fault := host_fault(item.text):
            reader.report("FC1005", f"`{brief(item.text)}` is not a host", item.span, fault)
            continue
        hosts.append(item.text.lower())
    return tuple(dict.fromkeys(hosts)) or None


def read_headers(
    key: Key, name: Scalar, node: Value, reader: HeaderReader
) -> tuple[ir.HttpHeader, ...] | None:
    """Return headers: templates, or secrets by name."""
    if not isinstance(node, MapAt):
        help = "write `NAME: TEXT`, or `NAME: {secret: VARIABLE}`"
        reader.wrong(name, "headers by name", node, help)
        return None
    headers: dict[str, ir.HttpHeader] = {}
    for header, value in node.pairs:
        low = header.text.lower()
        if not _NAME.fullmatch(header.text) or low in OURS or low in headers:
            _report_name(header, low in headers, reader)
            continue
        read = _header(header, value, reader)
        if read is not None:
            headers[low] = read
    return tuple(headers.values())


def _report_name(header: Scalar, twice: bool, reader: HeaderReader) -> None:
    shown, low = brief(header.text), header.text.lower()
    if twice:
        message, help = f"the header `{shown}` stands there twice", "remove one of the two"
    elif low in OURS:
        message, help = f"`{shown}` follows from the request", "leave it out"
    else:
        message, help = f"`{shown}` is not the name of a header", "write for instance `Accept`"
    reader.report("FC1005", message, header.span, help)


def _header(header: Scalar, value: Value, reader: HeaderReader) -> ir.HttpHeader | None:
    if isinstance(value, MapAt) and value.get("secret") is not None:
        fields = reader.fields(value, SECRET, f"the header `{brief(header.text)}`")
        if fields is None:
            return None
        secret = value.get("secret")
        if not _VARIABLE.fullmatch(fields["secret"]):
            span: Span = secret.span if secret is not None else value.span
            message = f"`{brief(fields['secret'])}` is not the name of an environment variable"
            reader.report("FC1005", message, span, "write its name; its value stands nowhere")
            return None
        return ir.HttpHeader(name=header.text, **fields, span=header.span)
    written = reader.template(_TEMPLATE, header, value)
    return (
        None
        if written is None
        else ir.HttpHeader(name=header.text, value=written, span=header.span)
    )


def check_request(node: ir.HttpNode, mapping: MapAt, reader: HeaderReader) -> None:
    """Report a request of which nothing says where it may lead, and a body that is not one."""
    url, text = mapping.get("http"), mapping.get("text")
    if not hosts_of(node) and url is not None:
        help = "write `hosts:` with the hosts that it may go to"
        reader.report("FC1003", "nothing says where the request may lead", url.span, help)
    if node.body is not None and node.text is not None and text is not None:
        help = "write `json:` for a value, or `text:` for a text"
        reader.report("FC1005", "a request has one body", text.span, help)
    elif (node.body is not None or node.text is not None) and node.method in ("GET", "HEAD"):
        body = mapping.get("json") or text
        help = "write `method: POST`, or put it into `query:`"
        if body is not None:
            reader.report("FC1005", f"a {node.method} has no body", body.span, help)
