"""What `flowc compile` writes starts from a copied folder, in an environment that has nothing but
what its own pyproject.toml asks for; as an image it does the same."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest
from clean_installs import pip_install
from dev_server import dev_server

COUNT = """flow: 1
name: count
params: {text: {type: text, required: true}}
nodes:
  - {name: count, tool: count_words, args: {text: text}, into: words}
outputs: [words]
"""
TOOLS = '''def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())
'''
START = """import runpy, sys
graph = runpy.run_path(sys.argv[1])["graph"]
print(graph.invoke({"text": "two words"})["words"])
"""


@pytest.mark.soak
@pytest.mark.studio
@pytest.mark.timeout(1200)
def test_a_compiled_project_starts_in_a_clean_environment(root, wheel, tmp_path):
    source, project = tmp_path / "source", tmp_path / "deps/moved"
    source.mkdir()
    (source / "count.flow.yaml").write_text(COUNT)
    (source / "counting.py").write_text(TOOLS)
    (source / "flowc.toml").write_text('tools.python = ["counting:count_words"]\n')
    clean = pip_install(
        f"{wheel}[studio]", sys.executable, root / "constraints.txt", tmp_path / "env"
    )
    compiled = clean.flowc("compile", "count.flow.yaml", "-o", "out", cwd=source)
    assert compiled.returncode == 0, compiled.stderr
    shutil.copytree(source / "out", project)
    shutil.rmtree(source)

    def run(*words: str) -> str:
        command = [str(clean.python), *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "pip", "install", "-q", "-c", str(root / "constraints.txt"), "-e", str(project))
    assert run("-c", START, str(project / "graphs/count.py")) == "2\n"

    serve = [str(clean.python), "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    with dev_server(project, {}, serve) as server:
        done = server.client.runs.wait(None, "count", input={"text": "one two three"})
        assert done["words"] == 3

    writing = [str(clean.python), "-m", "langgraph_cli", "dockerfile", "Dockerfile"]
    subprocess.run(writing, cwd=project, check=True, capture_output=True)
    text = (project / "Dockerfile").read_text()
    assert "ADD . /deps/moved" in text
    assert re.search(r"^RUN for dep in /deps/\*;.* pip install .* -e \.\)", text, re.MULTILINE)
    graphs = json.loads(re.search(r"^ENV LANGSERVE_GRAPHS='(.*)'$", text, re.MULTILINE)[1])
    path, _, attribute = graphs["count"].partition(":")
    assert attribute == "graph"
    assert run("-c", START, path.replace("/deps/", f"{tmp_path}/deps/")) == "2\n"
