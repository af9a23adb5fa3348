"""Spelling: the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_SEARCHES = 50
MAX_KNOWN = 2_000


class Spelling:
    """Find the name that was probably meant: another case, or a slip or two. Give up after
    `MAX_SEARCHES` wrong names, or among very many: such a file is generated, not misspelt."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = sorted(set(known))
        self._by_case: dict[str, list[str]] = {}
        self._found: dict[str, str | None] = {}
        for name in self._known:
            self._by_case.setdefault(name.lower(), []).append(name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_case.get(name.lower(), ())

    def nearest(self, name: str) -> str | None:
        """Return the known name nearest to `name`, other than itself, or None."""
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def advice(self, name: str, otherwise: str) -> str:
        """Return what to write for `name`: the nearest known one, or else `otherwise`."""
        near = self.nearest(name)
        return f"did you mean `{near}`?" if near else otherwise

    def _search(self, name: str) -> str | None:
        same = [other for other in self._by_case.get(name.lower(), ()) if other != name]
        if same:
            return same[0]
        if len(name) < 3 or len(self._found) >= MAX_SEARCHES or len(self._known) > MAX_KNOWN:
            return None
        letters = sorted(name.lower())
        swapped = next((o for o in self._known if sorted(o.lower()) == letters and o != name), None)
        if swapped:
            return swapped
        close = difflib.get_close_matches(name, self._known, n=2, cutoff=0.75)
        return next((other for other in close if other != name), None)
