"""`flowc audio report`: a page that shows what became of a sound."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from flowc.compiler.plan import PlanDocument, final_path, overall_of, read_plan, text_value
from flowc.compiler.plan.paths import original_input
from flowc.compiler.source.source import Unreadable, read_text

from ...assembly.lazy import open_engine
from ...audio.calls.call import check_call
from ...audio.calls.containers import coders_for
from ...audio.calls.originals import is_same_file
from ...audio.calls.subprocess_call import PICTURES, AudioWorkers
from ...audio.plan.beginning import beginning_of
from ...audio.plan.report import Heard, Story, page_of
from ...audio.plan.review import review
from ...audio.vocabulary.requests import tools_of
from ...audio.vocabulary.words.unspoken import unspoken_tools
from ...config.extras import require
from ...db.url import locate
from ...documents.write_log import Record, documents_of
from ...errors import Failure, RunError
from ...store.default_store import store_url
from .. import flags
from ..app import OK, say
from ..delivery import check_deliverable, deliver, leads_to_file
from ..running.documents import is_document
from ..stores import existing_store
from .workers import workers_on


def report(
    target: Annotated[str, typer.Argument(metavar="RUN|DOCUMENT", help="what to show")],
    out: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="the page")],
    embed: Annotated[
        float, typer.Option("--embed", metavar="MIB", min=0, help="largest sound in the page")
    ] = 8.0,
    sandbox: flags.Sandbox = None,
    store: flags.Store = None,
) -> int:
    """Write a page with both sounds, their pictures, and every requirement as it measures now.

    The page stands alone: it asks for no address. It fits light and dark.
    """
    require("plot", "a page with pictures")
    check_deliverable(Path(out))
    place = Path(target).absolute() if is_document(target) else _place_of(target, store)
    try:
        document = read_plan(read_text(str(place)))
    except Unreadable as error:
        raise RunError(f"`{place.name}` {error.reason}") from None
    _spare(Path(out), document, place, store)
    try:
        page = asyncio.run(
            _page(document, place, Path(out), int(embed * 2**20), workers_on(sandbox))
        )
    except Failure as failure:
        raise RunError(failure.message, help=failure.help, exit_code=1) from None
    data = page.encode("utf-8", "replace")
    deliver(Path(out), data)
    say(f"wrote {out} ({len(data) / 2**20:.1f} MiB)")
    return OK


def _spare(out: Path, document: PlanDocument, place: Path, store: str | None) -> None:
    """Raise `RunError` when the page would take the place of something that it is about; beside
    the store lie its journal and its locks, which begin with its name."""
    paths = [original_input(document), final_path(document)]
    for step in document.steps:
        paths += (text_value(step, "Input Audio"), text_value(step, "Output Audio"))
    kept = {f"the sound `{path}`": place.parent / path for path in paths if path}
    kept["the document that it is about"] = place
    taken = next((what for what, there in kept.items() if is_same_file(out, there)), None)
    if (database := locate(store_url(store)).path) is not None:
        real, base = os.path.realpath(out), os.path.realpath(database)
        if real.startswith(base) or is_same_file(out, database):
            taken = "the store of the runs"
    if taken is not None:
        help = "name another file, such as -o report.html"
        raise RunError(f"the page cannot be `{out}`: it is {taken}", help=help)


def _place_of(run: str, store: str | None) -> Path:
    url = existing_store(store)

    async def look() -> list[Record]:
        async with open_engine(url) as engine:
            await engine.store.get(run)
            return await documents_of(engine.journal_db, run)

    records = asyncio.run(look())
    if not records:
        raise RunError(f"run {run} lives in no document", help="name a document")
    if len(records) > 1:  # as a batch has, one for each file
        names = ", ".join(f"`{os.path.relpath(record.place)}`" for record in reversed(records))
        what = f"run {run} lives in {len(records)} documents, and a page shows one: {names}"
        raise RunError(what, help="name one of them")
    return records[0].place


async def _page(
    document: PlanDocument, place: Path, out: Path, most: int, workers: AudioWorkers
) -> str:
    def below(path: str) -> Path:
        return place.parent / path

    before, after = original_input(document), final_path(document)
    if not before:
        raise Failure(f"`{place.name}` does not say what sound it is about")
    paths = [("before", before), *([("after", after)] if after not in ("", before) else [])]
    calls = [check_call("measure", {"input": path}) for _, path in paths]
    do = partial(workers.do_call, locate=below)
    measured = [await do(call) for call in calls]
    files = [{"name": role, "path": path, "place": str(below(path))} for role, path in paths]
    places = [below(path) for _, path in paths]
    programs = coders_for(path for _, path in paths)
    begin = beginning_of(document, measured[0]["duration_s"])
    asked = {"files": files, "begin_s": begin}
    drawn = await workers.ask(PICTURES, asked, places, programs=programs)
    heard = [
        Heard(role, path, below(path), numbers, pictures)
        for (role, path), numbers, pictures in zip(paths, measured, drawn["sounds"], strict=True)
    ]
    request = document.section("request")
    words = text_value(request, "Original Request") if request else ""
    wanted, unspoken = tools_of(words), unspoken_tools(words)
    verdicts: dict[str, Any] = await review(document, do, asked=wanted, unspoken=unspoken)
    status = overall_of(document) or ""
    story = Story(place.stem, words, status, verdicts, document.steps, begin)
    # What reads a pipe is taken to be in the folder that the command is in.
    page = out if leads_to_file(out) else Path("page")
    return page_of(story, heard, drawn, page, most)
