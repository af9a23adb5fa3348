"""The document layer of a flowchart workflow: title, `# Workflow`, `# Prompts`, fences, includes.

Included files are inserted in place (M7): what is read is one text, and each of its characters
knows the file and the place it came from.
"""

from __future__ import annotations

import bisect
import os
import re
from dataclasses import field

from ...diagnostics.diagnostic import Fix, Label, Sink
from ...source.records import dataclass
from ...source.source import Source, SourceSet, Span, Unreadable
from ...source.spelling import Spelling
from .detect import is_flowchart
from .mermaid.placed_text import PlacedText, placed_text
from .nearly import NEARLY_INCLUDE, is_nearly_details, line_above

MAX_INCLUDED = 8 * 1024 * 1024
"""Characters of a document with everything it includes; more is refused (FC0001)."""

MAX_INCLUDES, MAX_DEPTH = 1000, 50
"""At most so many directives are followed, and so deep; more is refused (FC0001) as well."""

SECTIONS = ("Workflow", "Prompts")
_DETAILS = ["yaml", "flow"]
"""The words behind the fence of a block of details."""
_SECTIONS = Spelling(SECTIONS)
_MAY_INCLUDE = re.compile(r"[!@] ?i", re.I)
_LINE = re.compile(
    r"^(?:(?P<include>[ \t]*!INCLUDE(?![^\s])[ \t]*(?P<path>[^\r\n]*))"
    r"|(?P<fence>[ ]{0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n]*))"
    r"|(?P<heading>(?P<level>\#{1,2})[ \t]+(?P<words>[^\r\n]*)))",
    re.M,
)
_SWALLOWED = re.compile(
    r"^(?:\#[ \t]+(?:Workflow|Prompts|History)|\#\#[ \t]+(?:System|User|Assistant)\b)", re.M
)
_PROMPT = re.compile(r"(System|User|Assistant)(?![\w])")


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters from offset `at` of the whole text stand at `start` of `source`."""

    at: int
    source: Source
    start: int


@dataclass(slots=True)
class WholeText:
    """A file's text with its includes in place, and where every character came from."""

    text: str
    segments: list[Segment]
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._starts = [segment.at for segment in self.segments]

    def span(self, start: int, end: int) -> Span:
        """Return the place of a range, cut off where its first file's part ends."""
        starts = self._starts
        index = max(0, bisect.bisect_right(starts, start) - 1)
        segment = self.segments[index]
        limit = starts[index + 1] if index + 1 < len(starts) else len(self.text)
        first = segment.start + start - segment.at
        return Span(segment.source.path, first, first + max(0, min(end, limit) - start))

    def of(self, text: PlacedText) -> Span:
        return self.span(text.start, text.end)


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt: its heading's words are its name (M5)."""

    name: PlacedText
    text: PlacedText


@dataclass(slots=True)
class FlowchartDocument:
    """What the document layer read. `section` is the `# Workflow` heading, None without one."""

    whole: WholeText
    title: PlacedText | None = None
    section: PlacedText | None = None
    description: str = ""
    charts: list[PlacedText] = field(default_factory=list)
    details: list[PlacedText] = field(default_factory=list)
    """Blocks of flow YAML among the charts."""
    prompts: dict[str, PromptText] = field(default_factory=dict)
    unspoken: list[PlacedText] = field(default_factory=list)
    """Headings among the prompts that do not say who speaks: they belong to the text above."""
    is_history: bool = False
    """Whether a `# History` makes this a run's record, which need not keep its prompts (M8)."""


def read_document(source: Source, sources: SourceSet, sink: Sink) -> FlowchartDocument:
    """Read the layers above the chart (M1–M8)."""
    whole = _Includes(sources, sink).read(source)
    reader = _Reader(FlowchartDocument(whole), sink)
    reader.read()
    return reader.document


class _Includes:
    """Builds the whole text."""

    def __init__(self, sources: SourceSet, sink: Sink) -> None:
        self.sources = sources
        self.sink = sink
        self.parts: list[str] = []
        self.segments: list[Segment] = []
        self.length = 0
        self.count = 0
        self.is_refused = False

    def read(self, source: Source) -> WholeText:
        self.insert(source, (source.path,))
        return WholeText("".join(self.parts), self.segments)

    def insert(self, source: Source, chain: tuple[str, ...]) -> None:
        at = 0
        for match in _LINE.finditer(source.text):
            if match["include"] is not None:
                self.take(source, at, match.start())
                self.include(source, match, chain)
                at = match.end()
        self.take(source, at, len(source.text))
        for nearly in (
            NEARLY_INCLUDE.finditer(source.text) if _MAY_INCLUDE.search(source.text) else ()
        ):
            place, written = source.span(*nearly.span("all")), f"!INCLUDE {nearly['path']}"
            message, fix = (
                f"`{nearly['all']}` includes nothing",
                Fix(f"write `{written}`", place, written),
            )
            help = f"write `{written}`"
            self.sink.report("FC1002", message, place, severity="warning", help=help, fix=fix)

    def take(self, source: Source, start: int, end: int) -> None:
        if end > start or not self.segments:
            self.segments.append(Segment(self.length, source, start))
            self.parts.append(source.text[start:end])
            self.length += end - start

    def include(self, source: Source, match: re.Match[str], chain: tuple[str, ...]) -> None:
        name = placed_text(match["path"], match.start("path")).strip()
        if len(name.text) >= 2 and name.text[0] == name.text[-1] and name.text[0] in "\"'":
            name = name[1:-1]
        written, place = name.text, source.span(name.start, name.end)
        if not written:
            keyword = source.span(match.end("path") - len(match[0].lstrip()), match.end("path"))
            message = "`!INCLUDE` names no file"
            self.sink.report("FC1003", message, keyword, help="write its path in the same line")
            return
        if os.path.isabs(written):
            message = f"`{written}` is an absolute path"
            self.sink.report("FC2001", message, place, help="name a file relative to this one")
            return
        path = os.path.normpath(os.path.join(os.path.dirname(source.path), written))
        if path in chain:
            names = " → ".join(os.path.basename(p) for p in (*chain[chain.index(path) :], path))
            self.sink.report("FC2009", f"a circle of includes: {names}", place)
            return
        self.count += 1
        if self.count > MAX_INCLUDES or len(chain) > MAX_DEPTH:
            if not self.is_refused:
                limit = f"{MAX_INCLUDES} files, {MAX_DEPTH} deep"
                self.sink.report("FC0001", f"more than {limit}, are included", place)
            self.is_refused = True
            return
        try:
            included = self.sources.read(path)
        except Unreadable as error:
            reason = "is not there" if error.reason == "not found" else error.reason
            message = f"`{written}` is included, but it {reason}"
            help = "the path counts from the folder of the file that includes it"
            self.sink.report("FC2001", message, place, help=error.help or help)
            return
        if self.length + len(included.text) > MAX_INCLUDED:
            self.sink.report("FC0001", f"with `{written}` the document becomes too large", place)
            return
        self.insert(included, (*chain, path))


def _heading_words(words: PlacedText) -> PlacedText:
    """Return a heading's text without blanks and closing number signs."""
    words = words.strip()
    shorter = words.text.rstrip("#")
    closed = shorter != words.text and shorter.endswith((" ", "\t"))
    return words[: len(shorter)].strip() if closed else words


class _Reader:
    """Walks headings and fences of the whole text."""

    def __init__(self, document: FlowchartDocument, sink: Sink) -> None:
        self.document = document
        self.sink = sink
        self.part = "before"
        self.prompt: PlacedText | None = None
        self.prompt_start = 0
        self.stray: PlacedText | None = None
        self.described = (0, -1)

    def read(self) -> None:
        text, at = self.document.whole.text, 0
        while match := _LINE.search(text, at):
            at = match.end()
            if match["fence"] is not None:
                at = self.fence(match)
            elif match["heading"] is not None:
                self.heading(match)
        self.close_prompt(len(text))

    def fence(self, match: re.Match[str]) -> int:
        """Skip a fenced block, keep it when it is a chart (M3) or its details, and return where it
        ends. An unclosed one is reported when it is kept or swallows a heading, and ends there."""
        text, mark = self.document.whole.text, match["mark"]
        closing = re.compile(rf"^[ \t]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*\r?$", re.M)
        start = min(match.end() + 1, len(text))
        closed = closing.search(text, start)
        end = closed or _SWALLOWED.search(text, start)
        body = placed_text(text[start : end.start() if end else len(text)], start)
        language = match["info"].strip().split(" ")[0]
        is_details = self.part == "workflow" and match["info"].split() == _DETAILS
        is_chart = self.part == "workflow" and not is_details and is_flowchart(body.text)
        if (
            self.part == "workflow"
            and not is_details
            and is_nearly_details(match["info"], body.text)
        ):
            place = self.document.whole.span(match.start("info"), match.end("info"))
            message, fix = (
                "this block of details is not read",
                Fix("write `yaml flow`", place, "yaml flow"),
            )
            self.sink.report(
                "FC1002", message, place, severity="warning", help="write ```yaml flow", fix=fix
            )
        if is_chart and language.lower() != "mermaid":
            is_chart = self.is_nearly_mermaid(match, language)
        if is_chart:
            self.document.charts.append(body)
        if is_details:
            self.document.details.append(body)
        if closed is not None:
            return closed.end()
        if end is not None or is_chart or is_details:
            whole = self.document.whole
            last = line_above(text, start, end.start()) if end else None
            missing = "the closing line is missing below this"
            self.sink.report(
                "FC1001",
                "this fence is not closed",
                whole.span(match.start("mark"), match.end("mark")),
                labels=(Label(whole.of(last), missing),) if last else (),
                help=f"close it with a line of the same marks, {mark}",
            )
        return end.start() if end else len(text)

    def is_nearly_mermaid(self, match: re.Match[str], language: str) -> bool:
        """Report a chart whose fence has no language, or another's name that is nearly mermaid's.
        A chart between fences of another language is a text."""
        if language and Spelling(["mermaid"]).nearest(language) is None:
            return False
        start = match.start("info") if language else match.start("mark")
        place = self.document.whole.span(start, match.end("info"))
        written = "`mermaid`" if language else f"`{match['mark']}mermaid`"
        message = (
            f"`{language}` is not the language of a chart"
            if language
            else ("this chart stands in a fence without a language")
        )
        self.sink.report("FC1002", message, place, help=f"write {written}")
        return True

    def heading(self, match: re.Match[str]) -> None:
        words = _heading_words(placed_text(match["words"], match.start("words")))
        if match["level"] == "#":
            self.close_prompt(match.start())
            self.section(words, match.start())
        elif self.part == "prompts" and _PROMPT.match(words.text):
            self.close_prompt(match.start())
            self.prompt, self.prompt_start = words, match.end()
        elif self.stray is not None and _PROMPT.match(words.text):
            self.lost_prompt(words)
        elif self.part == "prompts":
            self.document.unspoken.append(words)

    def section(self, words: PlacedText, start: int) -> None:
        """Read a level-1 heading: only the first one is the title, sections are exact words (M1,
        M2)."""
        document = self.document
        if self.part == "before" and document.title is None and words.text not in SECTIONS:
            document.title = words
            self.described = (words.end, -1)
            return
        name = words.text if words.text in SECTIONS else self.misspelt(words)
        self.stray = None if name else words
        self.part = name.lower() if name else "other"
        self.document.is_history |= words.text == "History"
        begin, end = self.described
        if name and end < 0:
            end = start
            self.described = (begin, end)
        if name == "Workflow" and document.section is None:
            document.section = words
            document.description = document.whole.text[begin:end].strip()

    def misspelt(self, words: PlacedText) -> str | None:
        """Report a heading that nearly names a section, and return that section."""
        lowered = words.text.lower()
        name = next(
            (name for name in SECTIONS if lowered.rstrip("s") == name.lower().rstrip("s")), None
        ) or _SECTIONS.nearest(words.text)
        if name:
            self.sink.report(
                "FC1002",
                f"`# {words.brief}` is not a section of the format",
                self.document.whole.of(words),
                help=f"did you mean `# {name}`?",
                fix=Fix(f"write `{name}`", self.document.whole.of(words), name, safe=True),
            )
        return name

    def lost_prompt(self, words: PlacedText) -> None:
        """Report a prompt below a heading that ended the prompts: it would be lost silently."""
        assert self.stray is not None
        self.sink.report(
            "FC1002",
            f"`## {words.brief}` stands outside `# Prompts`",
            self.document.whole.of(words),
            severity="warning",
            labels=(Label(self.document.whole.of(self.stray), "the prompts end here"),),
            help="move it below `# Prompts`, or make the level-1 heading above it a level-3 one",
        )

    def close_prompt(self, end: int) -> None:
        """Store the prompt that ends here; a second one of the same name is FC1004 (M6)."""
        name, self.prompt = self.prompt, None
        if name is None:
            return
        document = self.document
        text = placed_text(document.whole.text[self.prompt_start : end], self.prompt_start).strip()
        key = " ".join(name.text.split())
        known = document.prompts.get(key)
        if known is None:
            document.prompts[key] = PromptText(name, text)
            return
        message = f"the prompt `{key}` is written twice"
        help = "rename or remove one of them"
        labels = (Label(document.whole.of(known.name), "first written here"),)
        self.sink.report("FC1004", message, document.whole.of(name), labels=labels, help=help)
