"""A store that comes with a stranger's folder: a run that waits, with all options that grant."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from forks import as_text, flowc_in
from own_folders import write_record

from .canaries import Canaries
from .folders import SERVERS

RUN = """\
flow: 1
name: planted
outputs: [SAID]
state: {LOG: text}
nodes:
  - {name: say, agent: writer, prompt: Say hello., into: SAID}
  - {name: go, exec: "touch @MARK@", into: LOG}
  - {name: who, ask: "Who?", into: WHO}
  - {name: again, exec: "touch @MARK@", into: LOG}
  - {name: more, agent: writer, prompt: "Say hello to {{ WHO }}.", into: SAID}
  - {name: count, tool: count_words, args: {text: "'a b'"}, into: N}
"""
GRANTS = ("--allow-exec", "--sandbox", "off", "--network", "--workspace", ".", "--root", "/")


def plant(canaries: Canaries, folder: Path) -> Path:
    """Run it on the stranger's machine, where everything is granted; return its store's folder."""
    home = canaries.place / "stranger"
    write_record(home)
    canaries.write(folder, {"planted.flow.yaml": RUN, "servers.json": SERVERS})
    env = {**canaries.environment(), "XDG_CONFIG_HOME": str(home), "OPENAI_API_KEY": "theirs"}
    model = ("--model", "openai:gpt-5-mini", "--base-url", canaries.theirs.url)
    words = ("run", "planted.flow.yaml", "--run-id", "planted", *GRANTS, *model)
    done = as_text(flowc_in(folder, (*words, "--mcp", "servers.json"), env, b"", 60))
    assert done.returncode == 4, done.stderr
    return folder


def lay(planted: Path, folder: Path) -> None:
    """Copy the run with its store into a folder that has none of its own."""
    if not os.path.lexists(folder / ".flowc"):
        shutil.copytree(planted, folder, dirs_exist_ok=True)
