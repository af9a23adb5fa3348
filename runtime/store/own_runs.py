"""Runs that the user started: their options are kept with a digest under a key of the user's.

A store that comes with a folder may hold runs of anybody. The key lies in the user's own
configuration folder and never in a store; where the store is encrypted, it is the store's.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ..config.trust_record import TrustRecord
from ..services import Json
from .open import Opened

_BYTES = 32
_KIND = b"\xff options "
"""Begins no text, of which the store keeps fingerprints too."""

Sign = Callable[[bytes], str]


def key_file() -> Path:
    """Return the file of the user's key, in the user's own configuration folder."""
    return Path(platformdirs.user_config_dir("flowc"), "runs.key")


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs what is kept of a run. `vouched`: the store is the user's own, whatever it holds."""

    sign: Sign
    vouched: bool = False

    def signature(self, *parts: Json) -> str:
        """Return the signature of values that JSON can carry."""
        return self.sign(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass"))

    def knows(self, signature: str | None, *parts: Json) -> bool:
        """Tell whether the values are the user's own."""
        return self.vouched or hmac.compare_digest(signature or "", self.signature(*parts))


def signer_of(opened: Opened) -> Signer:
    """Return what signs in a store. This asks the disk. Raise `RunError` for a record of trust that
    cannot be read."""
    cipher, location = opened.db.cipher, opened.location
    if location.kind == "memory":
        return Signer(lambda data: "", vouched=True)
    if cipher is not None:
        return Signer(lambda data: cipher.fingerprint(_KIND + data))
    folder = None if location.path is None else location.path.parent
    return own_signer(folder)


def own_signer(folder: Path | None) -> Signer:
    """Return what signs for the user, in a `folder`. This asks the disk. Raise `RunError` as
    `signer_of` does."""
    # Where no key can be kept, what this process writes is known to this process.
    key = _own_key() or secrets.token_bytes(_BYTES)
    mine = folder is not None and TrustRecord.read().is_mine(str(folder))
    return Signer(lambda data: hmac.digest(key, data, "sha256").hex(), mine)


def _own_key() -> bytes | None:
    """Return the user's key, made when there is none; None where none can be kept, and for a file
    that others can read or write."""
    file = key_file()
    with contextlib.suppress(OSError):
        if not file.exists():
            _make(file)
        with file.open("rb") as data:
            about, key = os.fstat(data.fileno()), data.read(_BYTES + 1)
        private = about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & 0o077
        return key if private and len(key) == _BYTES else None
    return None


def _make(file: Path) -> None:
    """Make a key that only the user can read; of several processes one makes it. Raise OSError."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, scratch = tempfile.mkstemp(dir=file.parent, prefix=".key-")
    try:
        with open(number, "wb") as data:
            data.write(secrets.token_bytes(_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(scratch, file)
    finally:
        os.unlink(scratch)
