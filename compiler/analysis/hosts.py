"""Hosts as requests and grants name them: `api.example.com`, `localhost:8000`, `*.example.com`;
and those that a node's requests may go to."""

from __future__ import annotations

import re

from .. import ir
from ..expr.ast import Literal, Text

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(
    rf"(?P<wild>\*\.)?(?P<name>{_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]{{2,45}}\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#\\\s]*)", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


def host_fault(text: str) -> str | None:
    """Return why a text is not a host; None when it is one."""
    if "://" in text:
        return "a host has no `http://` before it"
    if "/" in text:
        return "a host has no path behind it"
    if "@" in text:
        return "a host has no user before it: a secret goes into a header"
    match = _HOST.fullmatch(text.lower())
    if match is None or len(text) > 253:
        return "a host is `name`, `name:port` or `*.name`"
    if match["port"] and not 0 < int(match["port"]) < 65536:
        return "a port is 1 to 65535"
    if match["wild"] and ("." not in match["name"] or re.fullmatch(r"[0-9.]+", match["name"])):
        return "`*.` stands before a domain with a dot, such as `*.example.com`"
    return None


def host_in(address: str) -> str:
    """Return the host that a URL begins with, in small letters: `name`, or `name:port` where the
    port is not that of its scheme. "" where it begins with none."""
    match = _ADDRESS.match(address)
    if match is None:
        return ""
    host, scheme = match["host"].lower(), match["scheme"].lower()
    return host.removesuffix(f":{_PORTS[scheme]}")


def allows(host: str, allowed: str) -> bool:
    """Tell whether an allowed host, or pattern of hosts, covers a `host` as `host_in` gives it."""
    allowed = allowed.lower()
    if allowed.startswith("*."):
        domain, _, port = allowed[1:].partition(":")
        name, _, own = host.partition(":")
        return name.endswith(domain) and port == own
    for usual in _PORTS.values():
        allowed = allowed.removesuffix(f":{usual}")
    return host == allowed


def hosts_of(node: ir.HttpNode) -> tuple[str, ...]:
    """Return the hosts, and patterns of hosts, that a node may send requests to: the one of its URL
    where it is written there, and those that it lists."""
    first = node.url.parts[0] if isinstance(node.url, Text) and node.url.parts else node.url
    written = first.value if isinstance(first, Literal) else None
    own = host_in(written) if isinstance(written, str) else ""
    return tuple(dict.fromkeys(([own] if own else []) + list(node.hosts)))
