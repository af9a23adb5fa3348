"""The values layer: names are looked up and templates rendered into expressions (M20–M24).

    {{CITY}} in a prompt          the part  CITY
    {{ELSEWHERE}}, never written  the part  coalesce(ELSEWHERE, '{{ELSEWHERE}}')
    file:notes.md                 read_file('notes.md')

Rendering happens here, over text that stands in the file. The value of a variable is never
rendered again, and only a `file:` that stands in the file is followed (M22).
"""

from __future__ import annotations

import os
import re
from dataclasses import field

from ...diagnostics.diagnostic import Label, Sink
from ...expr.ast import Call, Expr, Literal, Name, Text
from ...expr.template import Placeholder, Template, quoted_command
from ...reading.editing import Mention
from ...reading.foreign import (
    foreign_in_command,
    foreign_placeholders,
    foreign_statements,
    odd_holes,
    report_foreign,
    report_statement,
)
from ...reading.script_syntax import command_fault
from ...source.records import dataclass
from ...source.source import Span
from ...source.spelling import Spelling
from .document import FlowchartDocument, PromptText
from .mermaid.placed_text import PlacedText
from .nearly import nearest_heading, nearly_headings

STATUS_WORDS = ("CREATED", "DOING", "SUCCESS", "FAILED")
LONGEST_NAME = 100
"""Longer texts are never looked up as names (M21)."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}", re.A)
BUILT_IN = {"STATUS": "STATUS", "RESULT": "RESULT", "CONTENT": "RESULT"}


@dataclass(slots=True)
class ChartScope:
    """What the names of one file can mean. `variables` are those the chart writes or lists,
    `detailed` those of its details; `outer` collects names that only a caller can give; `missing`
    the prompts nobody wrote, `mentions` the places where prompts are named. Where the chart is not
    `is_complete`, what writes a variable may be among what could not be read."""

    document: FlowchartDocument
    folder: str
    sink: Sink
    variables: dict[str, Span | None] = field(default_factory=dict)
    detailed: frozenset[str] = frozenset()
    outer: dict[str, Span] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    missing: dict[str, list[Span]] = field(default_factory=dict)
    mentions: list[Mention] = field(default_factory=list)
    is_complete: bool = True
    captioned: Spelling = field(default_factory=lambda: Spelling(()))
    """The ids of nodes that have a caption."""
    _templates: dict[int, Expr] = field(default_factory=dict)
    _spellings: dict[tuple[bool, bool, int], Spelling] = field(default_factory=dict)

    def span(self, text: PlacedText) -> Span:
        return self.document.whole.of(text)

    def has(self, name: str) -> bool:
        """Return whether the file writes or lists a variable."""
        return name in self.variables or name in self.detailed

    def variable(self, name: str, span: Span) -> Name | None:
        """Return STATUS, RESULT (also as CONTENT), or a variable of the run (M21)."""
        known = BUILT_IN.get(name) or (name if self.has(name) else None)
        if known is None:
            return None
        self.read.add(known)
        return Name(name=known, span=span)

    def look_up(self, text: PlacedText) -> Expr | None:
        """Return the value that a name stands for, or None (M21)."""
        constant = constant_in(text)
        if constant is not None:
            return self.render(constant)
        if len(text.text) > LONGEST_NAME:
            return self.render(text)
        if text.text.startswith("file:"):
            return self.read_file(text)
        known = self.variable(text.text, self.span(text))
        if known is not None:
            return known
        prompt = self.prompt(text)
        return self.template(prompt) if prompt else None

    def template(self, prompt: PromptText) -> Expr:
        """Return a prompt's text, rendered once."""
        at = prompt.name.start
        if at not in self._templates:
            self._templates[at] = self.render(prompt.text)
        return self._templates[at]

    def prompt(self, name: PlacedText) -> PromptText | None:
        """Return the prompt of a name, and note the mention for editors."""
        key = " ".join(name.text.split())
        prompt = self.document.prompts.get(key)
        if prompt is not None:
            self.mentions.append(Mention("prompt", key, "name", self.span(name)))
        return prompt

    def render(self, text: PlacedText) -> Expr:
        """Return a text with its `{{NAME}}` placeholders as parts; unknown names stay written
        (M23)."""
        template = self._read(text)
        foreign = [*foreign_placeholders(text.text, "{{NAME}}", self.spelling())]
        told = {found.start for found in foreign}
        foreign += [o for o in odd_holes(text.text, self.spelling()) if o.start not in told]
        for found in foreign:
            part = text[found.start : found.end]
            report_foreign(self.sink, self.span(part), part.text, f"{{{{{found.name}}}}}")
        for start, end in foreign_statements(text.text, self.spelling()):
            part = text[start:end]
            report_statement(self.sink, self.span(part), part.text, "decide with a CHECK")
        return template.expr

    def _read(self, text: PlacedText) -> Template:
        parts: list[Expr] = []
        holes: list[Placeholder] = []
        at = 0
        for match in _PLACEHOLDER.finditer(text.text):
            if match.start() > at:
                parts.append(self.literal(text[at : match.start()]))
            written = text.group(match, 0)
            parts.append(self.placeholder(written, text.group(match, 1)))
            holes.append(Placeholder(*match.span(), parts[-1], self.span(written)))
            at = match.end()
        if not parts:
            return Template(self.literal(text), (), ())
        if at < len(text.text):
            parts.append(self.literal(text[at:]))
        return Template(Text(parts=tuple(parts), span=self.span(text)), tuple(holes), ())

    def command(self, text: PlacedText) -> Expr:
        """Return a shell command. Each value is quoted for its place, so that no text of a model or
        a person becomes a command. One placeholder alone is that variable's text, as it is (M23,
        M36)."""
        foreign = [*foreign_in_command(text.text, "{{NAME}}", self.spelling())]
        told = {found.start for found in foreign}
        for odd in odd_holes(text.text, self.spelling()):
            # `{{.Name}}` is for the command itself: some of them fill in such templates.
            if odd.start not in told and "." not in text.text[odd.start : odd.end]:
                foreign.append(odd)
        for found in foreign:
            part = text[found.start : found.end]
            report_foreign(self.sink, self.span(part), part.text, f"{{{{{found.name}}}}}")
        if (fault := command_fault(text.text)) is not None:
            place = self.span(text[fault.start : fault.end])
            message, help = fault.message, "correct it: a shell would refuse the command"
            self.sink.report("FC3006", message, place, severity="warning", help=help)
        expr, refusals = quoted_command(self._read(text), text.text)
        for hole, reason in refusals:
            written = text[hole.start : hole.end]
            message = f"the value of `{written.text}` cannot be quoted {reason}"
            help = "put it into a word of its own or into quotes"
            self.sink.report("FC3006", message, self.span(written), help=help)
        return expr

    def literal(self, text: PlacedText) -> Literal:
        return Literal(value=text.text, span=self.span(text))

    def placeholder(self, written: PlacedText, name: PlacedText) -> Expr:
        known = self.variable(name.text, self.span(name))
        if known is not None:
            return known
        prompt = self.prompt(name)
        if prompt is not None:
            return Literal(value=prompt.text.text, span=self.span(written))
        outer = Name(name=name.text, span=self.span(name))
        self.outer.setdefault(name.text, self.span(name))
        args = (outer, self.literal(written))
        return Call(function="coalesce", args=args, span=outer.span)

    def read_file(self, text: PlacedText) -> Expr:
        """Return `file:path` as a call that reads it when it is needed (M22)."""
        path = self.file_path(text)
        if path is None:
            return self.literal(text)
        args = (Literal(value=path, span=self.span(text)),)
        return Call(function="read_file", args=args, span=self.span(text))

    def file_path(self, text: PlacedText) -> str | None:
        """Return the path behind `file:`, from the workflow's folder: fixed text, and below that
        folder unless the run gets a further root. Report anything else and return None."""
        name = text[len("file:") :].strip()
        if not name.text:
            self.sink.report("FC1003", "`file:` names no file", self.span(text))
            return None
        if _PLACEHOLDER.search(name.text):
            message = "a `file:` path is fixed text: no variable can stand in it"
            help = "write the path out; text from a model or a tool never becomes a path"
            self.sink.report("FC3006", message, self.span(name), help=help)
            return None
        path = os.path.normpath(name.text)
        if os.path.isabs(path) or path.split(os.sep)[0] == "..":
            message = f"`{name.brief}` lies outside the workflow's folder"
            help = "keep it below the workflow's folder, or run with `--root` for its folder"
            self.sink.report("FC1005", message, self.span(name), severity="warning", help=help)
        return path

    def spelling(self, *, variables: bool = True, prompts: bool = False) -> Spelling:
        """Return the names that can be meant, of variables (which have a value for a placeholder),
        of prompts or of both."""
        key = variables, prompts, len(self.variables)
        if key not in self._spellings:
            names = {*BUILT_IN, *self.variables, *self.detailed} if variables else set()
            self._spellings[key] = Spelling(names | set(self.document.prompts if prompts else ()))
        return self._spellings[key]

    def _prompt_of(self, name: str) -> str | None:
        """Return the prompt whose heading has a role before a name."""
        return next((p for p in self.document.prompts if p.partition(" ")[2] == name), None)

    def report_missing_prompts(self) -> None:
        """Report FC1003 for each prompt that activities name and nobody wrote."""
        spelling = self.spelling(variables=False, prompts=True)
        unspoken: dict[str, list[PlacedText]] = {}
        for words in self.document.unspoken:
            unspoken.setdefault(words.text, []).append(words)
            unspoken.setdefault(words.text.partition(" ")[2], []).append(words)
        headings = nearly_headings(self.document.whole.text) if self.missing else {}
        lost = None if self.document.prompts else headings.get("prompts")
        if lost is not None and lost.text == "# Prompts":
            lost = None
        for name, places in self.missing.items():
            first, *more = places
            empty = self.document.prompts.get(name)
            message = (
                f"the prompt `{name}` is empty" if empty else f"nobody wrote the prompt `{name}`"
            )
            labels = [Label(place, "also named here") for place in more]
            if empty:
                labels.insert(0, Label(self.span(empty.name), "its heading, with no text below"))
            write = f"write it below `# Prompts`, under the heading `## {name}`"
            close = spelling.advice(name, write)
            near = spelling.nearest(name)
            if near is None and (near := self._prompt_of(name)):
                close = f"did you mean `{near}`?"
            meant = self.document.prompts[near].name if near else None
            if lost is not None:
                labels.append(Label(self.span(lost), "was this meant as `# Prompts`?"))
                lost = None
            elif meant is None:
                meant = nearest_heading(headings, name)
            if meant is not None and not empty:
                labels.append(Label(self.span(meant), "was this heading meant?"))
            for words in unspoken.get(name.partition(" ")[2], ()):
                labels.append(Label(self.span(words), "this heading does not say who speaks"))
                close = f"write `## {name}`"
            self.sink.report(
                "FC1003", message, first, labels=tuple(labels),
                help="write its text below the heading" if empty else close,
            )  # fmt: skip


def constant_in(text: PlacedText) -> PlacedText | None:
    """Return the inside of `'…'` or `"…"`; None when the text is not a quoted constant."""
    if len(text.text) >= 2 and text.text[0] == text.text[-1] and text.text[0] in "'\"":
        return text[1:-1]
    return None
