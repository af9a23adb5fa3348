"""ATTEMPTS: what `flowc sandbox attack` tries, one row each.

Code is bash; names in capitals are those of `LaidOut.names`. What a program says of itself counts
when it says `REACHED`; everything else is seen from outside.
Python 3.13 shows the line of `-c` that failed: what Python prints is not written in one piece.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from itertools import product

from ..launch.numbers import numbers

SEES_DATA = "the workspace holds `.flowc`, and without mounts its commands see it"
SEES_NAMES = "without mounts names, sizes and times of other files are seen"
_STRONG = ("without namespaces",)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt. `then` is a second command of the same run, `grant` the folder that the workflow
    grants to it. `documented` says why it may succeed in one of the ways named in `where`."""

    kind: str
    name: str
    code: str
    then: str = ""
    grant: str = ""
    network: bool = False
    documented: str = ""
    where: tuple[str, ...] = _STRONG


def _python(code: str) -> str:
    return f"{sys.executable} -I -S -c '{code}'"


_OF_FLOWC = ("STORE", "RUN")
_FILES = ("KEY", "TOKEN", "SETTINGS", "NEIGHBOUR", *_OF_FLOWC)
_READ = (
    ("cat it", "cat $F"),
    ("copy it", "cp $F copy && cat copy"),
    ("a symbolic link to it", "ln -s $F way && cat way"),
    ("a hard link to it", "ln $F way && cat way"),
    ("by the root of a process", "cat /proc/self/root$F /proc/1/root$F /proc/$VICTIM/root$F"),
    ("an archive of its folder", "tar cf - -C $(dirname $F) . | cat"),
    ("a search of the folder above", "grep -rs canary $(dirname $(dirname $F))"),
)
_WRITE = (
    ("append to it", "echo x >> $F"),
    ("cut it", ": > $F"),
    ("remove it", "rm -f $F"),
    ("put another in its place", "echo x > new && mv -f new $F"),
    ("write beside it", "echo x > $(dirname $F)/new"),
    ("through a link to its folder", "ln -s $(dirname $F) way && echo x > way/new"),
    ("open it to all", "chmod 777 $F"),
)
_CALLS = (
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "kexec_load",
    "init_module", "finit_module", "delete_module", "bpf", "perf_event_open", "userfaultfd",
    "io_uring_setup", "keyctl", "add_key", "request_key", "mount", "umount2", "pivot_root",
    "chroot", "move_mount", "fsopen", "open_tree", "unshare", "setns", "reboot", "sethostname",
    "open_by_handle_at", "settimeofday", "fanotify_init", "quotactl", "swapon", "acct", "syslog",
)  # fmt: skip
_FAMILIES = (
    ("TCP", 2, 1), ("UDP", 2, 2), ("TCP over IPv6", 10, 1), ("raw IP", 2, 3), ("netlink", 16, 3),
    ("packets", 17, 3), ("virtual machines", 40, 1), ("the kernel's ciphers", 38, 5),
    ("Bluetooth", 31, 1), ("a unix stream", 1, 1), ("unix datagrams", 1, 2),
)  # fmt: skip


def _calls() -> tuple[Attempt, ...]:
    try:
        known = numbers(platform.machine())
    except KeyError:
        return ()
    code = "import ctypes; c = ctypes.CDLL(None, use_errno=True); r = c.syscall({}, 0, 0, 0, 0, 0);"
    code += ' print("REACHED" if r >= 0 or ctypes.get_errno() not in (1, 38) else "no")'
    return tuple(
        Attempt("system calls", name, _python(code.format(known[name])))
        for name in _CALLS
        if name in known
    )


def _connect(name: str, how: str, where: str) -> Attempt:
    code = f"import socket; socket.socket({how}).connect({where})"
    return Attempt("sockets", name, _python(code))


_FAMILY = 'import socket; socket.socket({}, {}); print("REA" "CHED")'
_SLEEP = "sleep $MARK"
_GROW = "import os, time; held = []\nfor n in range(40):\n "

ATTEMPTS: tuple[Attempt, ...] = (
    *(
        Attempt("files", f"read {file}: {name}", f"F=${file}; {code}",
                documented=SEES_DATA if file in _OF_FLOWC else "")
        for file, (name, code) in product(_FILES, _READ)
    ),
    *(
        Attempt("files", f"change {file}: {name}", f"F=${file}; {code}",
                documented=SEES_DATA if file in _OF_FLOWC else "")
        for file, (name, code) in product(("KEY", "NEIGHBOUR", "STORE"), _WRITE)
    ),
    Attempt("files", "change the times of a file", "touch -d 1999-01-01 $KEY"),
    Attempt("files", "see that a file is there", "stat $KEY && echo REACHED",
            documented=SEES_NAMES),
    Attempt("files", "read the disk itself",
            "for d in /dev/sd? /dev/vd? /dev/nvme?n?; do head -c 1 $d && echo REACHED; done"),
    Attempt("files", "change the modes of a device", "chmod 666 /dev/null && echo REACHED"),
    Attempt("workspace", "a link in place of the run's own folder",
            "mv .flowc/own .flowc/x; mkdir .flowc/own; ln -s $OUTSIDE $HOME",
            then="cat $HOME/key; echo x > $HOME/new"),
    Attempt("workspace", "another folder in place of the run's own",
            "mv $HOME $HOME.x; ln -s $OUTSIDE $HOME", then="cat $HOME/key; echo x > $HOME/new"),
    Attempt("workspace", "a link in place of a granted folder",
            "mkdir -p sub && rmdir sub && ln -s $OUTSIDE sub",
            then="cat sub/key; echo x > sub/new", grant="sub"),
    Attempt("workspace", "a link on the way to a granted folder",
            "ln -s $(dirname $OUTSIDE) way", then="cat way/outside/key; echo x > way/outside/new",
            grant="way/outside"),
    Attempt("workspace", "a granted folder that leads out", "cat $OUTSIDE/key; echo x >"
            " $OUTSIDE/new", grant="../outside"),
    Attempt("workspace", "a program with its owner's rights",
            "cp /bin/true own && chmod 6755 own && test -u own && echo REACHED"),
    Attempt("workspace", "a file made with its owner's rights",
            _python('import os; os.open("own", os.O_CREAT | os.O_WRONLY, 0o6755)')
            + "; test -u own && echo REACHED"),
    *(
        Attempt("sockets", f"a socket for {name}", _python(_FAMILY.format(family, kind)))
        for name, family, kind in _FAMILIES
    ),
    _connect("a service on this machine", "2, 1", "(\"127.0.0.1\", '$TCP')"),
    _connect("a unix socket in the workspace", "1", '"door"'),
    _connect("a unix socket elsewhere", "1", "\"'$SOCKET'\""),
    _connect("an abstract unix socket", "1", "chr(0) + \"'$MARK'\""),
    Attempt("sockets", "the shell's own TCP", "echo x > /dev/tcp/127.0.0.1/$TCP"),
    Attempt("sockets", "the shell's own UDP", "echo x > /dev/udp/127.0.0.1/$UDP"),
    *_calls(),
    Attempt("processes", "kill another", "kill -9 $VICTIM"),
    Attempt("processes", "stop another", "kill -STOP $VICTIM"),
    Attempt("processes", "kill all", "kill -9 -1"),
    Attempt("processes", "see another's environment", "cat /proc/*/environ | tr '\\0' '\\n'"),
    Attempt("processes", "see another's memory", "head -c 1 /proc/$VICTIM/mem && echo REACHED"),
    Attempt("processes", "take another's turns", "renice -n 15 -p $VICTIM"),
    Attempt("processes", "the environment of flowc", "printenv; cat /proc/self/environ"),
    Attempt("processes", "outlive: a session of its own", f"setsid {_SLEEP} & sleep 0.05"),
    Attempt("processes", "outlive: in the background", f"nohup {_SLEEP} >/dev/null 2>&1 & disown"),
    Attempt("processes", "outlive: forked twice", f"( ( {_SLEEP} & ) & ) ; sleep 0.05"),
    Attempt("processes", "new namespaces", "unshare -Urm true && echo REACHED"),
    Attempt("sums", "very many processes",
            "for i in $(seq 150); do sleep 5 & done 2>/dev/null; sleep 2; echo REACHED"),
    Attempt("sums", "many files with much in them",
            "for i in $(seq 40); do head -c 4M /dev/zero > f$i || exit; done; sleep 2;"
            " echo REACHED"),
    Attempt("sums", "one large file", "head -c 40M /dev/zero > f && echo REACHED"),
    Attempt("sums", "very many files",
            "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); : > f$i; done; sleep 2; echo REACHED"),
    Attempt("sums", "files that were removed",
            _python(_GROW + 'held.append(open("f", "wb", 0)); os.unlink("f"); '
                    'held[-1].write(bytes(1 << 22))\ntime.sleep(2); print("REA" "CHED")')),
    Attempt("sums", "files in memory",
            _python(_GROW + 'held.append(os.memfd_create("m")); '
                    'os.write(held[-1], b"x" * (1 << 22))\ntime.sleep(2); print("REA" "CHED")')),
    Attempt("sums", "memory", _python('x = bytearray(1 << 28); print("REA" "CHED")')),
    Attempt("sums", "memory of many processes",
            _python('import os, time\nfor n in range(9):\n if not os.fork():\n'
                    '  x = b"x" * (60 << 20); time.sleep(5); os._exit(0)\n'
                    'time.sleep(4); print("REA" "CHED")')),
    Attempt("sums", "no end", "sleep 60; echo REACHED"),
    Attempt("sums", "output without end", "yes | head -c 64M"),
)  # fmt: skip
"""At least 120, on the machines whose system calls are known."""
