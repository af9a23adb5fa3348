"""`flowc audio report`: a page that shows what became of a sound."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from flowc.compiler.plan import PlanDocument, final_path, overall_of, read_plan, text_value
from flowc.compiler.plan.paths import original_input
from flowc.compiler.source import Unreadable, read_text

from ..audio.calls import check_call
from ..audio.check import calls_of
from ..audio.child import PICTURES, AudioWorkers
from ..audio.report import Heard, Story, page_of
from ..audio.review import review
from ..document_record import Record, documents_of
from ..engine import open_engine
from ..errors import Failure, RunError
from . import flags
from .app import OK, say
from .audio_workers import workers_on
from .documents import is_document
from .stores import existing_store


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
    if importlib.util.find_spec("matplotlib") is None:
        raise RunError(
            "pictures need matplotlib", help="install the extra: pip install flowc[plot]"
        )
    place = Path(target).absolute() if is_document(target) else _place_of(target, store)
    try:
        document = read_plan(read_text(str(place)))
    except Unreadable as error:
        raise RunError(f"`{place.name}` {error.reason}") from None
    try:
        page = asyncio.run(
            _page(document, place, Path(out), int(embed * 2**20), workers_on(sandbox))
        )
    except Failure as failure:
        raise RunError(failure.message, help=failure.help, exit_code=1) from None
    _write(Path(out), page)
    say(f"wrote {out} ({len(page.encode()) / 2**20:.1f} MiB)")
    return OK


def _write(out: Path, page: str) -> None:
    """The page whole, or what was there before."""
    try:
        if out.is_dir():
            raise RunError(f"`{out}` is a folder", help="name a file")
        with tempfile.NamedTemporaryFile(dir=out.parent, prefix=".flowc-", delete=False) as file:
            try:
                file.write(page.encode("utf-8", "replace"))
                file.flush()
                os.chmod(file.name, 0o644)
                os.replace(file.name, out)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"`{out}` cannot be written: {reason}") from None


def _place_of(run: str, store: str | None) -> Path:
    url = existing_store(store)

    async def look() -> list[Record]:
        async with open_engine(url) as engine:
            await engine.store.get(run)
            return await documents_of(engine.journal_db, run)

    found = asyncio.run(look())
    if not found:
        raise RunError(f"run {run} lives in no document", help="name a document")
    return found[0].place


async def _page(
    document: PlanDocument, place: Path, out: Path, most: int, workers: AudioWorkers
) -> str:
    def locate(path: str) -> Path:
        return place.parent / path

    before, after = original_input(document), final_path(document)
    if not before:
        raise Failure(f"`{place.name}` does not say what sound it is about")
    paths = [("before", before), *([("after", after)] if after not in ("", before) else [])]
    calls = [check_call("measure", {"input": path}) for _, path in paths]
    measured = [await workers.do_call(call, locate) for call in calls]
    files = [{"name": role, "path": path, "place": str(locate(path))} for role, path in paths]
    drawn = await workers.ask(PICTURES, {"files": files}, [locate(path) for _, path in paths])
    heard = [
        Heard(role, path, locate(path), numbers, pictures)
        for (role, path), numbers, pictures in zip(paths, measured, drawn["sounds"], strict=True)
    ]
    told: dict[str, Any] = await review(document, calls_of(locate, workers.do_call))
    request = document.section("request")
    words = text_value(request, "Original Request") if request else ""
    story = Story(place.stem, words, overall_of(document) or "", told)
    return page_of(story, heard, drawn["loudness"], out, most)
