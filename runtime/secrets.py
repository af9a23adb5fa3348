"""Which names look like secrets, and how their values are kept out of what is shown and stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

SECRET_NAMES = (
    "TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|COOKIE|PRIVATE|SIGNATURE|WEBHOOK|"
    "AUTH([^O]|$)|AUTHORIZATION|(^|_)KEY|KEYS?([0-9_]|$)|SESSION_?ID|CONNECTION_?STRING|"
    "(^|_)(PASS|PWD|PW|PIN|SALT|DSN|JWT|SAS|PAT)(_|$)|"
    "(DATABASE|DB|REDIS|MONGO[A-Z]*|POSTGRES[A-Z]*|AMQP|BROKER|SENTRY)_?UR[LI]$"
)
"""Matches names in capitals. Python and bash (as an extended expression) both read it."""
_SECRET_NAME = re.compile(SECRET_NAMES)
_BASH_QUOTED = re.compile(r'["$`\\]')
_HARMLESS = frozenset({"PWD", "OLDPWD"})
_SHORTEST = 6
"""Shorter values are not blotted out: they would hit ordinary words."""

BLOT = "[redacted]"


def looks_secret(name: str) -> bool:
    """Whether a variable of this name may hold a key, token or password (M21, M39). When in
    doubt, yes: a name that is needed can be listed in the configuration."""
    return name not in _HARMLESS and _SECRET_NAME.search(name.upper()) is not None


def secret_values(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values behind secret-looking names, longest first, so that none shows through another."""
    values = {value for name, value in env.items() if looks_secret(name)}
    return tuple(sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True))


def forget(data: bytes, values: Iterable[str]) -> bytes:
    """Shell code without the values, as they stand and as bash writes them in double quotes."""
    for value in values:
        for form in (value, _BASH_QUOTED.sub(r"\\\g<0>", value)):
            data = data.replace(form.encode("utf-8", "surrogateescape"), b"")
    return data


def redact(text: str, values: Iterable[str], blot: str = BLOT) -> str:
    """The text with every one of the values replaced."""
    for value in values:
        text = text.replace(value, blot)
    return text


def redacted(value: Any, values: tuple[str, ...]) -> Any:
    """A JSON value with the same done to every text in it, names of fields included."""
    if not values:
        return value
    match value:
        case str():
            return redact(value, values)
        case dict():
            return {redacted(k, values): redacted(v, values) for k, v in value.items()}
        case list() | tuple():
            return [redacted(item, values) for item in value]
    return value
