"""The pages that explain the service, executed as they stand: collaboration.md, api.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from openai_server import OpenAIServer
from ports import free_port

from .served import served
from .test_processes import environment, result

DOCS = Path(__file__).parents[3] / "docs"
MARK = "\x1e"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[tuple[str, str]]:
    """Each command of a page with the output that it states."""
    found: list[tuple[str, str]] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif line.startswith("    "):
            found[-1] = (f"{found[-1][0]}\n{line}", "")
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found


def matches(stated: str, said: str) -> bool:
    """Whether an output is what the page states; `…` stands for anything."""
    pattern = ".*".join(re.escape(part.strip()) for part in stated.strip().split("…"))
    return re.fullmatch(pattern, said.strip(), re.DOTALL) is not None


def executed(page: str, folder: Path, **replaced: str) -> list[tuple[str, str, str]]:
    """Command, stated output and real output of each, in one shell."""
    steps = commands(page)
    script = "set -u\n" + "".join(f"{command}\nprintf '{MARK}'\n" for command, _ in steps)
    for old, new in replaced.items():
        script = script.replace(old, new)
    binary = folder / "bin"
    binary.mkdir()
    (binary / "flowc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m flowc "$@"\n')
    (binary / "flowc").chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        # A reader's settings trust no folder.
        env=environment(
            PATH=f"{binary}{os.pathsep}{os.environ['PATH']}", XDG_CONFIG_HOME=str(folder / "none")
        ),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    said = done.stdout.split(MARK)
    assert len(said) == len(steps) + 1, done.stderr
    return [(*step, out) for step, out in zip(steps, said, strict=False)]


def test_a_whole_collaboration_with_curl_alone(tmp_path: Path) -> None:
    with OpenAIServer() as model:
        model.answer = lambda request: result("three sources", 0.9)
        port = {"8321": str(free_port()), "http://127.0.0.1:8080/v1": model.url}
        steps = executed("collaboration.md", tmp_path, **port)
    for command, stated, said in steps:
        assert matches(stated, said), f"$ {command}\nstated: {stated}\nsaid: {said}"
    final = next(said for command, _, said in reversed(steps) if "include_metrics" in command)
    _adds_up(json.loads(final))
    assert len(model.requests) == 2, "one request for each execution, also with a kill between"


def _adds_up(status: dict[str, Any]) -> None:
    """The figures of the final status fit each other."""
    metrics, progress = status["performance_metrics"], status["overall_progress"]
    scores = [step["quality_score"] for step in status["completed_steps"]]
    assert metrics["quality_trend"] == scores
    assert progress["completed_steps"] == progress["total_steps"] == len(scores)
    assert set(metrics["resource_utilization"]) == {"finder", "ana", "ben"}
    assert all(0 <= share <= 1 for share in metrics["resource_utilization"].values())
    assert sum(metrics["resource_utilization"].values()) <= 1.001, "one step at a time"
    assert 5 <= metrics["average_step_duration"] <= 6, "9 and 6 minutes, and no time of the model"
    times = [step["completion_time"] for step in status["completed_steps"]]
    assert times == sorted(times)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_python_of_the_page_does_what_it_says(tmp_path: Path, number: int) -> None:
    program, stated = blocks("api.md", "python")[number], blocks("api.md", "text")[number]
    with served(tmp_path) as service:
        program = program.replace("http://127.0.0.1:8321", service.address)
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.stderr == ""
    assert matches(stated, done.stdout), done.stdout
