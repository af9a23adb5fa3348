"""What a shell session leaves to its next command: code that the shell wrote, kept as text.

Before it stands where the session was: the run's folder and its own one. A project that is copied
or moved has them elsewhere, and so has a fork its own one, and the session goes with them. That is
the shell's work, which alone reads the code; it is told from where to where.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

_BASE64 = "base64:"
_AT = b"# flowc:at "


def pack_state(code: bytes, folder: Path, own: Path) -> str:
    """Return the state of a session of a run as text: variables may hold bytes that are not
    UTF-8."""
    data = _AT + json.dumps([str(folder), str(own)]).encode() + b"\n" + code
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _BASE64 + base64.b64encode(data).decode()


def unpack_state(state: str) -> bytes:
    """Return what the shell reads."""
    if state.startswith(_BASE64):
        return base64.b64decode(state.removeprefix(_BASE64))
    return state.encode()


def moves_since(state: str, folder: Path, own: Path) -> dict[str, str]:
    """Return the variables that tell the shell from where to where the run's folders have moved
    since the state was written: pairs of paths, the inner one first, or nothing."""
    line, _, _ = unpack_state(state).partition(b"\n")
    if not line.startswith(_AT):
        return {}
    try:
        old_folder, old_own = map(str, json.loads(line.removeprefix(_AT)))
    except ValueError:  # flowc did not write it
        return {}
    pairs = ((old_own, str(own)), (old_folder, str(folder)))
    moved = [pair for pair in pairs if pair[0] != pair[1] and pair[0] != "/"]
    return {
        name: value
        for number, (old, new) in enumerate(moved)
        for name, value in ((f"FLOWC_FROM_{number}", old), (f"FLOWC_TO_{number}", new))
    }
