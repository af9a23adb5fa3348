"""What of the host's environment a command sees: little, and no secret that was not asked for."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping

from ..secrets import looks_secret

PASSED = frozenset(
    {"PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "SHELL", "TERM", "TMPDIR"}
    | {"TZ", "USER"}
)
"""Passed to every command."""


def allowed_env(env: Mapping[str, str], allowed: tuple[str, ...]) -> dict[str, str]:
    """The variables that the configuration allows by name or pattern (`CI_*`). A name that looks
    like a secret must be listed exactly (M21)."""
    exact = frozenset(allowed)
    return {
        name: value
        for name, value in env.items()
        if name in exact
        or (not looks_secret(name) and any(fnmatch.fnmatchcase(name, p) for p in allowed))
    }


def shell_env(env: Mapping[str, str], allowed: tuple[str, ...]) -> dict[str, str]:
    """The environment of a session's first command (M39)."""
    passed = {name: env[name] for name in sorted(PASSED & env.keys())}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", **passed, **allowed_env(env, allowed)}
