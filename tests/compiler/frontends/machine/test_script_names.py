"""Names in the script beside a machine that nothing has."""

from __future__ import annotations

import json

import pytest
from flowc.compiler.driver import compile_file

MACHINE = {
    "workflow_name": "desk",
    "description": "Sorts.",
    "input": {"name": "message", "type": "string", "description": "said"},
    "output": {"name": "reply", "type": "string", "description": "answered"},
    "variables": {"attempts": 0},
    "contexts": [{"name": "talk"}],
    "agents": [{"agent_role": "clerk", "context": "talk", "role": "assistant"}],
    "states": [
        {
            "name": "start",
            "agent": "clerk",
            "pre_handler": "tell",
            "post_handler": "keep",
            "transition_handler": "next",
        },
        {"name": "again", "agent": "clerk", "post_handler": "keep", "transition_handler": "next"},
        {"name": "stop", "input": "common_data.reply"},
    ],
}
SCRIPT = """\
const LONGEST = 3; // this.comon_data stands in a comment
export default {
  tell() {
    this.talk().addMessage("user", `Sort this: ${this.common_data.message}`);
    this.begun ??= true;
    if (this.begun) { const { message } = this.common_data; this.log(message); }
  },
  keep() {
    const reply = this.last_response?.choices?.[0]?.message?.content;
    this.common_data.reply = reply;
    this.common_data.attempts++;
    this.workflow_contexts.get("talk").addMessage({ role: "assistant", content: reply });
  },
  next() {
    return this.common_data.attempts > LONGEST ? "stop" : "again";
  },
  talk() { return this.workflow_contexts.get("talk"); },
  log(text) { console.log(text); },
};
"""
PYTHON = """\
import re

LONGEST = 3


def tell(self):
    say(self, f"Sort this: {self.common_data['message']}")


def keep(self):
    reply = self.last_response["choices"][0]["message"]["content"]
    self.common_data["reply"] = re.sub(r"\\s+", " ", reply)
    self.common_data["attempts"] += 1


def next(self):
    return "stop" if self.common_data["attempts"] > LONGEST else "again"


def say(self, text):
    self.workflow_contexts.get("talk").addMessage("user", text)
"""


def said(tmp_path, monkeypatch, script, name="script.js"):
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk.json").write_text(json.dumps(MACHINE))
    (tmp_path / "desk" / name).write_text(script)
    monkeypatch.chdir(tmp_path)
    result = compile_file("desk.json")
    return [
        (d.code, script[d.primary.start : d.primary.end], d.help)
        for d in result.diagnostics
        if d.primary.file.endswith(name)
    ]


def test_scripts_without_a_mistake_raise_no_alarm(tmp_path, monkeypatch):
    assert said(tmp_path, monkeypatch, SCRIPT) == []


def test_python_without_a_mistake_raises_no_alarm(tmp_path, monkeypatch):
    assert said(tmp_path, monkeypatch, PYTHON, "script.py") == []


@pytest.mark.parametrize(
    ("right", "wrong", "code", "word"),
    [
        ("this.common_data.reply =", "this.comon_data.reply =", "FC3001", "common_data"),
        ("if (this.begun) {", "if (this.variables) {", "FC3001", "`common_data`"),
        ("this.last_response?", "this.lastResponse?", "FC3001", "last_response"),
        ("this.talk().", "this.tlak().", "FC3001", "`talk`"),
        ("this.common_data.attempts++", "common_data.attempts++", "FC3001", "this.common_data"),
        ("common_data.message}", "common_data.mesage}", "FC3001", "`message`"),
        ("const { message }", "const { mesage }", "FC3001", "`message`"),
        ('talk() { return this.workflow_contexts.get("talk")',
         'talk() { return this.workflow_contexts.get("tlk")', "FC2001", "`talk`"),
        ('addMessage("user"', 'addMesage("user"', "FC3001", "addMessage"),
        ('addMessage("user"', 'addMessage("usr"', "FC1005", "`user`"),
        ('addMessage("user", `Sort', "addMessage(`Sort", "FC1003", "addMessage"),
        ('"user", `Sort this: ${this.common_data.message}`', '`Sort`, "user"', "FC1005", "first"),
        ('? "stop" : "again"', '? "stop" : "again";\n    return again', "FC3001", '"again"'),
        ("const LONGEST", "const fs = require('fs');\nconst LONGEST", "FC4003", "no modules"),
        ("  next() {", "  async next() {", "FC4004", "async"),
        ("console.log(text)", "cosole.log(text)", "FC3001", "`console`"),
        ("console.log(text)", "JSON.prase(text)", "FC3001", "`parse`"),
        ("console.log(text)", "fetch(text)", "FC3001", "no network"),
        ("    this.common_data.attempts++", "    that.common_data.attempts++", "FC3001", "`this`"),
        ("this.common_data.attempts++;", "this.common_data.attempts++; go();", "FC3001", "define"),
        ("this.last_response?", "tihs.last_response?", "FC3001", "`this`"),
        ("${this.common_data.message}", "${common_data.message}", "FC3001", "this.common_data"),
        ('workflow_contexts.get("talk").addMessage', 'workflow_contexts["talk"].addMessage',
         "FC3001", ".get("),
        ('workflow_contexts.get("talk").addMessage', "workflow_contexts.talk.addMessage",
         "FC3001", ".get("),
        ('workflow_contexts.get("talk").addMessage', 'workflow_contexts("talk").addMessage',
         "FC3001", ".get("),
        ('workflow_contexts.get("talk").addMessage', "workflow_contexts.get(talk).addMessage",
         "FC3001", '"talk"'),
        ('LONGEST ? "stop"', "LONGEST ? states.stop", "FC3001", "define"),
        ('LONGEST ? "stop"', "LONGEST ? this.stop", "FC3001", '"stop"'),
    ],
)  # fmt: skip
def test_names_of_a_script(tmp_path, monkeypatch, right, wrong, code, word):
    assert right in SCRIPT
    found = said(tmp_path, monkeypatch, SCRIPT.replace(right, wrong, 1))
    assert [one for one in found if one[0] == code and word in one[2]], found


@pytest.mark.parametrize(
    ("right", "wrong", "code", "word"),
    [
        ('self.common_data["reply"] =', 'self.comon_data["reply"] =', "FC3001", "common_data"),
        ('"stop" if self.common_data["attempts"]', '"stop" if self.common_data["atempts"]',
         "FC3001", "`attempts`"),
        ('.get("talk")', '.get("tlk")', "FC2001", "`talk`"),
        ("addMessage", "add_message", "FC3001", "addMessage"),
        ("    say(self,", "    sya(self,", "FC3001", "`say`"),
        ("def tell(self)", "def tell()", "FC4004", "self"),
        ("def next(self)", "async def next(self)", "FC4004", "async"),
        ('    return "stop" if', '    if self:\n        return again\n    return "stop" if',
         "FC3001", '"again"'),
        ('self.common_data["reply"] =', 'this.common_data["reply"] =', "FC3001", "`self`"),
        ('self.common_data["reply"] =', 'self.common_data.reply =', "FC3001", '["reply"]'),
        ('self.common_data["reply"] =', 'x = self.common_data("reply") or', "FC3001",
         "common_data["),
    ],
)  # fmt: skip
def test_names_of_a_script_in_python(tmp_path, monkeypatch, right, wrong, code, word):
    assert right in PYTHON
    found = said(tmp_path, monkeypatch, PYTHON.replace(right, wrong, 1), "script.py")
    assert [one for one in found if one[0] == code and word in one[2]], found


def test_a_field_that_is_nearly_the_output_is_told_where_nothing_sets_the_output(
    tmp_path, monkeypatch
):
    script = SCRIPT.replace("const { message } = this.common_data;", "const message = 1;")
    wrong = script.replace("this.common_data.reply =", "this.common_data.repply =")
    wrong = wrong.replace("const reply =", "const answer =").replace("= reply;", "= answer;")
    wrong = wrong.replace("content: reply", "content: answer")
    found = said(tmp_path, monkeypatch, wrong)
    assert found == [("FC3003", "repply", "is `reply` meant?")]


@pytest.mark.parametrize(
    "sets",
    ["Object.assign(this.common_data, { reply: 1 })", "this.common_data[`re${1}`] = 1"],
)
def test_an_output_that_is_set_in_another_way_raises_no_alarm(tmp_path, monkeypatch, sets):
    script = SCRIPT.replace("this.common_data.reply =", f"{sets}; this.common_data.repplies =")
    assert said(tmp_path, monkeypatch, script) == []
