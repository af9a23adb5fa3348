"""What can be reached and what can be repeated, on a plain table of successors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def reachable(starts: Iterable[str], after: Mapping[str, Sequence[str]]) -> set[str]:
    """Return every name that a path from one of the starts leads to, the starts among them."""
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for name in after.get(waiting.pop(), ()):
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return seen


def on_cycles(after: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the names that stand on a circle, or on a path from one circle to another: what is
    left when names that nothing leads to, and names that lead to nothing, are taken away again and
    again."""
    kept = set(after) | {name for names in after.values() for name in names}
    before: dict[str, list[str]] = {name: [] for name in kept}
    for name, names in after.items():
        for target in names:
            before[target].append(name)
    for forward, backward in ((after, before), (before, after)):
        count = {name: sum(1 for n in backward.get(name, ()) if n in kept) for name in kept}
        free = [name for name, number in count.items() if number == 0]
        while free:
            name = free.pop()
            kept.discard(name)
            for target in forward.get(name, ()):
                if target in kept:
                    count[target] -= 1
                    if count[target] == 0:
                        free.append(target)
    return kept
