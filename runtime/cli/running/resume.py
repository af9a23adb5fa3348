"""`flowc resume`: go on from the last checkpoint, or answer the question a run waits with."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...assembly.launch import prepare
from ...assembly.lazy import open_engine
from ...assembly.run_options import RunOptions
from ...assembly.standing import Standing, standing_of
from ...config.settings import load_config
from ...db.url import locate
from ...engine.signals import RunSignals
from ...errors import RunError, reason_of
from ...services import Outcome
from ...store.runs import RunRecord
from .. import flags
from ..app import FINDINGS
from ..show.output import RunView
from ..show.questions import match_answers
from ..stores import existing_store
from .documents import is_document, run_of, show_edits
from .launch import compile_runnable, execute

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
    stand = asyncio.run(_stand(url, run))
    record, edited = stand.record, stand.edited
    if edited is not None and not show_edits(edited, run, run_flags.mode):
        return FINDINGS
    line = said or stand.line(answered=bool(answer))
    answers = match_answers(answer, stand.questions)
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
    config = load_config(Path.cwd())
    options = run_flags.options(record.file, kept, config, compiled.spec.model)
    launch = prepare(compiled, options, config, breakpoints=run_flags.typed.breakpoints)

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        return await stand.resume(
            engine, launch, answers, line, migrate, listeners=(view.listen,), control=signals
        )

    return execute(launch, run_flags.display(url), run, begin)


async def _stand(url: str, run: str) -> Standing:
    async with open_engine(url) as engine:
        return await standing_of(engine, run)


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
        raise RunError(
            f"run {record.id} was started in {folder}, which cannot be entered: {reason_of(error)}"
        ) from None
    return absolute
