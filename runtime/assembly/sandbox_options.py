"""The sandbox of a run: what options and configuration come to, and whether it can be had."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from flowc.compiler.catalog.builtin_tools import SOUND_TOOLS
from flowc.compiler.ir import ExecNode, ScriptNode
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.door import open_folder

from ..errors import RunError
from ..files.tempdirs import remove_tree
from ..sandbox.confine import probe
from ..sandbox.policy import Mode, decide
from ..tools.builtin import GIT_FUNCTIONS

OWN = Path(".flowc", "own")
"""Below the folder that a run is started in: the runs' own folders."""


def own_folder(run: str = "") -> str:
    """Return the folder that the commands of a run may always write in, named like the run, or
    anew."""
    name = re.sub(r"[^\w.-]", "_", run).strip(".")
    return str(Path.cwd() / OWN / (name or f"run-{secrets.token_hex(6)}"))


def forget_own_folder(own: str) -> None:
    """Remove a run's own folder with all that its commands left there. Only a folder that
    `own_folder` may have made is touched, and no link is followed to one."""
    folder = Path(own)
    if folder.parts[-3:-1] != OWN.parts:
        return
    with contextlib.suppress(OSError):
        number = open_folder(os.path.realpath(folder.parents[2]), OWN.parts)
        try:
            remove_tree(folder.name, number)
        finally:
            os.close(number)
        for parent in folder.parents[:2]:  # where nothing else is kept
            parent.rmdir()


def require_workspace(folder: str | None) -> None:
    """Raise `RunError` when the folder that commands may write in is missing."""
    if folder is not None and not Path(folder).is_dir():
        raise RunError(f"there is no folder `{folder}` for commands to write in", help="make it")


def require_sandbox(mode: Mode, specs: tuple[GraphSpec, ...], tools: tuple[str, ...]) -> None:
    """Raise `RunError` when a workflow runs commands or scripts, or handles sound or asks git with
    one of its `tools`, and this machine cannot hold them as the mode says. Known before anything
    runs."""
    if mode == "off":
        return
    ops = [node.op for spec in specs for node in spec.nodes]
    if any(isinstance(op, ExecNode) for op in ops) or not GIT_FUNCTIONS.keys().isdisjoint(tools):
        decide(mode, probe("shell"))
    if any(isinstance(op, ScriptNode) for op in ops) or not SOUND_TOOLS.isdisjoint(tools):
        decide(mode, probe("snippet"))
