"""Which checkpoints a walk to the first one comes back to."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from flowc.runtime.savers.circles import in_circle


@pytest.mark.parametrize(
    ("parents", "found"),
    [
        ({"a": None, "b": "a", "c": "b"}, []),
        ({"a": None, "b": "b"}, ["b"]),
        ({"a": "c", "b": "a", "c": "b", "d": "c"}, ["a"]),
        ({"a": None, "b": "c", "c": "a"}, []),  # a clock went back, and nobody comes back
        ({"a": "b", "b": "b"}, ["b"]),
        ({"a": "z"}, []),
    ],
)
def test_a_circle_is_found_where_it_turns_back(
    parents: Mapping[str, str | None], found: list[str]
) -> None:
    assert list(in_circle(parents, parents)) == found
