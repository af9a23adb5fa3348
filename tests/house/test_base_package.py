"""`pip install flowc`, without extras: what it brings, what it does, what it says of the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clean_installs import CleanInstall, install, interpreter, pip_install

MOST_PACKAGES, MOST_MEGABYTES = 64, 100
ASKS = """\
flow: 1
name: asks
agents:
  host: {system: You are polite.}
nodes:
  - {name: greet, agent: host, prompt: Say hello., into: greeting}
  - {name: count, exec: "printf %s hello | wc -c", into: size}
  - {name: sure, ask: "Send {{ greeting }}?", choices: ["yes", "no"], into: answer}
outputs: [greeting, answer, size]
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory, wheel) -> CleanInstall:
    return install(wheel, tmp_path_factory.mktemp("base") / "env")


def test_the_base_package_is_small(base):
    assert len(base.packages) <= MOST_PACKAGES, sorted(base.packages)
    assert base.megabytes <= MOST_MEGABYTES


def test_the_base_package_checks_draws_converts_runs_and_resumes(base, tmp_path):
    works(base, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_pip_installs_the_base_package_on_every_python_that_is_promised(
    root, wheel, tmp_path, version
):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    clean = pip_install(wheel, python, root / "constraints.txt", tmp_path / "env")
    assert len(clean.packages) <= MOST_PACKAGES, sorted(clean.packages)
    assert clean.megabytes <= MOST_MEGABYTES
    works(clean, tmp_path)


def works(clean: CleanInstall, folder: Path) -> None:
    (folder / "asks.flow.yaml").write_text(ASKS)
    (folder / "answers.yaml").write_text("greet: Good day.\n")

    def flowc(*args: str, code: int = 0) -> str:
        done = clean.flowc(*args, cwd=folder)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    assert "0 errors" in flowc("check", "asks.flow.yaml")
    assert "greet" in flowc("graph", "asks.flow.yaml")
    chart = flowc("convert", "asks.flow.yaml", "--to", "flowchart", "--allow-loss")
    assert "flowchart TD" in chart
    waits = flowc("run", "asks.flow.yaml", "--answers", "answers.yaml", "--allow-exec", code=4)
    [run] = re.findall(r"run (\w+-\w+-\w+)", waits.splitlines()[0])
    done = flowc("resume", run, "--answer", "sure=yes")
    assert "SUCCESS" in done
    assert "Good day." in flowc("show", run)
    assert "SUCCESS" in flowc("run", "editorial", "--answers", "editorial", "-i", "subject=bridge")


NEEDS = {
    "audio measure a.wav": "audio",
    "run edit --model offline -i audio=a.wav -i request=trim_silence": "audio",
    "run asks.flow.yaml --model openai:gpt-5-mini": "openai",
    "mcp --root .": "mcp",
    "serve": "service",
    "lsp": "lsp",
    "dev asks.flow.yaml": "studio",
    "audio report asks.flow.yaml -o a.html": "plot",
    "runs --store postgresql://postgres@127.0.0.1:1/x": "postgres",
    "run asks.flow.yaml --model people --otel": "otel",
}


def test_what_needs_an_extra_names_it_and_how_to_install_it(base, tmp_path):
    (tmp_path / "asks.flow.yaml").write_text(ASKS)
    (tmp_path / "a.wav").write_bytes(b"")
    for line, (code, error) in base.commands(NEEDS, tmp_path, OPENAI_API_KEY="none").items():
        extra = NEEDS[line]
        assert code == 2, error
        said, help = error.splitlines()[-2:]
        assert said.startswith("error: ")
        assert said.endswith(f"needs the extra `{extra}`")
        assert help == f"  help: pip install 'flowc[{extra}]'"


def test_check_says_what_a_run_will_need(base, tmp_path):
    sound = base.site / "flowc/workflows/audio/edit.yaml"
    done = base.flowc("check", str(sound), cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    last = done.stdout.splitlines()[-1]
    assert last == "a run needs the extra `audio`: pip install 'flowc[audio]'"
