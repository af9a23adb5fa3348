"""Spelling: the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

MAX_COMPARED = 200_000
"""Pairs of letters: the letters of a wrong name by those of all known ones, summed over the wrong
names. In a file with more of them only names with one slip are found."""
LONGEST = 60
"""Names of more letters are sentences: only their case and the order of their letters are tried."""


class Spelling:
    """Find the name that was probably meant: another case, letters exchanged, or a slip or two.
    The first two are looked up; names are compared until `MAX_COMPARED` is reached, from there on
    names with one slip are looked up as well."""

    def __init__(self, known: Iterable[str]) -> None:
        self._names = frozenset(known)
        self._by_letters: dict[str, list[str]] = {}
        self._by_shorter: dict[str, list[str]] = {}
        self._found: dict[str, str | None] = {}
        self._compared = 0
        self._close: dict[str, list[str]] | None = None

    # Most files have no wrong name: what finds the right one is made when it is looked for.
    @cached_property
    def _order(self) -> list[str]:
        return sorted(self._names)

    @cached_property
    def _short(self) -> list[str]:
        return [name for name in self._order if len(name) <= LONGEST]

    @cached_property
    def _size(self) -> int:
        return sum(map(len, self._short))

    @cached_property
    def _by_case(self) -> dict[str, list[str]]:
        by_case: dict[str, list[str]] = {}
        for name in self._order:
            by_case.setdefault(name.lower(), []).append(name)
        return by_case

    def __contains__(self, name: object) -> bool:
        return name in self._names

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
        near = _other(name, self._by_case.get(name.lower(), ()))
        if near is not None or len(name) < 3:
            return near
        if not self._by_letters:
            for known in self._order:
                self._by_letters.setdefault(_letters(known), []).append(known)
        near = _other(name, self._by_letters.get(_letters(name), ()))
        cost = len(name) * self._size
        if near is not None or len(name) > LONGEST:
            return near
        if self._compared + cost > MAX_COMPARED:
            return self._with_one_slip(name) if len(name) > 3 else None
        self._compared += cost
        close = _close_names(tuple(self._short)) if self._close is None else self._close
        self._close = close
        if name not in close:
            close[name] = difflib.get_close_matches(name, self._short, n=2, cutoff=0.75)
        return _other(name, close[name])

    def _with_one_slip(self, name: str) -> str | None:
        """Return a known name that has a letter more, less or another one."""
        if not self._by_shorter:
            for known in self._short:
                for shorter in (known, *_shorter(known)):
                    self._by_shorter.setdefault(shorter, []).append(known)
        found = (_other(name, self._by_shorter.get(key, ())) for key in (name, *_shorter(name)))
        return next((near for near in found if near is not None), None)


@lru_cache(maxsize=16)
def _close_names(known: tuple[str, ...]) -> dict[str, list[str]]:
    """Return where it is kept which of these names are close to others: in an editor a file has the
    same ones at each keystroke."""
    return {}


def slip_pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of names that differ by one slip of a hand: two neighbouring letters
    exchanged, one that is missing inside, or capitals. Of short names, digits and endings nothing
    is said: those differ on purpose."""
    order = [name for name in dict.fromkeys(names) if 5 <= len(name) <= LONGEST]
    known, by_case = frozenset(order), {name.lower(): name for name in reversed(order)}
    pairs: list[tuple[str, str]] = []
    for name in order:
        if by_case[name.lower()] != name:
            pairs.append((by_case[name.lower()], name))
        for at in range(1, len(name)):
            two = name[at - 1 : at + 1]
            turned = name[: at - 1] + two[::-1] + name[at + 1 :]
            shorter = name[:at] + name[at + 1 :]
            if two.isalpha() and two[0] != two[1] and turned in known and name < turned:
                pairs.append((name, turned))
            elif at < len(name) - 1 and len(name) > 5 and two.isalpha() and shorter in known:
                pairs.append((name, shorter))
    return list(dict.fromkeys(pairs))


def _shorter(name: str) -> Iterator[str]:
    """Yield the name without one of its letters."""
    return (name[:at] + name[at + 1 :] for at in range(len(name)))


def _letters(name: str) -> str:
    return "".join(sorted(name.lower()))


def _other(name: str, found: Iterable[str]) -> str | None:
    """Return the first of what was found that is not the name itself. Names of one case or with
    the same letters are few, or the name is among the first two."""
    return next((other for other in found if other != name), None)
