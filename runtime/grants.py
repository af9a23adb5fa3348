"""The rights of a workflow's commands, and the result of a command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grants:
    """The rights that a workflow's file gives its commands: the network, and a folder to write in,
    below the one that the run is started in."""

    network: bool = False
    workspace: str = ""


NO_GRANTS = Grants()


@dataclass(frozen=True, slots=True)
class CommandResult:
    """One command: `exit_code` (negative: killed by that signal), combined output (cut at the
    limit), duration in seconds, whether a time limit killed it, the shell's state afterwards, the
    level of its sandbox."""

    command: str
    exit_code: int
    output: str
    seconds: float
    timed_out: bool
    state: str
    level: str = "off"
