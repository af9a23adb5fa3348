"""The sandbox of a run: what options and configuration come to, and whether it can be had."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Protocol

from flowc.compiler.catalog.builtin_tools import SOUND_TOOLS
from flowc.compiler.ir import ExecNode, ScriptNode
from flowc.compiler.lowering.graphspec import GraphSpec

from ..errors import RunError
from ..sandbox.confine import probe
from ..sandbox.confinement import Confinement
from ..sandbox.policy import Limits, Mode, decide
from ..services import Emit

OWN = Path(".flowc", "own")
"""Below the folder that a run is started in: the runs' own folders."""


class Chosen(Protocol):
    """Of the options of a run what concerns the sandbox; settled."""

    @property
    def own(self) -> str: ...

    @property
    def workspace(self) -> str | None: ...

    @property
    def network(self) -> bool: ...


def own_folder(run: str = "") -> str:
    """Return the folder that the commands of a run may always write in, named like the run, or
    anew."""
    name = re.sub(r"[^\w.-]", "_", run).strip(".")
    return str(Path.cwd() / OWN / (name or f"run-{secrets.token_hex(6)}"))


def forget_own_folder(own: str) -> None:
    """Remove a run's own folder with all that its commands left there. Only a folder that
    `own_folder` may have made is touched, and no link is followed to one."""
    folder = Path(own)
    if folder.parts[-3:-1] == OWN.parts and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
        for parent in (folder.parent, folder.parent.parent):  # where nothing else is kept
            with contextlib.suppress(OSError):
                parent.rmdir()


def require_workspace(folder: str | None) -> None:
    """Raise `RunError` when the folder that commands may write in is missing."""
    if folder is not None and not Path(folder).is_dir():
        raise RunError(f"there is no folder `{folder}` for commands to write in", help="make it")


def confinement(chosen: Chosen, mode: Mode, reads: tuple[Path, ...], emit: Emit) -> Confinement:
    """Return how foreign code of a run in the current folder is confined."""
    return Confinement(
        folder=Path.cwd(),
        own=Path(chosen.own),
        reads=reads,
        workspace=Path(chosen.workspace) if chosen.workspace else None,
        network=chosen.network,
        mode=mode,
        home=Path(os.path.expanduser("~")),
        limits=Limits(),
        listener=lambda data: emit("sandbox", "", data),
    )


def require_sandbox(mode: Mode, specs: tuple[GraphSpec, ...], tools: tuple[str, ...]) -> None:
    """Raise `RunError` when a workflow runs commands or scripts, or handles sound with one of its
    `tools`, and this machine cannot hold them as the mode says. Known before anything runs."""
    if mode == "off":
        return
    ops = [node.op for spec in specs for node in spec.nodes]
    if any(isinstance(op, ExecNode) for op in ops):
        decide(mode, probe("shell"))
    if any(isinstance(op, ScriptNode) for op in ops) or not SOUND_TOOLS.isdisjoint(tools):
        decide(mode, probe("snippet"))
