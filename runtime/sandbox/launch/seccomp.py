"""Which system calls a confined program may make, as a filter for the kernel (seccomp BPF).

A list of what is denied: numerical libraries and shells need too many calls, and too different
ones, for a list of what is allowed. What may be opened is Landlock's part, which is a list of what
is allowed. Built in flowc's process, installed in the launcher's.
"""

from __future__ import annotations

import struct

from .numbers import numbers

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_NR, _ARCH, _ARGS = 0, 4, 16
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_THREAD = 0x00010000
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16

_NEVER = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
    "kcmp", "pidfd_getfd", "pidfd_send_signal",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "bpf", "perf_event_open", "userfaultfd",
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    "keyctl", "add_key", "request_key",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig", "fsmount",
    "fspick", "open_tree", "open_tree_attr", "mount_setattr", "unshare", "setns",
    "swapon", "swapoff", "reboot", "sethostname", "setdomainname", "iopl", "ioperm", "modify_ldt",
    "uselib", "acct", "quotactl", "quotactl_fd", "open_by_handle_at", "lookup_dcookie",
    "nfsservctl", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "syslog",
    "vhangup", "fanotify_init", "move_pages", "migrate_pages",
)  # fmt: skip
"""Other processes, the kernel, mounts, clocks: nobody's business here."""

_SNIPPET = (
    "fork", "vfork", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "socketpair", "symlink", "symlinkat", "link", "linkat", "mknod", "mknodat",
    "inotify_init", "inotify_init1", "seccomp", "utime", "utimes", "utimensat", "futimesat",
)  # fmt: skip
_IPC = (
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop",
    "semtimedop", "semctl", "mq_open", "mq_unlink",
)  # fmt: skip
"""Shared memory and queues of the user, which are no files."""
_BY_PATH = (
    "chmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchownat", "setxattr", "lsetxattr",
    "removexattr", "lremovexattr", "setxattrat", "removexattrat", "file_setattr",
)  # fmt: skip
"""Landlock has no right for these: by path they reach any file of the user."""

# Call, argument, and values of it that are denied or (with "only") the only ones allowed.
_ALWAYS_ARGUMENTS = (
    ("ioctl", 1, "not", (0x5412, 0x541C, 0x8901, 0x8902)),  # TIOCSTI, TIOCLINUX, two set owners
    ("fcntl", 1, "not", (8, 10, 15)),  # F_SETOWN, F_SETSIG, F_SETOWN_EX: signals to anybody
    ("personality", 0, "only", (0, 0xFFFFFFFF)),
)
_OTHER_PROCESSES = (
    ("prlimit64", 0, "only", (0,)),
    ("setpriority", 1, "only", (0,)),
    ("ioprio_set", 1, "only", (0,)),
    ("sched_setaffinity", 0, "only", (0,)),
    ("sched_setscheduler", 0, "only", (0,)),
    ("sched_setparam", 0, "only", (0,)),
    ("sched_setattr", 0, "only", (0,)),
)
"""Limits and priorities of other processes of the user, where their numbers can be named."""


def build(
    machine: str,
    snippet: bool,
    *,
    executes: bool = False,
    network: bool = False,
    unix: bool = False,
    namespaces: bool = False,
    mounts: bool = False,
) -> bytes:
    """The filter. `executes`: a snippet that is a program of its own; `unix`: sockets with a path
    lead nowhere but inside; `namespaces`, `mounts`: these layers hold what is left open here.
    Raises KeyError for a machine whose numbers are not known."""
    out = _Filter(machine)
    denied = [*_NEVER]
    if snippet:
        denied += [*_SNIPPET, *_IPC, *_BY_PATH]
        denied += [] if executes else ["execve", "execveat"]
    else:
        denied += [] if namespaces else _IPC
        denied += [] if mounts else _BY_PATH
    for name in dict.fromkeys(denied):
        out.deny(name)
    arguments = _ALWAYS_ARGUMENTS + (() if namespaces else _OTHER_PROCESSES)
    for name, argument, how, values in arguments:
        out.deny_argument(name, argument, how == "only", values, _EPERM)
    if not snippet and not mounts:
        # Landlock lets anybody set the times of any file of the user. By name they are left as they
        # are, and archivers that set those of their own files go on.
        for name in ("utime", "utimes", "futimesat"):
            out.deny(name, 0)
        out.deny_argument("utimensat", 1, True, (0,), 0)
    out.deny("clone3", _ENOSYS)  # its flags are in memory, which a filter cannot read
    out.clone(threads_only=snippet)
    families = [] if snippet else ([_UNIX] if unix else [])
    families += [_INET, _INET6, _NETLINK] if network and not snippet else []
    out.deny_argument("socket", 0, True, tuple(families), _EAFNOSUPPORT)
    if not snippet:
        out.deny_argument("socketpair", 0, True, (_UNIX,), _EAFNOSUPPORT)
    return out.finish()


class _Filter:
    """Instructions, one block for a system call."""

    def __init__(self, machine: str) -> None:
        self._numbers = numbers(machine)
        self._code: list[tuple[int, int, int, int]] = [
            (_LOAD, 0, 0, _ARCH),
            (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, _NR),
        ]
        if machine == "x86_64":
            self._code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]

    def deny(self, name: str, errno: int = _EPERM) -> None:
        """A call fails whatever it is given."""
        if name in self._numbers:
            self._block(name, [(_RETURN, 0, 0, _ERRNO | errno)])

    def deny_argument(
        self, name: str, argument: int, only: bool, values: tuple[int, ...], errno: int
    ) -> None:
        """A call fails for some values of an argument of 32 bits, or for all but those."""
        block = [(_LOAD, 0, 0, _ARGS + 8 * argument)]
        hit, missed = (_ALLOW, _ERRNO | errno) if only else (_ERRNO | errno, _ALLOW)
        for value in values:
            block += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, hit)]
        self._block(name, [*block, (_RETURN, 0, 0, missed)])

    def clone(self, threads_only: bool) -> None:
        """No new namespaces; in a snippet no processes either."""
        denied = _ERRNO | _EPERM
        block = [
            (_LOAD, 0, 0, _ARGS),
            (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
            (_RETURN, 0, 0, denied),
        ]
        if threads_only:
            block += [(_ANY_BIT, 1, 0, _THREAD), (_RETURN, 0, 0, denied)]
        self._block("clone", [*block, (_RETURN, 0, 0, _ALLOW)])

    def finish(self) -> bytes:
        """The instructions as the kernel takes them."""
        code = [*self._code, (_RETURN, 0, 0, _ALLOW)]
        return b"".join(struct.pack("=HBBI", *one) for one in code)

    def _block(self, name: str, block: list[tuple[int, int, int, int]]) -> None:
        self._code += [(_EQUAL, 0, len(block), self._numbers[name]), *block]
