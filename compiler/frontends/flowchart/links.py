"""What the label of a link says: which way out it is (M15), or of an activity with details, more.

draft --> review                 all links without a case or a failure are taken
draft -->|ON timeout| later      when it fails in this way; ERROR as everywhere
draft -->|": NO"| later          what people read, also where the word alone would say something
choice -->|far: a long way| go   in the case `far`, which may stand in quotes; TRUE and FALSE of a
choice -->|ELSE| stay            condition; in every other case
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast, get_args

from ... import ir
from ...source.spelling import Spelling
from .mermaid.chart import ChartEdge
from .placeholders import ChartScope

ONWARD = ("YES", "TRUE", "OK", "SUCCESS")
OTHERWISE = ("NO", "FALSE", "ERROR", "FAILED", "ELSE", "FAIL", "OTHER")
"""Label words of the two ways out; no label is the first one (M15)."""
FAILURES: tuple[ir.ErrorKind, ...] = ("failure", "timeout", "refused")
_KINDS: tuple[ir.ErrorKind, ...] = get_args(ir.ErrorKind)
_ON = re.compile(r"ON (?P<kinds>[a-z]+(?:, ?[a-z]+)*)\Z")
_QUOTED = re.compile(r"'(?P<case>.*?)'(?:: (?P<label>.*))?\Z", re.S)


def drawn_edges(
    links: Iterable[ChartEdge], nodes: Mapping[str, ir.Node], scope: ChartScope
) -> Iterator[ir.Edge]:
    """Yield the edges that links of nodes with details are."""
    for link in links:
        source = link.source.text
        guard, label = meaning_of(link.label.text if link.label else "", nodes[source])
        if isinstance(guard, ir.OnError):
            _report_kinds(link, guard, scope)
        yield ir.Edge(
            source=source,
            target=link.target.text,
            guard=guard,
            label=label,
            span=scope.document.whole.span(link.start, link.end),
        )


def meaning_of(text: str, node: ir.Node) -> tuple[ir.Guard | None, str]:
    """Return when a link of a node with details is taken, and what its label says to people."""
    text = text.strip()
    chooses = isinstance(node, ir.ChooseNode)
    if chooses and (quoted := _QUOTED.match(text)):
        return ir.Case(value=quoted["case"]), quoted["label"] or ""
    head, _, label = text.partition(": ")
    if failure := _ON.match(head):
        kinds = [kind.strip() for kind in failure["kinds"].split(",")]
        return ir.OnError(errors=cast(tuple[ir.ErrorKind, ...], tuple(kinds))), label
    if head == "ERROR" or (not chooses and head.upper() in OTHERWISE):
        return ir.OnError(errors=FAILURES), label
    if not chooses:
        return None, text if head else label
    if head in ("ELSE", ""):
        return ir.Otherwise(), label
    return ir.Case(value=head.lower() if head in ("TRUE", "FALSE") else head), label


def _report_kinds(link: ChartEdge, guard: ir.OnError, scope: ChartScope) -> None:
    assert link.label is not None
    for kind in guard.errors:
        if kind not in _KINDS:
            at = link.label.text.index(kind)
            place = scope.span(link.label[at : at + len(kind)])
            near = Spelling(_KINDS).nearest(kind)
            help = f"write one of {', '.join(_KINDS)}"
            message = f"`{kind}` is not a kind of failure"
            scope.sink.report("FC1005", message, place, help=help, near=near)
