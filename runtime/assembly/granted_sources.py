"""Compiling a file with what it names outside of its folder, as far as the user granted that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.source.source import Grants, SourceSet

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
    """Compile a file as `compile_file` does, with `granted_sources`. Raise `RunError`."""
    sources = granted_sources(path, trust)
    return compile_file(path, format=format, sources=sources, team=team, strict=strict)


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
