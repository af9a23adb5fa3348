"""The built-in tools that work on files; compiler/catalog/builtin_tools.py has their schemas."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flowc.compiler.catalog.builtin_tools import ASK_TOOL, BUILTIN_TOOLS
from flowc.compiler.expr.evaluate import EvaluationError, evaluate
from flowc.compiler.expr.parse import ParseFault, parse

from ..config.settings import user_file
from ..errors import Failure
from ..files.programs import RunProgram, no_programs
from ..files.roots import Roots
from ..services import Json
from .git import GitPlace, git_diff, git_log, git_show, git_status
from .source import CatalogTools

_DATA = ".flowc"
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", _DATA})
_MAX_TEXT = 200_000
_MAX_LINE = 400
_MAX_VISITED = 200_000
_MAX_DEPTH = 200
_SMALLER = "name a folder in it: `path`"


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
    """Raise `Failure` for flowc's own data, all runs' prompts and results, and for the person's
    settings: a model that asks for a file is told of neither."""
    place = roots.locate(path)
    names = [place.relative_to(top).parts for top in roots.tops() if place.is_relative_to(top)]
    settings = user_file().parent.resolve()
    if any(_DATA in parts for parts in names) or place.is_relative_to(settings):
        raise Failure(f"`{path}` is flowc's own data, which no tool reads or writes", "refused")


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


def list_files(roots: Roots, path: str, pattern: str, limit: int) -> Json:
    """Return files below a folder, sorted by path; links to elsewhere are left out."""
    files: list[str] = []
    for place in _walk(roots, path, pattern):
        if len(files) == limit:
            return {"files": files, "count": limit, "truncated": True}
        files.append(roots.show(place))
    return {"files": files, "count": len(files), "truncated": False}


def search_files(
    roots: Roots, text: str, path: str, pattern: str, ignore_case: bool, limit: int
) -> Json:
    """Return lines that hold a text; files that are not UTF-8 text are skipped."""
    needle = text.casefold() if ignore_case else text
    matches: list[dict[str, Json]] = []
    for place in _walk(roots, path, pattern):
        shown = roots.show(place)
        for number, line in enumerate(_lines(roots, place), start=1):
            if needle not in (line.casefold() if ignore_case else line):
                continue
            if len(matches) == limit:
                return {"matches": matches, "count": limit, "truncated": True}
            matches.append({"path": shown, "line": number, "text": line.strip()[:_MAX_LINE]})
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


def _walk(roots: Roots, path: str, pattern: str) -> Iterator[Path]:
    """Yield regular files below a folder whose name or path matches, in order of their paths. A
    link counts where it leads to, and never out of the roots."""
    start = roots.locate(path)
    info = roots.status(start)
    if info is None:
        raise Failure(f"`{path}` does not exist")
    if stat.S_ISREG(info.st_mode):
        yield start
        return
    visited, left = 0, [start]
    while left:
        folder = left.pop()
        if len(folder.parts) - len(start.parts) > _MAX_DEPTH:
            raise Failure(f"`{path}` holds folders more than {_MAX_DEPTH} deep", help=_SMALLER)
        folders, files = _entries(roots, folder)
        left += [folder / name for name in reversed(folders) if name not in _SKIPPED_FOLDERS]
        for name in files:
            visited += 1
            if visited > _MAX_VISITED:
                raise Failure(f"`{path}` holds more than {_MAX_VISITED:,} files", help=_SMALLER)
            place = folder / name
            inner = place.relative_to(start).as_posix()
            if (_matches(name, pattern) or _matches(inner, pattern)) and _is_allowed(roots, place):
                yield place


def _entries(roots: Roots, folder: Path) -> tuple[list[str], list[str]]:
    try:
        return roots.entries(folder)
    except OSError:
        return [], []


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern.removeprefix("**/"))


def _is_allowed(roots: Roots, place: Path) -> bool:
    try:
        info = roots.status(roots.locate(str(place)))
        return info is not None and stat.S_ISREG(info.st_mode)
    except Failure:
        return False


def _lines(roots: Roots, place: Path) -> list[str]:
    try:
        return roots.read_text(str(place)).splitlines()
    except Failure:
        return []


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
