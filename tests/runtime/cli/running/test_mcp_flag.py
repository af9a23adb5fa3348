"""`--mcp FILE`: tools of a standard file of servers, kept with the run."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[3] / "fixtures" / "demo_mcp_server.py"
STEP = """### 🔧 WORKFLOW STEP: Count
```
Count the words.
```
### 🛠️ TOOL: count_words
"""
ANSWERS = "step_0: [{call: {count_words: {text: a b}}}, {report: passed}]\n"


@pytest.mark.skipif(find_spec("fastmcp") is None, reason="needs the extra `mcp`")
def test_a_run_calls_the_tools_of_a_file_given_with_mcp(flowc, tmp_path):
    servers = {"mcpServers": {"demo": {"command": sys.executable, "args": [str(SERVER)]}}}
    (tmp_path / "servers.json").write_text(json.dumps(servers))
    (tmp_path / "count.md").write_text(STEP, encoding="utf-8")
    (tmp_path / "a.yaml").write_text(ANSWERS)
    flags = ("--mcp", "servers.json", "--run-id", "r", "--break", "step_0")
    assert flowc("run", "count.md", "--answers", "a.yaml", *flags).returncode == 4
    done = flowc("resume", "r", "--json")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "success"), done.stderr
    without = flowc("run", "count.md", "--answers", "a.yaml")
    assert without.returncode == 2
    assert "nothing provides the tool `count_words`" in without.stderr
