"""`flowc inspect`: what a file holds, whatever its format."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from flowc.compiler.source.snippet import visible

from .. import flags
from ..app import FINDINGS, OK
from ..streams import print_json
from .check import compile_path, require_format, show_diagnostics


def inspect(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a workflow file; - reads stdin")],
    as_json: flags.AsJson = False,
    from_format: flags.FromFormat = None,
    team: flags.Team = None,
) -> int:
    """Print the steps, edges, parameters and prompts of a file; with --json for programs.

    Exit code 1 when the file has errors; what could be read is printed all the same.
    """
    require_format(from_format)
    result = compile_path(file, from_format, team)
    summary = result.summary()
    if as_json:
        print_json(summary)
    else:
        print("\n".join(_overview(summary)))
        show_diagnostics(result.diagnostics, result.sources)
    return OK if result.ok else FINDINGS


def _overview(summary: dict[str, Any]) -> list[str]:
    nodes, edges = summary["nodes"], summary["edges"]
    title = summary["title"] or summary["name"]
    head = [str(x) for x in (summary["file"], summary["format"], title) if x]
    rows = [" · ".join([*head, f"{len(nodes)} nodes, {len(edges)} edges"])]
    if summary["progress"]:
        rows.append(f"  progress: {_progress(summary['progress'])}")
    for param in summary["params"]:
        default = "required" if param["required"] else f"= {json.dumps(param['default'])}"
        rows.append(f"  parameter {param['name']} ({param['type']}) {default}")
    width = max((len(node["id"]) for node in nodes), default=0)
    leaving: dict[str, list[dict[str, Any]]] = {}
    for edge in edges:
        leaving.setdefault(edge["source"], []).append(edge)
    for node in nodes:
        line, title = node["line"] or "", node["title"]
        rows.append(f"  {line:>4}  {node['id']:<{width}}  {node['kind']:<8} {title}".rstrip())
        for edge in leaving.get(node["id"], ()):
            label = f" ({edge['label']})" if edge["label"] else ""
            rows.append(f"        {'':<{width}}  → {edge['target']}{label}")
    if summary["schedule"]:
        rows += _schedule(summary["schedule"])
    return [visible(row) for row in rows]


def _schedule(schedule: dict[str, Any]) -> list[str]:
    path = schedule["critical_path"]
    way = " → ".join(path["nodes"])
    return [
        f"  {schedule['total_minutes']:g} minutes in all",
        f"  {path['minutes']:g} minutes on the critical path: {way}",
    ]


def _progress(progress: dict[str, Any]) -> str:
    """Return the progress that the file states of its own run, in one line."""
    parts = []
    for name, value in progress.items():
        if isinstance(value, dict):
            value = ", ".join(f"{count} {word}" for word, count in value.items())
        if value:
            parts.append(f"{name} {value}")
    return " · ".join(parts)
