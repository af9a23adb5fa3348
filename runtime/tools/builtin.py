"""The built-in tools that work on files; compiler/catalog/builtin_tools.py has their schemas."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from flowc.compiler.catalog.builtin_tools import ASK_TOOL, BUILTIN_TOOLS
from flowc.compiler.expr.evaluate import EvaluationError, evaluate
from flowc.compiler.expr.parse import ParseFault, parse

from ..config.settings import user_file
from ..errors import Failure
from ..files.programs import RunProgram, no_programs
from ..files.roots import Roots
from ..files.walking import MOST_FILES, NARROWER, Walk, WalkedFile
from ..services import Json
from .git import GitPlace, git_diff, git_log, git_show, git_status
from .source import CatalogTools

_DATA = ".flowc"
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", _DATA})
_MAX_TEXT = 200_000
_MAX_LINE = 400
MOST_SEARCHED = 512 * 2**20
"""Bytes of text that one search looks through."""


@dataclass(frozen=True)
class BuiltinTools(CatalogTools):
    """Tools below `roots`; `programs` starts those that some of them need, confined. Paths of an
    answer are written from the start folder."""

    roots: Roots
    programs: RunProgram = no_programs
    name: str = "builtin"
    entries = BUILTIN_TOOLS

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Call a tool in a thread: a slow disk must not hold the run's other branches."""
        if tool == ASK_TOOL:
            raise Failure(f"`{tool}` asks a person, and here is nobody who could be asked")
        values = self.defaults(tool) | {name: _whole(value) for name, value in args.items()}
        return await asyncio.to_thread(self._call, tool, values)

    def _call(self, tool: str, values: dict[str, Any]) -> Json:
        if "path" in values:
            _refuse_data(self.roots, str(values["path"]))
        if tool in GIT_FUNCTIONS:
            return GIT_FUNCTIONS[tool](GitPlace(self.roots, self.programs), **values)
        return FUNCTIONS[tool](self.roots, **values)


def _refuse_data(roots: Roots, path: str) -> None:
    """Raise `Failure` for a place that tools leave alone: a model that asks is told nothing."""
    if _is_data(roots, roots.locate(path)):
        raise Failure(f"`{path}` is flowc's own data, which no tool reads or writes", "refused")


def _is_data(roots: Roots, place: Path) -> bool:
    """Tell whether a real place is flowc's own data, all runs' prompts and results, or belongs to
    the person's settings."""
    names = [place.relative_to(top).parts for top in roots.tops() if place.is_relative_to(top)]
    settings = user_file().parent.resolve()
    if any(_DATA in parts for parts in names) or place.is_relative_to(settings):
        return True
    try:
        return _is_other_name(roots, os.stat(place, follow_symlinks=False))
    except (OSError, ValueError):
        return False


def _is_other_name(roots: Roots, info: os.stat_result) -> bool:
    """Tell whether a file is one of that data by another name, as an archive can make one. Nearly
    no file has two names, so that nearly never is more looked at."""
    if info.st_nlink < 2 or not stat.S_ISREG(info.st_mode):
        return False
    kept = [*(top / _DATA for top in roots.tops()), user_file().parent]
    entries = (
        os.path.join(at, name) for top in kept for at, _, names in os.walk(top) for name in names
    )
    return any(_same(entry, info) for entry in islice(entries, MOST_FILES))


def _same(file: str, info: os.stat_result) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.lstat(file), info)
    return False


def _whole(value: Json) -> Json:
    """Return `20.0` as an integer: JSON Schema takes it for one, and models write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_file(roots: Roots, path: str, start_line: int, max_lines: int) -> Json:
    """Return lines of a text file, at most 200,000 characters."""
    data = roots.read_text(path)
    lines = data.splitlines(keepends=True)
    chosen = lines[start_line - 1 : start_line - 1 + max_lines]
    text = "".join(chosen)
    return {
        "path": roots.show(roots.locate(path)),
        "text": text[:_MAX_TEXT],
        "line_count": len(lines),
        "size": len(data.encode("utf-8", "surrogatepass")),
        "truncated": len(text) > _MAX_TEXT or start_line - 1 + len(chosen) < len(lines),
    }


@dataclass(frozen=True, slots=True)
class Search:
    """A text that is looked for in lines. Most files do not hold it, which their bytes tell."""

    text: str
    ignore_case: bool

    def lines_of(self, data: bytes) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text in UTF-8 that hold it, with their numbers from 1."""
        needle = self.text.casefold() if self.ignore_case else self.text
        if not self._may_hold(needle.encode("utf-8", "surrogatepass"), data):
            return
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return
        if self.ignore_case and needle not in text.casefold():
            return
        for number, line in enumerate(text.splitlines(), start=1):
            if needle in (line.casefold() if self.ignore_case else line):
                yield number, line

    def _may_hold(self, needle: bytes, data: bytes) -> bool:
        if not self.ignore_case:
            return needle in data
        return not data.isascii() or needle in data.lower()


def list_files(roots: Roots, path: str, pattern: str, limit: int) -> Json:
    """Return files below a folder, sorted by path; links to elsewhere are left out."""
    files: list[str] = []
    for file in _walk(roots, path, pattern):
        if len(files) == limit:
            return {"files": files, "count": limit, "truncated": True}
        files.append(roots.show(file.place))
    return {"files": files, "count": len(files), "truncated": False}


def search_files(
    roots: Roots, text: str, path: str, pattern: str, ignore_case: bool, limit: int
) -> Json:
    """Return lines that hold a text; files that are not UTF-8 text are skipped. Raise `Failure`
    where there is more text than a tool looks through."""
    search, room = Search(text, ignore_case), MOST_SEARCHED
    matches: list[dict[str, Json]] = []
    for file in _walk(roots, path, pattern):
        data = file.text_bytes()
        room -= len(data)
        if room < 0:
            most = f"more than {MOST_SEARCHED // 2**20} MiB of text"
            raise Failure(f"`{path}` holds {most}", help=f"{NARROWER}, or its files: `pattern`")
        for number, line in search.lines_of(data):
            if len(matches) == limit:
                return {"matches": matches, "count": limit, "truncated": True}
            shown = line.strip()[:_MAX_LINE]
            matches.append({"path": roots.show(file.place), "line": number, "text": shown})
    return {"matches": matches, "count": len(matches), "truncated": False}


def write_file(roots: Roots, path: str, content: str) -> Json:
    """Replace a file; doing it twice is doing it once."""
    place = roots.write_text(path, content)
    return {"path": roots.show(place), "size": len(content.encode("utf-8", "replace"))}


def query_json(roots: Roots, path: str, expression: str) -> Json:
    """Return an expression over a JSON file, which it calls `data`."""
    text = roots.read_text(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise Failure(f"{where}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise Failure(f"`{path}` is nested too deeply") from None
    parsed = parse(expression, "expression", 0)
    if isinstance(parsed, ParseFault):
        raise Failure(f"the expression does not parse: {parsed.message}", help=parsed.help)
    try:
        return {"value": evaluate(parsed, {"data": data})}
    except EvaluationError as error:
        raise Failure(f"the expression has no value: {error}") from None


def _walk(roots: Roots, path: str, pattern: str) -> Iterator[WalkedFile]:
    """Yield the files below a folder whose name or path matches, in order of their paths."""
    matches = re.compile(fnmatch.translate(pattern.removeprefix("**/"))).match
    for file in Walk(roots, path, _SKIPPED_FOLDERS, partial(_is_data, roots)).files():
        name = file.inner.rpartition("/")[2]
        if not file.inner or matches(name) or matches(file.inner):
            try:
                hidden = _is_other_name(roots, os.stat(file.name, dir_fd=file.number))
            except OSError:
                continue
            if not hidden:
                yield file


FUNCTIONS: dict[str, Callable[..., Json]] = {
    "read_file": read_file,
    "list_files": list_files,
    "search_files": search_files,
    "write_file": write_file,
    "query_json": query_json,
}
"""Those that work on files themselves. With `GIT_FUNCTIONS` they stand behind each name of
`BUILTIN_TOOLS` but `ASK_TOOL`, which the nodes answer; a test compares names, parameters and
defaults."""
GIT_FUNCTIONS: dict[str, Callable[..., Json]] = {
    "git_status": git_status,
    "git_log": git_log,
    "git_diff": git_diff,
    "git_show": git_show,
}
"""Those that ask git."""
