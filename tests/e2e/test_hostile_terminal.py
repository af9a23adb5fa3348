"""No text of a document, a model or a person steers the terminal of whoever looks at it."""

from __future__ import annotations

import re

import pytest
from command_rows import leaves
from damaged_sounds import damaged
from flowc.runtime.cli.app import COMMANDS
from ports import free_port

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
NAMED = f"{BAD}.flow.yaml"
SOUND = f"{BAD}.wav"
_TOML = "".join(f"\\u{ord(c):04x}" for c in BAD)
SETTINGS = f"""\
base_url = "https://{_TOML}.example"
model = "{_TOML}"
[tools]
python = ["acme.{_TOML}:count"]
[mcp_servers."{_TOML}"]
command = "{_TOML}"
args = ["{_TOML}"]
"""
CASES: dict[str, tuple[tuple[str, ...], ...]] = {
    "check": (("bad.flow.yaml",), ("faulty.flow.yaml",), ("--format", "json", "faulty.flow.yaml"),
              (NAMED,), (BAD,)),
    "inspect": (("bad.flow.yaml",), ("--json", "bad.flow.yaml"), (NAMED,)),
    "graph": (("bad.flow.yaml",), ("--run", "r"), (NAMED,),
              *(("-f", form, "bad.flow.yaml") for form in ("dot", "mermaid", "html", "json"))),
    "convert": tuple(("--to", form, "bad.flow.yaml") for form in ("flow", "flowchart")),
    "compile": (("bad.flow.yaml", "-o", "out"), (NAMED, "-o", BAD)),
    "dev": ((BAD,),),
    "run": (("bad.flow.yaml", "--dry-run"), (BAD,), ("bad.flow.yaml", "-i", f"{BAD}={BAD}"),
            ("bad.flow.yaml", "--answers", BAD), ("bad.flow.yaml", "--model", BAD)),
    "resume": (("r", "--answer", f"sure={BAD}"), (BAD,)),
    "step": (("say", "--from", "r"), (BAD, "--from", "r")),
    "pause": (("r",), (BAD,)),
    "stop": ((BAD,), ("s",)),
    "runs": ((), ("--json",), ("--workflow", BAD), ("--store", f"sqlite:///{BAD}/x")),
    "runs prune": (("--dry-run", "--older-than", "0d"), ("--older-than", BAD)),
    "show": (("r",), ("r", "--verbose"), ("r", "--json"), (BAD,)),
    "history": (("r",), (BAD,)),
    "diff": (("r", "s"), ("r", BAD)),
    "fork": (("r", "--at", BAD), (BAD,)),
    "gc": (("--dry-run",), ("--store", BAD)),
    "explain": ((BAD,),),
    "test": (("bad.flow.yaml",), (NAMED,)),
    "torture": (("bad.flow.yaml", "--boundaries", "1", "--moments", "0", "--answer", "sure=yes"),
                ("bad.flow.yaml",)),
    "lsp": ((f"--{BAD}",),),
    "mcp": (("--root", BAD),),
    "serve": (("--host", BAD), ("--store", f"{BAD}://x")),
    "worker": (("--store", f"{BAD}://x"),),
    "watch": (("--once",), (BAD, "--once")),
    "token create": ((BAD,),),
    "token list": ((),),
    "token revoke": ((BAD,),),
    "fmt": (("--check", "bad.flow.yaml"), ("--check", NAMED), ("--check", "."), ()),
    "schema": ((BAD,),),
    "audio measure": ((SOUND,), (f"{BAD}.txt",)),
    "audio tools": ((BAD,),),
    "audio apply": ((f'GAIN(input="{BAD}", output="b.wav", gain_db=1)',), (BAD,)),
    "audio synth": ((BAD,),),
    "audio vocabulary": ((f"--{BAD}",),),
    "audio report": ((BAD,),),
    "tools list": ((), (f"--{BAD}",)),
    "tools lock": ((),),
    "jobs list": (("--store", BAD), ()),
    "jobs retry": ((BAD,),),
    "jobs workers": (("--store", BAD), ()),
    "jobs drop": ((BAD,),),
    "jobs cancel": ((BAD,), (BAD, "--reason", BAD)),
    "trust": (("--accept", BAD), (BAD,), ("--list",)),
    "doctor": ((),),
    "sandbox attack": (("--way", BAD),),
    "completion": ((BAD,),),
}  # fmt: skip
"""What is tried of each command: hostile files, and hostile words typed by somebody who copied
them."""


def hidden(screen: str) -> list[str]:
    """The characters of a screen that steer it, beside flowc's own."""
    shown = OURS.sub("", screen.replace("\r\n", "\n"))
    return sorted({c for c in shown if c != "\n" and c != "\t" and not c.isprintable()})


@pytest.fixture
def folder(flowc):
    for name, text in (("bad.flow.yaml", FLOW), ("faulty.flow.yaml", FAULTY), (NAMED, FAULTY)):
        flowc.write(name, text)
    flowc.write("bad.answers.yaml", f'say: "{_YAML}"\n')
    (flowc.folder / SOUND).write_bytes(damaged(2).data)
    flowc.write(
        "bad.flowtest.yaml",
        f'tests:\n  "{_YAML}":\n    answers: bad\n    path: [say]\n    holds: ["x{_YAML}"]\n',
    )
    for run in ("r", "s"):
        done = flowc("run", "bad.flow.yaml", "--answers", "bad", "--run-id", run)
        assert done.returncode == 4, done.stderr
    return flowc


def test_every_command_has_a_case():
    """A new one fails here: it is to be tried as well."""
    assert sorted(CASES) == sorted(n for row in COMMANDS for n in leaves(row))


@pytest.mark.parametrize("part", range(3))
def test_no_command_passes_a_stranger_s_signs_to_the_terminal(folder, part):
    passed = {}
    for name in list(CASES)[part::3]:
        for words in CASES[name]:
            terminal = folder.terminal(*name.split(), *words)
            terminal.type("n\n")  # for who asks
            terminal.close()
            if hidden(terminal.screen) or "Traceback" in terminal.screen:
                passed[name, *words] = terminal.screen
    assert passed == {}


OF_SETTINGS = (
    ("tools", "list"), ("tools", "lock"), ("doctor",), ("trust", "--json"), ("trust",),
    ("run", "bad.flow.yaml"),
)  # fmt: skip


@pytest.mark.parametrize("trusted", [True, False])
def test_no_settings_of_a_stranger_pass_their_signs(flowc, trusted):
    """Not where they are asked about either."""
    flowc.write("flowc.toml", SETTINGS)
    flowc.write("bad.flow.yaml", FLOW)
    person = {} if trusted else {"XDG_CONFIG_HOME": str(flowc.folder / "nobody")}
    for words in OF_SETTINGS:
        terminal = flowc.terminal(*words, **person)
        terminal.type("n\n")
        terminal.close()
        assert hidden(terminal.screen) == [], (words, terminal.screen)
        assert "Traceback" not in terminal.screen, words


def test_what_serves_says_where_its_runs_are_and_steers_nothing(flowc):
    for words in (("serve", "--port", str(free_port())), ("worker",)):
        terminal = flowc.terminal(*words, "--store", f"{BAD}.db")
        terminal.expect("Ctrl-C")
        terminal.interrupt()
        terminal.close()
        assert hidden(terminal.screen.replace("^C", "")) == [], (words, terminal.screen)


def test_no_run_passes_a_model_s_signs_to_the_terminal(folder):
    terminal = folder.terminal("run", "bad.flow.yaml", "--answers", "bad")
    terminal.expect("> ")
    terminal.type("yes\n")
    terminal.close()
    assert hidden(terminal.screen) == [], terminal.screen
