"""Fixtures for every test."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer
from own_folders import write_record

# A shell has its background jobs ignore Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected files anew; read the diff before you commit it",
    )


@pytest.fixture(scope="session", autouse=True)
def user_settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration folder of a user who trusts the folders of tests, for this process and those
    that it starts. Nothing of the developer's own settings."""
    home = tmp_path_factory.mktemp("settings")
    write_record(home)
    os.environ["XDG_CONFIG_HOME"] = str(home)
    return home


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
