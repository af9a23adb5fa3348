"""Scripts that come near a mistake and make none: not one word is said of them."""

from __future__ import annotations

import contextlib
import json
import textwrap
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file

_HERE = Path(__file__).parent
_BY_LINE = (_HERE / "sound_statements.txt").read_text(encoding="utf-8").splitlines()
_IN_PYTHON = (_HERE / "sound_statements_python.txt").read_text(encoding="utf-8").split("\n---\n")
_STATES = ("start", "edit")
_MACHINE = {
    "workflow_name": "notice",
    "description": "Writes.",
    "input": {"name": "subject", "type": "string", "description": "what about"},
    "output": {"name": "notice", "type": "string", "description": "as printed"},
    "variables": {"rounds": 0, "drafts": [], "limit": 3},
    "contexts": [{"name": "desk"}],
    "agents": [{"agent_role": "writer", "context": "desk", "role": "assistant"}],
    "states": [
        *(
            {"name": name, "agent": "writer", "pre_handler": "tell", "transition_handler": "next"}
            for name in _STATES
        ),
        {"name": "stop", "input": "common_data.notice"},
    ],
}
_SCRIPT = """\
export default {
  tell() {
    @
  },
  next() { return this.common_data.rounds > 1 ? "stop" : "edit"; },
  helper(x) { return x; },
  format: (n) => `${n}`,
};
"""
_PYTHON = """\
import json
import re
import datetime
from datetime import datetime as dt

LIMIT = 3


def say(self, text, role="user"):
    self.workflow_contexts.get("desk").addMessage(role, text)


def helper(self, x):
    return x


def tell(self):
@


def next(self):
    return "stop" if self.common_data["rounds"] else "edit"
"""


def said(folder: Path, name: str, script: str) -> list[str]:
    (folder / "notice").mkdir()
    (folder / "notice.json").write_text(json.dumps(_MACHINE))
    (folder / "notice" / name).write_text(script, encoding="utf-8")
    (folder / "notice" / "roles.json").write_text('{"writer": {"systemMessage": "You write."}}')
    with contextlib.chdir(folder):
        return [f"{d.code} {d.message}" for d in compile_file("notice.json").diagnostics]


@pytest.mark.parametrize("statement", _BY_LINE)
def test_a_sound_statement_raises_no_alarm(tmp_path, statement):
    assert said(tmp_path, "script.js", _SCRIPT.replace("@", statement, 1)) == []


@pytest.mark.parametrize("statements", _IN_PYTHON)
def test_sound_statements_in_python_raise_no_alarm(tmp_path, statements):
    body = textwrap.indent(statements.rstrip("\n"), "    ")
    assert said(tmp_path, "script.py", _PYTHON.replace("@", body, 1)) == []
