"""`flowc fmt`: files in the layout of their format, as an editor gets it."""

from __future__ import annotations

from typing import Annotated

import typer
from flowc.compiler.driver import CompileResult
from flowc.compiler.editor.layout import NotLaidOut, layout_of

from ...errors import RunError
from ...files.workflow_files import workflow_files
from ..app import FINDINGS, OK, say
from ..streams import put
from .check import compile_path, rewrite_file, show_diagnostics


def fmt(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE…", help="workflow files, folders with some, or - for stdin"),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit code 1 when a file would change")
    ] = False,
) -> int:
    """Lay files out anew, as an editor does. Only white space changes: comments, quotes and the
    order of keys stay. A file that cannot be read in full is left as it is (exit code 1).
    """
    if not files:
        raise RunError("no file is given", help="flowc fmt FILE…, or flowc fmt . for a folder")
    changed, kept, refused = 0, 0, 0
    for path in dict.fromkeys(workflow_files(files)):
        result = compile_path(path, None)
        new = layout_of(result)
        if isinstance(new, NotLaidOut):
            _refuse(path, result, new)
            refused += 1
        elif _put(path, result, new, check):
            changed += 1
        else:
            kept += 1
    if changed + kept and "-" not in files:
        word = "would change" if check else "changed"
        say(f"{changed} {word}, {kept} as they should be")
    return FINDINGS if refused or (check and changed) else OK


def _refuse(path: str, result: CompileResult, refusal: NotLaidOut) -> None:
    faults = [d for d in result.diagnostics if d.severity == "error" and d.code < "FC2"]
    if faults:
        show_diagnostics(faults, result.sources)
    else:
        say(f"error: `{path}` stays as it is: {refusal.reason}")


def _put(path: str, result: CompileResult, new: str, check: bool) -> bool:
    """Put a layout where it belongs, and return whether it changes the file."""
    if path == "-" and not check:
        put(new)
    if new == result.sources.files[result.path].text:
        return False
    if path != "-":
        print(path)
        if not check:
            rewrite_file(path, new)
    return True
