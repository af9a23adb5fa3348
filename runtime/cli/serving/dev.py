"""`flowc dev`: LangGraph's development server and Studio on workflow files as they are edited."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from flowc.compiler.source.door import walk

from ...assembly.admission import admit, require_trust
from ...assembly.host_objects import NO_OBJECTS
from ...assembly.run_options import RunOptions
from ...config.code_files import digests_of, importable_files
from ...config.extras import require
from ...config.settings import load_config, project_file
from ...config.trust_record import TrustRecord
from ...config.wants import NotTrusted, Wants, digest_of
from ...errors import RunError, reason_of
from ...files.staging import hide_from_git
from ...files.tempdirs import remove_tree
from ...store.default_store import prepare_default, refuse_link, store_url
from ...store.own_runs import own_signer
from .. import flags
from ..app import FINDINGS, OK, complain, say
from ..authoring.compile import Teams, compile_all
from ..listening import LOOPBACK
from ..show.consent import with_consent

if TYPE_CHECKING:
    from ...emitted.project import Chosen

FOLDER = ".flowc/dev/"
"""The folder below the current one with the server's files."""
KEPT = ".langgraph_api"
"""Where the server keeps what it knows of threads, below the folder that it is started in."""
_PAUSE = 0.5
"""Seconds between looks at the files."""
_PATIENCE = 15.0
"""Seconds that a server may take to end."""
_QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
"""The server calls nobody unless the user's own variables say so."""

Stamps = dict[str, tuple[int, int]]


def dev(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="workflow files")],
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="where it listens")
    ] = 2024,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="beyond this machine anybody may use it")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser", help="open Studio in a browser")] = False,
    from_format: flags.FromFormat = None,
    team: Teams = None,
) -> int:
    """Serve workflows with LangGraph's development server, for LangGraph Studio and programs that
    use LangGraph's API (extra `studio`). Graphs are compiled into .flowc/dev and read the files
    themselves; when one changes they are compiled again and the server is started anew. Threads
    and effects are kept in the project's store. Ctrl-C ends it.
    """
    require("studio", "flowc dev")
    workflows = compile_all(files, from_format, team)
    if workflows is None:
        return FINDINGS
    if host not in LOOPBACK:
        say(f"whoever reaches {host} can run these workflows: the server asks for no token")
    options = ["--host", host, "--port", str(port)] + ([] if browser else ["--no-browser"])
    serving = Serving(files, from_format, team, host, options)
    with_consent(RunOptions(), "text", _admit_server)
    with_consent(RunOptions(), "text", serving.admit(workflows))
    _make_anew(Path(FOLDER))
    serving.write(workflows)
    return serving.serve()


@dataclass(slots=True)
class Serving:
    """A server on files that are watched."""

    files: Sequence[str]
    format: str | None
    teams: Sequence[str] | None
    host: str
    options: list[str]
    stamps: Stamps = field(default_factory=dict)
    granted: RunOptions = field(default_factory=RunOptions)

    def admit(self, workflows: Sequence[Chosen]) -> Callable[[RunOptions], None]:
        """Return what raises `NotTrusted` where nobody granted what the workflows want; what was
        granted once holds until that changes."""

        def look(options: RunOptions) -> None:
            config = load_config(Path.cwd())
            for one in workflows:
                admit(options, one.compiled.spec, config, NO_OBJECTS)
            self.granted = options

        return look

    def write(self, workflows: Sequence[Chosen]) -> None:
        """Write what the server reads, and keep how the files are now. Raise `RunError` when that
        cannot be written, or two workflows have one name."""
        from flowc.compiler.emit.langgraph.project import Server, emit_server

        from ...emitted.bundle import Bundle
        from ...emitted.project import require_names, serve, write_project
        from .page_guard import http_settings

        here = Path.cwd()
        served = [serve(one, Bundle(here)) for one in workflows]
        require_names(served)
        texts = emit_server(served, Server(folder=FOLDER, http=http_settings(self.host)))
        files = {name.removeprefix(FOLDER): text.encode() for name, text in texts.items()}
        prepare_default(store_url(None, project=here))
        write_project(files, here / FOLDER)
        _make_own(here / KEPT)
        settings = project_file(here)
        read = {path for one in workflows for path in one.compiled.sources.files}
        self.stamps = _stamps({*read, *([str(settings)] if settings else [])})

    def serve(self) -> int:
        """Run the server until it ends or it is interrupted; return the exit code."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        process = self._start()
        try:
            while True:
                try:
                    return process.wait(_PAUSE)
                except subprocess.TimeoutExpired:
                    pass
                if self._is_changed() and self._compile_again():
                    _end(process)
                    process = self._start()
        except KeyboardInterrupt:
            return OK
        finally:
            _end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        config = ["--config", f"{FOLDER}langgraph.json", "--no-reload"]
        command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", *config, *self.options]
        # In a group of its own: Ctrl-C comes to us alone, and it ends in order.
        return subprocess.Popen(command, env=_QUIET | os.environ, start_new_session=True)

    def _is_changed(self) -> bool:
        now = _stamps(self.stamps)
        changed, self.stamps = now != self.stamps, now
        return changed

    def _compile_again(self) -> bool:
        """Return whether there is something new to serve."""
        try:
            workflows = compile_all(self.files, self.format, self.teams)
            if workflows is not None:
                self.admit(workflows)(self.granted)
                self.write(workflows)
                say("compiled again")
                return True
        except RunError as error:
            complain(error.message, error.help)
        say("the server goes on with what it had")
        return False


def _stamps(paths: Iterable[str]) -> Stamps:
    """Return when files were written and how large they are; of a missing one nothing."""
    found: Stamps = {}
    for path in paths:
        try:
            report = os.stat(path)
        except OSError:
            found[path] = (0, 0)
        else:
            found[path] = (report.st_mtime_ns, report.st_size)
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server in order: it writes down what it knows of threads."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _admit_server(options: RunOptions) -> None:
    """Raise `NotTrusted` where the current folder holds what the server would import or read."""
    here = Path.cwd()
    if TrustRecord.read().is_mine(str(here)):
        return
    files = digests_of([*importable_files(here), here / ".env"], here)
    wants = Wants(str(here), {"dev": "."} if files else {}, files)
    try:
        require_trust([wants], options.trust or load_config(here).trust)
    except NotTrusted as refusal:
        refusal.lasting = False
        refusal.help = f"flowc trust --mine, where it is yours; or FLOWC_TRUST={digest_of([wants])}"
        raise


def _holds_objects(folder: Path) -> bool:
    return any(name.endswith(".pckl") for _, _, names in walk(folder) for name in names)


def _make_anew(folder: Path) -> None:
    """Remove what lies where the server's modules are written: Python would run caches of them.
    Raise `RunError`."""
    refuse_link(folder, Path())
    try:
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            remove_tree(folder)
            if folder.exists():
                raise RunError(
                    f"{folder} cannot be made anew: it cannot be removed",
                    help=f"remove it: rm -r {folder}",
                )
    except OSError as error:
        raise RunError(f"{folder} cannot be made anew: {reason_of(error)}") from None


def _make_own(folder: Path) -> None:
    """Make the folder from which the server loads objects of Python, which can run anything. Raise
    `RunError` for one with objects that no `flowc dev` of the user's is known to have kept."""
    refuse_link(folder, Path())
    mark = folder / ".flowc"
    try:
        folder.mkdir(exist_ok=True)
        hide_from_git(folder)
        about = folder.stat()
        signer, parts = own_signer(folder), (about.st_dev, about.st_ino)
        known = mark.read_text("ascii", "replace") if mark.is_file() else None
        if not signer.knows(known, *parts) and _holds_objects(folder):
            raise RunError(
                f"the server would run what lies in {folder}, and nobody knows who wrote that",
                help=f"remove it, and Studio forgets its threads: rm -r {folder}",
            )
        if known != (signature := signer.signature(*parts)):
            mark.unlink(missing_ok=True)
            mark.write_text(signature, encoding="ascii")
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {reason_of(error)}") from None
