"""The difference of two texts, as people read it: lines that go and lines that come."""

from __future__ import annotations

from collections.abc import Iterator

from flowc.compiler.source.snippet import visible


def difference(name: str, old: str, new: str) -> Iterator[str]:
    """Yield the lines of a unified diff of a file, control characters made visible."""
    import difflib

    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{name} (as it is)", f"{name} (fixed)", lineterm=""
    )
    yield from map(visible, lines)
