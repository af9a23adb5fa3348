"""The rights that one run grants to foreign code, and reports of how that code was confined."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import Failure
from ..services import Grants
from .confine import probe
from .policy import Limits, Mode, Policy, Profile, SandboxReport, python_reads, shell_reads

Listener = Callable[[dict[str, Any]], None]
"""Gets the data of an event `sandbox`."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """`folder` is where the run was started: commands begin in it and read it, unless it is `home`
    or holds it. `own` is the run's own folder, made when it is first needed; `reads` are further
    folders that commands read, `workspace` one that they write, `network` whether every command may
    use it. All paths are absolute."""

    folder: Path
    own: Path
    reads: tuple[Path, ...] = ()
    workspace: Path | None = None
    network: bool = False
    mode: Mode = "auto"
    home: Path | None = None
    limits: Limits | None = None
    listener: Listener = lambda data: None
    _reports: set[str] = field(default_factory=set, compare=False)

    @property
    def begin(self) -> Path:
        """Return the folder in which the first command of a session begins: the workspace that a
        person granted, else the current folder, else, where that may not be read, the run's own."""
        if self.workspace is not None:
            return self.workspace
        readable = self.mode == "off" or self._is_readable(self.folder)
        return self.folder if readable else self.own

    def commands(self, env: Mapping[str, str], granted: Grants, room: Path) -> Policy:
        """Return the policy of one command, whose session is kept in the folder `room`. Raise
        `Failure` (kind refused) when the folder that the workflow grants leads out of the current
        one."""
        if self.mode != "off":
            self.own.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.own / "tmp").mkdir(exist_ok=True, mode=0o700)
        writes = [self.own, room]
        if self.workspace is not None:
            writes.append(self.workspace)
        if granted.workspace:
            writes.append(below(self.folder, granted.workspace))
        folders = [path for path in (self.folder, *self.reads) if self._is_readable(path)]
        return Policy(
            "shell",
            reads=(*shell_reads(env), *folders),
            writes=tuple(dict.fromkeys(writes)),
            network=self.network or granted.network,
            limits=self.limits,
            cwd=self.begin,
            # flowc follows no links when it reads what a command has made.
            symlinks=True,
            mode=self.mode,
        )

    def describe(self, granted: Grants) -> str:
        """Return how commands run, for a person who decides whether they may."""
        if self.mode == "off":
            return "without a sandbox, with all your rights"
        network = "with" if self.network or granted.network else "without"
        folders = [str(self.workspace)] if self.workspace is not None else []
        folders += [granted.workspace] if granted.workspace else []
        writing = f", writing in {', '.join(folders)}" if folders else ""
        return f"in the sandbox ({probe('shell').level}), {network} network{writing}"

    def code(
        self, reads: tuple[Path, ...], limits: Limits, writes: tuple[Path, ...] = ()
    ) -> Policy:
        """Return the policy of code in an interpreter that flowc starts: no network, no other
        program, and of files those named beside Python's own."""
        return Policy("snippet", (*python_reads(), *reads), writes, limits=limits, mode=self.mode)

    def tell(self, profile: Profile, report: SandboxReport) -> None:
        """Report a start; the same level and layers are told once."""
        data = {"profile": profile, **report.to_json()}
        # How many paths are shown differs from start to start and says nothing.
        key = f"{profile} {report.level} {report.network} {sorted(report.active)} {report.missing}"
        if key not in self._reports:
            self._reports.add(key)
            self.listener(data)

    def _is_readable(self, folder: Path) -> bool:
        """Tell whether commands may read a folder: a home folder holds keys, and so does one above
        it."""
        home = self.home
        return folder != Path("/") and (home is None or folder not in (home, *home.parents))


def below(folder: Path, name: str) -> Path:
    """Return the folder that a workflow grants by its `name`, made when it is missing. Raise
    `Failure` (kind refused) unless it lies below `folder`, links resolved."""
    real = Path(os.path.realpath(folder / name))
    if not real.is_relative_to(os.path.realpath(folder)):
        raise Failure(
            f"the workflow wants to write in `{name}`, which is not below the current folder",
            "refused",
            help="grant it yourself: `--workspace DIR`",
        )
    try:
        real.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Failure(f"the folder `{name}` cannot be made: {reason}", "refused") from None
    return real
