"""A language client in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsp_client import LspClient
from lsp_texts import (
    CHART,
    CONTRACT,
    FLOW,
    MACHINE,
    MERMAID,
    MORE,
    PLAN,
    PROMPTS,
    SCRIPT,
    STEPS,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of each dialect, one that is called and one that is included."""
    (tmp_path / "steps.md").write_text(STEPS, encoding="utf-8")
    (tmp_path / "trip.wf.md").write_text(CHART, encoding="utf-8")
    (tmp_path / "more.wf.md").write_text(MORE, encoding="utf-8")
    (tmp_path / "prompts.md").write_text(PROMPTS, encoding="utf-8")
    (tmp_path / "plain.mmd").write_text(MERMAID, encoding="utf-8")
    (tmp_path / "judge.flow.yaml").write_text(FLOW, encoding="utf-8")
    (tmp_path / "desk.json").write_text(MACHINE, encoding="utf-8")
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/script.js").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "roof.json").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "reading.md").write_text(PLAN, encoding="utf-8")
    return tmp_path


def quiet(client: LspClient) -> None:
    """End a server that must have written no traceback and reported no fault of its own."""
    client.kill()
    assert client.process.stderr is not None
    assert client.process.stderr.read() == b""
    assert client.logs == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LspClient]:
    """One server for all tests of a module."""
    client = LspClient(tmp_path_factory.mktemp("first"))
    yield client
    quiet(client)


@pytest.fixture
def client(server: LspClient, folder: Path) -> LspClient:
    """The module's server, with nothing open and this test's folder as its workspace."""
    server.move(folder)
    return server


@pytest.fixture
def own_client(folder: Path) -> Iterator[LspClient]:
    """A server for one test that ends it."""
    client = LspClient(folder)
    yield client
    quiet(client)
