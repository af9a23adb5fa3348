"""The options of `flowc check`, as typer reads and explains them."""

from __future__ import annotations

from typing import Annotated

import typer

from ..flags import Team
from .check import Output, check_files


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE…", help="files or folders; - reads standard input"),
    ] = None,
    format: Annotated[
        Output, typer.Option("--format", metavar="text|json|github|sarif", help="how to report")
    ] = "text",
    strict: Annotated[bool, typer.Option("--strict", help="warnings fail too")] = False,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODE", help="report these codes only (FC2: all FC2…)"),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="do not report these")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="apply safe fixes, then check again")] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes",
            help="apply also fixes that may change the meaning, show the difference",
        ),
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="write nothing: show what fixes would change")
    ] = False,
    from_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="read the files as this format")
    ] = None,
    team: Team = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="no summary line")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="what was read, how assertions are judged")
    ] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="use and keep nothing of earlier checks of a folder")
    ] = False,
) -> int:
    """Parse and check workflow files; nothing is run, imported or fetched.

    Exit code 0: no errors (with --strict: no findings), 1: findings, 2: wrong usage.
    """
    return check_files(**locals())
