"""Compiling a file with what it names outside of its folder, as far as the user granted that."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.source.source import Grants, SourceSet

from ..errors import RunError

if TYPE_CHECKING:
    from ..config.wants import Wants


def compile_granted(
    path: str,
    trust: str | None = None,
    *,
    format: str | None = None,
    team: str | None = None,
    strict: bool = False,
) -> CompileResult:
    """Compile a file as `compile_file` does, with `granted_sources`. A function that the project's
    settings list is not called unknown, though only a run imports it. Raise `RunError`."""
    sources = granted_sources(path, trust)
    compiled = compile_file(path, format=format, sources=sources, team=team, strict=strict)
    if not any(map(_is_unsure, compiled.diagnostics)):
        return compiled
    listed = {f"`{name}`" for name in _listed_tools(compiled)}
    kept = (
        d for d in compiled.diagnostics if not (_is_unsure(d) and d.message.split()[-1] in listed)
    )
    return replace(compiled, diagnostics=tuple(kept))


def _is_unsure(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic says that a tool is perhaps not there."""
    return diagnostic.code == "FC4001" and diagnostic.severity == "warning"


def _listed_tools(compiled: CompileResult) -> Iterator[str]:
    """Yield the functions that the settings of the file's project list as tools. What is wrong with
    the settings is said by a run."""
    from ..config.settings import project_config

    folder = Path(compiled.path).parent
    compiled.sources.listed.add(str(folder))  # no check of the file alone says the same for ever
    with contextlib.suppress(RunError):
        yield from (path.rpartition(":")[2] for path in project_config(folder).python_tools)


def granted_sources(path: str, trust: str | None = None) -> SourceSet:
    """Return sources for a file: what it names outside of its folder may be read if the user's
    record says so, or `trust`, which is the digest that `flowc trust` shows for the file, or a
    lock. They raise `RunError` for a record or lock that is not one."""
    return SourceSet(granted=partial(_grants, Path(os.path.abspath(path)), trust))


def _grants(file: Path, trust: str | None) -> Grants:
    # Hardly any file names another one outside: `flowc check` of those reads no configuration.
    from ..config.settings import home_of
    from ..config.trust_record import TrustRecord
    from ..config.wants import files_of

    home = home_of(file)
    record = TrustRecord.read()
    if record.is_mine(str(home)):
        return None
    accepted = [record.acceptance(str(home)), *_by_option(file, trust)]
    name = os.path.relpath(file, home)
    granted = [files_of(one, name) for one in accepted if one is not None]
    return {place: sha for files in granted for place, sha in files.items()}


def compile_everything(path: str) -> CompileResult:
    """Compile a file with all that it names, granted or not: to show what it wants, and no more."""
    return compile_file(os.path.normpath(path), sources=SourceSet(granted=None))


def _by_option(file: Path, trust: str | None) -> Iterator[Wants]:
    from ..config.trust_record import read_lock
    from ..config.wants import digest_of

    trust = trust or os.environ.get("FLOWC_TRUST")
    if not trust:
        return
    if os.path.isfile(trust):
        yield read_lock(Path(trust))
        return
    wants = list(_wants_of(file))
    if digest_of(wants) == trust:
        yield from wants


def _wants_of(file: Path) -> Iterator[Wants]:
    """Yield what `flowc trust FILE` shows."""
    from ..config.settings import load_config, project_wants
    from .admission import document_wants
    from .run_options import RunOptions

    yield project_wants(file.parent)
    compiled = compile_everything(os.path.relpath(file))
    if compiled.ok:
        own = load_config(file.parent)
        whole = own if own.held is None else own.held.whole
        yield document_wants(compiled.spec, RunOptions(), whole)
