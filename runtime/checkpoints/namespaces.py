"""The form of LangGraph's namespaces: they are put together and taken apart here.

A namespace names a graph that runs by the path of calls that leads to it: the node and its task at
every level, then the number of the node's run where there are several, then that of an attempt.

    draft:TASK              the only run of the subgraph of `draft`
    each:TASK|2|check:TASK  `check` in the third element of `each`
    each:TASK|2|1           the second attempt of that element
    @3.LINE|draft:TASK      the first, in the journal, on a line of the third turn of a thread
"""

from __future__ import annotations

from collections.abc import Iterator

BETWEEN = "|"
"""The mark between the parts of a namespace."""


def join(namespace: str, *parts: str | int) -> str:
    """Return the namespace of parts below another one."""
    return BETWEEN.join((*([namespace] if namespace else []), *map(str, parts)))


def task_part(node: str, task: str) -> str:
    """Return a node with its task as a part of a namespace."""
    return f"{node}:{task}"


def on_line(line: str, namespace: str) -> str:
    """Return the namespace as the journal keeps it for a line of a thread's turn."""
    return f"@{line}{BETWEEN}{namespace}" if line else namespace


def line_in(key: str) -> str:
    """Return the line that a journal's key is of, "" for none."""
    first = key.partition(BETWEEN)[0]  # that of a namespace has a task
    return first[1:] if first.startswith("@") and ":" not in first else ""


def without_line(key: str) -> str:
    """Return the namespace of a journal's key."""
    return key.partition(BETWEEN)[2] if line_in(key) else key


def place_of(key: str, run: str) -> str:
    """Return in words the node of a journal's key."""
    path = "/".join(node for node, _ in levels(without_line(key)))
    return f"node `{path}` of run {run}" if path else f"run {run}"


def around(namespace: str) -> str:
    """Return the namespace without its last part."""
    return namespace.rpartition(BETWEEN)[0]


def is_within(namespace: str, outer: str) -> bool:
    """Return whether a namespace is another one, or lies below it."""
    return namespace == outer or namespace.startswith(outer + BETWEEN)


def levels(namespace: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the node of every level, the outermost first, with the numbers after it."""
    name, numbers = "", list[int]()
    for part in namespace.split(BETWEEN):
        if part.isdecimal():
            numbers.append(int(part))
        elif ":" in part:
            if name:
                yield name, tuple(numbers)
            name, numbers = part.rpartition(":")[0], []
    if name:
        yield name, tuple(numbers)
