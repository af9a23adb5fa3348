"""What a writer of a dialect is given, and what it gives back.

A writer says what it can and keeps no account of what it cannot: its text is read again, and the
difference between the two workflows is the account (compiler/conversion.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import field

from ..analysis.diff import Part
from ..ir import Workflow
from ..source.records import dataclass


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A workflow to write down. `path` is that of the file it will stand in; called files and the
    paths of the IR count from the same folder as it. `parts` are inner workflows by name.

    A title is often the very text that the workflow was read from, so a writer uses it where the
    dialect derives titles; the nodes in `untitled` have titles that say something else. `details`
    are parts of the workflow that came back as something else from the dialect's own words: where
    it holds details, they stand there."""

    workflow: Workflow
    path: str
    parts: Mapping[str, Workflow] = field(default_factory=dict)
    untitled: frozenset[str] = frozenset()
    details: frozenset[Part] = frozenset()

    def beside(self, path: str) -> str:
        """A path as the written file has to name it."""
        return os.path.relpath(path, os.path.dirname(self.path) or ".")


@dataclass(frozen=True, slots=True)
class Rendition:
    """The file's text, further files by their path from its folder, and the nodes that had to take
    other names: theirs by the one in the IR."""

    text: str
    files: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A format that workflows can be written in. `name` is that of its front end, `suffix` what the
    names of its files end with; `holds_parts` says whether inner workflows stand in the file,
    `holds_details` whether it has a place for what its own words do not say."""

    name: str
    suffix: str
    write: Callable[[Manuscript], Rendition]
    holds_parts: bool = False
    holds_details: bool = False
