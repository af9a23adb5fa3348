"""`flowc graph`: the picture of a workflow, offline, with a run drawn over it when asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from flowc.compiler.emit import (
    PICTURES,
    GraphvizEmitter,
    PictureEmitter,
)

from ...errors import RunError
from ...graph.overlay import overlay_of
from ...python_api.drawing import draw
from .. import flags
from ..app import FINDINGS, OK, say
from ..delivery import check_deliverable, deliver, refuse_source
from ..streams import put
from .check import compile_path, require_format, show_diagnostics

if TYPE_CHECKING:
    from ...events import RunEvent
    from ...store.runs import RunRecord

NAMES = "|".join(PICTURES)


def _require_form(name: str | None) -> str | None:
    if name is not None and name not in PICTURES:
        names = ", ".join(f"'{form}'" for form in PICTURES)
        raise typer.BadParameter(f"'{name}' is not one of {names}")
    return name


def graph(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="a workflow file; with --run that of the run"),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar=NAMES, callback=_require_form, help="the form"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="OUT", help="write to this file")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="draw this run over the picture")
    ] = None,
    store: flags.Store = None,
    from_format: flags.FromFormat = None,
) -> int:
    """Draw a workflow as {titles}, without any network.

    The form is that of the file name after -o, otherwise {first}. With --run the path that a run
    took, visits and times are drawn in. Exit code 1 when the file has errors.
    """
    require_format(from_format)
    picture = PICTURES[format] if format else _form_of(out)
    if out is not None:
        check_deliverable(out)
    is_binary = isinstance(picture, GraphvizEmitter) and picture.is_binary
    if is_binary and out is None and sys.stdout.isatty():
        form = picture.form
        raise RunError(f"{form.name} is not for a terminal", help=f"-o picture{form.suffixes[0]}")
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
    _write(draw(result, picture, overlay_of(events) if run else None), out)
    return OK if result.ok else FINDINGS


_TITLES = [picture.form.title for picture in PICTURES.values()]
graph.__doc__ = (graph.__doc__ or "").format(
    titles=f"{', '.join(_TITLES[:-1])} or {_TITLES[-1]}", first=_TITLES[0]
)


def _form_of(out: Path | None) -> PictureEmitter:
    pictures = list(PICTURES.values())
    if out is None:
        return pictures[0]
    for picture in pictures:
        if out.suffix in picture.form.suffixes:
            return picture
    raise RunError(
        f"what form `{out}` should have is not clear from its name", help=f"say it: -f {NAMES}"
    )


def _write(data: bytes, out: Path | None) -> None:
    if out is None and sys.stdout.isatty():
        put(data.decode())
        return
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
