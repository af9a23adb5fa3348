"""Fixtures for every test."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from openai_server import OpenAIServer
from own_folders import write_record
from slow_tests import is_slow, read_table

# A shell has its background jobs ignore Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Hundreds of tests start Python: none should compile what it imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

TRIES = 3
"""Timeouts of a test after which its process ends: it may be tried twice."""

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected files anew; read the diff before you commit it",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make check` leaves to `make test`."""
    table = read_table()
    for item in items:
        if is_slow(item.nodeid, table):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process of a test that even its timeout does not end, as one that waits for a thread
    or a process in its clean-up. Every thread's stack is printed, and the other tests go on."""
    mark = item.get_closest_marker("timeout")
    option = item.config.getoption("timeout", None) or item.config.getini("timeout")
    seconds = float(mark.args[0] if mark and mark.args else option)
    # Not faulthandler's own timer: a child that is forked in a test would wait for it for ever.
    timer = threading.Timer(TRIES * seconds, _give_up, (item,))
    timer.daemon = True
    timer.start()
    try:
        return (yield)
    finally:
        timer.cancel()


def _give_up(item: pytest.Item) -> None:
    stderr = item.config.stash[fault_handler_stderr_fd_key]  # that of pytest itself, not captured
    faulthandler.dump_traceback(stderr, all_threads=True)
    os._exit(1)


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
