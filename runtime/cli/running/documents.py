"""Living documents on the command line: which run is behind one, and what people changed in it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult
from flowc.compiler.plan import is_template, read_plan, text_value
from flowc.compiler.plan.paths import original_input
from flowc.compiler.source.source import Unreadable, read_text

from ...assembly.lazy import open_engine
from ...db.url import locate
from ...documents.write_log import Record, document_id
from ...engine.document_edits import Edited
from ...errors import RunError, reason_of
from ...store.default_store import store_url
from ..app import say
from ..authoring.check import show_diagnostics
from ..streams import Mode, print_result

_FROM = {
    "document": "from the document",
    "checkpoint": "from the checkpoint",
    "both": "as follows from it",
}


@dataclass(frozen=True, slots=True)
class Continuation:
    """A document to be carried on without a checkpoint: by which workflow, and with what."""

    workflow: str
    inputs: dict[str, Any]


def is_document(target: str) -> bool:
    """Whether the name of a run is in fact that of a document's file."""
    return target.endswith(".md")


def find_continuation(compiled: CompileResult, store: str | None) -> Continuation | None:
    """Return the workflow that carries on a living document; None for any other file. The process
    enters the document's folder, from where its paths count. Raise `RunError` when that fails, and
    while a run in the store (a flag, or the default) lives in the document."""
    refused = compiled.parsed.not_run if compiled.parsed is not None else None
    if refused is None or not refused.by or not compiled.ok:
        return None
    place = Path(compiled.path).absolute()
    document = read_plan(compiled.sources.files[compiled.path].text)
    request = document.section("request")
    words = text_value(request, "Original Request") if request else ""
    sound = original_input(document)
    if not sound or is_template(sound):
        raise RunError(
            f"`{compiled.path}` does not say what sound it is about",
            help="write its Input Audio in the Request Summary",
        )
    _enter(place.parent, compiled.path)
    _refuse_unfinished(place, store)
    inputs = {"document": place.name, "audio": sound, "request": words or place.stem}
    return Continuation(str(files("flowc.workflows") / refused.by), inputs)


def run_of(document: str, url: str) -> str:
    """Return the run of a document. Raise `RunError` when this store has none, or when the document
    was moved."""
    place = Path(document).absolute()
    writers = asyncio.run(_writers(place, url))
    if not writers:
        raise RunError(
            f"no run in {url} lives in {document}",
            help=f"to carry it on from what it says: flowc run {document}",
        )
    last = writers[0]
    if last.place != place.resolve() and last.place != place:
        raise RunError(
            f"run {last.run} lives in {last.place}, and {document} is elsewhere",
            help="move it back, or carry it on from what it says: flowc run " + document,
        )
    return last.run


def _refuse_unfinished(place: Path, store: str | None) -> None:
    """Raise `RunError` while a run in the store lives in the document: two would write into it."""
    url = store_url(store)
    file = locate(url).path
    if file is not None and not file.exists():
        return
    if run := asyncio.run(_unfinished_run(place, url)):
        raise RunError(
            f"run {run} lives in {place.name} and has not ended",
            help=f"go on with it: flowc resume {place.name}",
        )


async def _writers(place: Path, url: str) -> list[Record]:
    """Return the writers of a document by the ID in it, or else in its name."""
    id = _id_of(place)
    async with open_engine(url) as engine:
        by_name = place.stem.removeprefix("workflow_")
        return await engine.document_writers(id) or await engine.document_writers(by_name)


def _id_of(place: Path) -> str:
    try:
        return document_id(read_text(str(place)), place)
    except Unreadable as error:
        if not place.exists():
            raise RunError(f"there is no document `{place.name}`", help=str(place)) from None
        raise RunError(f"`{place.name}` {error.reason}") from None


async def _unfinished_run(place: Path, url: str) -> str:
    writers = await _writers(place, url)
    async with open_engine(url) as engine:
        for record in writers:
            if record.place != place:
                continue
            run = await engine.store.get(record.run)
            return "" if run.status in ("success", "failed") else record.run
    return ""


def show_edits(edited: Edited, run: str, mode: Mode) -> bool:
    """Show what was taken from where, or what is wrong with the edits; whether the run may go
    on."""
    if edited.diagnostics:
        show_diagnostics(edited.diagnostics, edited.sources)
        if mode in ("json", "jsonl"):
            rows = [as_dict(d, edited.sources) for d in edited.diagnostics]
            about = {"status": "invalid", "run": run, "diagnostics": rows}
            print_result(about)
        return False
    if edited.taken and mode == "text":
        say(f"{edited.document} was edited since run {run} wrote it")
        for taken in edited.taken:
            where = f" (line {taken.line})" if taken.line else ""
            what = f"{taken.step}: {taken.what}" if taken.step else taken.what
            say(f"  {_FROM[taken.source]:<19}  {what}{where}")
    return True


def _enter(folder: Path, document: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        raise RunError(f"the folder of {document} cannot be entered: {reason_of(error)}") from None
