"""`flowc compile`: what a project holds, what it says of the rest, and whether it is up to date."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from flowc import __version__
from flowc.compiler.driver import compile_file
from flowc.runtime.emitted import verify
from flowc.runtime.emitted.project import Chosen, make_project
from flowc.runtime.errors import RunError
from projects import write_files

SAY = """flow: 1
name: {name}
nodes:
  - {{name: one, assign: {{X: 1}}}}
state:
  X: {{type: number}}
"""
COUNT = """flow: 1
name: count
params: {text: {type: text, required: true}}
nodes:
  - {name: count, tool: count_words, args: {text: text}, into: words}
outputs: [words]
"""
SETTINGS = """model = "openai:gpt-demo"
mcp = ["servers/mcp.json"]
roots = ["data"]
tools.python = ["counting:count_words"]
"""
SERVERS = '{"mcpServers": {"s": {"command": "x", "args": ["servers/s.py"]}}}'
EXAMPLES = Path(__file__).parents[4] / "workflows/examples"


def names(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def with_tools(folder):
    (folder / "data").mkdir()
    for name, text in {
        "flows/count.flow.yaml": COUNT,
        "flowc.toml": SETTINGS,
        "counting.py": "import words\ndef count_words(text: str) -> int:\n    return words.n(text)",
        "words.py": "def n(text):\n    return len(text.split())\n",
        "unrelated.py": "",
        "servers/mcp.json": SERVERS,
        "servers/s.py": "",
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_several_workflows_are_one_project(flowc, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.flow.yaml").write_text(SAY.format(name=name))
    done = flowc("compile", "a.flow.yaml", "b.flow.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    graphs = json.loads((tmp_path / "out/langgraph.json").read_text())["graphs"]
    assert graphs == {"a": "./graphs/a.py:graph", "b": "./graphs/b.py:graph"}


def test_two_workflows_of_one_name_are_no_project(flowc, tmp_path):
    for file in ("a", "b"):
        (tmp_path / f"{file}.flow.yaml").write_text(SAY.format(name="same"))
    done = flowc("compile", "a.flow.yaml", "b.flow.yaml", "-o", "out")
    assert done.returncode == 2
    assert "a.flow.yaml and b.flow.yaml are both called `same`" in done.stderr
    assert not (tmp_path / "out").exists()


def test_tools_servers_and_settings_come_along_and_the_rest_is_named(flowc, tmp_path):
    with_tools(tmp_path)
    done = flowc("compile", "flows/count.flow.yaml", "-o", "out", env={"FLOWC_MODEL": "openai:x"})
    assert done.returncode == 0, done.stderr
    assert names(tmp_path / "out") == {
        ".dockerignore", "checkpointer.py", "counting.py", "flowc.toml", "flows/count.flow.yaml",
        "graphs/count.py", "langgraph.json", "pyproject.toml", "servers/mcp.json", "servers/s.py",
        "words.py",
    }  # fmt: skip
    assert f"does not come along: the folder {tmp_path}/data (`roots`)" in done.stderr
    assert "does not come along: the environment: FLOWC_MODEL" in done.stderr
    project = tomllib.loads((tmp_path / "out/pyproject.toml").read_text())
    assert project["project"]["dependencies"] == [f"flowc[mcp,openai]=={__version__}"]


HIDDEN = "sk-1234567890"


@pytest.mark.parametrize(
    ("settings", "place", "remedy"),
    [
        (f'mcp_servers.s = {{command = "x", env = {{API_TOKEN = "{HIDDEN}"}}}}',
         "`env.API_TOKEN` of the MCP server s", "write `${API_TOKEN}`"),
        (f'mcp_servers.s = {{url = "http://a", headers = {{Authorization = "Bearer {HIDDEN}"}}}}',
         "`headers.Authorization` of the MCP server s", "write `${AUTHORIZATION}`"),
        (f'mcp_servers.s = {{url = "http://a/?api_key={HIDDEN}"}}',
         "in `url` of the MCP server s", "write `${S_TOKEN}`"),
        (f'mcp_servers.s = {{command = "x", args = ["--api-key", "{HIDDEN}"]}}',
         "what follows `--api-key` in `args` of the MCP server s", "write `${API_KEY}`"),
        (f'mcp_servers.s = {{command = "x", args = ["--token={HIDDEN}"]}}',
         "what follows `--token` in `args` of the MCP server s", "write `${TOKEN}`"),
        (f'store = "postgresql://me:{HIDDEN}@db/runs"', "`store` of ", "set FLOWC_STORE"),
        (f'base_url = "http://me:{HIDDEN}@llm/v1"', "`base_url` of ", "set FLOWC_BASE_URL"),
    ],
)  # fmt: skip
def test_a_secret_that_is_written_in_the_settings_does_not_come_along(
    flowc, tmp_path, settings, place, remedy
):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    (tmp_path / "flowc.toml").write_text(settings)
    done = flowc("compile", "a.flow.yaml", "-o", "out")
    assert (done.returncode, (tmp_path / "out").exists()) == (2, False)
    assert place in done.stderr
    assert remedy in done.stderr
    assert HIDDEN not in done.stderr


def test_what_stands_for_a_secret_comes_along(flowc, tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    headers = 'headers = {Authorization = "Bearer ${API_TOKEN}"}'
    env = 'env = {API_TOKEN = "${API_TOKEN}", LEVEL = "info"}, args = ["--token", "${API_TOKEN}"]'
    (tmp_path / "flowc.toml").write_text(
        f'mcp_servers.s = {{command = "x", {env}}}\n'
        f'mcp_servers.t = {{url = "http://a/?level=1&token=${{API_TOKEN}}", {headers}}}\n'
        'store = "postgresql://me@db/runs"\n'
    )
    done = flowc("compile", "a.flow.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "${API_TOKEN}" in (tmp_path / "out/flowc.toml").read_text()


def test_nothing_of_the_machine_is_in_a_project(flowc, tmp_path):
    with_tools(tmp_path)
    assert flowc("compile", "flows/count.flow.yaml", "-o", "out").returncode == 0
    for name in names(tmp_path / "out"):
        assert str(tmp_path) not in (tmp_path / "out" / name).read_text(), name


def test_a_table_of_pyproject_comes_along(flowc, tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "mine"\n[tool.flowc]\nmax_steps = 7\n[tool.other]\nx = 1\n'
        '[tool.flowc.tools]\neffects = { t = "pure" }\n'
    )
    assert flowc("compile", "a.flow.yaml", "-o", "out").returncode == 0
    tools = tomllib.loads((tmp_path / "out/pyproject.toml").read_text())["tool"]
    assert tools["flowc"] == {"max_steps": 7, "tools": {"effects": {"t": "pure"}}}
    assert "other" not in tools


def test_a_tool_that_is_installed_becomes_a_requirement(flowc, tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    (tmp_path / "flowc.toml").write_text('tools.python = ["yaml:dump", "nowhere:f"]\n')
    done = flowc("compile", "a.flow.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    needed = tomllib.loads((tmp_path / "out/pyproject.toml").read_text())["project"]["dependencies"]
    assert any(name.lower().startswith("pyyaml==") for name in needed)
    assert "the module nowhere: it is not in the project, nor installed" in done.stderr


def test_a_project_without_the_team_that_it_needs_is_not_written(flowc, tmp_path):
    shutil.copy(EXAMPLES / "contract/museum-guide.json", tmp_path)
    done = flowc("compile", "museum-guide.json", "-o", "out")
    assert done.returncode == 2, done.stderr
    assert "museum-guide.json needs a team: " in done.stderr
    assert not (tmp_path / "out").exists()
    assert flowc("compile", "museum-guide.json", "--team", "people", "-o", "out").returncode == 0


def test_each_workflow_has_its_own_team(flowc, tmp_path):
    for name in ("museum-guide", "leaking-roof"):
        for ending in (".json", ".team.json"):
            shutil.copy(EXAMPLES / f"contract/{name}{ending}", tmp_path)
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    files = ("museum-guide.json", "leaking-roof.json", "a.flow.yaml")
    teams = ("--team", "museum-guide=museum-guide", "--team", "people")
    done = flowc("compile", *files, *teams, "-o", "out")
    assert done.returncode == 0, done.stderr
    loads = {
        path.name: re.findall(r"team=(.*?)[,)]", path.read_text())
        for path in (tmp_path / "out/graphs").iterdir()
    }
    assert sorted(loads.values()) == [[], ['"people"'], ['PROJECT / "museum-guide.team.json"']]


def test_a_workflow_of_any_length_is_compiled(flowc, tmp_path):
    """LangGraph draws the first 250 steps of a graph."""
    nodes = "".join(f"  - {{name: n{i}, assign: {{X: {i}}}}}\n" for i in range(300))
    head = "flow: 1\nname: long\nstate:\n  X: {type: number}\noutputs: [X]\nnodes:\n"
    (tmp_path / "long.flow.yaml").write_text(head + nodes)
    done = flowc("compile", "long.flow.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr


def test_a_module_with_another_edge_is_a_fault_of_flowc(tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    compiled = compile_file(str(tmp_path / "a.flow.yaml"))
    module = write_files(compiled, tmp_path / "out")
    text = module.read_text()
    module.write_text(text.replace('graph.add_edge("one", "end")', 'graph.add_edge("one", END)'))
    with pytest.raises(RunError, match=r"missing .*'one', 'end'.* too many .*'one', '__end__'"):
        verify.check_module(compiled.spec, module, tmp_path / "out")


def test_check_says_which_files_are_not_up_to_date(flowc, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.flow.yaml").write_text(SAY.format(name=name))
    both = ("a.flow.yaml", "b.flow.yaml", "-o", "out")
    missing = flowc("compile", *both, "--check", "--json")
    assert missing.returncode == 1
    assert set(json.loads(missing.stdout)["files"].values()) == {"missing"}
    assert not (tmp_path / "out").exists()
    assert flowc("compile", *both).returncode == 0
    assert flowc("compile", *both, "--check").returncode == 0
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a").replace("one", "uno"))
    differing = flowc("compile", "a.flow.yaml", "-o", "out", "--check", "--json")
    assert differing.returncode == 1
    assert json.loads(differing.stdout) == {
        "schema_version": 1,
        "folder": "out",
        "up_to_date": False,
        "files": {
            "a.flow.yaml": "differs",
            "graphs/a.py": "differs",
            "graphs/b.py": "left over",
            "langgraph.json": "differs",
        },
    }


def test_a_module_that_is_left_over_goes_and_others_stay(flowc, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.flow.yaml").write_text(SAY.format(name=name))
    assert flowc("compile", "a.flow.yaml", "b.flow.yaml", "-o", "out").returncode == 0
    (tmp_path / "out/graphs/mine.py").write_text("X = 1\n")
    assert flowc("compile", "a.flow.yaml", "-o", "out").returncode == 0
    assert {path.name for path in (tmp_path / "out/graphs").iterdir()} == {"a.py", "mine.py"}


def test_somebody_else_s_package_is_not_replaced(flowc, tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    (tmp_path / "app").mkdir()
    (tmp_path / "app/pyproject.toml").write_text('[project]\nname = "app"\n')
    done = flowc("compile", "a.flow.yaml", "-o", "app")
    assert done.returncode == 2
    assert "was not written by `flowc compile`" in done.stderr
    assert names(tmp_path / "app") == {"pyproject.toml"}


def test_files_that_lie_outside_of_the_configured_folder_are_refused(tmp_path):
    (tmp_path / "a.flow.yaml").write_text(SAY.format(name="a"))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/flowc.toml").write_text("max_steps = 7\n")
    compiled = compile_file(str(tmp_path / "a.flow.yaml"))
    with pytest.raises(RunError, match=r"a.flow.yaml lies outside of the folder of .*flowc.toml"):
        make_project([Chosen(compiled)], tmp_path / "inner")
