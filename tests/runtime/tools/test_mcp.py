"""MCP servers as sources of tools: real processes, one session for all runs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.services import ToolSchema
from flowc.runtime.tools.mcp import McpServer
from flowc.runtime.tools.mcp_connections import end_connections
from flowc.runtime.tools.mcp_servers import ServerSettings, read_servers
from flowc.runtime.tools.registry import ToolBox
from ports import free_port
from tool_runs import listening, server, use


@pytest.fixture(autouse=True)
def ended():
    """No server is left by a test, and none is taken over from another."""
    end_connections()
    yield
    end_connections()


PROCESS = ("process", {"text": ""})


def test_one_server_serves_all_runs_of_a_process_and_ends_with_it():
    first, second = use(ToolBox((server(),)), PROCESS, PROCESS)
    third = use(ToolBox((server(),)), PROCESS)[0]
    assert first == second == third
    end_connections()
    assert not Path(f"/proc/{first}").exists()


def test_several_first_calls_start_one_server():
    async def at_once() -> list[object]:
        boxes = [ToolBox((server(),)) for _ in range(3)]
        for box in boxes:
            await box.open()
        return await asyncio.gather(*(box.call(*PROCESS) for box in boxes))

    assert len(set(asyncio.run(at_once()))) == 1


def test_a_server_that_was_killed_between_two_calls_is_started_again():
    box = ToolBox((server(),))
    (first,) = use(box, PROCESS)
    os.kill(first, signal.SIGKILL)
    second, third = use(box, PROCESS, PROCESS)
    assert second == third != first


@pytest.mark.parametrize("kind", ["http", "sse"])
def test_a_server_at_a_url_that_was_killed_between_two_calls_is_asked_again_when_it_is_back(kind):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    port = free_port()
    path = "mcp" if kind == "http" else "sse"
    settings = ServerSettings(url=f"http://127.0.0.1:{port}/{path}", kind=kind)
    box = ToolBox((McpServer("far", settings),))
    with listening(kind, port) as process:
        assert use(box, PROCESS) == [process.pid]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (gone,) = use(box, PROCESS)
    assert "the MCP server `far` cannot be reached" in gone.message
    with listening(kind, port) as process:
        assert use(box, PROCESS, PROCESS) == [process.pid] * 2
    with listening(kind, port) as process:
        assert use(box, PROCESS) == [process.pid]


def test_a_server_ends_with_the_process_that_uses_it(tmp_path):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from tool_runs import *\n"
        "print(use(ToolBox((server(),)), ('process', {'text': ''}))[0])"
    )
    words = [sys.executable, "-c", code, str(Path(__file__).parents[2] / "fixtures")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert not Path(f"/proc/{int(done.stdout)}").exists()
    assert done.stderr == ""


def test_a_server_starts_when_a_tool_is_first_asked_for():
    box = ToolBox((server(),), needed=("process",))

    async def opened() -> None:
        await box.open()
        assert not running()
        assert (await box.schema("process")).source == "mcp:demo"
        assert running()

    asyncio.run(opened())


def test_with_a_lock_a_server_starts_when_a_tool_is_first_called():
    locked = ToolSchema("process", "", {"type": "object"}, "pure", "mcp:demo")
    box = ToolBox((server(),), needed=("process",), locked=(locked,))

    async def called() -> None:
        await box.open()
        assert (await box.schema("process")).effect == "pure"
        assert not running()
        await box.call(*PROCESS)
        assert running()

    asyncio.run(called())


def running() -> bool:
    return any(thread.name == "flowc-mcp" for thread in threading.enumerate())


def test_results_and_failures_of_a_server():
    words, number, failure = use(
        ToolBox((server(),)),
        ("count_words", {"text": "a b"}),
        ("number", {"text": "abc"}),
        ("broken", {"text": "x"}),
    )
    assert (words, number) == ({"words": 2}, 3)
    assert "no such word" in failure.message


def test_what_a_server_says_of_its_tools_is_their_effect(tmp_path):
    async def effects() -> dict[str, str]:
        source = server()
        try:
            return {tool.name: tool.effect for tool in await source.open()}
        finally:
            await source.close()

    found = asyncio.run(effects())
    assert (found["count_words"], found["secret"], found["broken"]) == (
        "pure", "idempotent", "once",
    )  # fmt: skip


def test_a_server_that_dies_in_a_call_is_a_failure_and_the_next_call_starts_it_again(tmp_path):
    died, after = use(ToolBox((server(),)), ("die", {"text": ""}), ("number", {"text": "abc"}))
    assert isinstance(died, Failure)
    assert "the MCP server `demo` failed in `die`" in died.message
    assert after == 3


def test_a_server_sees_no_secret_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    assert use(ToolBox((server(),)), ("secret", {"text": "MY_TOKEN"})) == ["unset"]
    given = server(env={"MY_TOKEN": "given"})
    assert use(ToolBox((given,)), ("secret", {"text": "MY_TOKEN"})) == ["given"]


def test_a_server_that_cannot_start_says_how_it_is_started(tmp_path):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    (tmp_path / "bad.py").write_text("import sys; sys.exit('no licence file')")
    bad = McpServer("bad", ServerSettings(sys.executable, (str(tmp_path / "bad.py"),)))
    for source, says in (
        (McpServer("none", ServerSettings("no-such-command")), "no-such-command"),
        (bad, "no licence file"),
    ):
        with pytest.raises(RunError) as caught:
            asyncio.run(source.open())
        assert f"`{source.server}` cannot be reached" in caught.value.message
        assert says in caught.value.message + caught.value.help


def test_what_a_server_says_is_never_on_the_disk(tmp_path, monkeypatch):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    use(ToolBox((server(),)), PROCESS)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_never_answers_is_given_up(tmp_path):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    source = McpServer("mute", ServerSettings("sleep", ("300",)), start_seconds=0.3)
    with pytest.raises(RunError, match=r"no answer within 0\.3 s"):
        asyncio.run(source.open())


def test_without_the_extra_the_line_that_installs_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    with pytest.raises(RunError) as caught:
        use(ToolBox((McpServer("demo", ServerSettings("x")),), needed=("x",)))
    assert caught.value.help == "pip install 'flowc[mcp]'"


def test_servers_are_read_from_a_standard_file_and_the_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("WHERE", "/srv")
    file = tmp_path / "mcp.json"
    file.write_text(
        '{"mcpServers": {"a": {"command": "run", "args": ["--in", "${WHERE}/x"],'
        ' "env": {"LEVEL": "${LEVEL:-info}"}}, "b": {"url": "https://example.org/mcp"}}}'
    )
    servers = read_servers({"c": {"command": "c", "type": "stdio"}}, (str(file),))
    assert servers["a"].args == ("--in", "/srv/x")
    assert servers["a"].env == {"LEVEL": "info"}
    assert servers["b"].url == "https://example.org/mcp"
    assert servers["c"].command == "c"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", r":1:2: not JSON"),
        ("[]", "no object `mcpServers`"),
        ('{"mcpServers": {"a": 1}}', "a is not an object"),
        ('{"mcpServers": {"a": {}}}', "needs a `command` or a `url`"),
        ('{"mcpServers": {"a": {"command": 1}}}', "needs a `command` or a `url`"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "`args` is a list of texts"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}', "`env` is an object of texts"),
        ('{"mcpServers": {"a": {"command": "${NOT_SET_AT_ALL}"}}}', "NOT_SET_AT_ALL, which is not"),
    ],
)
def test_a_broken_file_of_servers_says_where(tmp_path, text, says):
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(RunError, match=says):
        read_servers({}, (str(file),))


def test_what_came_from_the_environment_is_shown_in_no_message(tmp_path, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", "hunter2")
    script = "echo refused ${DEPLOY_TOKEN} >&2; exit 3"
    servers = {
        "s": {"command": "sh", "args": ["-c", script, "${DEPLOY_TOKEN}"]},
        "u": {"url": "http://127.0.0.1:9/${DEPLOY_TOKEN}"},
    }
    for name, settings in read_servers(servers, ()).items():
        with pytest.raises(RunError, match="cannot be reached") as refused:
            asyncio.run(McpServer(name, settings).open())
        said = refused.value.message + refused.value.help
        assert "hunter2" not in said
        assert "[redacted]" in said
