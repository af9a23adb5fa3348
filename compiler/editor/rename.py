"""Rename: the edits that give a variable, node or prompt another name, and nothing else.

Only places that are known by their span are edited. The edited files are compiled and compared with
what they were: a rename that leaves the old name somewhere, brings a new fault or changes anything
but the name is refused, with the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..analysis.variables import names_read, names_written
from ..driver import CompileResult, compile_file
from ..ir import Workflow
from ..reading.editing import Kind, Mention
from ..source.records import dataclass
from ..source.source import SourceSet, Span
from .symbols import Symbols, symbols_of

RENAMED: dict[Kind, str] = {"variable": "a variable", "node": "a node", "prompt": "a prompt"}
"""What can be renamed; other names are given outside of the workflow's files."""
LONGEST = 200
MAX_READINGS = 50
SourcesOf = Callable[[str, Mapping[str, str]], SourceSet]
"""The sources of a workflow's file, some texts standing in for files on disk."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a name cannot be changed, as one sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """The places that are edited, and what is written there."""

    spans: tuple[Span, ...]
    text: str


def renamable(symbols: Symbols, file: str, offset: int) -> Mention | Refusal:
    """The mention that a rename at this place is about, or why there is none."""
    mention = symbols.at(file, offset)
    if mention is None:
        return Refusal("no name stands here")
    if mention.kind not in RENAMED:
        return Refusal(f"a {mention.kind} is not named by this file alone")
    found = symbols.of(mention.kind, mention.name)
    if not any(m.act in ("define", "write") for m in found):
        return Refusal(f"`{mention.name}` is not defined in this file")
    written = symbols.text(mention)
    named = _with_spelling(symbols, found, written)
    for other in found:
        if other not in named and not _is_behind(symbols, other):
            at = symbols.sources.files[other.span.file].position(other.span.start)
            return Refusal(f"line {at.line} names it as `{symbols.text(other)}`")
    return mention


def _is_behind(symbols: Symbols, mention: Mention) -> bool:
    """Whether another name stands at the place: a node that reads a variable without naming it."""
    there = symbols.at(mention.span.file, mention.span.start)
    if there is None or there.kind == mention.kind:
        return False
    return symbols.text(mention) == there.name


def _with_spelling(symbols: Symbols, mentions: Iterable[Mention], text: str) -> list[Mention]:
    return [m for m in mentions if " ".join(symbols.text(m).split()) == " ".join(text.split())]


def _sources_without_grants(path: str, texts: Mapping[str, str]) -> SourceSet:
    """Return sources that grant nothing outside of the file's folder."""
    return SourceSet(overrides=dict(texts))


def rename(
    file: str,
    place: Span,
    text: str,
    texts: Mapping[str, str],
    related: Iterable[str] = (),
    sources_of: SourcesOf = _sources_without_grants,
) -> Renaming | Refusal:
    """Rename what stands at `place`, in the workflow of `file` or in a file that it includes.
    `texts` stand in for files on disk; `related` are files whose workflows share their variables
    with this one: callers, and what they call. `sources_of` gives what a file may be made of."""
    before = _Files(texts, sources_of)
    symbols = before.symbols(file)
    mention = renamable(symbols, place.file, place.start)
    if isinstance(mention, Refusal):
        return mention
    old = " ".join(symbols.text(mention).split())
    refused = _refused_text(text, old, mention, symbols)
    if refused is not None:
        return refused
    paths = [file]
    if mention.kind == "variable":
        paths = list(dict.fromkeys([file, *related]))
    spans = {
        m.span
        for path in paths
        for found in (before.symbols(path),)
        for m in _with_spelling(found, found.of(mention.kind, mention.name), old)
    }
    edits = tuple(sorted(spans))
    renaming = Renaming(edits, text)
    hidden = _in_scripts(old, edits, symbols)
    if hidden is not None:
        return hidden
    changed = replace_spans(edits, text, before.sources(file, paths))
    after = _Files({**texts, **changed}, sources_of)
    for path in paths:
        refused = _difference(before, after, path, old, text, mention)
        if refused is not None:
            return refused
    return renaming


def _refused_text(text: str, old: str, mention: Mention, symbols: Symbols) -> Refusal | None:
    if not text.strip() or text != text.strip() or len(text) > LONGEST or "\n" in text:
        return Refusal("a name is one line of text without blanks around it")
    if text == old:
        return Refusal(f"it has the name `{text}` already")
    if mention.name == old and text in symbols.names(mention.kind):
        return Refusal(f"there is {RENAMED[mention.kind]} `{text}` already")
    workflow = symbols.workflow
    if workflow is not None and any(p.env == old == p.name for p in workflow.params):
        return Refusal(f"`{old}` is also read from the environment under this name")
    return None


def _in_scripts(old: str, spans: Iterable[Span], symbols: Symbols) -> Refusal | None:
    """What a script does with a text is not known: a name may be edited only if the scripts have it
    nowhere but in the places that are."""
    workflow = symbols.workflow
    known = {(span.file, span.start) for span in spans}
    word = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
    for script in workflow.scripts if workflow is not None else ():
        source = symbols.sources.get(script.file)
        is_file = source is not None and source.text == script.source
        for match in word.finditer(script.source):
            if is_file and (script.file, match.start()) in known:
                continue
            line = script.line + script.source.count("\n", 0, match.start())
            return Refusal(f"the script has `{old}` in line {line}, where it may mean this or not")
    return None


def replace_spans(spans: Iterable[Span], text: str, sources: Mapping[str, str]) -> dict[str, str]:
    """The texts of the files in `spans`, with `text` in place of each span."""
    parts: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    for span in sorted(spans):
        source = sources[span.file]
        parts.setdefault(span.file, []).append(source[ends.get(span.file, 0) : span.start] + text)
        ends[span.file] = span.end
    return {file: "".join([*some, sources[file][ends[file] :]]) for file, some in parts.items()}


class _Files:
    """Compilations of some files, each made once."""

    def __init__(self, texts: Mapping[str, str], sources_of: SourcesOf) -> None:
        self.texts = dict(texts)
        self.sources_of = sources_of
        self.results: dict[str, CompileResult] = {}

    def result(self, path: str) -> CompileResult:
        if path not in self.results:
            self.results[path] = compile_file(path, sources=self.sources_of(path, self.texts))
        return self.results[path]

    def symbols(self, path: str) -> Symbols:
        return symbols_of(self.result(path))

    def sources(self, path: str, paths: Iterable[str]) -> dict[str, str]:
        return {
            name: source.text
            for one in (path, *paths)
            for name, source in self.result(one).sources.files.items()
        }


def _difference(
    before: _Files, after: _Files, path: str, old: str, new: str, mention: Mention
) -> Refusal | None:
    """Why the file at `path` would not mean the same; None when it does."""
    first, second = before.result(path), after.result(path)
    if Counter(_fault(d) for d in first.diagnostics) != Counter(
        _fault(d) for d in second.diagnostics
    ):
        worse = [d for d in second.diagnostics if _fault(d) not in map(_fault, first.diagnostics)]
        return Refusal(worse[0].message if worse else "the check of the file would change")
    if first.program is None or second.program is None:
        return Refusal("the file cannot be read as a workflow")
    part, inner, _ = mention.name.rpartition("#")
    for (name, a), (_, b) in zip(_workflows(first), _workflows(second), strict=False):
        if not same_but(a, b, old, new):
            return Refusal(f"`{new}` would make the workflow mean something else")
        is_its_own = not inner or name == f"{path}#{part}"
        if mention.kind == "variable" and is_its_own and old in _variables(b):
            return Refusal(f"not every place that uses `{old}` is known")
    return None


def _workflows(result: CompileResult) -> list[tuple[str, Workflow]]:
    """The program's workflows, and those of the file that nothing calls."""
    called = list(result.program.workflows) if result.program else []
    parts = result.parsed.parts.items() if result.parsed else ()
    known = {name for name, _ in called}
    more = [(f"{result.path}#{name}", part) for name, part in parts]
    return [*called, *(row for row in more if row[0] not in known)]


def _fault(diagnostic: Any) -> tuple[str, str]:
    return diagnostic.code, diagnostic.severity


def _variables(workflow: Workflow) -> set[str]:
    declared = {p.name for p in workflow.params} | {s.name for s in workflow.state}
    return declared | names_read(workflow) | names_written(workflow)


def same_but(a: Any, b: Any, old: str, new: str) -> bool:
    """Whether two values of the IR are equal but for texts in which `old`, as a word, became
    `new`. Spans and origins do not count."""
    word = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
    todo = [(a, b)]
    while todo:
        x, y = todo.pop()
        if type(x) is not type(y):
            return False
        if isinstance(x, str):
            if x != y and not _is_renamed(x, y, word, new):
                return False
        elif isinstance(x, tuple | list):
            if len(x) != len(y):
                return False
            todo += zip(x, y, strict=True)
        elif isinstance(x, dict):
            if len(x) != len(y):
                return False
            todo += [*zip(x, y, strict=True), *zip(x.values(), y.values(), strict=True)]
        elif is_dataclass(x):
            todo += [(getattr(x, f.name), getattr(y, f.name)) for f in fields(x) if f.compare]
        elif x != y:
            return False
    return True


def _is_renamed(x: str, y: str, word: re.Pattern[str], new: str) -> bool:
    """Whether `y` is `x` with some of the words replaced. Where one is the beginning of the other
    both readings are tried at each word; too many of them count as a difference."""
    places, at = {0}, 0
    for match in word.finditer(x):
        between = x[at : match.start()]
        behind = {p + len(between) for p in places if y.startswith(between, p)}
        places = {p + len(w) for p in behind for w in (match[0], new) if y.startswith(w, p)}
        if not places or len(places) > MAX_READINGS:
            return False
        at = match.end()
    return any(y[place:] == x[at:] for place in places)
