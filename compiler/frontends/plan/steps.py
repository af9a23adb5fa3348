"""Faults of the steps of a living document: titles, IDs, statuses, code."""

from __future__ import annotations

import os
import re

from ... import plan
from ...catalog.audio_formats import FORMATS, format_of
from ...catalog.audio_model import schema_of
from ...catalog.audio_tools import AUDIO_TOOLS
from ...catalog.functions import misfit_values
from ...diagnostics.diagnostic import Label, Sink
from ...plan.calls import ToolCall
from ...plan.document import is_step
from ...source.spelling import Spelling, slip_pairs
from .places import Places

_TOOLS = Spelling(tool.name for tool in AUDIO_TOOLS)
_CALL = re.compile(
    r"(?:\w+\s*=\s*)?(?P<tool>[A-Za-z_]\w*)(?:\s*[\[({]|[ \t]+[a-z]\w*[ \t]*=)[^\n]*\Z"
)
_ENDINGS = Spelling(FORMATS)
NEARLY_VARIABLE = re.compile(
    r"[$%{\[<]*OUTP?U?TS?[_ -]?(?:OF[_ -]?)?S[TEP]{2,3}[_ -]?(?P<number>[0-9]+)[}%\]>]*", re.I
)
"""What is nearly `$OUTPUT_STEP_1`."""


class StepChecker:
    """Reports what is wrong with single steps, and with the document's overall status."""

    def __init__(self, places: Places, sink: Sink, *, is_plan_lost: bool) -> None:
        self.places = places
        self.sink = sink
        self.is_plan_lost = is_plan_lost

    def check(self) -> None:
        for index, block in enumerate(self.places.document.blocks):
            if block.kind == "step":
                self.check_step(index, block)
        self.check_ids()
        self.check_outputs()
        self.check_overall()

    def check_step(self, index: int, block: plan.Block) -> None:
        if block.key != "plan":
            if block.key is not None or not self.is_plan_lost:
                self.sink.report(
                    "FC1001",
                    f"`{block.heading}` does not stand in the plan, so it is not a step",
                    self.places.heading(index),
                    severity="warning",
                    help=f"move it below `## 3. {plan.SECTIONS['plan']}`",
                )
            return
        if not block.title:
            message = f"{self.places.name_of(index)} has no title"
            help = "write it in the same line: `### Step 1: title`"
            self.sink.report("FC1003", message, self.places.heading(index), help=help)
        for name in ("Input Audio", "Output Audio"):
            self.check_filled_in(index, block, name)
        self.check_status(index, block)
        self.check_code(index, block)

    def check_filled_in(
        self, index: int, block: plan.Block, name: str, allowed: tuple[str, ...] = ()
    ) -> bool:
        """Return whether a value is filled in; report one of the format's placeholders (A27)."""
        value = plan.text_value(block, name)
        if not plan.is_template(value):
            return True
        variable = NEARLY_VARIABLE.fullmatch(value.strip("`"))
        self.sink.report(
            "FC1005",
            f"`{name}` of {self.places.where(index)} is a template that nobody has filled in",
            self.places.value_span(index, name),
            help=f"write `$OUTPUT_STEP_{variable['number']}`"
            if variable
            else "write the value in place of the braces"
            + (f", one of: {', '.join(allowed)}" if allowed else ""),
        )
        return False

    def check_status(self, index: int, block: plan.Block) -> None:
        if plan.status_of(block) is None and self.check_filled_in(
            index, block, "Status", plan.STATUSES
        ):
            self.report_word(index, "Status", plan.text_value(block, "Status"), plan.STATUSES)

    def check_overall(self) -> None:
        """Report an overall status that is not one of four words, or empty (A6)."""
        for index, block in enumerate(self.places.document.blocks):
            if block.kind == "section" and block.key == "output":
                word = plan.text_value(block, "Overall Status")
                if word in ("", *plan.OVERALL):
                    continue
                if self.check_filled_in(index, block, "Overall Status", plan.OVERALL):
                    self.report_word(index, "Overall Status", word, plan.OVERALL)

    def report_word(self, index: int, name: str, word: str, allowed: tuple[str, ...]) -> None:
        near = Spelling(allowed).nearest(word.upper()) or (
            word.upper() if word.upper() in allowed else None
        )
        guess = f"did you mean `{near}`? " if near else ""
        message = f"`{word[:80]}` is not a status"
        help = f"{guess}one of: {', '.join(allowed)}"
        self.sink.report("FC1005", message, self.places.value_span(index, name), help=help)

    def check_code(self, index: int, block: plan.Block) -> None:
        """Report code that is about to be executed and is not one call (A20), and calls of tools
        that would be refused; of what was executed, which another system may have done, only a
        tool's name that is nearly one, and what nobody can have executed."""
        code = plan.text_value(block, "Code")
        if not code or plan.is_manual(code):
            return
        status = plan.status_of(block)
        due = status in ("CODE_GENERATED", "EXECUTING")
        reason = _why_not_executable(code)
        if not reason:
            self.check_call(index, plan.read_call(code), done=status in ("DONE", "FAILED"))
        elif due or _is_nearly_call(code):
            self.sink.report(
                "FC1001",
                f"the code of {self.places.name_of(index)} cannot be executed: {reason}",
                self.places.value_span(index, "Code"),
                severity="error" if due else "warning",
                help="write one call in one line, such as `TOOL(input_path='a.wav')`, or `N/A`",
            )

    def check_call(self, index: int, call: ToolCall, *, done: bool) -> None:
        """Report a call that flowc's tools would refuse. A tool that is not among them, nor nearly,
        is another system's."""
        span, name = self.places.value_span(index, "Code"), call.tool.lower().removeprefix("audio_")
        tool = next((tool for tool in AUDIO_TOOLS if tool.name == name), None)
        if tool is None:
            near = _TOOLS.nearest(name)
            if near:
                message = f"there is no audio tool `{call.tool}`"
                help = f"did you mean `{near.upper()}`?"
                self.sink.report("FC4001", message, span, severity="warning", help=help)
            return
        schema = schema_of(tool.parameters)
        if done and call.arguments.keys() <= schema["properties"].keys():
            return
        if done:
            known = [*schema["properties"]]
            slips = dict(slip_pairs((*(n for n in call.arguments if n not in known), *known)))
            for name, near in {**slips, **{b: a for a, b in slips.items()}}.items():
                if name in call.arguments and near in known:
                    message, help = f"`{call.tool}` takes no `{name}`", f"did you mean `{near}`?"
                    self.sink.report("FC4004", message, span, severity="warning", help=help)
            return
        for message, help in misfit_values(call.tool, schema, call.arguments):
            self.sink.report("FC4004", message, span, severity="warning", help=help)

    def check_ids(self) -> None:
        """Report steps without an ID of their own (A4)."""
        first: dict[str, int] = {}
        for index, block in enumerate(self.places.document.blocks):
            if not is_step(block):
                continue
            id = plan.text_value(block, "ID")
            if not id:
                message = f"{self.places.name_of(index)} has no ID"
                help = "write a field `ID` below its heading, with a name of its own"
                written = block.field("ID") or not block.fields
                place = self.places.value_span(index, "ID" if written else block.fields[0].name)
                self.sink.report("FC1003", message, place, help=help)
            elif self.check_filled_in(index, block, "ID"):
                self.check_id(index, id, first)
                self.check_usual_id(index, id, block)

    def check_usual_id(self, index: int, id: str, block: plan.Block) -> None:
        """Warn of an ID that is nearly the usual one of the step's number."""
        usual = f"step_{block.number}"
        digits = re.sub(r"[^0-9]", "", id)
        if id.lower() != usual and digits == str(block.number) and Spelling((usual,)).nearest(id):
            message = f"the ID of step {block.number} is `{id}`"
            place = self.places.value_span(index, "ID")
            help = f"did you mean `{usual}`?"
            self.sink.report("FC1005", message, place, severity="warning", help=help)

    def check_outputs(self) -> None:
        """Warn of two steps that write one file: the later one replaces what the earlier made. A
        person who only listens passes the file on."""
        first: dict[str, int] = {}
        for index, block in enumerate(self.places.document.blocks):
            path = plan.text_value(block, "Output Audio") if is_step(block) else ""
            heard = plan.is_manual(plan.text_value(block, "Code"))
            if not path or plan.is_template(path) or heard:
                continue
            self.check_output(index, path, done=plan.status_of(block) in ("DONE", "FAILED"))
            earlier = first.setdefault(path, index)
            if earlier != index:
                self.sink.report(
                    "FC1004",
                    f"two steps write `{path[:80]}`",
                    self.places.value_span(index, "Output Audio"),
                    severity="warning",
                    labels=(Label(self.places.value_span(earlier, "Output Audio"), "the first"),),
                    help="give each step an output of its own",
                )

    def check_output(self, index: int, path: str, *, done: bool) -> None:
        """Warn of an output that no run can write as the plan stands: outside of the folder that it
        is given, or with an ending that says no format; of one that was written, only of an ending
        that is nearly one."""
        span = self.places.value_span(index, "Output Audio")
        ending = os.path.splitext(path)[1]
        if format_of(path) and done:
            return
        if done and not _ENDINGS.nearest(ending.lstrip(".")):
            return
        outside = os.path.normpath(path.replace("\\", "/")).split("/")[0] == ".."
        if outside:
            message = f"`{path[:80]}` lies outside of the folder that a run may write to"
            help = "write a path below it, or give the run the folder with `--root`"
            self.sink.report("FC1005", message, span, severity="warning", help=help)
        if not format_of(path):
            message = f"the ending of `{path[:80]}` says no format of a sound file"
            help = "end it in one of " + ", ".join(f".{name}" for name in FORMATS)
            self.sink.report("FC1005", message, span, severity="warning", help=help)

    def check_id(self, index: int, id: str, first: dict[str, int]) -> None:
        span = self.places.value_span(index, "ID")
        if not plan.is_id(id):
            help = "an ID is a word of letters, digits and `_`, such as `step_1`"
            self.sink.report("FC1005", f"`{id[:80]}` is not an ID", span, help=help)
        earlier = first.setdefault(id, index)
        if earlier != index:
            message = f"two steps have the ID `{id}`"
            help = "give each step an ID of its own"
            labels = (Label(self.places.value_span(earlier, "ID"), "the first one"),)
            self.sink.report("FC1004", message, span, labels=labels, help=help)


def _is_nearly_call(code: str) -> bool:
    """Return whether code is one line that begins like the call of a tool: of a known one, or of
    one in capitals with a named argument."""
    match = _CALL.match(code.strip())
    if match is not None and match["tool"].isupper() and "=" in code:
        return True
    name = match["tool"].lower().removeprefix("audio_") if match else ""
    return name in _TOOLS or _TOOLS.nearest(name) is not None


def _why_not_executable(code: str) -> str:
    if plan.is_placeholder(code):
        return "there is none"
    try:
        plan.read_call(code)
    except plan.PlanError as reason:
        return str(reason)
    return ""
