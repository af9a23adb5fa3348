"""A project for LangGraph's server: put together, written to a folder, compared with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from flowc.compiler.driver import CompileResult
from flowc.compiler.emit.langgraph.module import Served, graph_name
from flowc.compiler.emit.langgraph.project import MARK, MODULES, Server, emit_project
from flowc.compiler.source.door import read_file
from flowc.compiler.team import PEOPLE

from ..errors import RunError, reason_of
from ..files.staging import replacing
from ..store.default_store import refuse_link
from .bundle import Bundle, gather

MAX_BYTES = 2**30
"""Of a file of a project; a larger one is not brought along."""
PAGES = "flowc.runtime.cli.serving.page_guard:compiled"
"""What says which web pages may use the server, as LangGraph imports it."""

HEAD = "Compiled by flowc from"
State = Literal["missing", "differs", "left over"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A workflow that a project is made of: as it was compiled, with the choices of whoever did
    that."""

    compiled: CompileResult
    format: str | None = None
    team: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """`files` by their names in the project; `modules` are the workflows by those of their modules,
    `left` says what stays behind."""

    files: Mapping[str, bytes]
    modules: Mapping[str, CompileResult]
    left: tuple[str, ...] = ()


def make_project(workflows: Sequence[Chosen], start: Path) -> Project:
    """Return the project of workflows that are compiled in the folder `start`. Raise `RunError` for
    two of one name, for files that cannot be brought together, or not be read."""
    bundle = gather([one.compiled for one in workflows], start)
    served = [serve(one, bundle) for one in workflows]
    require_names(served)
    server = Server(bundle.dependencies, bundle.settings, http={"app": PAGES})
    texts = {name: text.encode() for name, text in emit_project(served, server).items()}
    try:
        copies = {name: read_file(path, MAX_BYTES) for name, path in bundle.files.items()}
    except OSError as error:
        raise RunError(f"`{error.filename}` cannot be read: {reason_of(error)}") from None
    if both := sorted(texts.keys() & copies.keys()):
        raise RunError(
            f"`{bundle.files[both[0]]}` would lie where the project has a file of its own",
            help="give it another name",
        )
    modules = {
        f"{MODULES}/{row.name}.py": one.compiled for row, one in zip(served, workflows, strict=True)
    }
    return Project(texts | copies, modules, tuple(bundle.left))


def serve(chosen: Chosen, bundle: Bundle) -> Served:
    """Return what the modules of a project say of a workflow."""
    compiled, spec = chosen.compiled, chosen.compiled.spec
    row = Served(spec, graph_name(spec), bundle.place_of(compiled.path), chosen.format)
    row = replace(row, places={path: bundle.place_of(path) for path in compiled.sources.files})
    if chosen.team == PEOPLE:
        return replace(row, team=PEOPLE)
    return replace(row, team_file=None if chosen.team is None else bundle.place_of(chosen.team))


def require_names(served: Sequence[Served]) -> None:
    """Raise `RunError` when two workflows would have one name."""
    files: dict[str, str] = {}
    for row in served:
        if row.name in files:
            raise RunError(
                f"{files[row.name]} and {row.file} are both called `{row.name}`",
                help="give one of them another name, or compile them into two folders",
            )
        files[row.name] = row.file


def write_project(files: Mapping[str, bytes], folder: Path) -> None:
    """Write each file as a whole: a reader sees the old one or the new one; modules of workflows
    that are not in the project any more are removed. Raise `RunError` when the folder cannot be
    made or written, and rather than replace a `pyproject.toml` that somebody else wrote."""
    try:
        _require_own(folder)
        for name, data in files.items():
            refuse_link(folder / name, folder)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with replacing(folder / name) as file:
                file.write(data)
        for name in _modules_of(folder) - files.keys():
            (folder / name).unlink()
    except OSError as error:
        raise RunError(
            f"cannot write to {folder}: {reason_of(error)}", help="choose another folder with `-o`"
        ) from None


def differences(files: Mapping[str, bytes], folder: Path) -> dict[str, State]:
    """Return how the files of a folder differ from those of a project, by name. Raise `RunError`
    for what cannot be read."""
    found: dict[str, State] = {}
    try:
        for name, data in files.items():
            place = folder / name
            if not place.is_file():
                found[name] = "missing"
            elif read_file(place, MAX_BYTES) != data:
                found[name] = "differs"
        found |= dict.fromkeys(_modules_of(folder) - files.keys(), "left over")
    except OSError as error:
        raise RunError(f"`{error.filename}` cannot be read: {reason_of(error)}") from None
    return dict(sorted(found.items()))


def _modules_of(folder: Path) -> set[str]:
    """Return the names of the modules in a folder that a compilation wrote."""
    modules = [(path, read_file(path, MAX_BYTES)) for path in folder.glob(f"{MODULES}/*.py")]
    return {f"{MODULES}/{path.name}" for path, data in modules if HEAD.encode() in data[:2000]}


def _require_own(folder: Path) -> None:
    pyproject = folder / "pyproject.toml"
    if pyproject.is_file() and MARK.encode() not in read_file(pyproject, MAX_BYTES):
        raise RunError(
            f"{pyproject} was not written {MARK}, and would be replaced",
            help="choose another folder with `-o`",
        )
