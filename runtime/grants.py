"""What commands are granted, and what comes of one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grants:
    """What a workflow's file gives its commands beside what every command may: the network, and a
    folder to write in, below the one that the run is started in."""

    network: bool = False
    workspace: str = ""


NO_GRANTS = Grants()


@dataclass(frozen=True, slots=True)
class CommandResult:
    """One command: `exit_code` (negative: killed by that signal), combined output (cut at the
    limit), duration in seconds, whether a time limit killed it, the shell's state afterwards, the
    level of the sandbox that it ran at."""

    command: str
    exit_code: int
    output: str
    seconds: float
    timed_out: bool
    state: str
    level: str = "off"
