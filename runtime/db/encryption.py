"""Encryption at rest: what a run holds is unreadable in the store without `FLOWC_STORE_KEY`.

Each realm of a store, the team of a service's execution, has a key of its own for its contents and
the checkpoints of its runs, derived from the store's: what is copied from one team's rows into
another's is not read there, and a digest of one says nothing of the other.

AES-256 in Galois/counter mode with a nonce of its own for every value, so that a changed value is
refused and not read. In the clear stay ids of runs, nodes and steps, statuses, times, kinds of
events, and sizes.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..config.extras import missing
from ..errors import RunError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

VARIABLE = "FLOWC_STORE_KEY"
_MARK = "sealed:"
_NONCE = 12
_VALUE = "a value in the store"
_REMEDY = f"`openssl rand -base64 32` makes a key; {VARIABLE} is read from the environment alone"


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypts and decrypts with one key. `cipher` is an AESGCM of the package cryptography with
    the `key`; `secret` is what digests are made with."""

    key: bytes = field(repr=False)
    cipher: AESGCM = field(repr=False)
    secret: bytes = field(repr=False)

    def for_realm(self, realm: str) -> Seal:
        """Return the seal of a realm. That of the realm of all, "", is the store's own."""
        return _realm_seal(self.key, realm) if realm else self

    def close(self, data: bytes, nonce: bytes | None = None) -> bytes:
        nonce = nonce or os.urandom(_NONCE)
        return bytes(nonce + self.cipher.encrypt(nonce, data, None))

    def open(self, data: bytes, what: str = _VALUE) -> bytes:
        """Decrypt. Raise `RunError`, which calls the data `what`, when this key did not encrypt it,
        or it was changed since."""
        from cryptography.exceptions import InvalidTag

        try:
            return bytes(self.cipher.decrypt(data[:_NONCE], data[_NONCE:], None))
        except (InvalidTag, ValueError):
            raise RunError(
                f"{what} was not encrypted with the key in {VARIABLE}, or was changed since",
                help="use the key that the store was made with, or restore a copy of the store",
            ) from None

    def close_text(self, text: str, *, alike: bool = False) -> str:
        """Encrypt a text. With `alike` equal texts give equal results: the nonce is a digest of the
        text."""
        data = text.encode("utf-8", "surrogatepass")
        nonce = hmac.digest(self.secret, b"nonce" + data, "sha256") if alike else os.urandom(_NONCE)
        return _MARK + base64.b64encode(self.close(data, nonce[:_NONCE])).decode("ascii")

    def open_text(self, text: str, what: str = _VALUE) -> str:
        if not text.startswith(_MARK):
            return self.open(b"", what).decode()
        kept = text.removeprefix(_MARK)
        try:
            data = base64.b64decode(kept, validate=True)
        except ValueError:  # also of a character that is not ASCII
            data = b""
        # The last character holds bits that decoding drops.
        if base64.b64encode(data).decode("ascii") != kept:
            data = b""
        return self.open(data, what).decode("utf-8", "surrogatepass")

    def fingerprint(self, data: bytes) -> str:
        """Return a digest that nobody without the key can compare guesses with."""
        return hmac.new(self.secret, data, hashlib.sha256).hexdigest()


def seal_from(env: Mapping[str, str]) -> Seal | None:
    """Return the seal for the key in the environment; None without one. Raise `RunError` for a
    malformed key, without showing it."""
    text = env.get(VARIABLE, "").strip()
    if not text:
        return None
    key = _key(text)
    if key is None:
        raise RunError(f"{VARIABLE} is not a key: 32 bytes in base64, or in hex", help=_REMEDY)
    try:
        return _seal(key)
    except ImportError:
        raise missing("encryption", f"{VARIABLE} is set, and a store with it") from None


def _seal(key: bytes) -> Seal:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    secret = hmac.digest(key, b"flowc fingerprints", "sha256")
    return Seal(key=key, cipher=AESGCM(key), secret=secret)


@functools.lru_cache(maxsize=256)
def _realm_seal(key: bytes, realm: str) -> Seal:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"flowc realm\0" + realm.encode("utf-8", "surrogatepass")
    return _seal(HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key))


def _key(text: str) -> bytes | None:
    readers = (bytes.fromhex, lambda t: base64.b64decode(t, validate=True), _url_safe)
    for read in readers:
        try:
            key = read(text)
        except ValueError:
            continue
        if len(key) == 32:
            return key
    return None


def _url_safe(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
