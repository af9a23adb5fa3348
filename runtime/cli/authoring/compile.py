"""`flowc compile`: write a LangGraph project that `langgraph dev` serves."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import flags
from ..app import FINDINGS, OK, say
from ..delivery import refuse_source
from ..locate import locate_team, name_of
from ..streams import print_result
from .check import compile_path, require_format, require_program, show_diagnostics

if TYPE_CHECKING:
    from ...emitted.project import Chosen, Project

Teams = Annotated[
    list[str] | None,
    flags.flag(
        "team",
        metavar="[NAME=]FILE|people",
        help="who does the tasks of the workflow NAME, or of all that need a team",
    ),
]


def compile(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="workflow files")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="where to write")],
    check: Annotated[
        bool, typer.Option("--check", help="write nothing; say whether DIR is up to date")
    ] = False,
    as_json: flags.AsJson = False,
    from_format: flags.FromFormat = None,
    team: Teams = None,
) -> int:
    """Compile workflows to a project for LangGraph: a readable module for each (graphs/NAME.py),
    `langgraph.json` for `langgraph dev` and LangGraph Studio, `pyproject.toml`, and what the
    workflows need: their files, teams and scripts, and the tools and servers of `flowc.toml`. What
    does not come along is said.

    What was written is imported and its edges are compared with the workflow's before the command
    says done. A workflow with errors, or without the team that it needs, is not compiled. With
    --check the exit code is 1 when a file of DIR is missing or differs.
    """
    workflows = compile_all(files, from_format, team)
    if workflows is None:
        return FINDINGS
    from ...emitted.project import make_project

    project = make_project(workflows, Path.cwd())
    if check:
        return _compare(project, out, as_json=as_json)
    _write(project, workflows, out)
    if as_json:
        report = {"folder": str(out), "files": sorted(project.files), "left": list(project.left)}
        print_result(report, None)
        return OK
    for name in sorted(project.files):
        print(out / name)
    for remark in project.left:
        say(f"does not come along: {remark}")
    serve = f"cd {shlex.quote(str(out))} && langgraph dev --no-browser"
    say(f"compiled {', '.join(files)}; serve: {serve}")
    return OK


def compile_all(
    files: Sequence[str], from_format: str | None, teams: Sequence[str] | None
) -> list[Chosen] | None:
    """Return compiled workflows, each with its team if it needs one; None, after its diagnostics,
    when one has errors. Raise `RunError` for a team that is needed and missing."""
    require_format(from_format)
    from ...assembly.needs import require_holders
    from ...emitted.project import Chosen
    from ...errors import RunError

    workflows = []
    for file in dict.fromkeys(files):
        if file == "-":
            raise RunError("a project is made of files, not of standard input", help="name a file")
        result, crew = compile_path(file, from_format, None), None
        if result.ok and (team := _team_of(result.path, teams or ())) is not None:
            try:
                require_holders(result.spec)
            except RunError:
                crew = locate_team(team, result.path)
                result = compile_path(file, from_format, crew)
        show_diagnostics(result.diagnostics, result.sources)
        if not result.ok:
            return None
        require_program(result)
        require_holders(result.spec)
        workflows.append(Chosen(result, from_format, crew))
    return workflows


def _team_of(file: str, teams: Sequence[str]) -> str | None:
    """Return the team of a workflow: that of its name, else the one that is nobody's alone."""
    named = {name: team for name, equals, team in (t.partition("=") for t in teams) if equals}
    for_all = [team for team in teams if "=" not in team]
    return named.get(name_of(file), for_all[-1] if for_all else None)


def _write(project: Project, workflows: Sequence[Chosen], out: Path) -> None:
    from ...emitted.project import write_project
    from ...emitted.verify import check_module
    from ...store.default_store import refuse_link

    refuse_link(out, Path())
    sources = {path for one in workflows for path in one.compiled.sources.files}
    for name in project.files:
        refuse_source(out / name, sources, "compiled")
    write_project(project.files, out)
    for name, compiled in project.modules.items():
        check_module(compiled.spec, out / name, out)


def _compare(project: Project, out: Path, *, as_json: bool) -> int:
    """Say which files of a folder are not as they would be written now."""
    from ...emitted.project import differences

    found = differences(project.files, out)
    if as_json:
        print_result({"folder": str(out), "up_to_date": not found, "files": found}, None)
    else:
        for name, state in found.items():
            print(f"{out / name}: {state}")
        say(f"{out} is not up to date: compile again" if found else f"{out} is up to date")
    return FINDINGS if found else OK
