"""A whole result that goes to a path: a file appears complete, a pipe or a device is written to.

What the path leads to counts, not its name: a link stays a link, and `/dev/stdout` is the standard
output as it stands, in the middle of a file too.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from ..errors import RunError, reason_of
from ..files.staging import replacing
from ..store.default_store import refuse_link

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,6})")
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def deliver(out: Path, data: bytes) -> None:
    """Write all of it, or leave the file that was there. Raise `RunError`."""
    try:
        if (number := _open_one(out)) is not None:
            _pour(os.dup(number), data)
        elif leads_to_file(out):
            with replacing(Path(os.path.realpath(out))) as file:
                file.write(data)
        else:
            _pour(os.open(out, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY), data)
    except OSError as error:
        raise RunError(f"`{out}` cannot be written: {reason_of(error)}") from None


def write_own(out: Path, data: bytes) -> None:
    """Write a file that flowc names in the folder of a project: no link leads it out of there, and
    a pipe in its place is replaced. Raise `RunError`."""
    refuse_link(out, out.parent)
    try:
        with replacing(Path(os.path.realpath(out))) as file:
            file.write(data)
    except OSError as error:
        raise RunError(f"`{out}` cannot be written: {reason_of(error)}") from None


def check_deliverable(out: Path) -> None:
    """Raise `RunError` for what will never take a result, before any work is done for it."""
    if out.is_dir():
        raise RunError(f"`{out}` is a folder", help="name a file")
    folder = Path(os.path.realpath(out)).parent
    if _open_one(out) is None and not folder.is_dir():
        raise RunError(f"`{out}` cannot be written: its folder does not exist")


def refuse_source(out: Path, sources: Iterable[str], what: str) -> None:
    """Raise `RunError` when the path leads to one of the files that were read, under whatever name:
    a link, a second name of the same file, a way around. `what` is being done to it."""
    for name in sources:
        try:
            same = out.samefile(name)
        except OSError:  # one of them is not there
            continue
        if same:
            raise RunError(f"`{out}` is what is being {what}", help="give -o another place")


def leads_to_file(out: Path) -> bool:
    """Whether a file stands at the path or would be made there. Raise OSError."""
    if _open_one(out) is not None:
        return False
    try:
        return stat.S_ISREG(out.stat().st_mode)
    except FileNotFoundError:
        return True


def _open_one(out: Path) -> int | None:
    """Return the descriptor of this process that a path means. Opening the path instead would begin
    at the start of a file behind standard output, and a closed pipe has no name."""
    path = str(out)
    match = _DESCRIPTOR.fullmatch(path)
    return int(match[1]) if match else _STREAMS.get(path)


def _pour(number: int, data: bytes) -> None:
    with os.fdopen(number, "wb") as stream:
        stream.write(data)
