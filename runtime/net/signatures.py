"""Signatures of webhooks, as the Standard Webhooks specification has them.

What is signed is `ID.SECONDS.BODY`, by HMAC-SHA256 with a secret that both sides have; the header
`webhook-signature` holds `v1,` and the digest in base64, or several of those. The time in it bounds
how long a request that somebody overheard is worth anything.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

ID, TIME, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
"""The headers of a webhook."""
TOLERANCE = 300
"""Seconds that the time of a request may lie before or behind that of its receiver."""
SHORTEST = 16
"""Bytes of a secret at least."""
_ENCODED = "whsec_"


def key_of(secret: str) -> bytes:
    """Return the bytes that sign: those behind `whsec_` are base64, any other text is itself. Raise
    `ValueError` for a secret that is not base64 or too short to be one."""
    secret = secret.strip()
    key = secret.encode()
    if secret.startswith(_ENCODED):
        try:
            key = base64.b64decode(secret.removeprefix(_ENCODED), validate=True)
        except binascii.Error:
            raise ValueError(f"what stands behind `{_ENCODED}` is not base64") from None
    if len(key) < SHORTEST:
        raise ValueError(f"a secret has {SHORTEST} bytes or more")
    return key


def sign(key: bytes, id: str, seconds: int, body: bytes) -> str:
    """Return the signature of a request that is sent at a time (seconds since 1970)."""
    digest = hmac.digest(key, f"{id}.{seconds}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def headers_of(key: bytes, id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request."""
    return {ID: id, TIME: str(seconds), SIGNATURE: sign(key, id, seconds, body)}


def fault_of(key: bytes, headers: Mapping[str, str], body: bytes, now: float) -> str | None:
    """Return why a request is not signed with this key, or not now (seconds since 1970); None when
    it is."""
    id, time, signatures = (headers.get(name, "") for name in (ID, TIME, SIGNATURE))
    if not id or not time or not signatures:
        return f"the headers {ID}, {TIME} and {SIGNATURE} are needed"
    if not time.isascii() or not time.isdigit() or len(time) > 12:
        return f"{TIME} is not seconds since 1970"
    if abs(now - int(time)) > TOLERANCE:
        return f"{TIME} is more than {TOLERANCE} s away from the service's own time"
    expected = sign(key, id, int(time), body).encode()
    # Every one is compared: an answer's time says nothing of which one fits.
    fits = [hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")]
    return None if any(fits) else "the signature is not of this request with this secret"
