"""Where the requests of a node may lead."""

from __future__ import annotations

from .. import ir
from ..expr.ast import Literal, Text
from ..flow_yaml.hosts import host_in


def hosts_of(node: ir.HttpNode) -> tuple[str, ...]:
    """Return the hosts, and patterns of hosts, that a node may send requests to: the one of its URL
    where it is written there, and those that it lists."""
    first = node.url.parts[0] if isinstance(node.url, Text) and node.url.parts else node.url
    written = first.value if isinstance(first, Literal) else None
    own = host_in(written) if isinstance(written, str) else ""
    return tuple(dict.fromkeys(([own] if own else []) + list(node.hosts)))
