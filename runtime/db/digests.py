"""Short digests that stand with what is kept, so that a changed byte is found when it is read.

They need no key: whoever changes a value on purpose can make its digest too. A store with a key has
the tags of its encryption in their place (`encryption`).
"""

from __future__ import annotations

import base64
from hashlib import blake2b

from ..errors import RunError

SIZE = 12
"""Bytes of a digest: 16 characters of base64, none of which is left over."""
_LENGTH = SIZE // 3 * 4


def digest(data: bytes) -> bytes:
    """Return the digest of data."""
    return blake2b(data, digest_size=SIZE).digest()


def with_digest(text: str) -> str:
    """Return a text with its digest before it."""
    return _mark(text) + text


def without_digest(text: str) -> str | None:
    """Return what stands behind a digest; None when it is not what the digest was made of."""
    mark, plain = text[:_LENGTH], text[_LENGTH:]
    return plain if mark == _mark(plain) else None


def _mark(text: str) -> str:
    return base64.b64encode(digest(text.encode("utf-8", "surrogatepass"))).decode("ascii")


def changed_value(what: str) -> RunError:
    """Return the error for a value that is not what was kept. `what` names it."""
    return RunError(
        f"{what} cannot be read: it was changed, or is damaged",
        help="put a copy of the store back in its place, or go on with another run",
    )


def foreign_value(what: str) -> RunError:
    """Return the error for a value that stands where flowc's do and has no digest. `what` names
    it."""
    return RunError(
        f"{what} cannot be read: another program wrote it, and not flowc",
        help="delete it with that program, or go on with another run",
    )


def damaged_checkpoint(run: str, checkpoint: str) -> RunError:
    """Return the error for a checkpoint that LangGraph did not write as it is."""
    return changed_value(f"the checkpoint {checkpoint} of run {run}")
