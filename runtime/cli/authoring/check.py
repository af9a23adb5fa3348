"""`flowc check`: find every fault of a workflow file before anything runs."""

from __future__ import annotations

import os
import sys
import time
from codecs import BOM_UTF8
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from flowc import __version__
from flowc.compiler.analysis.worst_case import WorstCase, worst_case
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Sink
from flowc.compiler.diagnostics.fixes import apply_fixes, chosen_fixes
from flowc.compiler.diagnostics.render import (
    count,
    render_github,
    render_json,
    render_sarif,
    render_text,
    summary_line,
)
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.frontends import FRONTENDS, by_name
from flowc.compiler.source.door import read_file
from flowc.compiler.source.snippet import visible
from flowc.compiler.source.source import MAX_BYTES, Source, SourceSet, Unreadable, decode

from ...assembly.granted_sources import compile_granted, granted_sources
from ...config.extras import absent_for, how_to_install
from ...errors import RunError
from ...files.staging import replacing
from ...files.workflow_files import workflow_files
from ..app import FINDINGS, OK, say
from ..locate import locate_team
from ..screen import screen_on, written_size
from ..show.differences import difference
from ..streams import put

STDIN = "<stdin>"
_ROUNDS = 10
"""Fixing stops after this many rounds; each round applies every fix that does not touch another."""

Output = Literal["text", "json", "github", "sarif"]


@dataclass(slots=True)
class CheckReport:
    """What several compilations found, without repetition, and the texts they speak of."""

    sink: Sink = field(default_factory=lambda: Sink(CODES))
    sources: SourceSet = field(default_factory=SourceSet)
    results: list[CompileResult] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    """Extras that runs would ask for."""
    files: int = 0
    fixed: int = 0
    differs: bool = False
    """Whether a file is not as the fixes that were asked for would have it."""

    def add(self, result: CompileResult, *, keep: bool) -> None:
        spans = [s for d in result.diagnostics for s in (d.primary, *(x.span for x in d.labels))]
        for path in {span.file for span in spans}:
            if source := result.sources.get(path):
                self.sources.add(source)
        absent = absent_for(result.program) if result.program is not None else ()
        self.add_findings(result.diagnostics, absent)
        if keep:
            self.results.append(result)

    def add_findings(self, diagnostics: Iterable[Diagnostic], absent: Iterable[str]) -> None:
        self.files += 1
        self.sink.extend(list(diagnostics))
        self.absent.update(absent)


def check_files(
    files: list[str] | None,
    *,
    format: Output = "text",
    strict: bool = False,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    fix: bool = False,
    unsafe_fixes: bool = False,
    diff: bool = False,
    from_format: str | None = None,
    team: str | None = None,
    quiet: bool = False,
    verbose: bool = False,
    no_cache: bool = False,
) -> int:
    """Check files and folders, print what was found, and give the exit code."""
    began = time.perf_counter()
    require_format(from_format)
    chosen, dropped = _codes(select), _codes(ignore)
    report = CheckReport()
    if not files:
        raise RunError("no file is given", help="flowc check FILE…, or flowc check . for a folder")
    read_as = ReadAs(from_format, team, strict)
    alone = len(files) == 1 and not os.path.isdir(files[0])
    fixing = Fixing(unsafe_fixes, diff) if fix or unsafe_fixes or diff else None
    if fixing or verbose or team or alone or "-" in files:
        for path in dict.fromkeys(workflow_files(files)):
            report.add(_compile(path, read_as, fixing, report), keep=verbose)
    else:
        _check_many(files, read_as, report, no_cache)
    found = [d for d in report.sink.all() if _is_selected(d.code, chosen, dropped)]
    if format == "text":
        _print_text(found, report, time.perf_counter() - began, quiet, verbose)
    else:
        put(_render(format, found, report.sources))
    errors, warnings = count(found)
    return FINDINGS if errors or (strict and warnings) or report.differs else OK


def check_quickly(args: list[str]) -> int | None:
    """Check when the command line is plain; None when typer has to read it (it costs a third of the
    start-up): help, an option with a value that is missing or wrong, anything unknown."""
    flags = {"--strict": "strict", "--fix": "fix", "--quiet": "quiet", "-q": "quiet"}
    flags |= {"--unsafe-fixes": "unsafe_fixes", "--diff": "diff"}
    flags |= {"--verbose": "verbose", "-v": "verbose", "--no-cache": "no_cache"}
    lists = {"--select": "select", "--ignore": "ignore"}
    single = {"--format": "format", "--from": "from_format", "--team": "team"}
    files: list[str] = []
    found: dict[str, Any] = {}
    rest = iter(args)
    for arg in rest:
        name, equals, value = arg.partition("=")
        if arg == "-" or not arg.startswith("-"):
            files.append(arg)
        elif arg in flags:
            found[flags[arg]] = True
        elif name in lists or name in single:
            given = value if equals else next(rest, None)
            if given is None or (not equals and given.startswith("-")):
                return None
            if name in lists:
                found.setdefault(lists[name], []).append(given)
            else:
                found[single[name]] = given
        else:
            return None
    if found.get("format", "text") not in get_args(Output):
        return None
    return check_files(files, **found)


def _check_many(files: list[str], read_as: ReadAs, report: CheckReport, no_cache: bool) -> None:
    """Check files and folders, with what is known of the files that did not change, and the others
    on all cores."""
    from ...files.shared_work import share_work
    from .kept_findings import KeptFindings, findings_of, read_row, sources_of

    kept = None if no_cache else KeptFindings((read_as.format or "", str(read_as.strict)))
    paths = list(dict.fromkeys(workflow_files(files, kept.is_known if kept else lambda _: False)))
    found = {path: findings for path in paths if kept and (findings := kept.find(path))}
    new = {path: _size(path) for path in paths if path not in found}
    with closing(
        share_work(new, lambda path: findings_of(compile_path(path, *read_as)).as_row())
    ) as rows:
        for path, row in rows:
            found[path] = read_row(row)
            if kept is not None:
                kept.keep(path, found[path])
    if kept is not None:
        kept.save()
    for path in paths:
        if sources_of(found[path], report.sources):
            report.add_findings(found[path].diagnostics, found[path].absent)
        else:
            report.add(compile_path(path, *read_as), keep=False)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: SourceSet) -> None:
    """Print diagnostics to stderr, for commands whose result is something else."""
    screen = screen_on(sys.stderr)
    text = render_text(list(diagnostics), sources, color=screen.color, width=screen.width)
    if text:
        say(text.rstrip("\n"))


def compile_path(
    path: str, format: str | None, team: str | None = None, strict: bool = False
) -> CompileResult:
    """Compile a file, a workflow by name as `flowc run` finds it, or standard input (`-`)."""
    if path != "-":
        file = path if os.path.exists(path) else _by_name(path)
        team = locate_team(team, file)
        return compile_granted(file, format=format, team=team, strict=strict)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise Unreadable(STDIN, f"is larger than {MAX_BYTES // 2**20} MiB")
        text = decode(STDIN, data)
        return compile_text(text, STDIN, format=format, team=team, strict=strict)
    except Unreadable as error:
        sources, sink = SourceSet(), Sink(CODES)
        span = sources.add(Source(STDIN, "")).span(0)
        sink.report("FC0001", f"standard input {error.reason}", span)
        return CompileResult(STDIN, None, None, None, sink.all(), sources)


def _by_name(name: str) -> str:
    """Return the file of a workflow by its name; a name of none is reported as a missing file."""
    from ...config.settings import load_config
    from ..locate import locate

    try:
        return locate(name, load_config(Path.cwd()).workflows)
    except RunError:
        return name


class ReadAs(NamedTuple):
    """How files are read: the format and the team that were named, and whether strictly."""

    format: str | None
    team: str | None
    strict: bool


class Fixing(NamedTuple):
    """Which fixes are applied: also those that may change what a file means, of which the
    difference is shown; and whether it is only shown."""

    unsafe: bool
    only_shown: bool


def _compile(
    path: str, read_as: ReadAs, fixing: Fixing | None, report: CheckReport
) -> CompileResult:
    """Compile, and fix where asked."""
    result = compile_path(path, *read_as)
    if fixing is None:
        return result
    if path == "-":
        raise RunError("fixes need a file, not standard input", help="save it to a file first")
    old = result.sources.files[result.path].text
    text, fixed = _mend(result, path, read_as, fixing)
    if text == old:
        return result
    if fixing.unsafe or fixing.only_shown:
        say(*difference(path, old, text))
    if fixing.only_shown:
        report.differs = True
        return result
    rewrite_file(result.path, text)
    report.fixed += fixed
    return compile_path(path, *read_as)


def _mend(result: CompileResult, path: str, read_as: ReadAs, fixing: Fixing) -> tuple[str, int]:
    """Return a file's text with its fixes, and how many there are. A round of unsafe fixes after
    which more is found than before is taken back."""
    text, fixed, unsafe = result.sources.files[result.path].text, 0, fixing.unsafe
    team = locate_team(read_as.team, result.path)
    for _ in range(_ROUNDS):
        fixes = chosen_fixes(result.diagnostics, result.path, unsafe=unsafe)
        if not fixes:
            break
        mended = apply_fixes(text, fixes)
        sources = granted_sources(result.path)
        again = compile_text(
            mended, result.path, format=read_as.format, sources=sources, team=team,
            strict=read_as.strict,
        )  # fmt: skip
        if len(again.diagnostics) > len(result.diagnostics) and not all(f.safe for f in fixes):
            unsafe = False
            continue
        text, fixed, result = mended, fixed + len(fixes), again
    return text, fixed


def rewrite_file(path: str, text: str) -> None:
    """Replace a file's text at once or not at all; its byte-order mark, mode and links stay."""
    target = os.path.realpath(path)
    try:
        mark = BOM_UTF8 if read_file(target, MAX_BYTES).startswith(BOM_UTF8) else b""
        with replacing(Path(target)) as scratch:
            scratch.write(mark + text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise RunError(f"`{path}` cannot be written: {reason}", help="it is unchanged") from None


def require_program(result: CompileResult) -> None:
    """Raise `RunError` for a file that is not a program by itself: a picture, or a document."""
    refused = result.parsed.not_run if result.parsed is not None else None
    if refused is not None and result.workflow is not None:
        raise RunError(
            f"`{result.path}` {refused.reason}",
            help=refused.remedy.replace("{file}", result.path),
        )


def require_format(name: str | None) -> None:
    """Raise `RunError` unless the name is None or that of a front end."""
    if name is not None and by_name(name) is None:
        names = ", ".join(f.name for f in FRONTENDS)
        raise RunError(f"there is no format `{name}`", help=f"one of: {names}")


def _codes(given: list[str] | None) -> tuple[str, ...]:
    """Split codes, or beginnings of codes, at commas. Raise `RunError` for an unknown one."""
    found = tuple(code.strip().upper() for text in given or [] for code in text.split(","))
    for code in found:
        if not code or not any(known.startswith(code) for known in CODES):
            raise RunError(f"there is no code `{code}`", help="flowc explain lists the codes")
    return found


def _is_selected(code: str, chosen: tuple[str, ...], dropped: tuple[str, ...]) -> bool:
    return (not chosen or code.startswith(chosen)) and not (dropped and code.startswith(dropped))


def _render(format: Output, found: list[Diagnostic], sources: SourceSet) -> str:
    if format == "json":
        return render_json(found, sources)
    if format == "github":
        return render_github(found, sources)
    return render_sarif(found, sources, __version__)


def _print_text(
    found: list[Diagnostic], report: CheckReport, seconds: float, quiet: bool, verbose: bool
) -> None:
    screen = screen_on(sys.stdout)
    text = render_text(found, report.sources, color=screen.color, width=screen.width)
    if text:
        print(text)
    for result in report.results if verbose else []:
        print(*_overview(result), sep="\n")
        print()
    if not quiet:
        fixed = f", {report.fixed} fixed" if report.fixed else ""
        print(summary_line(found, report.files, seconds) + fixed)
        for extra in sorted(report.absent):
            print(f"a run needs the extra `{extra}`: {how_to_install(extra)}")


def _overview(result: CompileResult) -> list[str]:
    """Return what was read, and who judges each assertion: flowc, or the model alone."""
    workflow, frontend = result.workflow, result.frontend
    if workflow is None or frontend is None:
        return [f"{result.path}: not read"]
    source = result.sources.files[result.path]
    rows = [f"{result.path}: {frontend.name}, {written_size(workflow)}"]
    if result.program is not None and result.ok:
        rows.append(f"  {_worst(worst_case(result.program))}")
    for node in workflow.nodes:
        for assertion in node.asserts if node.kind == "agent" else ():
            kind = "prose     " if assertion.expr is None else "expression"
            at = source.position(assertion.span.start) if assertion.span else None
            place = f"{at.line}:{at.column}" if at else ""
            rows.append(f"  {place:<8} {kind}  {visible(assertion.text)}")
    return rows


def _worst(bounds: WorstCase) -> str:
    """Return a line like `at most 44 steps, 18 model calls; no limit on tokens or cost holds for
    `draft``."""
    amounts = [(bounds.steps, "step"), (bounds.model_calls, "model call")]
    if bounds.model_calls != 0:
        amounts.append((bounds.tokens, "token"))
    known = [f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in amounts if n is not None]
    if bounds.cost:
        known.append(f"{bounds.cost:g} dollars")
    free = f"no limit on tokens or cost holds for `{bounds.unbounded}`" if bounds.unbounded else ""
    most = f"at most {', '.join(known)}" if known else ""
    return "; ".join(filter(None, [most, bounds.why, free]))
