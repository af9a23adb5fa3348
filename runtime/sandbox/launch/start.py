"""Starts a program confined: reads the job, sets up the layers, reports them, begins the program.

The job is a value in a file without a name, written by flowc. The report goes through a pipe that
is closed before foreign code runs, so nothing that is confined can write to it:

    {"report": {"active": {layer: detail}, "missing": {layer: why}}}
    {"end": {"why": "" | "time" | "processes" | "disk" | "files" | "stopped" | "parent",
             "status": int}}

or, when a layer that is required is missing or there is nothing to start, {"refused": why} and the
exit code 96. Each line is a literal of Python.
"""

from __future__ import annotations

import _frozen_importlib
import _signal  # type: ignore[import-not-found]  # `signal` imports enum, as slow as ctypes
import ctypes
import gc
import marshal
import os
import sys

from . import bubblewrap, landlock, namespaces, privileges, supervise

TYPE_CHECKING = False  # `typing` and `collections` take longer than all of this
if TYPE_CHECKING:
    from typing import Any

_SIGNALS = 65
_SET_SECCOMP, _FILTER = 22, 2
_SIGINT = 2


class _Start:
    """One start. Its parts run in three processes, each forked from the one before."""

    def __init__(self, job: dict[str, Any], report: int) -> None:
        self.job = job
        self.report = report
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.active: dict[str, str] = {}
        self.missing: dict[str, str] = dict(job["missing"])
        self.inside = False
        self.events: list[tuple[int, bytes, str]] = job["group"][1] if job["group"] else []

    def tell(self, message: dict[str, Any]) -> None:
        """Send one line to flowc, which may be gone."""
        try:
            os.write(self.report, f"{message!r}\n".encode())
        except OSError:
            return

    def refuse(self, why: str) -> None:
        """End before anything foreign has run."""
        self.tell({"refused": why})
        os._exit(supervise.REFUSED)

    def keeper(self) -> None:
        """Be the first process: what flowc started."""
        if os.getppid() != self.job["parent"]:
            os._exit(supervise.REFUSED)
        _lead_session()
        self.job["turns"] = privileges.go_first()
        privileges.limit([("core", 0, 0)])
        joined, events = self.job["group"] or (-1, ())
        own = [self.report, joined, *(event[0] for event in events)]
        privileges.close_descriptors(number for number in own if number >= 0)
        supervise.keep_in_sight()
        self._namespaces()
        if joined >= 0:
            self._join(joined)
        supervise.adopt(self.libc)
        lifeline, own_end = os.pipe()
        status, result = os.pipe()
        privileges.hide(self.libc)
        watcher = os.fork()
        if watcher == 0:
            os.close(own_end)
            os.close(status)
            if self.job["bubblewrap"] and not self.inside:
                self._into_bubblewrap(lifeline, result)
            self.watcher(lifeline, result)
        for number in (lifeline, result, self.report):
            os.close(number)
        supervise.keep(self.job["parent"], watcher, own_end, status, self.inside)

    def _namespaces(self) -> None:
        if not self.job["namespaces"]:
            return
        try:
            namespaces.enter(self.libc, self.job["network"])
        except OSError as error:
            self._lacks("namespaces", error)
            self.missing["mounts"] = "needs namespaces"
        else:
            self.inside = True
            detail = "users, processes, IPC, mounts" + ("" if self.job["network"] else ", network")
            self.active["namespaces"] = detail

    def _join(self, joined: int) -> None:
        """Wait until flowc has moved this process into its control group: what it starts from now
        on is in it."""
        if os.read(joined, 1) != b"1":
            self.events = []
            self.job["group"] = None
        os.close(joined)

    def _into_bubblewrap(self, lifeline: int, status: int) -> None:
        """Go on as the watcher in namespaces that bubblewrap makes. Does not return."""
        job = self.job
        number = os.memfd_create("flowc-job")
        os.write(number, marshal.dumps(job | {"missing": {}}))
        descriptors = (number, self.report, lifeline, status)
        for one in (*descriptors, *(event[0] for event in self.events)):
            os.set_inheritable(one, True)
        binds = job["binds"] + [(path, path, False) for path in job["launcher"]]
        words = bubblewrap.command(
            job["bubblewrap"], job["network"], binds, job["links"], job["shared"], job["hidden"]
        )
        words += [*job["again"], *map(str, descriptors)]
        supervise.ignore_stops()
        try:
            os.execv(words[0], words)
        except OSError as error:
            self.refuse(f"bubblewrap cannot be started: {error.strerror}")

    def in_bubblewrap(self, lifeline: int, status: int) -> None:
        """Be the second process, in bubblewrap."""
        self.inside = True
        supervise.keep_in_sight()
        self.active |= {"namespaces": self.job["by"], "mounts": self.job["by"]}
        # Bubblewrap binds by name: what it has bound is compared before the program begins.
        shown = {name for source, name, _ in self.job["binds"] if source == name}
        for path, identity in self.job["held"].items():
            if path in shown:
                privileges.check_identity(os.lstat(path), identity, path)
        privileges.hide(self.libc)
        for one in (self.report, lifeline, status, *(event[0] for event in self.events)):
            os.set_inheritable(one, False)
        self.watcher(lifeline, status)

    def watcher(self, lifeline: int, status: int) -> None:
        """Be the second process: number 1 of the namespaces, where there are any."""
        privileges.no_new_privileges(self.libc)
        supervise.adopt(self.libc)
        supervise.prepare_watcher()
        if self.inside:
            # Elsewhere it would leave behind what has left the program's session.
            privileges.die_with_parent(self.libc)
        if self.inside and "mounts" not in self.active:
            self._files()
        try:
            privileges.drop_capabilities(self.libc)
        except OSError as error:
            self._lacks("privileges", error)
        limits = supervise.Watch(self.job["watch"], self.inside, events=self.events)
        program = os.fork()
        if program == 0:
            os.close(lifeline)
            os.close(status)
            self.program()
        supervise.watch(program, lifeline, status, limits, self.inside, self.tell)

    def _files(self) -> None:
        job = self.job
        try:
            most = job["watch"]["processes"]
            view = namespaces.View(job["binds"], job["links"], job["held"], job["hidden"])
            namespaces.show_only(self.libc, view, job["shared"], most)
        except OSError as error:
            self._lacks("mounts", error)
        else:
            self.active["mounts"] = f"{len(job['binds'])} paths"

    def program(self) -> None:
        """Be the third process: confine itself, then become the program."""
        job = self.job
        privileges.die_with_parent(self.libc)
        privileges.take_turns(job["turns"])
        os.setsid()
        for layer, apply in (("limits", self._limits), ("landlock", self._landlock)):
            try:
                self.active[layer] = apply()
            except (OSError, ValueError) as error:
                self._lacks(layer, error)
        self._folder()
        privileges.close_descriptors([self.report])
        if "privileges" not in self.missing:
            self.active["privileges"] = "no capabilities, none to gain"
        os.set_inheritable(self.report, False)
        self._signals()
        try:
            self.active["seccomp"] = self._seccomp()
        except OSError as error:
            self._lacks("seccomp", error)
        lacking = [layer for layer in job["required"] if layer not in self.active]
        if lacking:
            whys = "; ".join(f"{name}: {self.missing.get(name, 'missing')}" for name in lacking)
            self.refuse(whys)
        self.tell({"report": {"active": self.active, "missing": self.missing}})
        self._begin()

    def _limits(self) -> str:
        limits = list(self.job["limits"])
        most = self.job["watch"]["processes"]
        if self.inside and most and os.geteuid() != 0:
            # The kernel counts for each user of each namespace, the two above as well.
            limits.append(("processes", most + 2, most + 2))
        privileges.limit(limits)
        grouped = [f"{limit} of all" for _, _, limit in self.events]
        return ", ".join([name for name, _, _ in limits] + grouped)

    def _landlock(self) -> str:
        job = self.job
        if not job["landlock"]:
            raise OSError(0, "left out")
        own_view = self.inside and "mounts" in self.active
        rules = job["rules"] + (job["inside"] if own_view else job["outside"])
        found = landlock.restrict(self.libc, rules, job["held"], job["network"])
        return f"version {found}"

    def _folder(self) -> None:
        try:
            os.chdir(self.job["cwd"])
        except OSError as error:
            self.refuse(f"the folder {self.job['cwd']} cannot be entered: {error.strerror}")

    def _signals(self) -> None:
        """Let every signal do what it does in a fresh program."""
        for number in range(1, _SIGNALS):
            try:
                _signal.signal(number, 0)
            except (OSError, ValueError):
                continue
        _signal.pthread_sigmask(2, ())

    def _seccomp(self) -> str:
        mounts = "mounts" in self.active
        caged = self.active.get("namespaces") == self.job["by"]
        code: bytes = self.job["filters"][self.inside, mounts, caged]
        if not code:
            raise OSError(0, f"not known on {os.uname().machine}")
        buffer = ctypes.create_string_buffer(code, len(code))

        class Program(ctypes.Structure):
            _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

        program = Program(len(code) // 8, ctypes.addressof(buffer))
        privileges.check(self.libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0))
        return f"{len(code) // 8} instructions"

    def _begin(self) -> None:
        job = self.job
        if job["entry"]:
            os.close(self.report)
            self._python(job["entry"])
        # Not os.execvpe, which imports a module: by now it may be out of reach.
        name, error = job["argv"][0], OSError(2, "No such file or directory")
        folders = [""] if "/" in name else job["env"].get("PATH", os.defpath).split(":")
        for folder in folders:
            try:
                os.execve(os.path.join(folder, name), job["argv"], job["env"])
            except OSError as failed:
                if failed.errno not in (2, 20):
                    error = failed
        self.tell({"unstarted": f"{name}: {error.strerror}"})
        os._exit(supervise.REFUSED)

    def _python(self, entry: str) -> None:
        """Go on in this interpreter: module:function."""
        job = self.job
        os.environ.clear()
        os.environ.update(job["env"])
        module, _, function = entry.partition(":")
        sys.path[:] = [*job["path"], *sys.path]
        sys.argv[:] = job["argv"]
        _signal.signal(_SIGINT, _signal.default_int_handler)
        gc.enable()
        try:
            # `importlib` calls this; importing `importlib` itself takes 2 ms in here.
            load = _frozen_importlib._gcd_import  # type: ignore[attr-defined]
            getattr(load(module), function)()
        finally:
            # Whatever it raised must not reach the code of the launcher.
            os._exit(_exit_code(sys.exc_info()[1]))

    def _lacks(self, layer: str, error: OSError | ValueError) -> None:
        reason = getattr(error, "strerror", None) or str(error)
        self.missing[layer] = reason
        self.active.pop(layer, None)


def _lead_session() -> None:
    try:
        os.setsid()
    except PermissionError:
        return  # it leads a session or a group already


def _exit_code(error: BaseException | None) -> int:
    """Return the exit code of a function that raised this; an error is shown."""
    code = 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    return code & 255


def nothing() -> None:
    """Do nothing: the program of a trial."""


def main(job: int, report: int, *watcher: int) -> None:
    """Start what the file `job` says, report to the pipe `report`. With two more pipes this is the
    watcher already, in bubblewrap. Does not return."""
    size = os.fstat(job).st_size
    value = marshal.loads(os.pread(job, size, 0))
    os.close(job)
    start = _Start(value, report)
    try:
        start.in_bubblewrap(*watcher) if watcher else start.keeper()
    except OSError as error:
        start.refuse(f"the launcher failed: {error}")
