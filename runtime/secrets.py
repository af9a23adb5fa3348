"""Names that look like secrets, and the removal of their values from what is shown or stored."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

SECRET_NAMES = (
    "TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|CREDENTIAL|COOKIE|PRIVATE|SIGNATURE|WEBHOOK|"
    "AUTH([^O]|$)|AUTHORIZATION|(^|_)KEY|KEYS?([0-9_]|$)|SESSION_?ID|CONNECTION_?STRING|"
    "(^|_)(PASS|PWD|PW|PIN|SALT|DSN|JWT|SAS|PAT)(_|$)|"
    "(DATABASE|DB|REDIS|MONGO[A-Z]*|POSTGRES[A-Z]*|AMQP|BROKER|SENTRY)_?UR[LI]$"
)
"""Matches names in capitals; a regular expression of Python and an extended one of bash."""
_SECRET_NAME = re.compile(SECRET_NAMES)
_BASH_QUOTED = re.compile(r'["$`\\]')
_HARMLESS = frozenset({"PWD", "OLDPWD"})
_SHORTEST = 6
"""Shorter values stay: they would hit ordinary words."""

BLOT = "[redacted]"


@functools.lru_cache(maxsize=4096)
def looks_secret(name: str) -> bool:
    """Return whether a variable of this name may hold a key, token or password (M21, M39). When in
    doubt, yes: the configuration can list a name that is needed."""
    return name not in _HARMLESS and _SECRET_NAME.search(name.upper()) is not None


def secret_values(env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of secret-looking names, longest first: a value may contain another."""
    values = {value for name, value in env.items() if looks_secret(name)}
    return tuple(sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True))


def hidden_values(*places: Mapping[str, object]) -> tuple[str, ...]:
    """Return the texts that are not shown: those under secret-looking names in the environment or
    among variables, longest first."""
    found = {value for place in places for value in secret_values(_texts_in(place))}
    return tuple(sorted(found, key=len, reverse=True))


def _texts_in(place: Mapping[str, object]) -> dict[str, str]:
    return {name: value for name, value in place.items() if isinstance(value, str)}


def shown_value(name: str, value: object, hidden: tuple[str, ...]) -> Any:
    """Return the value of a variable as people see it: `BLOT` where its name looks like a secret's,
    and for the hidden values in any other one."""
    return BLOT if value is not None and looks_secret(name) else redact_value(value, hidden)


def forget(data: bytes, values: Iterable[str]) -> bytes:
    """Return shell code without the values, bare or as bash writes them in double quotes."""
    for value in values:
        for form in (value, _BASH_QUOTED.sub(r"\\\g<0>", value)):
            data = data.replace(form.encode("utf-8", "surrogateescape"), b"")
    return data


def redact(text: str, values: Iterable[str]) -> str:
    """Return the text with `BLOT` for each of the values."""
    for value in values:
        text = text.replace(value, BLOT)
    return text


def redact_begun(text: str, values: Iterable[str]) -> str:
    """Return the same for a text that goes on: where it ends in the begin of one of the values, it
    is shown up to there."""
    end = len(text)
    for value in values:
        longest = min(len(value) - 1, len(text))
        begun = next((n for n in range(longest, 0, -1) if text.endswith(value[:n])), 0)
        end = min(end, len(text) - begun)
    return redact(text[:end], values)


def redact_value(value: object, values: tuple[str, ...]) -> Any:
    """Return a JSON value with every text in it redacted, names of fields included."""
    if not values:
        return value
    match value:
        case str():
            return redact(value, values)
        case dict():
            return {redact_value(k, values): redact_value(v, values) for k, v in value.items()}
        case list() | tuple():
            return [redact_value(item, values) for item in value]
    return value
