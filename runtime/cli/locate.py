"""Finds what the command line names: a workflow by file or name, scripted answers beside it.

A name is looked up in `workflows/` of the working folder, in the configured folders, then among the
workflows that ship with flowc: `toolchain` finds `workflows/examples/flowchart/toolchain.wf.md`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from flowc.compiler.companions import ANSWERS, TEAM
from flowc.compiler.source.door import lies_in

from ..errors import RunError
from ..files.workflow_files import PACKAGES, may_be_workflow, suffixes, walk_files

_SHOWN_NAMES = 12


@dataclass(frozen=True, slots=True)
class KnownWorkflow:
    """A workflow that can be run by name. `path` is as short as it can be said from here."""

    name: str
    path: str


def locate(target: str, folders: Sequence[str] = ()) -> str:
    """Return the file of a workflow, given as FILE or NAME. Raise `RunError` that lists close names
    when there is none, and every candidate when a name means several files of one place. A shipped
    workflow has its path in the repository too."""
    if os.path.exists(target) and not (os.path.isdir(target) and _is_name(target)):
        return target
    if shipped := _shipped_file(target):
        return shipped
    if not _is_name(target):
        raise RunError(f"there is no file `{target}`", help=_nearby(target))
    for place in _places(folders):
        matches = [known for known in place if known.name == target]
        if len(matches) > 1:
            raise RunError(
                f"`{target}` names {len(matches)} workflows",
                help="name the file: " + " or ".join(known.path for known in matches),
            )
        if matches:
            return matches[0].path
    raise RunError(f"there is no file and no workflow `{target}`", help=_suggest(target, folders))


def _shipped_file(target: str) -> str | None:
    """Return a shipped file by its name in the repository: `workflows/audio/edit.yaml`."""
    first, *rest = Path(target).parts or ("",)
    if first != "workflows" or not rest or ".." in rest:
        return None
    path = _shipped_folder().joinpath(*rest)
    return str(path) if path.is_file() else None


def _shipped_folder() -> Path:
    from importlib.resources import files

    return Path(str(files("flowc.workflows"))).resolve()


def is_shipped(path: str) -> bool:
    """Tell whether a file is one of those that ship with flowc."""
    return lies_in(os.path.realpath(path), str(_shipped_folder()))


def known_workflows(folders: Sequence[str] = ()) -> list[KnownWorkflow]:
    """Return every workflow that has a name here, those of the working folder first."""
    return [known for place in _places(folders) for known in place]


def locate_answers(target: str, workflow: str) -> str:
    """Return a file of scripted answers: a path, or NAME for `NAME.answers.yaml` beside the
    workflow. Raise `RunError` when neither is there."""
    if os.path.exists(target) and not os.path.isdir(target):
        return target
    folder = Path(workflow).parent
    if _is_name(target):
        beside = folder / f"{target}{ANSWERS}"
        if beside.is_file():
            return _short_path(beside)
    there = sorted(p.name.removesuffix(ANSWERS) for p in folder.glob(f"*{ANSWERS}"))
    help = "beside the workflow: --answers " + " or ".join(there) if there else "name a file"
    raise RunError(f"there is no file of answers `{target}`", help=help)


def locate_team(target: str | None, workflow: str) -> str | None:
    """Return a team: a path, or NAME for `NAME.team.json` beside the workflow. Anything else is
    returned as it is: the compiler reports it."""
    if target is not None and _is_name(target) and not os.path.exists(target):
        beside = Path(workflow).parent / f"{target}{TEAM}"
        if beside.is_file():
            return _short_path(beside)
    return target


def name_of(path: str) -> str:
    """Return the name that a file is run by: its base name without the format's ending."""
    base = os.path.basename(path)
    for suffix in sorted(suffixes(), key=len, reverse=True):
        if base.endswith(suffix):
            return base.removesuffix(suffix)
    return base.split(".")[0]


def _places(folders: Sequence[str]) -> Iterator[list[KnownWorkflow]]:
    for folder in ("workflows", *folders):
        yield _in_folder(Path(folder))
    yield _in_folder(_shipped_folder())


def _in_folder(folder: Path) -> list[KnownWorkflow]:
    return [
        KnownWorkflow(name_of(path), _short_path(Path(path)))
        for path in walk_files(folder, tuple(suffixes()), skip=PACKAGES)
        if may_be_workflow(path)
    ]


def _is_name(target: str) -> bool:
    return os.sep not in target and "." not in target and bool(target)


def _short_path(path: Path) -> str:
    """Return a path relative to the working folder when it lies below it, else absolute."""
    whole = path.resolve()
    here = Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def _nearby(target: str) -> str:
    """Return a hint: a file of the same folder with a similar name, or a missing folder."""
    folder, base = os.path.split(target)
    try:
        names: Iterable[str] = os.listdir(folder or ".")
    except OSError:
        return f"there is no folder `{folder}` either"
    close = get_close_matches(base, list(names), n=1)
    return f"did you mean `{os.path.join(folder, close[0])}`?" if close else "check the path"


def _suggest(target: str, folders: Sequence[str]) -> str:
    names = list(dict.fromkeys(known.name for known in known_workflows(folders)))
    close = get_close_matches(target, names, n=1)
    if close:
        return f"did you mean `{close[0]}`?"
    shown = ", ".join(names[:_SHOWN_NAMES]) + (", …" if len(names) > _SHOWN_NAMES else "")
    return f"workflows that can be run by name: {shown}" if names else "name a file"
