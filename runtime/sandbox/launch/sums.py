"""What a program and all it started take of disk and memory, added up by looking.

Files below folders by their entries; files without a name, which are open or mapped and in no
folder (removed ones, those of `memfd_create`, shared memory), by the processes that have them.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # `typing` and `collections` take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCK = 512
_MAPS = 1 << 22
_EVENTS = 1 << 12
_NAMELESS = b"(deleted)"
_OWN, _DIVIDED = (b"RssAnon:", b"VmSwap:"), (b"Pss_Anon:", b"SwapPss:")


def in_folder(folder: str, since: float) -> tuple[int, int]:
    """Return the bytes on disk of the files below a folder that were changed since then (0.0: of
    all), and the number of entries."""
    size, files, rest = 0, 0, [folder]
    while rest:
        try:
            with os.scandir(rest.pop()) as entries:
                for entry in entries:
                    info = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        rest.append(entry.path)
                    if info.st_ctime >= since:
                        files += 1
                        size += info.st_blocks * _BLOCK if stat.S_ISREG(info.st_mode) else 0
        except OSError:
            continue
    return size, files


def without_name(processes: Iterable[int], proc: int) -> int:
    """Return the bytes of the files without a name that the processes have open or mapped; `proc`
    is an open /proc with those numbers. What is mapped alone counts as long as it is mapped, which
    may be more than it holds."""
    sizes: dict[tuple[int, int], int] = {}
    for number in processes:
        _add_open(sizes, f"{number}/fd", proc)
        _add_mapped(sizes, f"{number}/maps", proc)
    return sum(sizes.values())


def own_memory(processes: Iterable[int], proc: int, most: int) -> int:
    """Return the bytes of memory that the processes have for themselves, swapped ones included.
    What a fork shares with its parent is that of both, so where there is more than `most` each
    page is divided among those that have it, which takes longer; a process that lets nobody look
    counts whole."""
    whole = {number: _fields(f"{number}/status", proc, _OWN) for number in processes}
    if sum(whole.values()) <= most:
        return sum(whole.values())
    return sum(_fields(f"{n}/smaps_rollup", proc, _DIVIDED, size) for n, size in whole.items())


def _fields(name: str, proc: int, wanted: tuple[bytes, ...], hidden: int = 0) -> int:
    """Return the sum of the fields, which are given in KiB, as bytes; 0 for a process that has
    ended, and `hidden` for one that may not be looked at."""
    try:
        number = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except PermissionError:
        return hidden
    except OSError:
        return 0
    try:
        text = os.read(number, 1 << 13)
    except OSError:
        return 0
    finally:
        os.close(number)
    size = 0
    for line in text.splitlines():
        if line.startswith(wanted):
            size += int(line.split()[1]) << 10
    return size


def free(path: str) -> tuple[int, int]:
    """Return the free bytes and files of the disk of a path; (0, 0) where nobody says."""
    try:
        info = os.statvfs(path)
    except OSError:
        return 0, 0
    return info.f_bavail * info.f_frsize, info.f_favail


def count_of(number: int, key: bytes) -> int:
    """Return the count in the line that begins with `key` of an open file of a control group; 0
    where there is none, or the group is gone."""
    try:
        text = os.pread(number, _EVENTS, 0)
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith(key):
            return int(line[len(key) :])
    return 0


def _add_open(sizes: dict[tuple[int, int], int], name: str, proc: int) -> None:
    try:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:
        return
    try:
        for one in os.listdir(folder):
            try:
                info = os.stat(one, dir_fd=folder)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                sizes[info.st_dev, info.st_ino] = info.st_blocks * _BLOCK
    except OSError:
        return
    finally:
        os.close(folder)


def _add_mapped(sizes: dict[tuple[int, int], int], name: str, proc: int) -> None:
    """Add what is mapped; a file that is open too is known already, and better."""
    try:
        number = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:
        return
    try:
        text = b""
        while len(text) < _MAPS and (part := os.read(number, 1 << 16)):
            text += part
    except OSError:
        return
    finally:
        os.close(number)
    if _NAMELESS not in text:
        return
    mapped: dict[tuple[int, int], int] = {}
    for line in text.splitlines():
        if line.endswith(_NAMELESS):
            span, _, _, device, inode, *_ = line.split(None, 5)
            low, _, high = span.partition(b"-")
            major, _, minor = device.partition(b":")
            key = os.makedev(int(major, 16), int(minor, 16)), int(inode)
            mapped[key] = mapped.get(key, 0) + int(high, 16) - int(low, 16)
    for key, size in mapped.items():
        sizes.setdefault(key, size)
