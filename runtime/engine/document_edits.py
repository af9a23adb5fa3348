"""Taking over what people edited in the document of a run.

Three texts are compared: what the run last wrote (its record), what its checkpoint holds, and the
file. What edits mean is said by `flowc.compiler.reconcile`; here it is found out whether there are
any, what follows from them is written into the document, and it is decided whether the run goes on
where it stood or looks for its place in the document anew.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.driver import compile_text
from flowc.compiler.plan import PlanDocument, overall_of, read_plan, status_of, text_value
from flowc.compiler.plan.versions import distance, versions
from flowc.compiler.reconcile import ACTIVE, AcceptedEdit, StepRestart, apply, reconcile
from flowc.compiler.source.source import Source, SourceSet

from ..db.database import Database
from ..documents.create import NO_CODE, time_of
from ..documents.file import DocumentFile
from ..documents.phrases import TAKEN
from ..documents.view import digest_of, next_turn
from ..documents.write_log import Record, WriteLog, documents_of, writers_of
from ..errors import Failure, RunError

if TYPE_CHECKING:
    from ..store.runs import RunStore
    from .fork import RunState

STAYS, MOVES = "$stays", "$moves"
"""Keys of a record that was made for edits: the run goes on where it stood, or looks for its place
anew. The next change by the run itself replaces it."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a run stands: `ended` says that nothing is left to do, `note` says it for people, and
    paths are shown from `folder`."""

    run: str
    state: RunState
    ended: bool
    note: str
    folder: Path

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """Yield the answers of document tools that the checkpoint holds."""
        for value in self.state.variables.values():
            if isinstance(value, Mapping) and {"document", "digest"} <= value.keys():
                yield value


@dataclass(frozen=True, slots=True)
class Edited:
    """The edits of a run's document between two executions. With diagnostics nothing was taken.
    `moves` says that the run has to look for its place in the document anew."""

    document: str
    moves: bool
    taken: tuple[AcceptedEdit, ...] = ()
    again: Mapping[str, StepRestart] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: SourceSet = field(default_factory=SourceSet)


async def writers_now(store: RunStore, db: Database, id: str) -> list[Record]:
    """Return what each run last wrote to a document, the latest first, with the place where the
    document is now, wherever the project was moved."""
    found = []
    for written in await writers_of(db, id):
        move = await store.move_of(written.run)
        place = written.place if move is None else Path(move.path(str(written.place)))
        found.append(dataclasses.replace(written, place=place))
    return found


async def take_edits(db: Database, stand: Stand) -> Edited | None:
    """Take over what people changed in the document of a run, and write down what follows; None
    when there is no document. Raise `RunError` when it is gone or cannot be read."""
    record = await _record_of(db, stand)
    if record is None:
        return None
    file = DocumentFile(record.place, _shown_path(record.place, stand.folder))
    text = await asyncio.to_thread(_text_of, file, record)
    had_to_move = _had_to_move(record, stand)
    if text in (record.before, record.after):
        return Edited(file.shown, had_to_move)
    edited = await asyncio.to_thread(_compare, record, text, file.shown, stand, had_to_move)
    if not edited.diagnostics:
        log = WriteLog(db, stand.run, asyncio.get_running_loop(), MOVES if edited.moves else STAYS)
        await asyncio.to_thread(_write_down, file, edited, log)
    return edited


async def _record_of(db: Database, stand: Stand) -> Record | None:
    """Return the record of the run's document; of a fork's that of the run it came from."""
    records = await documents_of(db, stand.run)
    if records:
        return records[0]
    for value in stand.answers():
        id = Path(str(value["document"])).stem.removeprefix("workflow_")
        outcome = await writers_of(db, id)
        if outcome:
            return outcome[0]
    return None


def _text_of(file: DocumentFile, record: Record) -> str:
    try:
        return file.read().text
    except Failure as failure:
        if not record.before and not record.place.exists():
            return ""  # announced, and then the run died: it will be made
        help = "" if record.place.is_file() else f"put it back where it was: {record.place}"
        raise RunError(failure.message, help=failure.help or help) from None


def _had_to_move(record: Record, stand: Stand) -> bool:
    """Return whether the run has yet to look for its place after earlier edits, or a fork stands
    elsewhere than the document."""
    if record.run == stand.run:
        return record.key == MOVES
    known = {value["digest"] for value in stand.answers()}
    return not known & {digest_of(record.before), digest_of(record.after)}


def _compare(record: Record, text: str, shown: str, stand: Stand, moves: bool) -> Edited:
    """Return the edits, or what is wrong with them: the faults of the document itself beside those
    that contradict the run."""
    sources = SourceSet()
    then = _text_before_edits(record, text)
    written = sources.add(Source(f"{shown}, as run {record.run} wrote it", _bare(then)))
    edited = sources.add(Source(shown, _bare(text)))
    outcome = reconcile(
        written, edited, lambda path: (record.place.parent / path).is_file(), stand.note
    )
    known = {fault.primary for fault in outcome.diagnostics}
    own = compile_text(edited.text, shown, format="plan").diagnostics
    faults = [f for f in own if f.severity == "error" and f.primary not in known]
    moves = moves or bool(outcome.again) or _concerns(read_plan(then), read_plan(text), stand)
    return Edited(
        shown,
        moves,
        tuple(outcome.taken),
        outcome.again,
        tuple(sorted((*outcome.diagnostics, *faults), key=lambda fault: fault.primary.start)),
        sources,
    )


def _text_before_edits(record: Record, text: str) -> str:
    """Return the text that a person edited: that after the run's last change, unless the run died
    before it touched the file."""
    now, before, after = (read_plan(t) for t in (text, record.before, record.after))
    return record.after if distance(after, now) <= distance(before, now) else record.before


def _concerns(written: PlanDocument, now: PlanDocument, stand: Stand) -> bool:
    """Return whether edits concern what the run is about to do: the step under way, or its end."""
    answers = list(stand.answers())
    if stand.ended or any(value.get("action") == "end" for value in answers):
        return True
    current = {str(value["step"]) for value in answers if value.get("step")}
    current |= {text_value(step, "ID") for step in written.steps if status_of(step) in ACTIVE}
    differ = {v.id for v in versions(written, now) if v.fields or v.then is None or v.now is None}
    return bool(differ & current)


def _write_down(file: DocumentFile, edited: Edited, log: WriteLog) -> None:
    """Write what follows from the edits, and a line of the log that names them."""
    time = time_of(datetime.now())

    def change(document: PlanDocument) -> PlanDocument:
        document = apply(document, edited.again, NO_CODE)
        if next_turn(document) is not None and overall_of(document) != "IN_PROGRESS":
            document = document.set("Overall Status", "IN_PROGRESS", section="output")
        if edited.taken and document.section("log") is not None:
            document = document.append_log(time, TAKEN.format(edits=_in_short(edited.taken)))
        return document

    try:
        file.change(change, lambda before, after: log.announce(file.place, before, after))
    except Failure as failure:
        raise RunError(failure.message, help=failure.help) from None


def _in_short(taken: tuple[AcceptedEdit, ...]) -> str:
    parts = [f"{t.step} {t.what}".strip() for t in taken if t.source != "checkpoint"]
    return "; ".join(parts[:8]) + ("; …" if len(parts) > 8 else "")


def _shown_path(place: Path, folder: Path) -> str:
    return str(place.relative_to(folder)) if place.is_relative_to(folder) else str(place)


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff")
