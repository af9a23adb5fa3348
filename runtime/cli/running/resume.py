"""`flowc resume`: go on from the last checkpoint, or answer the question a run waits with."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...assembly.lazy import make_services, open_engine
from ...assembly.run_options import RunOptions
from ...config.settings import load_config
from ...db.url import locate
from ...engine.document_edits import Edited
from ...engine.signals import RunSignals
from ...errors import RunError
from ...people import Question
from ...services import Outcome
from ...store.runs import RunRecord
from .. import flags
from ..app import FINDINGS
from ..show.output import RunView
from ..show.questions import match_answers
from ..stores import existing_store
from .documents import is_document, keep_edits, run_of, show_edits
from .launch import Launch, compile_runnable, execute, resume_with

if TYPE_CHECKING:
    from ...engine.engine import Engine


@flags.with_run_flags
def resume(
    run: flags.Run,
    run_flags: flags.RunFlags,
    answer: flags.Reply = None,
    say: flags.Said = None,
    migrate: flags.Migrate = None,
) -> int:
    """Go on with a run, with the options it was started with; flags given now override them.

    What is done stays done. Exit codes are those of flowc run.
    """
    if say is not None and answer:
        raise RunError(
            "--say and --answer exclude each other",
            help="--answer replies to the question that waits, --say leaves it and goes elsewhere",
        )
    return _resume(run, answer or [], say, tuple(migrate or ()), run_flags)


def _resume(
    run: str,
    answer: list[str],
    said: str | None,
    migrate: tuple[str, ...],
    run_flags: flags.RunFlags,
) -> int:
    url = existing_store(run_flags.typed.store)
    if is_document(run):
        run = run_of(run, url)
    record, questions, edited = asyncio.run(_stand(url, run))
    if edited is not None:
        if not show_edits(edited, run, run_flags.mode):
            return FINDINGS
        said = said or _where_to(edited, answer, run)
    answers = match_answers(answer, questions)
    url = enter_folder(record, url)
    if not os.path.exists(record.file):
        raise RunError(
            f"the workflow of run {run} is gone: {record.file}",
            help="put the file back where it was, then resume; what was done is kept",
        )
    kept = RunOptions.from_json(record.options)
    compiled = compile_runnable(record.file, run_flags.mode, kept.team)
    if compiled is None:
        return FINDINGS
    if edited is not None and compiled.spec.on_input is None and said == edited.document:
        said = None  # such a workflow meets the edits where it stands
    config = load_config(Path.cwd())
    options = run_flags.options(record.file, kept, config, compiled.spec.model)
    launch = Launch(
        compiled=compiled,
        services=make_services(options, compiled.spec, config),
        options=options,
        store=url,
        mode=run_flags.mode,
        verbose=run_flags.verbose,
        otel=run_flags.typed.otel,
        breakpoints=run_flags.typed.breakpoints,
    )

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        if edited is not None and (event := await keep_edits(edited, run, engine.store)):
            view.listen(event)
        return await resume_with(launch, engine, view, answers, signals, said, migrate)

    return execute(launch, run, begin)


async def _stand(url: str, run: str) -> tuple[RunRecord, tuple[Question, ...], Edited | None]:
    """Return the run's record, the questions that wait, and people's edits of its document."""
    async with open_engine(url) as engine:
        record = await engine.store.get(run)
        if record.status == "running":
            return record, (), None
        edited = await engine.take_edits(run, Path.cwd())
        if record.status in ("success", "failed"):
            return record, (), edited
        return record, (await engine.state(run)).questions, edited


def _where_to(edited: Edited, answer: list[str], run: str) -> str | None:
    """Return the line that makes the run look for its place in the document anew."""
    if edited.moves and answer:
        raise RunError(
            f"{edited.document} was edited, so run {run} may no longer ask this",
            help=f"go on without --answer first: flowc resume {run}",
        )
    return edited.document if edited.moves else None


def enter_folder(record: RunRecord, url: str) -> str:
    """Go to the folder the run was started in: its paths and its shell count from there. Gives the
    store's URL as it reads there. Raise `RunError` when the folder is gone."""
    folder = record.options.get("folder")
    if not isinstance(folder, str) or folder == os.getcwd():
        return url
    path = locate(url).path
    absolute = f"sqlite:///{path.absolute()}" if path else url
    try:
        os.chdir(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(
            f"run {record.id} was started in {folder}, which cannot be entered: {reason}"
        ) from None
    return absolute
