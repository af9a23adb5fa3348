"""Symbols: every place in a file where something is defined or named, whatever the format.

Most places are spans of the IR; what no span covers the front end mentions (`Parsed.mentions`). A
span that covers more than the name is narrowed to it when the name stands in it once.

    - LAYOUT: the folders     ->  Mention("variable", "LAYOUT", "read", …)
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from .. import ir
from ..analysis.variables import Read, Write, expressions_of, names_in, reads, reads_beside, writes
from ..driver import CompileResult
from ..expr.walk import names_read
from ..reading.editing import Act, Kind, Mention
from ..source.records import dataclass
from ..source.source import SourceSet, Span

MAX_NARROWED = 20_000
"""Characters of a span that is looked through for a name."""
_ACTS: tuple[Act, ...] = ("define", "write", "read", "name")


@dataclass(slots=True)
class Symbols:
    """The mentions of one compilation, sorted by place. A place stands here once for each name."""

    workflow: ir.Workflow | None
    sources: SourceSet
    all: tuple[Mention, ...]
    _by_name: dict[tuple[Kind, str], list[Mention]] = field(default_factory=dict)
    _starts: dict[str, tuple[list[int], list[Mention]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for mention in self.all:
            self._by_name.setdefault((mention.kind, mention.name), []).append(mention)
            starts, mentions = self._starts.setdefault(mention.span.file, ([], []))
            starts.append(mention.span.start)
            mentions.append(mention)

    def of(self, kind: Kind, name: str) -> tuple[Mention, ...]:
        """Every place of a name."""
        return tuple(self._by_name.get((kind, name), ()))

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of a kind, in the order of their first places."""
        return tuple(name for known, name in self._by_name if known == kind)

    def definitions(self, kind: Kind, name: str) -> tuple[Mention, ...]:
        """Where a name gets what it stands for: definitions, else writes."""
        found = self.of(kind, name)
        defined = tuple(m for m in found if m.act == "define")
        written = tuple(m for m in found if m.act == "write")
        return (*defined, *written) if kind == "variable" else defined or written

    def at(self, file: str, offset: int) -> Mention | None:
        """The shortest mention around an offset, or that ends there."""
        starts, mentions = self._starts.get(file, ([], []))
        last = bisect.bisect_right(starts, offset)
        # Mentions hardly nest: the few before the cursor are all that can reach it.
        near = mentions[max(0, last - 64) : last]
        around = [m for m in near if m.span.end >= offset]
        return min(around, key=lambda m: (m.span.end - m.span.start, -m.span.start), default=None)

    def covers(self, file: str) -> bool:
        """Whether anything is named in a file."""
        return file in self._starts

    def text(self, mention: Mention) -> str:
        """What stands in the file at a mention."""
        return self.sources.text_at(mention.span)


def symbols_of(result: CompileResult) -> Symbols:
    """The symbols of a compilation's own file and of what it includes; those of a called workflow
    are in the compilation of its file."""
    workflow = result.workflow
    if workflow is None or result.parsed is None:
        return Symbols(workflow, result.sources, ())
    mentioned = tuple(result.parsed.mentions())
    reader = _Reader(workflow, result.sources, frozenset(m.kind for m in mentioned))
    found: dict[tuple[Kind, str, str, int, int], Mention] = {}
    for mention in (*map(reader.fit, mentioned), *reader.read()):
        span = mention.span
        key = (mention.kind, mention.name, span.file, span.start, span.end)
        known = found.get(key)
        if known is None or _ACTS.index(mention.act) < _ACTS.index(known.act):
            found[key] = mention
    ordered = sorted(
        found.values(), key=lambda m: (m.span.file, m.span.start, m.span.end, m.kind, m.name)
    )
    return Symbols(workflow, result.sources, tuple(ordered))


class _Reader:
    """Walks a workflow. Kinds in `given` are those that the front end mentions itself: spans that
    only contain such a name are not searched for it."""

    def __init__(self, workflow: ir.Workflow, sources: SourceSet, given: frozenset[Kind]) -> None:
        self.workflow = workflow
        self.sources = sources
        self.given = given
        self.groups = {n.id: n.group for n in workflow.nodes if n.group is not None}

    def read(self) -> Iterator[Mention]:
        w = self.workflow
        for param in w.params:
            yield from self.place("variable", param.name, "define", param.span)
        for state in w.state:
            yield from self.place("variable", state.name, "name", state.span)
        for prompt in w.prompts:
            yield from self.place("prompt", prompt.id, "define", prompt.span)
            for read in names_in(prompt.template):
                yield from self.place("variable", read.name, "read", read.span)
        for group in w.groups:
            yield from self.place("node", group.id, "define", group.span)
        for agent in w.agents if "agent" not in self.given else ():
            yield from self.place("agent", agent.id, "define", agent.span)
        for thread in w.threads if "thread" not in self.given else ():
            yield from self.place("thread", thread.id, "define", thread.span)
        for tool in w.tools:
            yield from self.place("tool", tool.id, "name", tool.span)
        for script in w.scripts:
            yield from self.functions(script)
        for read in reads_beside(w):
            yield from self.place("variable", read.name, "read", read.span)
        for node in w.nodes:
            yield from self.node(node)
        if "node" not in self.given:
            for edge in w.edges:
                if not edge.implied:
                    yield from self.place("node", self.node_name(edge.target), "name", edge.span)

    def node(self, node: ir.Node) -> Iterator[Mention]:
        if node.group is None and node.span is not None and "node" not in self.given:
            yield Mention("node", node.id, "define", self.narrow(node.id, node.span) or node.span)
        named: list[tuple[Act, Read | Write]] = [("write", write) for write in writes(node)]
        named += [("read", read) for read in reads(node, self.workflow)]
        for act, use in named:
            # What a node reads without naming it has the place of the node.
            if use.span != node.span or (use.span and self.narrow(use.name, use.span)):
                yield from self.place("variable", use.name, act, use.span)
        match node:
            case ir.AgentNode():
                yield from self.agent(node)
            case ir.ToolNode():
                yield from self.place("tool", node.tool, "name", node.span)
            case ir.CallNode() | ir.ForeachNode():
                if node.target_span is not None:
                    yield Mention("workflow", node.workflow, "name", node.target_span)
            case ir.ScriptNode():
                yield from self.place("function", node.function, "name", node.span)
            case _:
                pass

    def agent(self, node: ir.AgentNode) -> Iterator[Mention]:
        """What the prompt and the criteria read is a variable also where the node's own inputs
        stand for it, unless it is a tool's result."""
        inputs = {entry.name for entry in node.inputs}
        for expr in expressions_of(node):
            for read in names_read(expr):
                if read.name in inputs:
                    yield from self.place("variable", read.name, "read", read.span)

    def functions(self, script: ir.Script) -> Iterator[Mention]:
        source = self.sources.get(script.file)
        if source is None:
            return
        first = source.line_starts()[min(script.line, len(source.line_starts())) - 1]
        for name in script.functions:
            word = re.escape(name)
            pattern = rf"(?:\bfunction\s*\*?\s*|\bdef\s+)({word})\b|\b({word})[\"']?\s*[:=(]"
            match = re.compile(pattern).search(source.text, first)
            if match is not None:
                group = 1 if match[1] else 2
                span = source.span(match.start(group), match.end(group))
                yield Mention("function", name, "define", span)

    def node_name(self, id: str) -> str:
        """The file's own name of a node: that of its group when it has one."""
        return self.groups.get(id, id)

    def place(self, kind: Kind, name: str, act: Act, span: Span | None) -> Iterable[Mention]:
        """The mention of a name, where its span is known; a span that holds more is narrowed."""
        if span is None or span.start == span.end:
            return ()
        narrow = self.narrow(name, span)
        if narrow is None:
            # The file says it in other words, as CONTENT for RESULT: a place, but not its name.
            return () if kind in self.given or act == "name" else (Mention(kind, name, act, span),)
        return (Mention(kind, name, act, narrow),)

    def fit(self, mention: Mention) -> Mention:
        """The mention without quotes and the like, where its name stands in it once."""
        name = mention.name.rpartition("#")[2]
        if mention.span.end - mention.span.start == len(name):
            return mention
        span = self.narrow(name, mention.span)
        return mention if span is None else replace(mention, span=span)

    def narrow(self, name: str, span: Span) -> Span | None:
        source = self.sources.get(span.file)
        if source is None or span.end - span.start > MAX_NARROWED:
            return None
        text = source.text
        if span.end - span.start == len(name) and text.startswith(name, span.start):
            return span
        found = list(_words(text, name, span.start, span.end))
        return Span(span.file, found[0], found[0] + len(name)) if len(found) == 1 else None


def _words(text: str, name: str, start: int, end: int) -> Iterator[int]:
    """Where `name` stands as a word of its own between two offsets."""
    at = text.find(name, start, end) if name else -1
    while at >= 0:
        behind = at + len(name)
        left = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
        right = behind < len(text) and (text[behind].isalnum() or text[behind] == "_")
        if not left and not right:
            yield at
        at = text.find(name, behind, end)
