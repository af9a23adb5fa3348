"""What a front end is: a value with a name, a way to recognise its files, and a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from ..diagnostics.diagnostic import Sink
from ..ir import Workflow
from ..ir.grants import grants, with_grants
from ..source.gc_pause import collector_at_rest
from ..source.records import dataclass
from ..source.source import Source, SourceSet
from .editing import Editing, Mention


@dataclass(frozen=True, slots=True)
class NotRun:
    """Why a file that is read, drawn and converted is not a program by itself: `reason` follows the
    file's name ("is …"), `remedy` says what to do instead, with `{file}` for the file."""

    reason: str
    remedy: str
    by: str = ""
    """The shipped workflow that continues such a file, which is its input `document`."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a front end read: the workflow, its names not yet resolved (None when nothing could be
    made of the file), and what the format keeps beside the program.

    `progress` is run state that stands in the file. `details` is what `inspect` shows of a node or
    group, by its id, where the IR does not say it. `parts` are further workflows in the file, by
    name: a call reaches one as `path#name`. With `not_run` neither a person nor a call starts it.
    """

    workflow: Workflow | None
    progress: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    parts: Mapping[str, Workflow] = field(default_factory=dict)
    not_run: NotRun | None = None
    mentions: Callable[[], Iterable[Mention]] = tuple
    """Where the file names what no span of the workflow covers; only editors ask."""


@dataclass(frozen=True, slots=True)
class Reader:
    """`parse` appends diagnostics to the sink and returns what it could read; it may read further
    files (includes) through the source set, and never raises for what a user wrote. `editing` says
    what an editor completes in a file of the format, and where."""

    parse: Callable[[Source, SourceSet, Sink], Parsed]
    editing: Callable[[], Editing] = Editing


@dataclass(frozen=True, slots=True)
class Frontend:
    """`claims` gives 0 (not mine) to 100 (certainly mine). `reader` imports what reads the format:
    most commands read one, and the readers of the others are a tenth of a cold start."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    claims: Callable[[Source], int]
    reader: Callable[[], Reader]
    comment: tuple[str, str] = ("", "")
    """How a comment begins and ends, if the format has any: where an allowance can stand."""

    def parse(self, source: Source, sources: SourceSet, sink: Sink) -> Parsed:
        """Read a file: see `Reader`."""
        with collector_at_rest():
            return self.reader().parse(source, sources, sink)


def with_file_grants(parsed: Parsed, source: Source) -> Parsed:
    """Return what was read, with the grants in the file's comments given to its commands. Only for
    formats that a person writes: a living document holds what models and commands said."""
    if parsed.workflow is None:
        return parsed
    granted = grants(source)
    return replace(
        parsed,
        workflow=with_grants(parsed.workflow, granted),
        parts={name: with_grants(part, granted) for name, part in parsed.parts.items()},
    )
