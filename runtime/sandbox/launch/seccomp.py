"""The system calls that a confined program may not make, as a filter for the kernel (seccomp BPF).

A list of what is denied: numerical libraries and shells need too many calls, and too different
ones, for a list of what is allowed. What may be opened is Landlock's part, which is a list of what
is allowed. Built in flowc's process, installed in the launcher's.
"""

from __future__ import annotations

import struct

from .numbers import numbers

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _JUMP, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_NR, _ARCH, _ARGS = 0, 4, 16
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_THREAD = 0x00010000
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_LEAVES = 3
_Instruction = tuple[int, int, int, int]
_ALLOWED = (_RETURN, 0, 0, _ALLOW)

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
"""Calls that reach other processes, the kernel, mounts, clocks."""

_SNIPPET = (
    "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "socketpair", "symlink", "symlinkat", "link", "linkat", "mknod", "mknodat",
    "inotify_init", "inotify_init1", "seccomp", "utime", "utimes", "utimensat", "futimesat",
)  # fmt: skip
_IPC = (
    "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop",
    "semtimedop", "semctl", "mq_open", "mq_unlink",
)  # fmt: skip
"""Shared memory and queues of the user, which are not files."""
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
_OF_A_USER = (("setpriority", 0, "not", (2,)), ("ioprio_set", 0, "not", (3,)))
"""Priorities of all processes of a user, flowc among them."""
_MODES = (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2), ("mknod", 1),
          ("mknodat", 2), ("creat", 1))  # fmt: skip
_MODES_OF_NEW = (("open", 2, 1), ("openat", 3, 2))
"""The argument that is a mode; of what opens or makes also the one that says which."""
_OF_OWNER, _MAKES = 0o6000, 0x400040
_OF_PROCESSES = (
    ("prlimit64", 0),
    ("setpriority", 1),
    ("ioprio_set", 1),
    ("sched_setaffinity", 0),
    ("sched_setscheduler", 0),
    ("sched_setparam", 0),
    ("sched_setattr", 0),
)
"""Limits and priorities of other processes, and the argument that names one."""


def build(
    machine: str,
    snippet: bool,
    *,
    executes: bool = False,
    starts: bool = False,
    network: bool = False,
    unix: bool = False,
    namespaces: bool = False,
    mounts: bool = False,
    watchers: tuple[int, ...] = (1,),
) -> bytes:
    """Return the filter. `executes`: a snippet that is a program of its own; `starts`: one
    that starts programs, which Landlock names; `unix`: sockets with a
    path, where those alone are there that lie in granted folders; `namespaces`, `mounts`: these
    layers hold what is left open here; `watchers`: the numbers of those above the program, in a
    namespace. Raise KeyError for a machine whose numbers are not known."""
    out = _Filter(machine)
    denied = [*_NEVER]
    if snippet:
        denied += [*_SNIPPET, *_IPC, *_BY_PATH, *_new(executes, starts)]
    else:
        denied += [] if namespaces else _IPC
        denied += [] if mounts else _BY_PATH
    for name in dict.fromkeys(denied):
        out.deny(name)
    how, named = ("not", watchers) if namespaces else ("only", (0,))
    others = tuple((name, argument, how, named) for name, argument in _OF_PROCESSES)
    arguments = (*_ALWAYS_ARGUMENTS, *_OF_A_USER, *others)
    for name, argument, how, values in arguments:
        out.deny_argument(name, argument, how == "only", values, _EPERM)
    if not snippet and not mounts:
        # Landlock lets anybody set the times of any file of the user. By name they are left as they
        # are, and archivers that set those of their own files go on.
        for name in ("utime", "utimes", "futimesat"):
            out.deny(name, 0)
        out.deny_argument("utimensat", 1, True, (0,), 0)
    for name, argument in _MODES:
        out.deny_bits(name, argument, _OF_OWNER)
    for name, argument, flags in _MODES_OF_NEW:
        out.deny_bits(name, argument, _OF_OWNER, flags, _MAKES)
    out.deny("openat2", _ENOSYS)  # it says all that in memory, as does the next
    out.deny("clone3", _ENOSYS)  # its flags are in memory, which a filter cannot read
    out.clone(threads_only=snippet and not starts)
    families = [] if snippet else ([_UNIX] if unix else [])
    families += [_INET, _INET6, _NETLINK] if network and not snippet else []
    out.deny_argument("socket", 0, True, tuple(families), _EAFNOSUPPORT)
    if not snippet:
        out.deny_argument("socketpair", 0, True, (_UNIX,), _EAFNOSUPPORT)
    return out.finish()


def _new(executes: bool, starts: bool) -> list[str]:
    """Return what makes processes and programs, as far as a snippet may not."""
    if starts:
        return []
    return ["fork", "vfork", *([] if executes else ["execve", "execveat"])]


class _Filter:
    """Instructions, one block for a system call. They are looked up in a tree: before the kernel
    takes a filter it walks through it for every call there is, and afterwards for each that is
    made of those with a block."""

    def __init__(self, machine: str) -> None:
        self._numbers = numbers(machine)
        self._machine = machine
        self._blocks: dict[int, list[_Instruction]] = {}

    def deny(self, name: str, errno: int = _EPERM) -> None:
        """Deny a call whatever its arguments are."""
        if name in self._numbers:
            self._blocks[self._numbers[name]] = [(_RETURN, 0, 0, _ERRNO | errno)]

    def deny_argument(
        self, name: str, argument: int, only: bool, values: tuple[int, ...], errno: int
    ) -> None:
        """Deny a call for some values of an argument of 32 bits, or for all but those; one that is
        denied already is then denied for values of another argument too."""
        number = self._numbers[name]
        before = self._blocks.get(number, [_ALLOWED])
        if before[-1] != _ALLOWED:
            return
        block = [*before[:-1], (_LOAD, 0, 0, _ARGS + 8 * argument)]
        hit, missed = (_ALLOW, _ERRNO | errno) if only else (_ERRNO | errno, _ALLOW)
        for value in values:
            block += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, hit)]
        self._blocks[number] = [*block, (_RETURN, 0, 0, missed)]

    def deny_bits(
        self, name: str, argument: int, bits: int, flags: int = -1, needed: int = 0
    ) -> None:
        """Deny a call with one of the bits in an argument, so that nothing is left behind that runs
        with its owner's rights; with `flags` only where that argument has a bit of `needed`."""
        if name not in self._numbers or self._numbers[name] in self._blocks:
            return
        block: list[_Instruction] = []
        if flags >= 0:
            block = [(_LOAD, 0, 0, _ARGS + 8 * flags), (_ANY_BIT, 1, 0, needed), _ALLOWED]
        block += [(_LOAD, 0, 0, _ARGS + 8 * argument), (_ANY_BIT, 0, 1, bits)]
        self._blocks[self._numbers[name]] = [*block, (_RETURN, 0, 0, _ERRNO | _EPERM), _ALLOWED]

    def clone(self, threads_only: bool) -> None:
        """Deny new namespaces; in a snippet new processes too."""
        denied = _ERRNO | _EPERM
        block = [
            (_LOAD, 0, 0, _ARGS),
            (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
            (_RETURN, 0, 0, denied),
        ]
        if threads_only:
            block += [(_ANY_BIT, 1, 0, _THREAD), (_RETURN, 0, 0, denied)]
        self._blocks[self._numbers["clone"]] = [*block, (_RETURN, 0, 0, _ALLOW)]

    def finish(self) -> bytes:
        """Return the instructions as the kernel takes them."""
        code = [
            (_LOAD, 0, 0, _ARCH),
            (_EQUAL, 1, 0, _ARCHITECTURES[self._machine]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, _NR),
        ]
        if self._machine == "x86_64":
            code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
        code += _tree(sorted(self._blocks.items()))
        return b"".join(struct.pack("=HBBI", *one) for one in code)


def _tree(blocks: list[tuple[int, list[_Instruction]]]) -> list[_Instruction]:
    """Find the block of a call among those sorted by its number; without one it is allowed."""
    if len(blocks) <= _LEAVES:
        code: list[_Instruction] = []
        for number, block in blocks:
            code += [(_EQUAL, 0, len(block), number), *block]
        return [*code, (_RETURN, 0, 0, _ALLOW)]
    middle = len(blocks) // 2
    low, high = _tree(blocks[:middle]), _tree(blocks[middle:])
    # A condition jumps over 255 instructions at most.
    return [(_AT_LEAST, 0, 1, blocks[middle][0]), (_JUMP, 0, 0, len(low)), *low, *high]
