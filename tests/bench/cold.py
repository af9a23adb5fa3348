"""`flowc check` and a help in a fresh process, beside those that import the libraries; the check of
a folder of a thousand flows, and again when nothing has changed; what trust in a folder costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from texts import step_document
from timing import line, medians

REFERENCE = "import lark, pydantic, typer"
LANGGRAPH = "import langgraph.graph"
ROUNDS = 15


FLOWS, NODES = 1_000, 11
FLOW = "flow: 1\ntitle: flow {n}\nparams: {{text: text}}\nnodes:\n{nodes}outputs: [text]\n"
NODE = "  - name: n{n}\n    agent: writer\n    prompt: Say it, {{{{ text }}}}.\n    into: text\n\n"
SMALL = "flow: 1\nname: small\noutputs: [SAID]\nnodes:\n  - {name: say, assign: {SAID: \"'x'\"}}\n"
MODULES = 100


def report() -> None:
    """Print the cold start, and the check of a folder."""
    report_start()
    print()
    report_trust()
    print()
    report_folder()


def report_trust() -> None:
    """Print a small flow in a folder that wants nothing, beside one whose settings and modules were
    accepted by their digest."""
    with tempfile.TemporaryDirectory() as place:
        env = {**os.environ, "XDG_CONFIG_HOME": place, "HOME": place}
        for name in ("bare", "trusted"):
            folder = Path(place, name)
            folder.mkdir()
            (folder / "small.flow.yaml").write_text(SMALL, encoding="utf-8")
        (folder / "flowc.toml").write_text('[tools]\npython = ["m0:count"]\n', encoding="utf-8")
        for n in range(MODULES):
            text = f'def count(text: str) -> int:\n    "Count {n}."\n    return len(text)\n'
            (folder / f"m{n}.py").write_text(text, encoding="utf-8")
        flowc = (sys.executable, "-m", "flowc")
        shown = subprocess.run(
            [*flowc, "trust", "--json"], cwd=folder, env=env, capture_output=True, check=False
        )
        accept = [*flowc, "trust", "--accept", json.loads(shown.stdout)["digest"]]
        subprocess.run(accept, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
        sides = {
            f"{words[0]} {name}": partial(_run, [*flowc, *words], env, Path(place, name))
            for words in (("check", "--no-cache", "small.flow.yaml"), ("run", "small.flow.yaml"))
            for name in ("bare", "trusted")
        }
        took = medians(sides, ROUNDS)
    print(f"trust: a small flow beside {MODULES} modules that were accepted, and alone")
    for command in ("check", "run"):
        with_it, without = took[f"{command} trusted"], took[f"{command} bare"]
        beside = f"{without * 1000:.0f} ms alone: {with_it / without:.2f} times, aim 1.1"
        line(f"flowc {command}", f"{with_it * 1000:.0f} ms", beside)


def report_folder() -> None:
    """Print the check of a thousand flows of sixty lines, the first time and unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        flows = Path(folder) / "flows"
        flows.mkdir()
        nodes = "".join(NODE.format(n=n) for n in range(NODES))
        for n in range(FLOWS):
            text = FLOW.format(n=n, nodes=nodes)
            (flows / f"f{n}.flow.yaml").write_text(text, encoding="utf-8")
        check = [sys.executable, "-m", "flowc", "check", str(flows)]
        places = {**os.environ, "XDG_CACHE_HOME": folder}
        took = medians(
            {
                "cold": lambda: _run([*check, "--no-cache"]),
                "kept": lambda: _run(check, places),
                "reference": lambda: _run([sys.executable, "-c", REFERENCE]),
            },
            ROUNDS // 3,
        )
    print(f"{FLOWS:,} flows of {text.count(chr(10))} lines")
    line("flowc check, nothing kept", f"{took['cold'] * 1000:.0f} ms", "target: 1,000 ms")
    line("flowc check, unchanged", f"{took['kept'] * 1000:.0f} ms", "target: 400 ms")
    line(f"python -c '{REFERENCE}'", f"{took['reference'] * 1000:.0f} ms")


def report_start() -> None:
    """Print both and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ten.md"
        file.write_text(step_document(10_000), encoding="utf-8")
        check = [sys.executable, "-m", "flowc", "check", str(file)]
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        both = medians(
            {
                "check": lambda: _run(check),
                "reference": lambda: _run([sys.executable, "-c", REFERENCE]),
                "help": lambda: _run([sys.executable, "-m", "flowc", "run", "--help"]),
                "langgraph": lambda: _run([sys.executable, "-c", LANGGRAPH]),
                "python": lambda: _run([sys.executable, "-c", "pass"]),
            },
            ROUNDS,
        )
    print(f"cold start: flowc check, {file.name} of 10 kB (exit {done.returncode})")
    line("flowc check", f"{both['check'] * 1000:.0f} ms", "target: 200 ms")
    line(f"python -c '{REFERENCE}'", f"{both['reference'] * 1000:.0f} ms")
    line("python -c pass", f"{both['python'] * 1000:.0f} ms")
    ratio = both["check"] / both["reference"]
    line("ratio to the reference", f"{ratio:.2f}", "target: 1.2 or less")
    line(
        "flowc run --help",
        f"{both['help'] * 1000:.0f} ms",
        f"{both['help'] / both['langgraph']:.2f}",
    )
    line(f"python -c '{LANGGRAPH}'", f"{both['langgraph'] * 1000:.0f} ms")


def _run(
    command: list[str], places: dict[str, str] | None = None, folder: Path | None = None
) -> None:
    out = subprocess.DEVNULL
    subprocess.run(command, stdout=out, stderr=out, check=False, env=places, cwd=folder)
