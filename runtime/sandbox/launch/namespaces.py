"""Namespaces: a view of processes, network, users and files that holds what is inside only.

Entering makes the view for children of this process; the first of them is number 1 in it, sets the
files up, and takes everything with it when it ends.
"""

from __future__ import annotations

import ctypes
import os

from .bubblewrap import DEVICES, LINKS
from .privileges import check, check_identity

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18
)  # fmt: skip
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_CLONE, _EMPTY, _FROM_EMPTY = 1, 0x1000, 4
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_RECURSIVE = 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_AT_FDCWD = -100
_DETACH = 2
_ONCE, _THREADS = 300, 8
_OWN_BOUNDS = (6, 14)


def enter(libc: ctypes.CDLL, network: bool) -> None:
    """Make new namespaces of users, mounts, processes, IPC and host name, and an empty network
    unless `network`. Ids stay as they are. Raise OSError where the system does not allow it."""
    uid, gid = os.geteuid(), os.getegid()
    flags = _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWUTS | (0 if network else _NEWNET)
    check(libc.unshare(flags), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        target = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(target, text.encode())
        finally:
            os.close(target)


class View:
    """The files that a program sees: what `binds` (source, name inside, writable) say, and `links`
    (name, target). What stands under another name than its own is a folder that others may stand
    in. Of the paths in `held` only the folder with that device and inode is bound; `hidden` folders
    are empty but for what is bound in them."""

    def __init__(
        self,
        binds: list[tuple[str, str, bool]],
        links: list[tuple[str, str]],
        held: dict[str, tuple[int, int]],
        hidden: list[str],
    ) -> None:
        ordered = sorted(binds, key=lambda bind: bind[1].count("/"))
        self.under = [bind for bind in ordered if bind[0] != bind[1]]
        self.own = [bind for bind in ordered if bind[0] == bind[1]]
        self.links = links
        self.held = held
        self.hidden = hidden


def show_only(libc: ctypes.CDLL, view: View, shared: int, processes: int) -> None:
    """Replace the tree of files by a view, with an empty /dev and a /proc of its own where the
    system gives one. Of /dev/shm there are `shared` bytes, at 0 there is none. Not many more than
    `processes` (0: any number) can be there at a time, where the kernel knows how. Paths are
    absolute, and real ones where they name a source. Raise OSError, and has then changed nothing
    that is seen."""
    # Put together over /proc, which is everywhere and holds nothing that is shown.
    root = "/proc"
    _mount(libc, "none", "/", None, _REC | _PRIVATE)
    _mount(libc, "tmpfs", root, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    try:
        _put_together(libc, root, view, shared)
        _proc(libc, f"{root}/proc", processes)
        os.chdir(root)
        check(libc.syscall(_PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    except OSError:
        os.chdir("/")
        libc.umount2(root.encode(), _DETACH)
        raise
    check(libc.umount2(b".", _DETACH), "umount")
    os.chdir("/")


def _put_together(libc: ctypes.CDLL, root: str, view: View, shared: int) -> None:
    tree = _Tree(root)
    for source, name, _ in view.under:
        tree.hold(source, name)
        _mount(libc, source, root + name, None, _BIND | _REC)
    _plant(tree, view.own, view.links, shared)
    for source, name, writable in view.own:
        if writable:
            continue
        if source in view.held:
            _bind_held(libc, source, root + name, view.held[source], _ATTR_RDONLY)
        else:
            _mount(libc, source, root + name, None, _BIND | _REC)
    # All that is there by now at once; what is mounted below it afterwards has attributes of its
    # own, and below what may be written nothing is mounted that may not.
    _attributes(libc, root, _ATTR_NOSUID | _ATTR_NODEV | _ATTR_RDONLY)
    for _, name, writable in view.under:
        if writable:
            _attributes(libc, root + name, 0, _ATTR_RDONLY, 0)
    _let_write(libc, root, view)
    for device in DEVICES:
        _mount(libc, f"/dev/{device}", f"{root}/dev/{device}", None, _BIND)
        # A device is written to all the same, and stays whose it is.
        _attributes(libc, f"{root}/dev/{device}", _ATTR_NOSUID | _ATTR_RDONLY, 0, 0)
    if shared:
        _mount(libc, "tmpfs", f"{root}/dev/shm", "tmpfs", _NOSUID | _NODEV, f"size={shared}")


def _let_write(libc: ctypes.CDLL, root: str, view: View) -> None:
    """Bind what may be written, and hide what is hidden, the upper ones first: what may be written
    in a hidden folder is bound in the empty one."""
    writable = [name for _, name, may in view.own if may]
    for name in sorted({*writable, *view.hidden}, key=lambda one: one.count("/")):
        if name in view.hidden:
            if not os.path.isdir(root + name):  # it is not shown at all
                continue
            _mount(libc, "tmpfs", root + name, "tmpfs", _NOSUID | _NODEV, "size=64k,mode=755")
            for below in writable:
                if below.startswith(f"{name}/"):
                    os.makedirs(root + below, exist_ok=True)
            _attributes(libc, root + name, _ATTR_RDONLY, 0, 0)
        elif name in view.held:
            _bind_held(libc, name, root + name, view.held[name], 0)
        else:
            _mount(libc, name, root + name, None, _BIND | _REC)
            _attributes(libc, root + name, _ATTR_NOSUID | _ATTR_NODEV)


def _bind_held(
    libc: ctypes.CDLL, source: str, target: str, identity: tuple[int, int], attributes: int
) -> None:
    """Bind the folder that was granted, whatever has its name a moment later: what is opened is
    compared, then copied as a mount by its descriptor. Raise OSError."""
    number = os.open(source, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        check_identity(os.fstat(number), identity, source)
        copy = libc.syscall(_OPEN_TREE, number, b"", _CLONE | os.O_CLOEXEC | _EMPTY | _RECURSIVE)
        check(copy, f"open_tree {source}")
    finally:
        os.close(number)
    try:
        attributes |= _ATTR_NOSUID | _ATTR_NODEV
        packed = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
        how = _EMPTY | _RECURSIVE
        done = libc.syscall(_MOUNT_SETATTR, copy, b"", how, packed, ctypes.c_size_t(32))
        check(done, f"mount_setattr {source}")
        moved = libc.syscall(_MOVE_MOUNT, copy, b"", _AT_FDCWD, target.encode(), _FROM_EMPTY)
        check(moved, f"move_mount {target}")
    finally:
        os.close(copy)


def _plant(
    tree: _Tree, binds: list[tuple[str, str, bool]], links: list[tuple[str, str]], shared: int
) -> None:
    """Make what mounts need, before them: nothing is ever made in what is shown under its own
    name."""
    for source, name, _ in binds:
        tree.hold(source, name)
    for device in DEVICES:
        tree.hold(f"/dev/{device}", f"/dev/{device}")
    tree.folder("/dev/shm" if shared else "/dev")
    tree.folder("/proc")
    for name, target in (*LINKS, *links):
        tree.link(name, target)


class _Tree:
    """Folders, empty files and links below `root`."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders, self._others = {""}, set[str]()

    def folder(self, name: str) -> bool:
        """Make a folder, and those above it; return False where something else is in the way."""
        if name in self._folders:
            return True
        if name in self._others or not self.folder(name.rpartition("/")[0]):
            return False
        try:
            os.mkdir(self._root + name)
        except FileExistsError:
            if not os.path.isdir(self._root + name):
                raise
        self._folders.add(name)
        return True

    def hold(self, source: str, name: str) -> None:
        """Make something to mount `source` on."""
        if os.path.isdir(source):
            self.folder(name)
        elif self._free(name):
            os.close(os.open(self._root + name, os.O_CREAT | os.O_WRONLY, 0o600))

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link, where nothing is yet."""
        if self._free(name):
            try:
                os.symlink(target, self._root + name)
            except FileExistsError:
                return

    def _free(self, name: str) -> bool:
        if name in self._folders or name in self._others:
            return False
        if not self.folder(name.rpartition("/")[0]):
            return False
        self._others.add(name)
        return True


def _proc(libc: ctypes.CDLL, target: str, processes: int) -> None:
    # Settings in /proc/sys ask for the user, not for capabilities: none may be writable.
    flags = _NOSUID | _NODEV | _NOEXEC
    own = bool(processes) and bounds_are_own(os.uname().release)
    mount_flags = ctypes.c_ulong(flags if own else flags | _RDONLY)
    if libc.mount(b"proc", target.encode(), b"proc", mount_flags, None) != 0:
        # The kernel refuses a whole /proc where a container hides parts of it: then none is shown.
        _mount(libc, "tmpfs", target, "tmpfs", _NOSUID | _NODEV | _RDONLY, "size=4k")
    elif own:
        _limit_processes(f"{target}/sys/kernel/pid_max", processes)
        _mount(libc, "none", target, None, _REMOUNT | _BIND | _RDONLY | flags)


def bounds_are_own(release: str) -> bool:
    """Tell whether a namespace of processes has a `pid_max` of its own on this kernel: from Linux
    6.14. Before that there is one for the whole machine, and root may set it from anywhere."""
    numbers = [part for part in release.replace("-", ".").split(".") if part.isdigit()]
    return len(numbers) >= 2 and (int(numbers[0]), int(numbers[1])) >= _OWN_BOUNDS


def _limit_processes(path: str, processes: int) -> None:
    """Set the highest number. The numbers below 300 are given out once. Threads take numbers too,
    which the limit does not count: this is what the watcher never has to be in time for."""
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(b"%d" % (_ONCE + _THREADS * processes))
    except OSError:
        return


def _attributes(
    libc: ctypes.CDLL, target: str, add: int, remove: int = 0, how: int = _RECURSIVE
) -> None:
    """Give attributes to a mount, and to all below it, or take them."""
    packed = (ctypes.c_uint64 * 4)(add, remove, 0, 0)
    done = libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, target.encode(), how, packed, ctypes.c_size_t(32)
    )
    check(done, f"mount_setattr {target}")


def _mount(
    libc: ctypes.CDLL, source: str, target: str, kind: str | None, flags: int, data: str = ""
) -> None:
    done = libc.mount(
        source.encode(), target.encode(), kind.encode() if kind else None, ctypes.c_ulong(flags),
        data.encode() or None,
    )  # fmt: skip
    check(done, f"mount {target}")
