"""No text of a document, a model or a person steers the terminal of whoever looks at it."""

from __future__ import annotations

import re

import pytest

BAD = "a\x1b]0;owned\x07b\x1b[2Jc\x9bd\u202ee\u2066f\rg\x08h"
"""A title of the window, a cleared screen, both kinds of CSI, two directions, what overwrites."""
OURS = re.compile(r"\x1b\[(?:1A|2K|\?25[lh])|\r")
"""What takes the line of a running node away."""
_YAML = "".join(f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}" for c in BAD)
FLOW = f"""\
flow: 1
title: "{_YAML}"
description: "{_YAML}"
params:
  WHO: {{description: "{_YAML}", default: "{_YAML}"}}
agents:
  main: {{system: "{_YAML}"}}
nodes:
  - name: say
    title: "{_YAML}"
    agent: main
    prompt: "{_YAML} {{{{ WHO }}}}"
    into: OUT
  - name: sure
    ask: "{_YAML}?"
    into: OUT
  - name: bye
    end: success
    set: {{result: OUT}}
"""
FAULTY = FLOW.replace("end: success", f'end: "{_YAML}"')
COMMANDS = (
    ("check", "bad.flow.yaml"),
    ("check", "faulty.flow.yaml"),
    ("check", "--format", "json", "faulty.flow.yaml"),
    ("inspect", "bad.flow.yaml"),
    ("inspect", "--json", "bad.flow.yaml"),
    *(("graph", "-f", form, "bad.flow.yaml") for form in ("dot", "mermaid", "html", "json")),
    ("graph", "bad.flow.yaml"),
    *(("convert", "--to", form, "bad.flow.yaml") for form in ("flow", "flowchart")),
    ("fmt", "--check", "bad.flow.yaml"),
    ("compile", "bad.flow.yaml", "-o", "out"),
    ("run", "bad.flow.yaml", "--dry-run"),
    ("test", "bad.flow.yaml"),
    ("runs",),
    ("runs", "--json"),
    ("show", "r"),
    ("show", "r", "--verbose"),
    ("show", "r", "--json"),
    ("history", "r"),
    ("diff", "r", "s"),
    ("step", "say", "--from", "r"),
    ("graph", "--run", "r"),
    ("resume", "r", "--answer", f"sure={BAD}"),
    ("fork", "r", "--at", BAD),
    ("torture", "bad.flow.yaml", "--boundaries", "1", "--moments", "0", "--answer", "sure=yes"),
    ("torture", "bad.flow.yaml"),
)


def hidden(screen: str) -> list[str]:
    """The characters of a screen that steer it, beside flowc's own."""
    shown = OURS.sub("", screen.replace("\r\n", "\n"))
    return sorted({c for c in shown if c != "\n" and c != "\t" and not c.isprintable()})


@pytest.fixture
def folder(flowc):
    flowc.write("bad.flow.yaml", FLOW)
    flowc.write("faulty.flow.yaml", FAULTY)
    flowc.write("bad.answers.yaml", f'say: "{_YAML}"\n')
    flowc.write(
        "bad.flowtest.yaml",
        f'tests:\n  "{_YAML}":\n    answers: bad\n    path: [say]\n    holds: ["x{_YAML}"]\n',
    )
    for run in ("r", "s"):
        done = flowc("run", "bad.flow.yaml", "--answers", "bad", "--run-id", run)
        assert done.returncode == 4, done.stderr
    return flowc


def test_no_command_passes_a_stranger_s_signs_to_the_terminal(folder):
    for words in COMMANDS:
        terminal = folder.terminal(*words)
        terminal.close()
        assert hidden(terminal.screen) == [], (words, terminal.screen)
        assert "Traceback" not in terminal.screen, words


def test_no_run_passes_a_model_s_signs_to_the_terminal(folder):
    terminal = folder.terminal("run", "bad.flow.yaml", "--answers", "bad")
    terminal.expect("> ")
    terminal.type("yes\n")
    terminal.close()
    assert hidden(terminal.screen) == [], terminal.screen
