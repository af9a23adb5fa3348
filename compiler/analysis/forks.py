"""Forks: which nodes only one of the ways from a fork leads to.

    fork --> a --> a2 --> join      a, a2: the first branch; b: the second
    fork --> b ---------> join      join: where the branches meet, so of neither

The nodes are looked at in topological order, and no further than to where the branches have met: a
row of a thousand forks is followed once, not once for each of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from .graphs import Successors, predecessors

_BOTH = -1


class Branches:
    """The branches of any fork of one graph. `steps` counts the edges that were followed."""

    def __init__(self, after: Successors[str]) -> None:
        self._after = after
        self._before = predecessors(after)
        self._place = {node: at for at, node in enumerate(_topological(after))}
        self._has_loops = any(
            self._place[target] <= self._place[node] for node in after for target in after[node]
        )
        self.steps = 0

    def of(self, fork: str, targets: Sequence[str]) -> dict[str, int]:
        """Return the nodes that only one of the targets leads to, each with the number of that
        target. A way that comes back to the fork ends there."""
        found = self._search(fork, targets)
        if found is None:
            found = self._full_search(fork, targets)
        return {node: number for node, number in found.items() if number != _BOTH}

    def _search(self, fork: str, targets: Sequence[str]) -> dict[str, int] | None:
        """Follow the branches to where they meet. None if a way leads back to the fork or into a
        branch, or comes into one from elsewhere: then they have to be followed to their end.
        Without loops what comes from elsewhere cannot come from where the branches have met."""
        if fork in targets:
            return None
        found = {target: number for number, target in enumerate(targets)}
        waiting = [(self._place[target], target) for target in targets]
        heapq.heapify(waiting)
        single = len(waiting)
        while single:
            place, node = heapq.heappop(waiting)
            number = found[node]
            single -= number != _BOTH
            for target in self._after[node]:
                self.steps += 1
                if target == fork or self._place[target] <= place:
                    return None
                before = found.get(target)
                found[target] = new = number if before in (None, number) else _BOTH
                single += (new != _BOTH) - (before not in (None, _BOTH))
                if before is None:
                    heapq.heappush(waiting, (self._place[target], target))
        if self._has_loops and not all(self._comes_after(node, fork, found) for node in found):
            return None
        return found

    def _comes_after(self, node: str, fork: str, found: Mapping[str, int]) -> bool:
        """Tell whether all that leads to a node of one branch was followed before it."""
        if found[node] == _BOTH:
            return True
        place, sources = self._place[node], self._before[node]
        self.steps += len(sources)
        return all(s == fork or (s in found and self._place[s] < place) for s in sources)

    def _full_search(self, fork: str, targets: Sequence[str]) -> dict[str, int]:
        """Follow the branches to their end. A node is looked at twice at most: when the first of
        them comes to it, and when a second does."""
        found = {target: number for number, target in enumerate(targets)}
        waiting = [target for target in targets if target != fork]
        while waiting:
            node = waiting.pop()
            number = found[node]
            for target in self._after[node]:
                self.steps += 1
                before = found.get(target)
                new = number if before in (None, number) else _BOTH
                if new != before:
                    found[target] = new
                    if target != fork:
                        waiting.append(target)
        return found


def _topological(after: Successors[str]) -> list[str]:
    """Return the nodes in the reverse postorder of a depth-first search: each before those that it
    leads to, but for the edges that lead back."""
    order: list[str] = []
    begun: set[str] = set()
    for root in reversed(list(after)):
        work = [(root, False)]
        while work:
            node, is_done = work.pop()
            if is_done:
                order.append(node)
            elif node not in begun:
                begun.add(node)
                work.append((node, True))
                work.extend((target, False) for target in reversed(after[node]))
    return order[::-1]
