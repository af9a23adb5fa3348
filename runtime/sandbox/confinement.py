"""The rights that one run grants to foreign code, and reports of how that code was confined."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import Failure, reason_of
from ..files.granted import GrantedPlace, LinkedFolder, open_below, open_granted
from ..files.programs import ProgramJob
from ..services import Grants
from .confine import probe
from .policy import (
    MIB,
    Limits,
    Mode,
    Policy,
    Profile,
    SandboxReport,
    program_reads,
    python_reads,
    shell_reads,
)

DATA = ".flowc"
"""The name of the folder of runs, stores and the runs' own folders in the folder of a project."""
_LOOKING = Limits(disk=64 * MIB, files=1000, processes=32, grace=0.2)
Listener = Callable[[dict[str, Any]], None]
"""Gets the data of an event `sandbox`."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """`folder` is where the run was started: commands begin in it and read it, unless it is `home`
    or holds it. `own` is the run's own folder, made when it is first needed; `reads` are further
    folders that commands read, `workspace` one that they write, `network` whether every command may
    use it. `hidden` are folders that no command sees, wherever they lie: those of the person's
    settings and of the store. All paths are absolute."""

    folder: Path
    own: Path
    reads: tuple[Path, ...] = ()
    workspace: Path | None = None
    network: bool = False
    mode: Mode = "auto"
    home: Path | None = None
    limits: Limits | None = None
    listener: Listener = lambda data: None
    hidden: tuple[Path, ...] = ()
    _reports: set[str] = field(default_factory=set, compare=False)
    _opened: dict[Path, GrantedPlace] = field(default_factory=dict, compare=False)

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
        `Failure` (kind refused) when the run's own folder cannot be made, and when the folder that
        the workflow grants leads out of the current one."""
        if self.mode == "off":
            if granted.workspace:
                self._open_below(granted.workspace)
            return Policy("shell", mode=self.mode, limits=self.limits, cwd=self.begin)
        writes = [self._open_own()]
        if self.workspace is not None:
            writes.append(self._open(self.workspace))
        if granted.workspace:
            writes.append(self._open_below(granted.workspace))
        names = [path for path in (self.folder, *self.reads) if self._is_readable(path)]
        reads = [self._open(path) for path in names if path.is_dir()]
        return Policy(
            "shell",
            reads=(*shell_reads(env), *names, *(folder.path for folder in reads)),
            writes=(*dict.fromkeys(folder.path for folder in writes), room),
            held=tuple(dict.fromkeys((*writes, *reads))),
            hidden=_data_of((*reads, *writes), self.hidden),
            network=self.network or granted.network,
            limits=self.limits,
            cwd=self.begin,
            # flowc follows no links when it reads what a command has made.
            symlinks=True,
            mode=self.mode,
        )

    def _open(self, folder: Path) -> GrantedPlace:
        """Return a folder as it was when the run first needed it. Raise `Failure`."""
        if folder not in self._opened:
            try:
                self._opened[folder] = open_granted(folder)
            except OSError as error:
                raise Failure(
                    f"`{folder}` cannot be opened: {reason_of(error)}", "refused"
                ) from None
        return self._opened[folder]

    def _open_below(self, name: str) -> GrantedPlace:
        """Return the folder that a workflow grants, as it was when it was first granted."""
        folder = self.folder / name
        if folder in self._opened:
            return self._opened[folder]
        why, what = "", f"the workflow wants to write in `{name}`, which"
        try:
            self._opened[folder] = open_below(self._open(self.folder), name)
        except ValueError:
            why = f"{what} is not below the current folder"
        except LinkedFolder:
            why = f"{what} a link leads to"
        except OSError as error:
            why = f"the folder `{name}` cannot be made: {reason_of(error)}"
        if why:
            help = "grant it yourself: `--workspace DIR`" if why.startswith(what) else ""
            raise Failure(why, "refused", help=help)
        return self._opened[folder]

    def _open_own(self) -> GrantedPlace:
        """Return the run's own folder, made when it is first needed. Its folder for temporary files
        is made anew for each command that misses it. Raise `Failure`."""
        what, help = self.own, "start the run in a folder that can be written"
        try:
            opened = self._opened.get(self.own) or self._make_own()
            what, help = self.own / "tmp", "remove what a command left in its place"
            open_below(opened, "tmp")
        except OSError as error:
            why = f"{what}, a folder of the run's commands, cannot be made: {reason_of(error)}"
            raise Failure(why, "refused", help=help) from None
        return self._opened.setdefault(self.own, opened)

    def _make_own(self) -> GrantedPlace:
        # What is below the project's folder a command of a run before may have made.
        project = self.own.parents[2] if self.own.parts[-3:-2] == (DATA,) else self.own.parent
        project.mkdir(parents=True, exist_ok=True)
        return open_below(open_granted(project), str(self.own.relative_to(project)))

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
        self,
        reads: tuple[Path, ...],
        limits: Limits,
        writes: tuple[Path, ...] = (),
        programs: tuple[Path, ...] = (),
    ) -> Policy:
        """Return the policy of code in an interpreter that flowc starts: no network, no other
        program but those named, and of files those named beside Python's own."""
        theirs = (path for program in programs for path in program_reads(program))
        paths = (*python_reads(), *theirs, *reads)
        return Policy("snippet", paths, writes, limits=limits, programs=programs, mode=self.mode)

    def looking(self, job: ProgramJob) -> Policy:
        """Return the policy of a program that looks at folders for a tool: no network, and nothing
        but those folders beside the system's programs."""
        limits = replace(_LOOKING, seconds=job.seconds)
        if self.mode == "off":
            return Policy("shell", mode=self.mode, limits=limits, cwd=job.cwd)
        programs = shell_reads({"PATH": job.env.get("PATH", ""), "HOME": str(self.home or "/")})
        return Policy(
            "shell",
            reads=(*programs, *job.reads, *(folder.path for folder in job.held)),
            held=job.held,
            hidden=_data_of(job.held, self.hidden),
            limits=limits,
            cwd=job.cwd,
            mode=self.mode,
        )

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


def _data_of(folders: tuple[GrantedPlace, ...], hidden: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the folders of flowc's own data: in each of `folders`, and those named."""
    places = [*(folder.path / DATA for folder in folders), *hidden]
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in places if path.is_dir()))
