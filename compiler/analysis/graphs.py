"""Graphs: what leads where, as pure functions over tables of successors.

A table gives for each node the nodes behind it. Every function is iterative and linear or nearly
so: a workflow of 100,000 steps needs no stack and no minutes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from ..ir import Edge

Node = TypeVar("Node", bound=Hashable)
MAX_SEARCH = 2_000_000
"""Nodes looked at to tell which edges lead back; in larger graphs a plain search decides."""
Successors = Mapping[Node, Sequence[Node]]


def successors(nodes: Iterable[str], edges: Iterable[Edge]) -> dict[str, tuple[str, ...]]:
    """For each node id the ids its edges lead to, in order, without repetition. Edges from or to
    something that is not a node are left out."""
    after: dict[str, list[str]] = {node: [] for node in nodes}
    for edge in edges:
        targets = after.get(edge.source)
        if targets is not None and edge.target in after:
            targets.append(edge.target)
    return {
        node: tuple(targets) if len(targets) < 2 else tuple(dict.fromkeys(targets))
        for node, targets in after.items()
    }


def edges_from(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    """The edges by the node that they leave, in order."""
    leaving: dict[str, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    return leaving


def predecessors(after: Successors[Node]) -> dict[Node, list[Node]]:
    """The table turned round."""
    before: dict[Node, list[Node]] = {node: [] for node in after}
    for node, targets in after.items():
        for target in targets:
            before.setdefault(target, []).append(node)
    return before


def reachable(
    starts: Iterable[Node],
    after: Successors[Node],
    *,
    avoid: Callable[[Node], bool] | None = None,
) -> dict[Node, Node | None]:
    """Every node that a path from a start leads to, nearest first, each with the node before it on
    a shortest path (None for a start). Paths end at a node that `avoid` holds for: it counts as
    reached, what lies behind it does not."""
    found: dict[Node, Node | None] = dict.fromkeys(starts)
    waiting = deque(found)
    while waiting:
        node = waiting.popleft()
        if avoid is not None and avoid(node):
            continue
        for target in after.get(node, ()):
            if target not in found:
                found[target] = node
                waiting.append(target)
    return found


def path_to(node: Node, before: Mapping[Node, Node | None]) -> tuple[Node, ...]:
    """The path to `node` in what `reachable` gave, both ends included."""
    path = [node]
    while (previous := before[path[-1]]) is not None:
        path.append(previous)
    return tuple(reversed(path))


def components(after: Successors[Node]) -> list[tuple[Node, ...]]:
    """The strongly connected components, each before the ones that lead to it (Tarjan)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    found: list[tuple[Node, ...]] = []
    work: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        work.append((node, iter(after.get(node, ()))))

    for root in after:
        if root not in index:
            enter(root)
        while work:
            node, onward = work[-1]
            for target in onward:
                number = index.get(target)
                if number is None:
                    enter(target)
                    break
                if number < low[node] and target in on_stack:
                    low[node] = number
            else:
                work.pop()
                if low[node] == index[node]:
                    found.append(_pop_component(node, stack, on_stack))
                elif low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
    return found


def _pop_component(root: Node, stack: list[Node], on_stack: set[Node]) -> tuple[Node, ...]:
    if stack[-1] == root:
        on_stack.discard(root)
        return (stack.pop(),)
    at = len(stack) - 1
    while stack[at] != root:
        at -= 1
    members = tuple(stack[at:])
    del stack[at:]
    on_stack.difference_update(members)
    return members


def loops(after: Successors[Node]) -> list[tuple[Node, ...]]:
    """The components that a path can stay in: more than one node, or one that leads to itself."""
    return [
        members
        for members in components(after)
        if len(members) > 1 or members[0] in after.get(members[0], ())
    ]


def returns(starts: Sequence[Node], after: Successors[Node]) -> set[tuple[Node, Node]]:
    """The edges that lead back, as a reader sees it: those to a node nearer to the start from
    which the way leads on to where the edge begins. Without them the graph has no loop."""
    before = reachable(starts, after)
    depth: dict[Node, int] = {}
    for node, previous in before.items():
        depth[node] = 0 if previous is None else depth[previous] + 1
    onward = {
        node: tuple(t for t in targets if depth.get(t, 0) >= depth.get(node, 0))
        for node, targets in after.items()
    }
    found: set[tuple[Node, Node]] = set()
    nearer = dict.fromkeys(t for node in onward for t in after[node] if t not in onward[node])
    for target in nearer if len(nearer) * len(after) <= MAX_SEARCH else ():
        behind = reachable([target], onward)
        found |= {(node, target) for node in behind if target in after.get(node, ())}
    left = {node: tuple(t for t in after[node] if (node, t) not in found) for node in after}
    return found | _closing(starts, left)


def _closing(starts: Sequence[Node], after: Successors[Node]) -> set[tuple[Node, Node]]:
    """The edges to a node on the path that a depth-first search has come along."""
    found: set[tuple[Node, Node]] = set()
    begun: set[Node] = set()
    on_path: set[Node] = set()
    for root in (*starts, *after):
        work: list[tuple[Node, bool]] = [(root, False)]
        while work:
            node, is_done = work.pop()
            if is_done:
                on_path.discard(node)
            elif node not in begun:
                begun.add(node)
                on_path.add(node)
                work.append((node, True))
                targets = after.get(node, ())
                found.update((node, target) for target in targets if target in on_path)
                work.extend((target, False) for target in reversed(targets))
    return found


def dominators(start: Node, after: Successors[Node]) -> dict[Node, Node]:
    """For every node that `start` leads to but itself: its immediate dominator, the last node that
    every path to it passes before it (Lengauer and Tarjan, with path compression). A node comes
    after its dominator."""
    number, parent = _depth_first(start, after)
    before: list[list[int]] = [[] for _ in parent]
    for node, at in number.items():
        for target in after.get(node, ()):
            before[number[target]].append(at)
    found, order = _immediate_dominators(parent, before), list(number)
    return {order[n]: order[found[n]] for n in range(1, len(order))}


def _depth_first(start: Node, after: Successors[Node]) -> tuple[dict[Node, int], list[int]]:
    """The nodes with their numbers in the order of a depth-first search, and for each number that
    of the node above it in its tree."""
    number: dict[Node, int] = {}
    parent: list[int] = []
    work = [(start, 0)]
    while work:
        node, origin = work.pop()
        if node in number:
            continue
        at = number[node] = len(parent)
        parent.append(origin)
        for target in reversed(after.get(node, ())):
            if target not in number:
                work.append((target, at))
    return number, parent


def _immediate_dominators(parent: list[int], before: list[list[int]]) -> list[int]:
    count = len(parent)
    semi, label = list(range(count)), list(range(count))
    ancestor, dominator = [-1] * count, [0] * count
    buckets: list[list[int]] = [[] for _ in range(count)]
    for node in range(count - 1, 0, -1):
        least = node
        for source in before[node]:
            # What comes before the node has not been looked at: it is its own semidominator.
            other = source if source < node else semi[_lowest(source, ancestor, label, semi)]
            if other < least:
                least = other
        semi[node] = least
        buckets[least].append(node)
        above = ancestor[node] = parent[node]
        for waiting in buckets[above]:
            best = _lowest(waiting, ancestor, label, semi)
            dominator[waiting] = best if semi[best] < semi[waiting] else above
        buckets[above].clear()
    for node in range(1, count):
        if dominator[node] != semi[node]:
            dominator[node] = dominator[dominator[node]]
    return dominator


def _lowest(node: int, ancestor: list[int], label: list[int], semi: list[int]) -> int:
    """The node of least semidominator on the forest's path above `node`; shortens that path."""
    if ancestor[node] < 0:
        return label[node]
    path = []
    at = node
    while ancestor[ancestor[at]] >= 0:
        path.append(at)
        at = ancestor[at]
    for lower in reversed(path):
        above = ancestor[lower]
        if semi[label[above]] < semi[label[lower]]:
            label[lower] = label[above]
        ancestor[lower] = ancestor[above]
    return label[node]


class Dominance(Generic[Node]):
    """Which nodes every path from a start to a node passes (a node dominates itself), from what
    `dominators` gave or any tree in which a node comes after the one above it. Nothing is above a
    node that the start does not lead to."""

    __slots__ = ("_first", "_size")

    def __init__(self, start: Node, immediate: dict[Node, Node]) -> None:
        size = {start: 1, **dict.fromkeys(immediate, 1)}
        for node in reversed(immediate):
            size[immediate[node]] += size[node]
        first, free = {start: 0}, {start: 1}
        for node, above in immediate.items():
            at = first[node] = free[above]
            free[above] = at + size[node]
            free[node] = at + 1
        self._first, self._size = first, size

    def holds(self, above: Node, below: Node) -> bool:
        """Return whether every path to `below` passes `above`, in constant time."""
        first = self._first
        if above not in first or below not in first:
            return False
        return first[above] <= first[below] < first[above] + self._size[above]

    def any_above(self, nodes: Iterable[Node]) -> Callable[[Node], bool]:
        """Return what says whether one of some nodes, not the asked one itself, is above it: in
        the logarithm of their number."""
        first, tops, begins = self._first, list[Node](), list[int]()
        for node in sorted((n for n in nodes if n in first), key=first.__getitem__):
            if not tops or not self.holds(tops[-1], node):
                tops.append(node)
                begins.append(first[node])

        def is_below(node: Node) -> bool:
            if node not in first or not tops:
                return False
            top = tops[bisect_right(begins, first[node]) - 1]
            return top != node and self.holds(top, node)

        return is_below


def leaves(members: Collection[Node], after: Successors[Node]) -> bool:
    """Whether an edge leads out of the set."""
    inside = set(members)
    return any(target not in inside for node in members for target in after.get(node, ()))
