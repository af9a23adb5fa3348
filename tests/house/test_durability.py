"""docs/durability.md names the test that shows each promise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "durability.md"
TESTS = PAGE.parents[1] / "tests"
NOT_PROMISED = "not promised"


def promises() -> Iterator[tuple[str, str]]:
    """Yield the first and the last cell of each row in the tables that say what shows them."""
    shown = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            shown = False
        elif line.endswith("| shown by |"):
            shown = True
        elif shown and not line.startswith("|--"):
            cells = line.strip("| ").split(" | ")
            yield cells[0], cells[-1]


@pytest.fixture(scope="module")
def functions() -> set[str]:
    """The names of all tests."""
    texts = (file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py"))
    return {
        name for text in texts for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.M)
    }


@pytest.mark.parametrize(("promise", "shown"), tuple(promises()), ids=lambda cell: cell[:40])
def test_each_promise_names_tests_that_are_there(
    functions: set[str], promise: str, shown: str
) -> None:
    names = re.findall(r"`(test_\w+)`", shown)
    assert names or shown == NOT_PROMISED, promise
    assert set(names) <= functions


def test_the_tables_of_promises_are_found() -> None:
    assert len(list(promises())) > 20
