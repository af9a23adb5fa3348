"""`flowc trust`: what a folder and its workflows want, and whether they may have it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ...assembly.admission import document_wants
from ...assembly.granted_sources import compile_everything
from ...assembly.launch import Faulty
from ...assembly.run_options import RunOptions
from ...config.settings import load_config, project_wants
from ...config.trust_record import LOCK_FILE, TrustRecord, is_own, lock_text
from ...config.wants import Wants, difference, digest_of, gather
from ...errors import RunError
from ...files.workflow_files import find_workflows, may_be_workflow
from .. import flags
from ..app import FINDINGS, OK, say
from ..delivery import write_own
from ..show.consent import ask_consent, require_unchanged, show_wants
from ..show.questions import can_ask
from ..streams import on_terminal, print_result


def trust(
    path: Annotated[Path, typer.Argument(metavar="[PATH]", help="a folder or a file")] = Path(),
    mine: Annotated[
        bool, typer.Option("--mine", help="the folder is yours: trust it until revoked")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="forget the folder")] = False,
    listing: Annotated[bool, typer.Option("--list", help="the folders that are trusted")] = False,
    lock: Annotated[
        bool, typer.Option("--lock", help=f"write {LOCK_FILE}, for --trust where nobody is asked")
    ] = False,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="DIGEST", help="trust it unasked, if this is its digest"),
    ] = None,
    as_json: flags.AsJson = False,
) -> int:
    """Show what a folder and its workflows want, and ask whether they may have it: Python modules,
    MCP servers, hosts that get your key, and what workflows grant themselves.

    What is accepted is kept by its digest in your own configuration; a change asks again. Exit code
    0: it is trusted, 1: it is not.
    """
    if sum((mine, revoke, listing, lock, accept is not None)) > 1:
        raise RunError("--mine, --revoke, --list, --lock and --accept exclude each other")
    if listing:
        return _list(as_json)
    if not path.exists():
        raise RunError(f"there is no `{path}`", help="name a folder or a workflow's file")
    folder = os.path.realpath(path if path.is_dir() else path.parent)
    if revoke:
        gone = TrustRecord.read().revoke(folder)
        what = "is not trusted any more" if gone else "is not in the record: flowc trust --list"
        say(on_terminal(f"{folder} {what}"))
        return OK if gone else FINDINGS
    if mine:
        TrustRecord.read().grant_all(folder)
        say(on_terminal(f"{folder} and all below it is trusted, whatever changes there"))
        say(on_terminal(f"  until: flowc trust --revoke {os.path.relpath(folder)}"))
        return OK
    wants = gather(_wants_in(path))
    if lock:
        return _lock(wants)
    return _decide(wants, accept, path, as_json)


def _wants_in(path: Path) -> Iterator[Wants]:
    """Yield what the project's file wants, and what the workflows do. Nothing of them is run."""
    folder = path if path.is_dir() else path.parent
    yield project_wants(folder)
    files = find_workflows(path) if path.is_dir() else filter(may_be_workflow, [str(path)])
    own = load_config(folder)
    whole = own if own.held is None else own.held.whole
    for file in files:
        compiled = compile_everything(file)
        if not (compiled.ok or path.is_dir()):
            raise Faulty(compiled)
        if compiled.ok and compiled.program is not None:
            yield document_wants(compiled.spec, RunOptions(), whole)


def _decide(wants: list[Wants], accept: str | None, path: Path, as_json: bool) -> int:
    record, digest = TrustRecord.read(), digest_of(wants)
    left = [one for one in wants if not record.trusts(one)]
    if accept is not None and accept != digest:
        raise RunError(f"what is wanted has the digest {digest}", help="look at it: flowc trust")
    if left and accept is None and not as_json and can_ask():
        lines = [line for one in left for line in difference(record.acceptance(one.folder), one)]
        show_wants(left, lines)
        if ask_consent("always / no > ") != "no":
            require_unchanged(left)
            accept = digest
    if accept is not None:
        for one in left:
            TrustRecord.read().grant(one)
        left = []
    if as_json:
        folders = [_object(one, trusted=one not in left) for one in wants]
        print_result({"digest": digest, "trusted": not left, "folders": folders})
    else:
        _show(wants, left)
        if left:
            of = "" if str(path) == "." else f" {shlex.quote(str(path))}"
            say(on_terminal(f"grant it: flowc trust --accept {digest}{of}"))
    return FINDINGS if left else OK


def _show(wants: list[Wants], left: list[Wants]) -> None:
    for one in wants:
        state = "not trusted" if one in left else "trusted"
        print(on_terminal(f"{one.folder}: {state}"))
        for line in one.lines():
            print(on_terminal(f"  {line}"))
    if not wants:
        print("nothing is wanted here that has to be granted")


def _object(wants: Wants, *, trusted: bool) -> dict[str, object]:
    own = is_own(wants.folder)
    about = {"folder": wants.folder, "trusted": trusted, "own": own, "wants": wants.lines()}
    return {**about, **wants.to_json()}


def _lock(wants: list[Wants]) -> int:
    """Write a lock beside the project's file. Raise `RunError` where several folders want
    something."""
    if len(wants) != 1:
        found = ", ".join(one.folder for one in wants) or "nothing"
        raise RunError(
            f"a lock is for one folder that wants something, not for {found}",
            help="put a flowc.toml into the folder around them" if wants else "",
        )
    place = Path(wants[0].folder, LOCK_FILE)
    write_own(place, lock_text(wants[0]).encode())
    say(f"{os.path.relpath(place)}: review it, commit it, and name it: --trust {LOCK_FILE}")
    return OK


def _list(as_json: bool) -> int:
    rows = [{"folder": folder, "trusted": kind} for folder, kind in TrustRecord.read().rows()]
    if as_json:
        print_result({"folders": rows})
        return OK
    for row in rows:
        print(on_terminal(f"{row['folder']}  {row['trusted']}"))
    if not rows:
        say("no folder is trusted")
    return OK
