"""What a script or a command makes of its process is a failure of its node, never flowc's end."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import hostile_mcp_server
import pytest
from hostile_model_server import HostileModels

FORGER = """
import os, struct

def go(self):
    for data in (b"[1, 1]", {frame}):
        data = struct.pack("!I", len(data)) + data
        while data:
            for pipe in range(3, 9):
                try:
                    data = data[os.write(pipe, data):]
                    break
                except OSError:
                    continue
    os._exit(0)
"""
FRAMES = {
    "brackets": 'b"[" * 3_000_000',
    "an unknown name": 'b\'{"value": 1, "shares": {"theirs": 1}, "threads": {}, "logs": []}\'',
    "nothing to read": 'b"\\xff" * 99',
}
SCRIPTS = """flow: 1
scripts: {forger: {language: python, source: SOURCE}}
nodes:
  - {name: forge, script: forger, function: go, into: said}
  - {name: good, end: success}
"""
COMMANDS = """flow: 1
nodes:
  - {name: spoil, exec: 'rm -rf "$HOME/tmp" && echo x >"$HOME/tmp"', into: said}
  - {name: after, exec: echo well, into: said}
  - {name: good, end: success}
"""


def _with_way(text: str, node: str) -> str:
    way = "  - {name: caught, assign: {said: '\"caught\"'}}\n"
    return text.replace(f"name: {node},", f"name: {node}, on_error: caught,") + way


@pytest.mark.parametrize("name", FRAMES)
def test_a_forged_frame_is_a_failure_of_its_node(flowc, name):
    source = json.dumps(FORGER.replace("{frame}", FRAMES[name]))
    for text, code in ((SCRIPTS, 1), (_with_way(SCRIPTS, "forge"), 0)):
        flowc.write("forge.flow.yaml", text.replace("SOURCE", source))
        done = flowc("run", "forge.flow.yaml", "--json")
        assert done.returncode == code, done.stderr
        told = json.loads(done.stdout)
        assert told["status"] == ("failed" if code else "success") or told["error"]
        assert "internal fault" not in done.stderr
        if code:
            assert told["error"]["node"] == "forge"
        else:
            assert told["variables"]["said"] == "caught"


def test_a_file_in_place_of_the_folder_for_temporary_files_is_one_too(flowc):
    for text, code in ((COMMANDS, 1), (_with_way(COMMANDS, "after"), 0)):
        flowc.write("spoil.flow.yaml", text)
        done = flowc("run", "spoil.flow.yaml", "--allow-exec", "--json")
        assert done.returncode == code, done.stderr
        told = json.loads(done.stdout)
        if code:
            assert told["error"]["node"] == "after"
        else:
            assert told["variables"]["said"] == "caught"


ASKS = """flow: 1
nodes:
  - {name: ask, agent: any, prompt: Say hello., into: said}
  - {name: good, end: success}
"""


@pytest.mark.parametrize(
    "way", ["a choice of other kinds", "tokens beyond all", "calls by the thousand"]
)
def test_what_a_model_server_sends_is_one_too(flowc, way):
    pytest.importorskip("langchain_openai", reason="needs the extra `openai`")
    with HostileModels(way) as server:
        given = ("--model", "openai:m", "--base-url", server.url, "--json")
        flowc.write("ask.flow.yaml", _with_way(ASKS, "ask"))
        done = flowc("run", "ask.flow.yaml", *given, OPENAI_API_KEY="sk-test-0123456789")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    believed = way == "tokens beyond all"
    assert told["variables"]["said"] == ("well" if believed else "caught")
    assert "internal fault" not in done.stderr
    assert "Warning" not in done.stderr


CALLS = """flow: 1
nodes:
  - {name: look, tool: look, args: {text: "'x'"}, into: said}
  - {name: good, end: success}
"""


@pytest.mark.parametrize("way", ["notes", "brackets"])
def test_what_a_tool_server_notes_is_not_shown(flowc, way):
    """Twenty thousand notes with signs for the terminal, and what is no frame with a traceback."""
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    server = {"command": sys.executable, "args": [str(Path(hostile_mcp_server.__file__)), way]}
    flowc.write("servers.json", json.dumps({"mcpServers": {"far": server}}))
    flowc.write("look.flow.yaml", CALLS)
    done = flowc("run", "look.flow.yaml", "--mcp", "servers.json", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["variables"]["said"] == "well"
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
