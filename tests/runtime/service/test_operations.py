"""The row of an operation is all that is said of it: the client and docs/api.md fit the row."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from flowc.runtime.service import AsyncClient, Client
from flowc.runtime.service.api.routes import function_of
from flowc.runtime.service.client.exchange import Talk
from flowc.runtime.service.contract.operation import Operation
from flowc.runtime.service.contract.operations import OPERATIONS
from pydantic import BaseModel

PAGE = Path(__file__).parents[3] / "docs/api.md"
CALLED = [row for row in OPERATIONS if row.response is not None]
ROWS = pytest.mark.parametrize("row", CALLED, ids=lambda row: row.name)
INSTEAD = {
    "create_workflow": {"workflow", "file_name"},
    "create_team": {"team"},
    "respond_to_message": {"status"},
}
"""What methods of the client take beside the fields of their requests."""


def _fields(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if name == "filters":
            assert isinstance(field.annotation, type)
            yield from _fields(field.annotation)
        else:
            yield name


@ROWS
def test_the_client_has_a_method_that_takes_and_returns_what_the_row_says(row: Operation) -> None:
    name = row.name.lower()
    call = getattr(Client, name)
    assert all(inspect.getdoc(getattr(kind, name)) for kind in (Client, AsyncClient))
    fields = set() if row.documents else {*row.path_names, *_fields(row.request)}
    key = {"key"} if row.method != "GET" else set()
    assert set(inspect.signature(call).parameters) == fields | INSTEAD.get(name, set()) | key
    assert get_type_hints(call)["return"] == Talk[row.response]  # type: ignore[name-defined]


@ROWS
def test_the_function_takes_and_returns_what_the_row_says(row: Operation) -> None:
    function = function_of(row)
    hints = get_type_hints(function)
    assert hints.pop("return") is row.response
    assert hints.pop("request", row.request) is row.request
    if row.by_name is not None:
        assert issubclass(row.by_name, row.request)
    assert len(hints) == 2 + len(row.path_names)


@ROWS
def test_an_example_is_a_request(row: Operation) -> None:
    examples: list[tuple[type[BaseModel], Any]] = list(row.documents.values())
    if row.in_contract and not examples:
        examples = [(row.whole_request(), row.whole_example())]
    assert examples or not row.in_contract
    for model, example in examples:
        model.model_validate(example)


def test_generated_table_of_operations_is_up_to_date(golden: Callable[[Path, str], None]) -> None:
    """`make docs` writes it. Rows with the same note stand in one line."""
    head = "| contract | path | |\n|---|---|---|\n"
    lines = []
    for note, rows in itertools.groupby(OPERATIONS, key=lambda row: row.note or row.name):
        first, *others = rows
        shown = ", ".join(f"`{_path(path)}`" for path in (first.route, *(r.path for r in others)))
        name = first.name if first.in_contract else "–"
        lines.append(f"| {name} | {shown} | {note} |" if first.note else f"| {name} | {shown} | |")
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(head) + len(head)
    end = page.index("| – | `GET /v1/openapi.json`")
    golden(PAGE, page[:start] + "\n".join(lines) + "\n" + page[end:])


def _path(path: str) -> str:
    return re.sub(r"{(\w+?)(_id)?(:path)?}", r"{\1}", path).replace("{execution}", "{id}")
