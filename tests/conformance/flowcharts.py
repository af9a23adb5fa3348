"""Flowcharts beside mermaid's own reading: nodes, captions, shapes, edges, subgraphs (F1–F12)."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from flowc.compiler.driver import compile_text
from flowc.compiler.frontends.flowchart.mermaid.chart import Chart, ChartEdge, read_chart

from .report import Difference, Report

_BREAK = re.compile(r"<br\s*/?>")
_MARKUP = re.compile(r"</?[A-Za-z][^>]*>|</>|&amp;|&")


def compare_flowcharts(corpus: Path) -> Report:
    """Every file of expected/flowcharts.json; a missing list gives an empty report."""
    report = Report("flowcharts")
    listed = corpus / "expected/flowcharts.json"
    if not listed.is_file():
        return report
    for name, theirs in json.loads(listed.read_text(encoding="utf-8")).items():
        report.files += 1
        _compare_file(name, (corpus / name).read_text(encoding="utf-8"), theirs, report)
    return report


def _compare_file(name: str, text: str, theirs: dict[str, Any], report: Report) -> None:
    result = compile_text(text, name, format="mermaid")
    errors = [d for d in result.diagnostics if d.severity == "error"]
    if bool(errors) == theirs["ok"]:
        said = errors[0].message if errors else "reads it without an error"
        report.differences.append(Difference(name, f"ours: {said}"))
        return
    report.agreed["verdicts"] += 1
    if errors or result.workflow is None:
        return
    chart = read_chart(text)
    _compare_nodes(name, chart, theirs, report)
    _compare_edges(name, chart, theirs, report)
    _compare_subgraphs(name, chart, theirs, report)
    inspected = [(e.source, e.target) for e in result.workflow.edges]
    _same(name, "inspected edges", inspected, _ends(theirs), report)


def _compare_nodes(name: str, chart: Chart, theirs: dict[str, Any], report: Report) -> None:
    expected = {node["id"]: node for node in theirs["nodes"]}
    boxes = set(chart.subgraphs)
    for id in sorted(set(chart.nodes) ^ set(expected)):
        rule = "F10" if id in boxes and id in expected else ""
        what = f"node `{id}` is {'only a box with a style' if rule else 'on one side only'}"
        report.differences.append(Difference(name, what, rule))
    for id in sorted(set(chart.nodes) & set(expected)):
        node = chart.nodes[id]
        said = node.caption.text if node.caption is not None else id
        wanted = expected[id]["text"]
        if _words(said) == _words(wanted):
            report.agreed["captions"] += 1
        else:
            by_rule = "F4" if _bare(said) == _bare(wanted) else ""
            what = f"`{id}` says {said!r}, theirs {wanted!r} (markup is kept as written)"
            report.differences.append(Difference(name, what, by_rule))
        _same(name, "shapes", node.shape, expected[id]["type"], report)


def _words(text: str) -> str:
    return _BREAK.sub("<br>", text).replace("&amp;", "&")


def _bare(text: str) -> str:
    return _MARKUP.sub("", text)


def _compare_edges(name: str, chart: Chart, theirs: dict[str, Any], report: Report) -> None:
    ours = [(e.source.text, e.target.text) for e in chart.edges]
    _same(name, "edges", ours, _ends(theirs), report)
    labels = [_words(e.label.text) if e.label and e.label.text else None for e in chart.edges]
    wanted = [_words(e["label"]) if e["label"] else None for e in theirs["edges"]]
    _same(name, "edge labels", labels, wanted, report)
    _same(
        name,
        "edge kinds",
        [(_kind(e), e.stroke) for e in chart.edges],
        [(e["type"], e["stroke"]) for e in theirs["edges"]],
        report,
    )


def _ends(theirs: dict[str, Any]) -> list[tuple[str, str]]:
    return [(edge["from"], edge["to"]) for edge in theirs["edges"]]


def _kind(edge: ChartEdge) -> str:
    head = {">": "point", "o": "circle", "x": "cross", "": "open"}[edge.head]
    return f"double_arrow_{head}" if edge.tail and edge.head else f"arrow_{head}"


def _compare_subgraphs(name: str, chart: Chart, theirs: dict[str, Any], report: Report) -> None:
    ours = {(b.title, frozenset(b.nodes), b.direction) for b in chart.subgraphs.values()}
    wanted = {(b["title"], frozenset(b["nodes"]), b["dir"]) for b in theirs["subgraphs"]}
    _same(name, "subgraphs", ours, wanted, report)


def _same(name: str, what: str, ours: Any, theirs: Any, report: Report) -> None:
    if ours == theirs:
        report.agreed[what] += len(ours) if isinstance(ours, list | set) else 1
        return
    if isinstance(ours, list):
        extra, missing = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
        detail = f"only ours {list(extra)[:3]}, only theirs {list(missing)[:3]}"
    else:
        detail = f"ours {ours!r}, theirs {theirs!r}"
    report.differences.append(Difference(name, f"{what}: {detail}"))
