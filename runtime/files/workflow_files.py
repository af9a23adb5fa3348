"""The workflow files of folders: those that some format claims."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flowc.compiler.frontends import FRONTENDS, is_workflow
from flowc.compiler.source.door import walk
from flowc.compiler.source.source import Source, Unreadable, read_text

from ..errors import RunError

PACKAGES = frozenset({"node_modules", "__pycache__"})
_BUILT = frozenset({"build", "dist"})
MOST_FILES, MOST_WORKFLOWS = 100_000, 10_000
"""How many files of a folder are looked at, and how many of them are read as workflows."""


def workflow_files(
    paths: Sequence[str], is_known: Callable[[str], bool] = lambda path: False
) -> Iterator[str]:
    """Yield the named files, and of folders the files that some format claims, or that are known to
    be workflows."""
    if not paths:
        raise RunError("no file is given", help="name files, or a folder such as `.`")
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            yield path
            continue
        workflows = list(find_workflows(path, is_known))
        if not workflows:
            raise RunError(
                f"no workflow lies in the folder `{path}`",
                help="files of these kinds are looked at: " + " ".join(sorted(suffixes())),
            )
        yield from workflows


def find_workflows(
    folder: str | Path,
    is_known: Callable[[str], bool] = lambda path: False,
    most: int = MOST_WORKFLOWS,
) -> Iterator[str]:
    """Yield the workflows below a folder, those that are known to be such and those that may be.
    Raise `RunError` for more than anybody waits for."""
    left = most
    for file in map(os.path.normpath, walk_files(folder, tuple(suffixes()))):
        if is_known(file) or may_be_workflow(file):
            left -= 1
            if left < 0:
                raise _too_many(folder, f"{most:,} workflows")
            yield file


def walk_files(
    folder: str | Path,
    endings: tuple[str, ...],
    skip: frozenset[str] = PACKAGES | _BUILT,
    most: int = MOST_FILES,
) -> Iterator[str]:
    """Yield the files below a folder that have one of the endings, in order. Hidden folders and
    those to `skip` are left out. Raise `RunError` for more than `most`."""
    left = most
    for parent, folders, names in walk(folder):
        folders[:] = sorted(f for f in folders if f[0] != "." and f not in skip)
        found = sorted(name for name in names if name.endswith(endings))
        left -= len(found)
        if left < 0:
            raise _too_many(folder, f"{most:,} files that may be meant")
        yield from (os.path.join(parent, name) for name in found)


def _too_many(folder: str | Path, what: str) -> RunError:
    return RunError(
        f"the folder `{folder}` holds more than {what}", help="name files, or a folder in it"
    )


def may_be_workflow(path: str) -> bool:
    """Whether a file is a workflow and not a page of prose with the same ending. A file that cannot
    be read may be one: its fault is reported later."""
    try:
        return is_workflow(Source(path, read_text(path)))
    except Unreadable:
        return True


def suffixes() -> set[str]:
    """Return the endings of the files of every format."""
    return {suffix for frontend in FRONTENDS for suffix in frontend.suffixes}
