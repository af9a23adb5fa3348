"""`flowc compile`: write a LangGraph project that `langgraph dev` serves."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from .. import flags
from ..app import FINDINGS, OK, say
from ..delivery import refuse_source
from ..streams import print_result
from .check import compile_path, require_format, require_program, show_diagnostics


def compile(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a workflow file")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="where to write")],
    as_json: flags.AsJson = False,
    from_format: flags.FromFormat = None,
    team: flags.Team = None,
) -> int:
    """Compile a workflow to a LangGraph module (graph.py, graph.json), its langgraph.json for
    `langgraph dev` and LangGraph Studio, the workflow as flow YAML (flow.yaml) and its picture as
    mermaid.

    What was written is imported and its edges are compared with the workflow's before the command
    says done. A workflow with errors is not compiled (exit code 1).
    """
    require_format(from_format)
    result = compile_path(file, from_format, team)
    show_diagnostics(result.diagnostics, result.sources)
    if not result.ok or result.program is None:
        return FINDINGS
    require_program(result)
    from flowc.compiler.emit.project import emit_project

    from ...emitted.project import check_project, write_project

    files = emit_project(result.spec, result.program, str(out))
    for name in files:
        refuse_source(out / name, result.sources.files, "compiled")
    write_project(files, out)
    check_project(result.spec, out)
    if as_json:
        report = {"folder": str(out), "files": sorted(files)}
        print_result(report, None)
    else:
        for name in sorted(files):
            print(out / name)
        serve = f"cd {shlex.quote(str(out))} && langgraph dev --no-browser --allow-blocking"
        say(f"compiled {file}; serve it: {serve}")
    return OK
