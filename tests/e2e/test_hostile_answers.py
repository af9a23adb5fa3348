"""What a script or a command makes of its process is a failure of its node, never flowc's end."""

from __future__ import annotations

import json

import pytest

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
