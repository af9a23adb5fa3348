"""Secrets of webhooks: values of the environment, by names that the operator allowed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from ...net.signatures import key_of


class NoSecret(Exception):
    """A variable does not give a secret; the text says why, and never what it holds."""


def is_allowed(name: str, team: str, allowed: Iterable[str]) -> bool:
    """Return whether a team may use a variable. `allowed` are names and patterns (`HOOK_*`) with
    the team they are for (`hedge=HOOK_*`); those without one are for whoever has no team. With the
    secret of another team one could sign what its workflows would take in."""
    own = [one.rpartition("=") for one in allowed]
    return any(whose == team and fnmatchcase(name, pattern) for whose, _, pattern in own)


def secret_of(
    name: str, team: str, allowed: Iterable[str], env: Mapping[str, str] | None = None
) -> bytes:
    """Return the key in a variable of the environment, for a team. Raise `NoSecret`."""
    if not is_allowed(name, team, allowed):
        raise NoSecret(f"`webhooks.secrets` of the configuration do not name `{name}` for `{team}`")
    value = (os.environ if env is None else env).get(name, "")
    if not value:
        raise NoSecret(f"the environment has no `{name}`")
    try:
        return key_of(value)
    except ValueError as error:
        raise NoSecret(f"`{name}`: {error}") from None
