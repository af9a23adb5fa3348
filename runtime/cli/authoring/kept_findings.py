"""Findings of earlier checks, kept by the content of every file that they rest on.

They save `flowc check` of a folder its work and are used for nothing else: what runs is compiled
each time. The files lie in the user's own cache folder, one for each folder that is checked; they
are JSON, checked in shape when they are read, and hold for one state of flowc's code alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import flowc.compiler
import flowc.grammar
import lark
from flowc import __version__
from flowc.compiler.source.source import Unreadable, read_text
from flowc.grammar import cache_folder

from ...files.kept_files import KeptFiles
from .findings import Findings, Row, digest, read_row

MOST = 64 * 2**20
"""Bytes of all that is kept."""
_BAD = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class KeptFindings:
    """What is kept for files that are read as `options` say; nothing without a cache folder. Each
    text is read once, so a file that changes while a check goes on is found by the next one."""

    def __init__(self, options: tuple[str, ...]) -> None:
        folder = cache_folder()
        self._files = KeptFiles(folder / "checks", MOST) if folder else None
        self._key = "\n".join((*options, os.getcwd(), _state_of_code()))
        self._rows: dict[str, dict[str, Row]] = {}
        self._changed: dict[str, dict[str, Row]] = {}
        self._found: dict[str, Findings | None] = {}
        self._digests: dict[str, str] = {}

    def find(self, path: str) -> Findings | None:
        """Return what the check of a file would find, where that is known."""
        if path not in self._found:
            self._found[path] = self._read(path)
        return self._found[path]

    def is_known(self, path: str) -> bool:
        """Tell whether a file was checked before and is still the same."""
        return self.find(path) is not None

    def keep(self, path: str, findings: Findings) -> None:
        """Keep findings, if they hold as long as their files do."""
        if findings.lasts:
            self._changed.setdefault(os.path.dirname(path), {})[path] = findings.as_row()

    def save(self) -> None:
        """Write down what is new. What is not asked for any more goes with the file it is in, when
        that is the oldest."""
        if self._files is None:
            return
        for folder, rows in self._changed.items():
            old = {path: row for path, row in self._rows_of(folder).items() if os.path.exists(path)}
            data = json.dumps({**old, **rows}, separators=(",", ":")).encode()
            self._files.write(self._name(folder), data)

    def _read(self, path: str) -> Findings | None:
        row = self._rows_of(os.path.dirname(path)).get(path)
        if row is None:
            return None
        try:
            findings = read_row(row)
        except _BAD:
            return None
        return (
            findings if os.path.normpath(path) in findings.files and self._holds(findings) else None
        )

    def _holds(self, findings: Findings) -> bool:
        if any(os.path.lexists(path) for path in findings.missing):
            return False
        several = len(findings.files) > 1
        for path, (sha, real) in findings.files.items():
            if self._digest(path) != sha or (several and os.path.realpath(path) != real):
                return False
        return True

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            try:
                self._digests[path] = digest(read_text(path))
            except Unreadable:
                self._digests[path] = ""
        return self._digests[path]

    def _rows_of(self, folder: str) -> Mapping[str, Row]:
        if folder not in self._rows:
            data = self._files.read(self._name(folder)) if self._files else None
            try:
                rows = json.loads(data) if data else {}
            except _BAD:
                rows = {}
            self._rows[folder] = rows if isinstance(rows, dict) else {}
        return self._rows[folder]

    def _name(self, folder: str) -> str:
        return hashlib.sha256(f"{self._key}\n{folder}".encode(errors="surrogateescape")).hexdigest()


def _state_of_code() -> str:
    """Return what changes with flowc's code, Python and the packages beside it."""
    folders = [Path(package.__file__ or "").parent for package in (flowc.compiler, flowc.grammar)]
    installed = os.stat(Path(lark.__file__).parents[1]).st_mtime_ns
    parts = [__version__, sys.version, str(installed)]
    for folder in folders:
        parts += (f"{name} {size} {changed}" for name, size, changed in _code_in(folder))
    return hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()


def _code_in(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the path, size and time of each file of a package."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(parent, name)
            status = os.stat(path)
            yield path, status.st_size, status.st_mtime_ns
