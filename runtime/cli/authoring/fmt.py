"""`flowc fmt`: flow YAML in canonical layout, comments and all."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from flowc.compiler.driver import CompileResult

from ...errors import RunError
from ...files.workflow_files import workflow_files
from ..app import FINDINGS, OK, say
from ..streams import put
from .check import compile_path, rewrite_file, show_diagnostics


def fmt(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE…", help="flow YAML files, folders with some, or - for stdin"),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit code 1 when a file would change")
    ] = False,
) -> int:
    """Lay flow YAML files out anew. Only white space changes: comments, quotes and the order of
    keys stay. A file with errors is left as it is (exit code 1).
    """
    changed, refused, looked_at = 0, 0, 0
    for path in dict.fromkeys(_flow_files(files or [])):
        result = compile_path(path, None)
        if result.frontend is None or result.frontend.name != "flow":
            refused += _refuse(path, result)
            continue
        looked_at += 1
        errors = [d for d in result.diagnostics if d.severity == "error"]
        if errors:
            show_diagnostics(errors, result.sources)
            refused += 1
            continue
        changed += _lay_out(path, result, check)
    if looked_at and "-" not in (files or []):
        word = "would change" if check else "changed"
        say(f"{changed} {word}, {looked_at - changed - refused} as they should be")
    return FINDINGS if refused or (check and changed) else OK


def _flow_files(files: list[str]) -> list[str]:
    """Return the named files, and of folders those with the endings of flow YAML."""
    if not files:
        raise RunError("no file is given", help="flowc fmt FILE…, or flowc fmt . for a folder")
    paths: list[str] = []
    for path in files:
        if path == "-" or not os.path.isdir(path):
            paths.append(path)
        else:
            paths += [f for f in workflow_files([path]) if f.endswith((".yaml", ".yml"))]
    return paths


def _refuse(path: str, result: CompileResult) -> int:
    if result.frontend is None:
        show_diagnostics(result.diagnostics, result.sources)
    else:
        say(
            f"error: `{path}` is {result.frontend.title}: fmt lays out flow YAML only",
            f"  help: flowc convert {path} --to flow",
        )
    return 1


def _lay_out(path: str, result: CompileResult, check: bool) -> int:
    """Whether the file changes, as 0 or 1."""
    from flowc.compiler.flow_yaml.layout import lay_out

    old = result.sources.files[result.path].text
    new = lay_out(old)
    if path == "-" and not check:
        put(new)
    if new == old:
        return 0
    if path != "-":
        print(path)
        if not check:
            rewrite_file(path, new)
    return 1
