"""`flowc graph`: the picture of a workflow, offline, with a run drawn over it when asked."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from flowc.compiler.driver import CompileResult
from flowc.compiler.emit.dot import emit_dot
from flowc.compiler.emit.mermaid import emit_mermaid
from flowc.compiler.emit.picture import Overlay

from ..errors import RunError
from . import flags
from .app import FINDINGS, OK, say
from .check import compile_path, require_format, show_diagnostics

if TYPE_CHECKING:
    from ..events import RunEvent
    from ..store import RunRecord

Picture = Literal["mermaid", "dot", "svg", "png", "pdf", "html", "json"]
_DRAWING_SECONDS = 120


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
    if picture in ("png", "pdf") and out is None and sys.stdout.isatty():
        raise RunError(f"{picture} is not for a terminal", help=f"-o picture.{picture}")
    record, events = _read_run(run, store) if run else (None, ())
    if file is None and record is None:
        raise RunError("no file is given", help="flowc graph FILE, or flowc graph --run RUN")
    result = compile_path(file or (record.file if record else ""), from_format)
    show_diagnostics(result.diagnostics, result.sources)
    if result.workflow is None:
        return FINDINGS
    if record is not None and result.ok and result.spec.digest != record.digest:
        say(f"warning: {result.path} has changed since the run {record.id}")
    _write(_draw(result, picture, overlay_of(events) if run else None), out)
    return OK if result.ok else FINDINGS


def overlay_of(events: tuple[RunEvent, ...]) -> Overlay:
    """What to draw of a run: its visits in order, seconds per node, and the node it stands at.
    Nodes of called workflows are not among them."""
    path: list[str] = []
    seconds: dict[str, float] = {}
    exits: list[tuple[str, str]] = []
    current: str | None = None
    for event in events:
        if event.path or not event.node:
            continue
        if event.kind == "node_started":
            path.append(event.node)
            current = event.node
        elif event.kind == "node_finished":
            seconds[event.node] = seconds.get(event.node, 0.0) + event.data.get("seconds", 0.0)
            exits.append((event.node, str(event.data.get("case", ""))))
            current = None if current == event.node else current
        elif event.kind == "node_failed" and event.data.get("caught"):
            exits.append((event.node, f"error:{event.data.get('kind', 'failure')}"))
            current = None
        elif event.kind == "node_failed":
            current = event.node
    return Overlay(path=tuple(path), seconds=seconds, current=current, exits=tuple(exits))


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


def draw_dot(dot: str, form: Literal["svg", "png", "pdf", "json0"]) -> bytes:
    """Graphviz text as a picture: by the program `dot`, else by pygraphviz (the extra `draw`).
    Raises `RunError` when neither is there or the drawing fails."""
    program = shutil.which("dot")
    if program is None:
        return _draw_inside(dot, form)
    try:
        done = subprocess.run(
            [program, f"-T{form}"],
            input=dot.encode(),
            capture_output=True,
            timeout=_DRAWING_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"Graphviz could not draw: {error}", help=_TEXT_FORMS) from None
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise RunError(f"Graphviz could not draw: {reason}", help=_TEXT_FORMS)
    return done.stdout


_TEXT_FORMS = "-f mermaid and -f dot need nothing"


def _draw_inside(dot: str, form: str) -> bytes:
    try:
        from pygraphviz import AGraph
    except ImportError:
        raise RunError(
            f"{form} needs Graphviz, which is not here",
            help=f"apt install graphviz, or pip install 'flowc[draw]'; {_TEXT_FORMS}",
        ) from None
    try:
        drawn = AGraph(string=dot).draw(format=form, prog="dot")
    except ValueError as error:
        raise RunError(f"Graphviz could not draw: {error}", help=_TEXT_FORMS) from None
    assert isinstance(drawn, bytes)
    return drawn


def _write(data: bytes, out: Path | None) -> None:
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        out.write_bytes(data)
    except OSError as error:
        raise RunError(f"`{out}` cannot be written: {error.strerror}") from None
    say(f"wrote {out}")


def _read_run(run: str, given: str | None) -> tuple[RunRecord, tuple[RunEvent, ...]]:
    import asyncio

    from ..store import open_store
    from .stores import existing_store

    url = existing_store(given)

    async def read() -> tuple[RunRecord, tuple[RunEvent, ...]]:
        async with open_store(url) as store:
            return await store.get(run), await store.events(run)

    return asyncio.run(read())
