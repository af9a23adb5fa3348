"""`flowc resume`: go on from the last checkpoint, or answer the question a run waits with."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from ..checkpoint import locate
from ..config import load_config
from ..engine import Engine, open_engine
from ..errors import RunError
from ..services import Outcome, Question
from ..signals import RunSignals
from ..store import RunRecord
from ..wiring import RunOptions, make_services
from . import flags
from .app import FINDINGS
from .launch import Launch, compiled_or_none, execute, resume_with
from .output import RunView
from .questions import match_given
from .stores import existing_store


def resume(
    run: flags.Run,
    answer: flags.Reply = None,
    say: flags.Said = None,
    model: flags.Model = None,
    base_url: flags.BaseUrl = None,
    answers: flags.Answers = None,
    store: flags.Store = None,
    allow_exec: flags.AllowExec = False,
    root: flags.Roots = None,
    mcp: flags.Mcp = None,
    on_unknown: flags.Unknown = None,
    breaks: flags.Breaks = None,
    max_steps: flags.MaxSteps = None,
    timeout: flags.Timeout = None,
    as_json: flags.AsJson = False,
    as_json_lines: flags.AsJsonLines = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> int:
    """Go on with a run, with the options it was started with; flags given now override them.

    What is done stays done. Exit codes are those of flowc run.
    """
    asked = flags.Asked(
        mode=flags.mode_of(as_json, as_json_lines, quiet),
        store=store,
        model=model,
        base_url=base_url,
        answers=answers,
        allow_exec=allow_exec,
        roots=tuple(root or ()),
        mcp=tuple(mcp or ()),
        on_unknown=on_unknown,
        breaks=tuple(breaks or ()),
        max_steps=max_steps,
        timeout=timeout,
        verbose=verbose,
    )
    if say is not None and answer:
        raise RunError(
            "--say and --answer exclude each other",
            help="--answer replies to the question that waits, --say leaves it and goes elsewhere",
        )
    return _resume(run, answer or [], say, asked)


def _resume(run: str, answer: list[str], said: str | None, asked: flags.Asked) -> int:
    url = existing_store(asked.store)
    record, questions = asyncio.run(_stand(url, run))
    given = match_given(answer, questions)
    url = _enter(record, url)
    if not os.path.exists(record.file):
        raise RunError(
            f"the workflow of run {run} is gone: {record.file}",
            help="put the file back where it was, then resume; what was done is kept",
        )
    kept = RunOptions.from_json(record.options)
    compiled = compiled_or_none(record.file, asked.mode, kept.team)
    if compiled is None:
        return FINDINGS
    config = load_config(Path.cwd())
    options = asked.options(record.file, kept, config)
    launch = Launch(
        compiled=compiled,
        services=make_services(options, compiled.spec, config),
        options=options,
        store=url,
        mode=asked.mode,
        verbose=asked.verbose,
        breakpoints=asked.breaks,
    )

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        return await resume_with(launch, engine, view, given, signals, said)

    return execute(launch, run, begin)


async def _stand(url: str, run: str) -> tuple[RunRecord, tuple[Question, ...]]:
    """The run's record and the questions that wait."""
    async with open_engine(url) as engine:
        record = await engine.store.get(run)
        if record.status in ("success", "failed", "running"):
            return record, ()
        return record, (await engine.state(run)).questions


def _enter(record: RunRecord, url: str) -> str:
    """Go to the folder the run was started in: its paths and its shell count from there. Gives the
    store's URL as it reads there. Raises `RunError` when the folder is gone."""
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
