"""`flowc resume`: go on from the last checkpoint, or answer the question a run waits with."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.compiler.driver import CompileResult
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec

from ...assembly.inputs import type_inputs
from ...assembly.lazy import open_engine
from ...assembly.own_options import own_options
from ...assembly.run_options import RunOptions
from ...assembly.standing import Standing, standing_of
from ...config.settings import Config, load_config
from ...db.url import locate
from ...engine.signals import RunSignals
from ...errors import RunError, StoreFailed, reason_of
from ...services import Json, Outcome
from ...state.waits import event_answers
from ...store.default_store import resume_command
from ...store.moved import Relocation
from ...store.runs import RunRecord
from .. import flags
from ..app import FINDINGS
from ..app import say as note
from ..inputs import read_inputs
from ..show.consent import with_consent
from ..show.ended import show_cut_off, show_ended
from ..show.output import RunView
from ..show.questions import match_answers, read_events
from ..stores import existing_store
from ..streams import Mode
from .documents import is_document, run_of, show_edits
from .launch import compile_runnable, execute, launch_of
from .run import asker, file_reader

if TYPE_CHECKING:
    from ...engine.engine import Engine

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""Which of the questions of one name an answer is for."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was typed for a run: replies to its questions, events, or an unasked line."""

    replies: list[str]
    events: list[str]
    line: str | None = None

    @property
    def answers(self) -> bool:
        return bool(self.replies or self.events)

    def match(self, stand: Standing, go_on: str) -> dict[str, Json]:
        """Return answers by question id. Raise `RunError` for those to nothing."""
        open_replies = _still_open(self.replies, stand)
        replies = match_answers(open_replies, stand.questions, go_on if stand.answered else "")
        return {**event_answers(read_events(self.events), stand.questions), **replies}


@flags.with_run_flags
def resume(
    run: flags.Run,
    run_flags: flags.RunFlags,
    answer: flags.Reply = None,
    event: flags.Event = None,
    say: flags.Said = None,
    migrate: flags.Migrate = None,
    take_over: flags.TakeOver = False,
    given: flags.Inputs = None,
) -> int:
    """Go on with a run, with the options it was started with; flags given now override them.

    What is done stays done. Exit codes are those of flowc run.
    """
    if say is not None and (answer or event):
        raise RunError(
            f"--say and {'--answer' if answer else '--event'} exclude each other",
            help="--answer replies to the question that waits, --say leaves it and goes elsewhere",
        )
    url = existing_store(run_flags.typed.store)
    said = Said(answer or [], event or [], say)
    try:
        if is_document(run):
            run = run_of(run, url)
        if take_over:
            asyncio.run(_take_over(url, run))
        return _resume(run, url, said, tuple(migrate or ()), given or [], run_flags)
    except StoreFailed as error:
        return show_cut_off(error, run, run_flags.mode, url)


def _resume(
    run: str,
    url: str,
    said: Said,
    migrate: tuple[str, ...],
    given: list[str],
    run_flags: flags.RunFlags,
) -> int:
    stand = asyncio.run(_stand(url, run))
    record = stand.record
    if stand.edited is not None and not show_edits(stand.edited, run, run_flags.mode):
        return FINDINGS
    line = said.line or stand.line(answered=said.answers)
    if stand.ended is not None and line is None and not migrate:
        return show_ended(record, stand.ended, run_flags.mode, url, told=said.answers)
    go_on = resume_command(run, url)
    answers = _valid_answers(said.match(stand, go_on), stand, migrate, go_on)
    record, here = _here_instead(record), Path.cwd()
    url = enter_folder(record, url)
    if not os.path.exists(record.file):
        raise RunError(
            f"the workflow of run {run} is gone: {record.file}",
            help="put the file back where it was, then resume; what was done is kept",
        )
    team = RunOptions.from_json(record.options).team
    compiled = compile_runnable(record.file, run_flags.mode, team, run_flags.typed.trust)
    if compiled is None:
        return FINDINGS
    config = load_config(Path.cwd())
    kept = kept_options_of(record, run_flags, config, here, compiled.spec)
    options = run_flags.options(record.file, kept, config, compiled.spec.model)
    launch = launch_of(compiled, options, config, run_flags)

    inputs = _new_inputs(given, compiled, record, options, run_flags.mode)

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        if record is not stand.record:
            await _settle(engine, stand.record, record)
        return await stand.resume(
            engine,
            launch,
            answers,
            line,
            migrate,
            inputs=inputs,
            listeners=(view.listen,),
            control=signals,
        )

    return execute(launch, run_flags.display(url), run, begin)


def _valid_answers(
    answers: dict[str, Json], stand: Standing, migrate: tuple[str, ...], go_on: str
) -> dict[str, Json]:
    """Return the answers. Raise `RunError` for one to a question that begins anew: it may ask
    something else."""
    moved = {text.partition("=")[0] for text in migrate}
    for question in stand.questions:
        if question.id in answers and moved & {question.node, *question.path}:
            flags = " ".join(f"--migrate {shlex.quote(text)}" for text in migrate)
            raise RunError(
                f"`{question.name}` begins anew with --migrate, and may ask something else",
                help=f"first {go_on} {flags}, then answer what it asks",
            )
    return answers


def _still_open(texts: list[str], stand: Standing) -> list[str]:
    """Return the answers without those to questions that were answered before: a supervisor types a
    command once more whose process died after it had taken them."""
    waiting = {question.name for question in stand.questions}
    open_texts = []
    for text in texts:
        name, sign, _ = text.partition("=")
        place, mark, number = name.partition("#")
        times = int(number) if _NUMBER.fullmatch(number) else 1 - len(mark)
        if sign and name not in waiting and 0 < times <= stand.answered.get(place, 0):
            note(f"`{name}` is answered already: run {stand.record.id} goes on")
        else:
            open_texts.append(text)
    return open_texts


def kept_options_of(
    record: RunRecord, run_flags: flags.RunFlags, config: Config, here: Path, spec: GraphSpec | None
) -> RunOptions:
    """Return the options of a run that goes on; a person on the terminal is asked for those that
    the user did not say. Raise as `own_options` does."""
    return with_consent(
        run_flags.typed,
        run_flags.mode,
        lambda typed: own_options(record, typed, config, here, spec),
    )


async def _take_over(url: str, run: str) -> None:
    async with open_engine(url) as engine:
        await engine.take_over(run)


def _here_instead(record: RunRecord) -> RunRecord:
    """Return the record with its paths in this folder where its own is gone and the workflow lies
    here: the project was moved, and its store, which is elsewhere, does not know."""
    folder = record.options.get("folder")
    relative = not os.path.isabs(record.file) and os.path.exists(record.file)
    if record.place or not relative or not isinstance(folder, str) or os.path.isdir(folder):
        return record
    note(f"run {record.id} was started in {folder}, which is gone: it goes on here")
    return record.relocate(Relocation(folder, os.getcwd()))


async def _settle(engine: Engine, before: RunRecord, record: RunRecord) -> None:
    """Keep the run's new folder, before anything happens there: it belongs to one place, and is
    refused in every copy from now on. Raise `RunError` where a copy was faster."""
    async with engine.hold(record.id):
        kept = await engine.store.get(record.id)
        if kept.options.get("folder") != before.options.get("folder"):
            raise _is_elsewhere(record, str(kept.options.get("folder")))
        await engine.store.update(replace(kept, file=record.file, options=record.options))


def _is_elsewhere(record: RunRecord, folder: str) -> RunError:
    return RunError(
        f"run {record.id} belongs to {folder}; here is another {record.file}",
        help=f"change to that folder first: cd {shlex.quote(folder)}",
    )


def _refuse_copy(record: RunRecord, folder: str) -> None:
    """Raise `RunError` in a copy of the run's project, whose store is elsewhere: the run would
    silently act on the original."""
    if not record.place and not os.path.isabs(record.file) and os.path.exists(record.file):
        raise _is_elsewhere(record, folder)


def _new_inputs(
    given: list[str], compiled: CompileResult, record: RunRecord, options: RunOptions, mode: Mode
) -> dict[str, Json]:
    """Return values for the parameters that the workflow has by now and the run was not given: on a
    terminal those that are missing are asked for."""
    raw = read_inputs(given, [], file_reader(record.file, options))
    if compiled.workflow is None or record.digest == compiled.spec.digest:
        return dict(raw.values)
    before = {param.name for param in load_spec(record.spec).params}
    ask = asker(mode)
    fresh = tuple(
        param
        for param in compiled.workflow.params
        if param.name in raw.values or (ask is not None and param.name not in before)
    )
    return type_inputs(raw, replace(compiled.workflow, params=fresh), compiled.sources, ask)


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
        _refuse_copy(record, folder)
        os.chdir(folder)
    except OSError as error:
        raise RunError(
            f"run {record.id} was started in {folder}, which cannot be entered: {reason_of(error)}"
        ) from None
    return absolute
