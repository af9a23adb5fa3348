"""The policy of a confined program, and the levels at which a machine can hold it to that.

    policy = Policy("shell", reads=shell_reads(env), writes=(workspace,), cwd=workspace)
    policy = Policy("snippet", reads=python_reads(), writes=(output_file,))

`snippet` is for generated code: no other process, no program but its own and those named, no
socket, and of files only those named. `shell` is for commands: processes and programs, no network
unless granted, writing below the folders named. Both have a private folder for temporary files
beside that. `confine.prepare` starts programs under a policy.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import flowc

from ..errors import RunError
from ..files.granted import GrantedPlace

Profile = Literal["snippet", "shell"]
Level = Literal["full", "strong", "weak", "off"]
Mode = Literal["auto", "strict", "off"]
LAYERS = ("limits", "privileges", "landlock", "seccomp", "namespaces", "mounts")
"""The layers that confine a program. `limits`: resources; `privileges`: no capabilities and none to
gain; `landlock`: which files are opened; `seccomp`: which system calls; `namespaces`: a view of
processes, users, IPC and network of its own; `mounts`: a view of files of its own."""

_TRUNCATES, _SIGNALS = 3, 6
"""Versions of Landlock from which cutting a file short is a right, and signals stay inside."""
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """0 means no limit. Seconds by the clock, and of the processor for each process; bytes of
    memory for each process, of each file, and of everything that is written, shared memory and
    removed files included; files and folders that are made; open files of each process; processes
    at a time; seconds to end in when asked to; bytes of memory of all processes together."""

    seconds: float = 0.0
    cpu: int = 0
    memory: int = 4096 * MIB
    file: int = 1024 * MIB
    disk: int = 2048 * MIB
    files: int = 200_000
    open: int = 1024
    processes: int = 256
    grace: float = 1.0
    total: int = 8192 * MIB


SNIPPET_LIMITS = Limits(60.0, 20, 2048 * MIB, 256 * MIB, 512 * MIB, 10_000, 64, 0, 0.2, 2048 * MIB)


@dataclass(frozen=True, slots=True)
class Policy:
    """The rights of one program. Paths are absolute; of `reads` those that are not there are left
    out, `writes` have to be there. A snippet writes files, which are made before it starts; a shell
    folders with all below them. Files below `writes` may be written even if they are in `reads`.
    `programs` are those that a snippet may start beside itself, each under the same policy.
    `symlinks` lets a shell make symbolic links, which whoever reads the folder later may follow out
    of it. Of `held` folders only those that were opened are shown, whatever has their name by now;
    `hidden` folders are empty to the program, but for what of them is written, where mounts can be
    made. `cwd` is the folder the program begins in: a private one by default.

    `mode` is what the person said: `auto` refuses the level weak, `strict` demands full, `off`
    confines nothing."""

    profile: Profile
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    held: tuple[GrantedPlace, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False
    limits: Limits | None = None
    cwd: Path | None = None
    symlinks: bool = False
    programs: tuple[Path, ...] = ()
    mode: Mode = "auto"

    @property
    def bounds(self) -> Limits:
        """Return the limits, or the profile's own."""
        return self.limits or (SNIPPET_LIMITS if self.profile == "snippet" else Limits())


@dataclass(frozen=True, slots=True)
class SandboxReport:
    """How one program is confined, as its launcher said before the program began, or how a machine
    confines a profile (`confine.probe`). `active` names layers with a detail each, `missing` with
    the reason."""

    level: Level
    active: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    network: bool = False

    @property
    def text(self) -> str:
        """Return one line: `full, network open: limits, landlock (version 7), … (missing: …)`."""
        level = self.level + (", network open" if self.network else "")
        layers = ", ".join(f"{name} ({detail})" for name, detail in self.active.items())
        lacks = "; ".join(f"{name}: {why}" for name, why in self.missing.items())
        return f"{level}: {layers or 'no layers'}" + (f" (missing: {lacks})" if lacks else "")

    def to_json(self) -> dict[str, object]:
        """Return level, network, active and missing, for events, logs and summaries."""
        return {
            "level": self.level,
            "network": self.network,
            "active": dict(self.active),
            "missing": dict(self.missing),
        }


def level_of(active: Mapping[str, str], profile: Profile) -> Level:
    """Return the level that layers make up for a profile. full: every layer. strong: system calls
    are filtered, and files, processes and network are held by at least one layer each. weak:
    anything less."""
    words = active.get("landlock", "").split()
    version = int(words[-1]) if words and words[-1].isdigit() else 0
    files = version >= _TRUNCATES or "mounts" in active
    # A snippet may send no signal at all: seccomp denies that.
    signals = profile == "snippet" or version >= _SIGNALS or "namespaces" in active
    base = {"limits", "privileges", "seccomp"} <= active.keys()
    if not (base and files and signals):
        return "weak"
    return "full" if set(LAYERS) <= active.keys() else "strong"


def decide(mode: Mode, offer: SandboxReport) -> str:
    """Return what a person reads when a program starts under `mode` on a machine with this offer,
    "" for nothing. Raise `RunError` when it must not be started."""
    if mode == "off":
        return "sandbox: off: commands and code run with all your rights"
    lacks = "; ".join(f"{name}: {why}" for name, why in offer.missing.items())
    if mode == "strict" and offer.level != "full":
        raise RunError(
            f"the sandbox is {offer.level} here, and `--sandbox strict` needs full ({lacks})",
            help="`flowc doctor` shows the layers; `--sandbox auto` takes strong as well",
        )
    if offer.level == "weak":
        raise RunError(
            f"this machine offers no sandbox that holds ({lacks})",
            help="use a Linux kernel with Landlock (6.12 or newer); or allow user namespaces; or "
            "type `--sandbox off` to run everything with all your rights",
        )
    return f"sandbox: strong, without {lacks}" if offer.level == "strong" else ""


@cache
def python_reads() -> tuple[Path, ...]:
    """Return what a Python program that uses flowc's own packages reads: shared libraries, the
    standard library, installed packages, flowc itself."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folders = [Path(sys.base_prefix, "lib", version), Path(sys.base_prefix, "lib64", version)]
    folders += [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))]
    folders += [Path(name) for name in site.getsitepackages()]
    folders += list(Path(sys.base_prefix, "lib").glob("libpython*"))
    for name in flowc.__path__:
        folders += [Path(name), *(child for child in Path(name).iterdir() if child.is_symlink())]
    return _there((*folders, *map(Path, _LIBRARIES)))


def program_reads(program: Path) -> tuple[Path, ...]:
    """Return what a program reads that a snippet starts: itself, and its libraries where they lie
    beside it or are chosen among several. The system's own are in `python_reads`."""
    real = Path(os.path.realpath(program))
    return _there((program, real, real.parent.parent / "lib", Path("/etc/alternatives")))


def shell_reads(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return what commands read and run: the system's programs and those in PATH, Python's
    included, and of /etc what holds no secrets."""
    return _programs(env.get("PATH", ""), env.get("HOME") or "/")


@cache
def _programs(path: str, user: str) -> tuple[Path, ...]:
    folders = [*map(Path, _SYSTEM), Path(sys.base_prefix), Path(sys.prefix)]
    home = Path(user)
    for name in path.split(os.pathsep):
        folder = Path(name)
        if not folder.is_absolute() or folder in (home, *home.parents) or not folder.is_dir():
            continue
        folders.append(folder)
        if folder.name == "bin" and folder.parent != home:
            # A program in bin is often a link into lib.
            folders.append(folder.parent / "lib")
        if folder.name == "shims":
            folders.append(folder.parent)
    return _there(tuple(folders))


def _there(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return those that exist, each once and in full."""
    return tuple(dict.fromkeys(path.absolute() for path in paths if os.path.lexists(path)))


_LIBRARIES = (
    "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/etc/localtime",
)  # fmt: skip
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
    "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf",
    "/etc/resolv.conf", "/etc/hostname", "/etc/services", "/etc/protocols", "/etc/localtime",
    "/etc/timezone", "/etc/os-release", "/etc/debian_version", "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted", "/etc/terminfo", "/etc/inputrc", "/etc/bash.bashrc",
    "/etc/profile", "/etc/locale.conf", "/etc/mime.types", "/etc/fonts", "/etc/magic",
    "/etc/perl", "/etc/python3", "/etc/python3.11", "/etc/java-17-openjdk", "/etc/ImageMagick-6",
)  # fmt: skip
