"""The tools with which a workflow lives in a document: `document_create`, `document_next`, …

Each is idempotent: the same call made again changes nothing. Names and schemas are in
compiler/catalog/builtin_tools.py.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from flowc.compiler import plan
from flowc.compiler.catalog.builtin_tools import DOCUMENT_ENTRIES
from flowc.compiler.plan.paths import original_input

from ..documents import transitions as moves
from ..documents.create import (
    file_name,
    free_hash,
    hash_of,
    id_of,
    new_document,
    step_fields,
    time_of,
)
from ..documents.file import Announce, Change, DocumentFile
from ..documents.view import REQUIREMENTS, step_of, summary_of, turn_of, whole_of
from ..documents.write_log import WRITE_LOG, Record
from ..errors import Failure
from ..files.roots import Roots
from ..services import Json
from .source import CatalogTools

Clock = Callable[[], datetime]
Args = Mapping[str, Any]


@dataclass(frozen=True)
class DocumentTools(CatalogTools):
    """Tools on documents below `roots`. Every answer says `document` (its path), `digest`, how many
    steps there are (`total`, `counts`), and what the `final` sound is as it stands."""

    roots: Roots
    clock: Clock = datetime.now
    name: str = "document"
    entries = DOCUMENT_ENTRIES

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Call a tool in a thread: writing to the disk must not hold the run's other branches.
        Raise `Failure`, of the kind `refused` when the document is not where the run left it."""
        arguments = self.defaults(tool) | args
        answer = cast("dict[str, Json]", await asyncio.to_thread(_FUNCTIONS[tool], self, arguments))
        return {**answer, "said": _summary(answer)}

    def _file(self, args: Args) -> DocumentFile:
        path = str(args["document"])
        place = self.roots.locate(path)
        # A link is refused where the document is read, so the last part is left as it is.
        return DocumentFile(place.parent / (self.roots.start / path).name, path)

    def _change(self, file: DocumentFile, change: Change) -> plan.PlanDocument:
        file.change(change, _announcer(file))
        return file.read()

    def _now(self) -> str:
        return time_of(self.clock())

    def create(self, args: Args) -> Json:
        """Create the document, or the one that was being created when the run died."""
        request, audio = str(args["request"]), str(args["input"])
        log, first = WRITE_LOG.get(), file_name(hash_of(request, audio))
        record = log.earlier() if log else None
        gate = DocumentFile(self.roots.locate(first), first)
        if record is not None:
            gate.forget_alone()
            return self._begun(record)
        # Two runs of one request may be here at once: each finds the other's document, or none.
        with gate.alone():
            now, folder = self.clock(), self.roots.locate(".")
            names = [name for name in os.listdir(folder) if not name.startswith(".")]
            id = id_of(free_hash(request, audio, names), now)
            file = DocumentFile(self.roots.locate(file_name(id)), file_name(id))
            try:
                text = new_document(id, request, audio, now)
            except plan.PlanError as refused:
                raise Failure(f"the request cannot be written down: {refused}", "refused") from None
            file.create(text, _announcer(file))
        return whole_of(file.read(), file.shown)

    def _begun(self, record: Record) -> Json:
        """Return the document that this run announced before it died."""
        file = DocumentFile(record.place, self.roots.show(record.place))
        if not record.place.exists() and not record.before:
            file.create(record.after)
        return whole_of(file.read(), file.shown)

    def read(self, args: Args) -> Json:
        file = self._file(args)
        document = file.read()
        return {**whole_of(document, file.shown), "text": document.text}

    def next(self, args: Args) -> Json:
        file = self._file(args)
        return turn_of(file.read(), file.shown)

    def plan(self, args: Args) -> Json:
        file, time = self._file(args), self._now()
        needs: dict[str, plan.Value] = {}
        if args["goal"]:
            needs["Goal"] = " ".join(str(args["goal"]).split())
        for key, name in REQUIREMENTS.items():
            if args[key]:
                needs[name] = tuple(" ".join(str(item).split()) for item in args[key])

        def change(document: plan.PlanDocument) -> plan.PlanDocument:
            return moves.add_steps(document, needs, _steps_of(document, args["steps"]), time)

        return whole_of(self._change(file, change), file.shown)

    def update(self, args: Args) -> Json:
        """Change the file once for each status on the way."""
        file, step = self._file(args), str(args["step"])
        move = moves.Move(
            step,
            args["status"],
            code=str(args["code"]),
            results=str(args["results"]),
            error=str(args["error"]),
            retries=int(args["retries"]),
        )
        document = self._change(file, lambda d: move.advance(d, self._now()))
        while plan.status_of(document.step(step)) != move.to:
            document = self._change(file, lambda d: move.advance(d, self._now()))
        state = {**step_of(document, document.step(step)), **summary_of(document, file.shown)}
        if move.to != "FAILED":
            return state
        attempts = cast("int", state["attempts"])
        return {
            **state,
            "retry": 0 < attempts <= move.retries,
            "request": plan.fix_request(document, step, cast("str", state["code"]), move.error),
        }

    def fix(self, args: Args) -> Json:
        file, step, code = self._file(args), str(args["step"]), str(args["code"])
        before = _step(file, step)
        document = self._change(file, lambda d: moves.fix(d, step, code, self._now()))
        # READY with this very code: the call that was made before the run died.
        same = plan.text_value(before, "Code").strip() == code.strip()
        changed = not same or plan.status_of(before) == "READY"
        block = document.step(step)
        return {
            "changed": changed,
            **step_of(document, block),
            **summary_of(document, file.shown),
        }

    def log(self, args: Args) -> Json:
        file, text = self._file(args), str(args["text"])
        document = self._change(file, lambda d: moves.log(d, text, self._now()))
        return summary_of(document, file.shown)

    def review(self, args: Args) -> Json:
        file, verdict = self._file(args), args["verdict"]
        notes, step = str(args["notes"]), str(args["step"])
        document = self._change(file, lambda d: moves.review(d, verdict, notes, step, self._now()))
        return summary_of(document, file.shown)

    def finish(self, args: Args) -> Json:
        file, status = self._file(args), args["status"]
        text, final = str(args["summary"]), str(args["final"])
        document = self._change(file, lambda d: moves.finish(d, status, text, final, self._now()))
        return whole_of(document, file.shown)


def _step(file: DocumentFile, step: str) -> Any:
    try:
        return file.read().step(step)
    except plan.PlanError as refused:
        raise Failure(f"{file.shown}: {refused}", "refused") from None


def _steps_of(document: plan.PlanDocument, planned: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps of a plan with paths. When they are the last of the document already, they
    are those that were asked for before."""
    steps, request = document.steps, document.section("request")
    original = original_input(document)
    id = plan.text_value(request, "Workflow ID") if request else ""
    outputs = [
        plan.text_value(s, "Output Audio") for s in steps if plan.text_value(s, "Output Audio")
    ]
    number = 1 + max((step.number or 0 for step in steps), default=0)
    prefix = id.rpartition("_")[2]
    last = outputs[-1] if outputs else original
    return step_fields(planned, original, last, prefix, number)


def _summary(answer: Mapping[str, Json]) -> str:
    """Return one line for people: the step and its status, else the document."""
    if answer.get("step"):
        return f"{answer['step']} {answer['status']}: {answer['title']}"
    return str(answer.get("overall") or answer["document"])


_FUNCTIONS: dict[str, Callable[[DocumentTools, Args], Json]] = {
    "document_create": DocumentTools.create,
    "document_read": DocumentTools.read,
    "document_plan": DocumentTools.plan,
    "document_next": DocumentTools.next,
    "document_update": DocumentTools.update,
    "document_fix": DocumentTools.fix,
    "document_log": DocumentTools.log,
    "document_review": DocumentTools.review,
    "document_finish": DocumentTools.finish,
}


def _announcer(file: DocumentFile) -> Announce:
    """Return the function that tells the run's log of a change before the file is touched."""
    log = WRITE_LOG.get()
    if log is None:
        return lambda before, after: None
    return lambda before, after: log.announce(file.place, before, after)
