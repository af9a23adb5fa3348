"""`flowc convert`: a workflow written down in another format, with every loss told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from flowc.compiler.conversion import Conversion, convert_file
from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult
from flowc.compiler.writers import DIALECTS, dialect_named
from flowc.compiler.writers.manuscript import Dialect

from ...errors import RunError, reason_of
from ...store.default_store import refuse_link
from .. import flags
from ..app import FINDINGS, OK, say
from ..delivery import check_deliverable, deliver, leads_to_file, refuse_source
from ..streams import print_result, put
from .check import compile_path, require_format, show_diagnostics


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a workflow file")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="the format to write")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT", help="write to this file")
    ] = None,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="write what can be said, though some cannot")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="overwrite files that are there")] = False,
    as_json: flags.AsJson = False,
    from_format: flags.FromFormat = None,
) -> int:
    """Write a workflow down in another format, to standard output or to the file after -o.

    What is written is read again and compared with the workflow. What the format cannot say is
    listed, each with its place in FILE, and nothing is written (exit code 1) unless --allow-loss.
    """
    require_format(from_format)
    dialect = _dialect(to)
    result = compile_path(file, from_format)
    if not result.ok or result.parsed is None or result.workflow is None:
        show_diagnostics(result.diagnostics, result.sources)
        return FINDINGS
    place = _place(result, dialect, out)
    done = convert_file(result.parsed, result.sources.files[result.path], dialect, place)
    show_diagnostics(done.losses, result.sources)
    _say_what_stays(result)
    _say_names(done.renamed)
    is_written = allow_loss or not done.losses
    if is_written and out is None and len(done.files) > 1 and not as_json:
        raise RunError(
            f"`{file}` becomes {len(done.files)} files in {dialect.name}", help="name one: -o OUT"
        )
    written = _write(done.files, out, result, force) if is_written and out is not None else []
    if as_json:
        print_result(_report(done, result, dialect, written), None)
    elif is_written and out is None:
        put(next(iter(done.files.values())))
    for path in written:
        say(f"wrote {path}")
    if not is_written:
        say(f"nothing was written: --allow-loss writes what {dialect.name} can say")
    return OK if is_written else FINDINGS


def _dialect(name: str) -> Dialect:
    dialect = dialect_named(name)
    if dialect is None:
        names = ", ".join(d.name for d in DIALECTS)
        raise RunError(f"there is no format `{name}` to write", help=f"one of: {names}")
    return dialect


def _place(result: CompileResult, dialect: Dialect, out: Path | None) -> str:
    """Return where the file will stand; a relative path of the source stays relative."""
    folder = os.path.dirname(result.path)
    name = result.workflow.name if result.workflow is not None else ""
    if out is None:
        stem = os.path.basename(name) or "workflow"
        return os.path.join(folder, stem + dialect.suffix)
    return os.path.abspath(out) if os.path.isabs(result.path) else os.path.relpath(out)


def _say_what_stays(result: CompileResult) -> None:
    """Note what a file keeps beside its program: it is not converted."""
    if result.parsed is not None and result.parsed.progress:
        say(f"note: how far `{result.path}` has come, and what was made on the way, stays there")


def _say_names(renamed: Mapping[str, Mapping[str, str]]) -> None:
    """Note which nodes have other names: scripted answers and tests name the nodes."""
    for path, names in renamed.items():
        pairs = ", ".join(f"`{old}` `{new}`" for old, new in names.items())
        say(f"note: `{path}` calls {pairs}")


def _write(files: Mapping[str, str], out: Path, result: CompileResult, force: bool) -> list[str]:
    """Write all files or, when one may not be, none. Gives their paths."""
    check_deliverable(out)
    if _is_stream(out):
        if len(files) > 1:
            raise RunError(f"`{out}` takes one file, not {len(files)}", help="name a file: -o OUT")
        deliver(out, next(iter(files.values())).encode("utf-8"))
        return [str(out)]
    for path in files:
        refuse_source(Path(path), result.sources.files, "converted")
        if os.path.lexists(path) and not force:
            raise RunError(f"`{path}` is there already", help="--force overwrites it")
    for path in list(files)[1:]:  # their names are ours
        refuse_link(Path(path), out.parent)
    done: list[str] = []
    for path, text in files.items():
        if done:
            _make_folder(path)
        deliver(Path(path), text.encode("utf-8"))
        done.append(path)
    return done


def _is_stream(out: Path) -> bool:
    """Whether the path leads to a pipe, a device or a descriptor: there nothing is overwritten."""
    try:
        return not leads_to_file(out)
    except OSError:
        return False


def _make_folder(path: str) -> None:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    except OSError as error:
        raise RunError(f"`{path}` cannot be written: {reason_of(error)}") from None


def _report(
    done: Conversion, result: CompileResult, dialect: Dialect, written: list[str]
) -> dict[str, Any]:
    return {
        "file": result.path,
        "from": result.frontend.name if result.frontend is not None else None,
        "to": dialect.name,
        "written": written,
        "files": dict(done.files),
        "renamed": {path: dict(names) for path, names in done.renamed.items()},
        "losses": [as_dict(loss, result.sources) for loss in done.losses],
    }
