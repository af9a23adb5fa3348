"""Fixtures for every test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected files anew; read the diff before you commit it",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(path, text)`: the file holds this text; --update-golden writes it instead."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            return
        assert path.is_file(), f"{path.name} is missing: run with --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A local server that speaks the OpenAI protocol (tests/fixtures/openai_server.py)."""
    with OpenAIServer() as server:
        yield server
