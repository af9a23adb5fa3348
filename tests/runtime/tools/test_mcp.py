"""MCP servers as sources of tools: real processes, one session per run."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.files import tempdirs as rooms
from flowc.runtime.tools.mcp import McpServer, ServerSettings, read_servers
from flowc.runtime.tools.registry import ToolBox
from killing import Killed, in_process, kill_me
from tool_runs import server, use


def test_one_session_serves_a_whole_run(tmp_path):
    first, second = use(ToolBox((server(),)), ("process", {"text": ""}), ("process", {"text": ""}))
    assert first == second
    assert not Path(f"/proc/{first}").exists(), "ended with the run"


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


def test_a_server_that_dies_in_a_call_is_a_failure_and_so_is_every_later_call(tmp_path):
    died, after = use(ToolBox((server(),)), ("die", {"text": ""}), ("number", {"text": "abc"}))
    assert isinstance(died, Failure)
    assert "the MCP server `demo` failed in `die`" in died.message
    assert isinstance(after, Failure)


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
            use(ToolBox((source,)))
        assert f"`{source.server}` cannot be reached" in caught.value.message
        assert says in caught.value.message + caught.value.help


def test_what_a_server_says_is_kept_where_it_is_swept_after_a_kill(tmp_path, monkeypatch):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    source = server()
    source._transport()
    (kept,) = tmp_path.iterdir()
    assert rooms.left_behind() == [], "held as long as this process lives"
    asyncio.run(source.close())
    assert list(tmp_path.iterdir()) == []

    def dies() -> None:
        server()._transport()
        kill_me()

    with pytest.raises(Killed):
        in_process(dies)
    (kept,) = tmp_path.iterdir()
    assert rooms.sweep() == [kept]


def test_a_server_that_never_answers_is_given_up(tmp_path):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    source = McpServer("mute", ServerSettings("sleep", ("300",)), start_seconds=0.3)
    with pytest.raises(RunError, match=r"no answer within 0\.3 s"):
        use(ToolBox((source,)))


def test_without_the_extra_the_line_that_installs_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    with pytest.raises(RunError) as caught:
        use(ToolBox((McpServer("demo", ServerSettings("x")),)))
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
