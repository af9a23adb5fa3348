"""`flowc graph`: the picture of a workflow, offline, with a run drawn over it when asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from flowc.compiler.driver import CompileResult
from flowc.compiler.emit.picture.dot import emit_dot
from flowc.compiler.emit.picture.mermaid import emit_mermaid
from flowc.compiler.emit.picture.picture import Overlay

from ...errors import RunError
from ...graph.overlay import draw_dot, overlay_of
from ..app import FINDINGS, OK, say
from ..delivery import check_deliverable, deliver, refuse_source
from ..options import flags
from .check import compile_path, require_format, show_diagnostics

if TYPE_CHECKING:
    from ...events import RunEvent
    from ...store.runs import RunRecord

Picture = Literal["mermaid", "dot", "svg", "png", "pdf", "html", "json"]


def graph(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="a workflow file; with --run that of the run"),
    ] = None,
    format: Annotated[
        Picture | None,
        typer.Option(
            "--format", "-f", metavar="mermaid|dot|svg|png|pdf|html|json", help="the form"
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="write to this file")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="draw this run over the picture")
    ] = None,
    store: flags.Store = None,
    from_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="read the file as this format")
    ] = None,
) -> int:
    """Draw a workflow as mermaid, Graphviz, svg, png, pdf, html or json, without any network.

    The form is that of the file name after -o, otherwise mermaid. With --run the path that a run
    took, visits and times are drawn in. Exit code 1 when the file has errors.
    """
    require_format(from_format)
    picture = format or _format_of(out)
    if out is not None:
        check_deliverable(out)
    if picture in ("png", "pdf") and out is None and sys.stdout.isatty():
        raise RunError(f"{picture} is not for a terminal", help=f"-o picture.{picture}")
    record, events = _read_run(run, store) if run else (None, ())
    if file is None and record is None:
        raise RunError("no file is given", help="flowc graph FILE, or flowc graph --run RUN")
    result = compile_path(file or (record.file if record else ""), from_format)
    show_diagnostics(result.diagnostics, result.sources)
    if result.workflow is None:
        return FINDINGS
    if out is not None:
        refuse_source(out, result.sources.files, "drawn")
    if record is not None and result.ok and result.spec.digest != record.digest:
        say(f"warning: {result.path} has changed since the run {record.id}")
    _write(_draw(result, picture, overlay_of(events) if run else None), out)
    return OK if result.ok else FINDINGS


def _format_of(out: Path | None) -> Picture:
    suffix = out.suffix if out else ".mmd"
    known: dict[str, Picture] = {
        ".mmd": "mermaid", ".dot": "dot", ".gv": "dot", ".svg": "svg", ".png": "png",
        ".pdf": "pdf", ".html": "html", ".json": "json",
    }  # fmt: skip
    if suffix not in known:
        raise RunError(
            f"what form `{out}` should have is not clear from its name",
            help="say it: -f mermaid|dot|svg|png|pdf|html|json",
        )
    return known[suffix]


def _draw(result: CompileResult, picture: Picture, overlay: Overlay | None) -> bytes:
    assert result.workflow is not None
    if picture == "mermaid":
        return emit_mermaid(result.workflow, overlay).encode()
    if picture == "json":
        return _as_json(result, overlay).encode()
    if picture == "html":
        from .page import page_of

        return page_of(result, overlay).encode()
    dot = emit_dot(result.workflow, overlay)
    return dot.encode() if picture == "dot" else draw_dot(dot, picture)


def _as_json(result: CompileResult, overlay: Overlay | None) -> str:
    summary = result.summary()
    body: dict[str, Any] = {
        key: summary[key] for key in ("schema_version", "file", "name", "title", "nodes", "edges")
    }
    if overlay is not None:
        body["run"] = {
            "path": list(overlay.path),
            "seconds": dict(overlay.seconds),
            "current": overlay.current,
        }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _write(data: bytes, out: Path | None) -> None:
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    deliver(out, data)
    say(f"wrote {out}")


def _read_run(run: str, given: str | None) -> tuple[RunRecord, tuple[RunEvent, ...]]:
    import asyncio

    from ...store.runs import open_store
    from ..stores import existing_store

    url = existing_store(given)

    async def read() -> tuple[RunRecord, tuple[RunEvent, ...]]:
        async with open_store(url) as store:
            return await store.get(run), await store.events(run)

    return asyncio.run(read())
