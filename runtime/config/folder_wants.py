"""What the configuration of a folder wants: the settings that grant something, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from .code_files import digests_of, importable_files
from .options import OPTIONS, Options
from .wants import Wants

_SQLITE = "sqlite:///"
_MEMORY = "memory:"


def asks(name: str, value: object, folder: Path) -> bool:
    """Tell whether an option of a folder's file grants something. A store in the folder does
    not."""
    if name != "store":
        return OPTIONS[name].asks
    if value == _MEMORY:
        return False
    path = str(value).removeprefix(_SQLITE)
    if "://" in path or "?" in path:
        return True
    real = os.path.realpath(folder / path)
    return not Path(real).is_relative_to(os.path.realpath(folder))


def folder_wants(folder: Path, asking: Mapping[str, object], options: Options) -> Wants:
    """Return what a folder wants whose file says this; `options` are its values. Raise `RunError`
    for a file that cannot be read."""
    runs = options.python_tools or options.python_nodes or options.mcp_servers or options.mcp
    files = {*importable_files(folder), *_of_servers(folder, options)} if runs else set()
    if options.answers:
        files.add(folder / options.answers)
    return Wants(str(folder), dict(asking), digests_of(files, folder))


def _of_servers(folder: Path, options: Options) -> Iterator[Path]:
    """Yield the files of MCP servers, and those of the folder that their commands name."""
    yield from map(Path, options.mcp)
    for about in options.mcp_servers.values():
        words = about if isinstance(about, dict) else {}
        named = [words.get("command"), *_texts(words.get("args"))]
        yield from (folder / word for word in named if isinstance(word, str) and word)


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else []
