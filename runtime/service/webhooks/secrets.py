"""Secrets of webhooks: values of the environment, by names that the operator allowed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from .signing import key_of


class NoSecret(Exception):
    """There is no secret of this name here; the text says why, and never what it is."""


def is_allowed(name: str, allowed: Iterable[str]) -> bool:
    """Return whether names and patterns (`HOOK_*`) allow a variable."""
    return any(fnmatchcase(name, one) for one in allowed)


def secret_of(name: str, allowed: Iterable[str], env: Mapping[str, str] | None = None) -> bytes:
    """Return the key in a variable of the environment. Raise `NoSecret`."""
    if not is_allowed(name, allowed):
        raise NoSecret(f"the operator's `webhooks.secrets` do not name `{name}`")
    value = (os.environ if env is None else env).get(name, "")
    if not value:
        raise NoSecret(f"the environment has no `{name}`")
    try:
        return key_of(value)
    except ValueError as error:
        raise NoSecret(f"`{name}`: {error}") from None
