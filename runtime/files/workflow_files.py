"""The workflow files of folders: those that some format claims."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flowc.compiler.frontends import FRONTENDS, is_workflow
from flowc.compiler.source.source import Source, Unreadable, read_text

from ..errors import RunError

PACKAGES = frozenset({"node_modules", "__pycache__"})
_BUILT = frozenset({"build", "dist"})


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
        files = walk_files(path, tuple(suffixes()))
        names = map(os.path.normpath, files)
        workflows = [file for file in names if is_known(file) or may_be_workflow(file)]
        if not workflows:
            raise RunError(
                f"no workflow lies in the folder `{path}`",
                help="files of these kinds are looked at: " + " ".join(sorted(suffixes())),
            )
        yield from workflows


def walk_files(
    folder: str | Path, endings: tuple[str, ...], skip: frozenset[str] = PACKAGES | _BUILT
) -> Iterator[str]:
    """Yield the files below a folder that have one of the endings, in order. Hidden folders and
    those to `skip` are left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f[0] != "." and f not in skip)
        yield from (os.path.join(parent, name) for name in sorted(names) if name.endswith(endings))


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
