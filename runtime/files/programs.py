"""Programs by their names, as the user's own path finds them, and jobs for them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Failure
from .granted import GrantedPlace


def find_program(name: str, path: str | None = None) -> str | None:
    """Return where a program is; None when it is not installed. Entries of the path (by default
    PATH) that depend on the current folder do not count: that may be a stranger's."""
    given = os.environ.get("PATH", os.defpath) if path is None else path
    whole = os.pathsep.join(entry for entry in given.split(os.pathsep) if os.path.isabs(entry))
    return shutil.which(name, path=whole) if whole else None


@dataclass(frozen=True, slots=True)
class ProgramJob:
    """What a program is to look at for a tool: it begins in the folder `cwd`, reads the folders
    `held`, as they were opened, and the files and folders `reads`, writes nothing and has no
    network. After `seconds` it is ended, and when it says more than `most` bytes."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    held: tuple[GrantedPlace, ...] = ()
    reads: tuple[Path, ...] = ()
    seconds: float = 60.0
    most: int = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The end of a program: its exit code, the beginning of its output and of its errors, and
    whether it said more."""

    code: int
    output: bytes
    complaint: bytes
    cut: bool = False


RunProgram = Callable[[ProgramJob], ProgramEnd]
"""Does a job in a confined process. Raises `TimeoutError` when its time is over, `Failure` when the
sandbox does not hold or the program cannot be started."""


def no_programs(job: ProgramJob) -> ProgramEnd:
    """Refuse every job: for sources of tools that are only listed."""
    raise Failure(f"{os.path.basename(job.argv[0])} cannot be started from here")
