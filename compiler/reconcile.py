"""A living document that a person has edited, against what its run last wrote.

What a run may simply go on with is taken from the document and listed; what follows from it (a step
that has to be done again) is listed too. What can be meant in two ways, or cannot be at all, is a
diagnostic FC7001 with both places: in the document, and in what the run had written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal

from . import plan
from .checks import CODES
from .diagnostics.diagnostic import Diagnostic, Label, Sink
from .frontends.plan.places import Places
from .plan.paths import original_input, reads_of
from .plan.versions import StepVersions, versions
from .source.records import dataclass
from .source.source import Source, Span

ACTIVE: tuple[plan.Status, ...] = ("RUNNING", "CODE_GENERATED", "EXECUTING")
_MADE_FROM = ("Input Audio", "Output Audio", "Code")
"""What the result of a step was made from."""
_MEANS = ("Title", "Description", "Input Audio", "Output Audio", "Code")
"""What a person changes to have a step done in another way."""


@dataclass(frozen=True, slots=True)
class AcceptedEdit:
    """Something that the run goes on with: of which step ("" for the whole), what, and where it
    was taken from. `line` is that in the document, 0 where it has none."""

    step: str
    what: str
    source: Literal["document", "checkpoint", "both"]
    line: int = 0


@dataclass(frozen=True, slots=True)
class StepRestart:
    """A step to be begun again: it becomes READY with its code, or PENDING without any."""

    step: str
    status: Literal["READY", "PENDING"]


@dataclass(slots=True)
class Reconciliation:
    """What came of it. With diagnostics nothing else counts."""

    taken: list[AcceptedEdit] = field(default_factory=list)
    again: dict[str, StepRestart] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def reconcile(
    written: Source, edited: Source, exists: Callable[[str], bool], stand: str = ""
) -> Reconciliation:
    """Compare what the run last wrote with what is there. `exists` tells whether a path of the
    document is a file, `stand` where the run's checkpoint is, for the notes."""
    then = Places(plan.read_plan(written.text), written)
    now = Places(plan.read_plan(edited.text), edited)
    comparison = _Comparison(then, now, exists, stand)
    comparison.compare()
    comparison.result.diagnostics = comparison.sink.all()
    return comparison.result


def apply(
    document: plan.PlanDocument, again: Mapping[str, StepRestart], no_code: str
) -> plan.PlanDocument:
    """The document with the steps that are begun again. Raises `PlanError`."""
    for entry in again.values():
        document = document.set("Status", entry.status, step=entry.step)
        code = _value(document, entry.step, "Code")
        if entry.status == "PENDING" and not (plan.is_placeholder(code) or plan.is_manual(code)):
            document = document.set("Code", no_code, step=entry.step)
        if _value(document, entry.step, "Execution Results"):
            document = document.set("Execution Results", "", step=entry.step)
    return document


def _value(document: plan.PlanDocument, step: str, name: str) -> str:
    return plan.text_value(document.step(step), name)


class _Comparison:
    """The two versions while they are compared."""

    def __init__(
        self, then: Places, now: Places, exists: Callable[[str], bool], stand: str
    ) -> None:
        self.then, self.now = then, now
        self.exists, self.stand = exists, stand
        self.sink, self.result = Sink(CODES), Reconciliation()

    def compare(self) -> None:
        """Fill in the result, step by step in the order of the document."""
        for step in versions(self.then.document, self.now.document):
            if step.now is None:
                self._check_removal(step)
            elif step.then is None:
                self._check_addition(step, step.now)
            else:
                self._compare_step(step, step.then, step.now)
        self._begin_readers_again()
        self._request()
        self._sections()
        untouched = sum(self._status(self.now, v) == "DONE" for v in self._kept_done())
        if untouched:
            what = f"{untouched} {'step' if untouched == 1 else 'steps'} DONE, not executed again"
            self.result.taken.append(AcceptedEdit("", what, "checkpoint"))

    def _kept_done(self) -> list[int]:
        document = self.now.document
        return [place for id, place in document.ids.items() if id not in self.result.again]

    def _check_removal(self, step: StepVersions) -> None:
        assert step.then is not None
        status = self._status(self.then, step.then)
        if status in ACTIVE:
            self._conflict(
                f"`{step.id}` was {status} and is gone",
                self._plan_heading(),
                self.then.heading(step.then),
                "put the step back; to leave it out, let it end first",
            )
            return
        self._take(step.id, f"taken out (it was {status})", None)

    def _check_addition(self, step: StepVersions, now: int) -> None:
        status = self._known_status(step, now)
        if status is None:
            return
        if status in ACTIVE:
            self._not_a_persons(step.id, status, now, None)
        elif status == "DONE" and not self._has_output(now):
            self._no_output(step.id, now, None)
        else:
            self._take(step.id, f"added, {status}", now)

    def _compare_step(self, step: StepVersions, then: int, now: int) -> None:
        before, after = self._status(self.then, then), self._known_status(step, now)
        if after is None or not step.fields:
            return
        if before != after:
            self._take_status(step, then, now, after)
            return
        changed = [name for name in step.fields if name in _MEANS]
        for name in step.fields:
            self._take(step.id, name, now, name)
        if after == "DONE":
            self._done_differently(step, then, now, changed)
        elif changed and (after in ACTIVE or "Code" in changed):
            self._begin_again(step.id, now, changed, str(after))

    def _take_status(self, step: StepVersions, then: int, now: int, after: plan.Status) -> None:
        """The status was changed by a person."""
        before = self._status(self.then, then)
        if after in ACTIVE:
            self._not_a_persons(step.id, after, now, then)
            return
        if after == "DONE" and not self._has_output(now):
            self._no_output(step.id, now, then)
            return
        self._take(step.id, f"{after} (it was {before})", now, "Status")
        for name in step.fields:
            if name != "Status":
                self._take(step.id, name, now, name)

    def _done_differently(
        self, step: StepVersions, then: int, now: int, changed: list[str]
    ) -> None:
        made = [name for name in changed if name in _MADE_FROM]
        for name in made:
            readers = self._readers(then)
            whose = f", and {readers[0]} has used it" if readers else ""
            self._conflict(
                f"`{step.id}` is DONE, but its {name} has changed{whose}",
                self.now.value_span(now, name),
                self.then.value_span(then, name),
                "set its status to PENDING to have it done again, or put back what was there",
            )
        if changed and not made:
            what = "DONE all the same: set it to PENDING to have it done again"
            self.result.taken.append(AcceptedEdit(step.id, what, "checkpoint"))

    def _begin_again(self, id: str, now: int, changed: list[str], status: str) -> None:
        """A step that was under way is done in the way that is asked for now; code that a person
        has written is executed as it stands."""
        code = plan.text_value(self.now.document.blocks[now], "Code")
        keeps = "Code" in changed and not plan.is_placeholder(code)
        self.result.again[id] = StepRestart(id, "READY" if keeps else "PENDING")
        if status not in ("PENDING", "READY"):
            self.result.taken.append(AcceptedEdit(id, f"begun again (it was {status})", "both"))

    def _begin_readers_again(self) -> None:
        """What reads the output of a step that is done again is done again, too."""
        document = self.now.document
        steps = [plan.text_value(step, "ID") for step in document.steps]
        unsettled = {
            n for n, id in enumerate(steps) if id in self.result.again or self._set_back(id)
        }
        for reader, writer in sorted(reads_of(document).items()):
            status = plan.status_of(document.steps[reader])
            if writer not in unsettled or reader in unsettled or status in ("PENDING", "READY"):
                continue
            unsettled.add(reader)
            id = steps[reader]
            if id and status is not None:
                self.result.again[id] = StepRestart(id, "PENDING")
                what = f"begun again (it was {status}): it reads what `{steps[writer]}` writes"
                self.result.taken.append(AcceptedEdit(id, what, "both"))

    def _set_back(self, id: str) -> bool:
        then, now = self.then.document.ids.get(id), self.now.document.ids.get(id)
        if then is None or now is None or self._status(self.then, then) == "PENDING":
            return False
        return self._status(self.then, then) in ("DONE", "FAILED", *ACTIVE) and (
            self._status(self.now, now) in ("PENDING", "READY")
        )

    def _request(self) -> None:
        """The sound that all of it begins with cannot change under steps that have read it."""
        before, after = original_input(self.then.document), original_input(self.now.document)
        index = self._section("request", self.now)
        then = self._section("request", self.then)
        begun = any(plan.status_of(s) not in ("PENDING", "READY") for s in self.then.document.steps)
        if before == after or index is None or then is None:
            return
        if begun:
            self._conflict(
                "the Input Audio of the request has changed, and steps have read the one before",
                self.now.value_span(index, "Input Audio"),
                self.then.value_span(then, "Input Audio"),
                "put it back, or begin another document for the other sound",
            )
        else:
            self._take("", "Input Audio", index, "Input Audio")

    def _sections(self) -> None:
        """A run writes to the log and the output, and reads the request: they have to stay."""
        for key in ("request", "output", "log"):
            then = self._section(key, self.then)
            if then is not None and self._section(key, self.now) is None:
                title = self.then.document.blocks[then].title
                self._conflict(
                    f"the section `{title}` is gone",
                    self.now.source.span(len(self.now.source.text), len(self.now.source.text)),
                    self.then.heading(then),
                    "put its heading back: the run needs it",
                )

    def _section(self, key: str, places: Places) -> int | None:
        blocks = places.document.blocks
        return next((n for n, b in enumerate(blocks) if b.kind == "section" and b.key == key), None)

    def _plan_heading(self) -> Span:
        index = self._section("plan", self.now)
        return self.now.heading(index) if index is not None else self.now.source.span(0, 0)

    def _status(self, places: Places, index: int) -> plan.Status | None:
        return plan.status_of(places.document.blocks[index])

    def _known_status(self, step: StepVersions, now: int) -> plan.Status | None:
        status = self._status(self.now, now)
        if status is None:
            word = plan.text_value(self.now.document.blocks[now], "Status")
            self._conflict(
                f"`{step.id}` has the status `{word}`, which is none",
                self.now.value_span(now, "Status"),
                self.then.value_span(step.then, "Status") if step.then is not None else None,
                "a person sets PENDING, READY or DONE",
            )
        return status

    def _not_a_persons(self, id: str, status: plan.Status, now: int, then: int | None) -> None:
        self._conflict(
            f"`{id}` is {status} in the document, and nobody is working on it",
            self.now.value_span(now, "Status"),
            self.then.value_span(then, "Status") if then is not None else None,
            "a person sets PENDING or READY (to be done), or DONE",
        )

    def _no_output(self, id: str, now: int, then: int | None) -> None:
        self._conflict(
            f"`{id}` is DONE in the document, and what it writes is not there",
            self.now.value_span(now, "Output Audio"),
            self.then.value_span(then, "Status") if then is not None else None,
            "put the file there, or set the status to PENDING",
        )

    def _has_output(self, now: int) -> bool:
        output = plan.text_value(self.now.document.blocks[now], "Output Audio")
        try:
            return not output or self.exists(plan.resolve_path(self.now.document, output))
        except plan.PlanError:
            return False

    def _readers(self, then: int) -> list[str]:
        """What the run had begun that reads the output of a step."""
        document = self.then.document
        steps = list(document.steps)
        place = next(n for n, s in enumerate(steps) if s is document.blocks[then])
        return [
            f"`{plan.text_value(steps[reader], 'ID')}`"
            for reader, writer in sorted(reads_of(document).items())
            if writer == place and plan.status_of(steps[reader]) in ("DONE", "FAILED", *ACTIVE)
        ]

    def _take(self, id: str, what: str, now: int | None, name: str = "") -> None:
        line = 0
        if now is not None:
            span = self.now.value_span(now, name) if name else self.now.heading(now)
            line = self.now.source.position(span.start).line
        self.result.taken.append(AcceptedEdit(id, what, "document", line))

    def _conflict(self, message: str, place: Span, other: Span | None, help: str) -> None:
        labels = (Label(other, "as the run wrote it"),) if other is not None else ()
        notes = (self.stand,) if self.stand else ()
        self.sink.report("FC7001", message, place, labels=labels, notes=notes, help=help)
