"""The analysis of one version of a document, and of the files around it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from flowc.compiler.analysis.graphs import reachable
from flowc.compiler.catalog.catalog import load_catalog
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import CompileResult, compile_file, compile_text
from flowc.compiler.editor.completion import Candidate
from flowc.compiler.editor.symbols import Symbols, symbols_of
from flowc.compiler.frontends import FRONTENDS, is_workflow
from flowc.compiler.reading.editing import Editing, Kind, Mention
from flowc.compiler.source.door import walk
from flowc.compiler.source.source import Source, SourceSet, Unreadable

from ..assembly.granted_sources import granted_sources
from ..errors import RunError

MAX_FILES, MAX_BYTES = 400, 1_000_000
"""Files of a workspace that are looked through for a name, and how large one may be."""
MAX_VISITED = 20_000
_SKIPPED = frozenset({"node_modules", "__pycache__", "build", "dist", "site-packages", "venv"})


@dataclass(frozen=True)
class Analysis:
    """One compiled version of a document. `text` has no byte-order mark."""

    path: str
    version: int
    text: str
    result: CompileResult

    @cached_property
    def symbols(self) -> Symbols:
        """Every mention of a name."""
        return symbols_of(self.result)

    @property
    def is_warm(self) -> bool:
        """Whether symbols and names have been made."""
        return "names" in self.__dict__

    def warm(self) -> None:
        """Make symbols and names now, in the thread that has the time."""
        assert self.names is not None

    @property
    def editing(self) -> Editing:
        """What the document's format completes."""
        frontend = self.result.frontend
        return frontend.reader().editing() if frontend else Editing()

    @cached_property
    def names(self) -> dict[Kind, tuple[Candidate, ...]]:
        """Every name of the workflow by kind, with a few words each."""
        catalog = load_catalog(self.path, self.result.sources, Sink(CODES))
        tools = [Candidate(name, entry.description) for name, entry in catalog.entries.items()]
        workflow = self.result.workflow
        if workflow is None:
            return {"tool": tuple(tools)}
        types = {s.name: s.type for s in workflow.state} | {p.name: p.type for p in workflow.params}
        names: dict[Kind, tuple[Candidate, ...]] = {
            kind: tuple(Candidate(name) for name in self.symbols.names(kind))
            for kind in ("agent", "thread", "role", "function", "prompt")
        }
        known = {tool.name for tool in tools}
        names["tool"] = (
            *tools,
            *(Candidate(t.id, t.description) for t in workflow.tools if t.id not in known),
        )
        names["variable"] = tuple(
            Candidate(name, types.get(name, "")) for name in self.symbols.names("variable")
        )
        ids = {n.id: n for n in workflow.nodes if n.group is None}
        names["node"] = (
            *(Candidate(id, " ".join(n.title.split())) for id, n in ids.items()),
            *(Candidate(g.id, g.title) for g in workflow.groups),
        )
        prompts = {m.name for m in self.symbols.all if m.kind == "prompt"}
        wanted = {str(getattr(n, "prompt_id", None) or "") for n in workflow.nodes} - prompts - {""}
        names["prompt"] += tuple(Candidate(name, "nobody wrote it yet") for name in sorted(wanted))
        return names


def analyse(
    path: str, version: int, text: str, texts: Mapping[str, str], cancelled: Callable[[], bool]
) -> Analysis | None:
    """Compile a document; None when it is not a workflow. `texts` are those of the open documents.
    Raises `Cancelled`."""
    source = Source(path, text)
    if not is_workflow(source):
        return None
    sources = sources_of(path, {p: t for p, t in texts.items() if p != path})
    result = compile_text(text, path, sources=sources, cancelled=cancelled)
    return Analysis(path, version, text, result)


def sources_of(path: str, texts: Mapping[str, str]) -> SourceSet:
    """Return sources with these texts; without a record of trust that can be read, nothing outside
    of the file's folder is granted."""
    try:
        sources = granted_sources(path)
    except RunError:
        sources = SourceSet()
    sources.overrides = dict(texts)
    return sources


def editing_of(path: str) -> Editing:
    """Return what a file completes that is not a workflow yet, by its name."""
    ends = [(len(end), f) for f in FRONTENDS for end in f.suffixes if path.endswith(end)]
    longest = max(ends, key=lambda end: end[0], default=None)
    return longest[1].reader().editing() if longest else Editing()


def tools_near(path: str) -> tuple[Candidate, ...]:
    """Return the tools of a file's folder, whatever the file holds."""
    catalog = load_catalog(path, SourceSet(), Sink(CODES))
    return tuple(Candidate(name, entry.description) for name, entry in catalog.entries.items())


class Workspace:
    """The workflow files below some folders; each is compiled again only when it has changed."""

    def __init__(self) -> None:
        self.folders: list[str] = []
        self._known: dict[str, tuple[object, Analysis | None]] = {}

    def analysis(self, path: str, texts: Mapping[str, str]) -> Analysis | None:
        """Return the analysis of a file as it is in the editor, else on disk."""
        stamp: object
        if path in texts:
            stamp = texts[path]
        else:
            try:
                status = os.stat(path)
            except OSError:
                return None
            stamp = (status.st_mtime_ns, status.st_size)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        result = compile_file(path, sources=sources_of(path, texts))
        source = result.sources.files[path]
        analysis = Analysis(path, 0, source.text, result) if result.workflow else None
        self._known[path] = (stamp, analysis)
        return analysis

    def holding(self, word: str, texts: Mapping[str, str]) -> Iterator[Analysis]:
        """Yield the workflows whose text holds a word, open ones first."""
        count = 0
        for path in dict.fromkeys([*texts, *self._files()]):
            text = texts.get(path)
            if text is None:
                try:
                    if os.path.getsize(path) > MAX_BYTES:
                        continue
                    text = SourceSet().read(path).text
                except (OSError, Unreadable):
                    continue
            if word not in text or not is_workflow(Source(path, text)):
                continue
            count += 1
            if count > MAX_FILES:
                return
            analysis = self.analysis(path, texts)
            if analysis is not None:
                yield analysis

    def _files(self) -> Iterator[str]:
        suffixes = tuple({s for f in FRONTENDS for s in f.suffixes})
        visited = 0
        for folder in map(os.path.normpath, self.folders):
            for place, folders, files in walk(folder):
                folders[:] = sorted(
                    f for f in folders if not f.startswith(".") and f not in _SKIPPED
                )
                for name in sorted(files):
                    visited += 1
                    if visited > MAX_VISITED:
                        return
                    if name.endswith(suffixes):
                        yield os.path.normpath(os.path.join(place, name))


def shares_variables(analysis: Analysis) -> set[str]:
    """Return the files whose workflows share their variables with this one by calls."""
    program = analysis.result.program
    linked: dict[str, list[str]] = {}
    for path, workflow in program.workflows if program else ():
        for node in workflow.nodes:
            if node.kind == "call" and (node.passes_all or node.returns_all):
                linked.setdefault(path, []).append(node.workflow)
                linked.setdefault(node.workflow, []).append(path)
    return set(reachable([analysis.path], linked))


def callers(path: str, workspace: Workspace, texts: Mapping[str, str]) -> list[Analysis]:
    """Return the workflows of the workspace that call the one at `path`, directly or not."""
    return [
        analysis
        for analysis in workspace.holding(os.path.basename(path).split(".")[0], texts)
        if analysis.path != path
        and analysis.result.program is not None
        and path in dict(analysis.result.program.workflows)
    ]


def references(
    mention: Mention, analysis: Analysis, workspace: Workspace, texts: Mapping[str, str]
) -> Iterable[tuple[Analysis, Mention]]:
    """Yield every place of a name: in the file, and in others where the name means the same."""
    places = [(analysis, m) for m in analysis.symbols.of(mention.kind, mention.name)]
    others: dict[str, Analysis] = {}
    if mention.kind in ("tool", "workflow", "role"):
        word = os.path.basename(mention.name).split(".")[0]
        others = {a.path: a for a in workspace.holding(word, texts)}
    elif mention.kind == "variable":
        for path in related_files(analysis, workspace, texts):
            other = workspace.analysis(path, texts)
            if other is not None:
                others[path] = other
    for path, other in others.items():
        if path != analysis.path:
            places += [(other, m) for m in other.symbols.of(mention.kind, mention.name)]
    seen = set()
    for owner, place in places:
        if place.span not in seen:
            seen.add(place.span)
            yield owner, place


def related_files(analysis: Analysis, workspace: Workspace, texts: Mapping[str, str]) -> list[str]:
    """Return the other files whose workflows share variables with this one, callers among them."""
    files = shares_variables(analysis)
    for caller in callers(analysis.path, workspace, texts):
        shared = shares_variables(caller)
        if analysis.path in shared:
            files |= shared
    return sorted(files - {analysis.path})
