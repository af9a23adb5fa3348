"""Registries are literal tuples: what exists is in one, and nothing decides by format."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

from flowc.compiler import checks, frontends, ir
from flowc.compiler.flow_yaml import keys

SHOWS = {
    "compiler/summary.py",
    "compiler/diagnostics/render.py",
}
"""Modules that tell a person which format a file is in. The command line does so as well."""


def test_every_front_end_is_registered(root, tree):
    """A package under frontends/ that makes a `Frontend` is one that FRONTENDS has an entry of."""
    makers = {
        file.parent.name
        for file in (root / "compiler/frontends").rglob("*.py")
        for node in tree(file).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "Frontend"
    }
    assert {f.reader.__module__.split(".")[-2] for f in frontends.FRONTENDS} == makers


def test_front_ends_have_names_of_their_own():
    names = [f.name for f in frontends.FRONTENDS]
    assert len(set(names)) == len(names)


def test_every_check_is_registered(root, tree):
    """A function under checks/ with a check's parameters and result is one that CHECKS has."""
    found = {
        f"{file.stem}.{node.name}"
        for file in (root / "compiler/checks").glob("*.py")
        for node in tree(file).body
        if isinstance(node, ast.FunctionDef)
        and [arg.arg for arg in node.args.args] == ["workflow", "program"]
        and node.returns is not None
        and ast.unparse(node.returns) == "Iterator[Diagnostic]"
        and not node.name.startswith("_")
    }
    assert {
        f"{c.run.__module__.rpartition('.')[2]}.{c.run.__name__}" for c in checks.CHECKS
    } == found


def test_nothing_after_the_front_ends_reads_where_a_workflow_came_from(root, sources, tree):
    """Two dialects that build the same IR behave the same: what displays may read `origin`."""
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        if _decides(file.relative_to(root))
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Attribute) and node.attr == "origin"
    ]
    assert found == []


def test_nothing_after_the_front_ends_compares_the_name_of_a_format(root, sources, tree):
    """`if format == "flowchart"` would do what `origin` may not."""
    names = {f.name for f in frontends.FRONTENDS}
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        if _decides(file.relative_to(root))
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Compare | ast.Match)
        and any(isinstance(n, ast.Constant) and n.value in names for n in ast.walk(node))
        and any(_speaks_of_formats(n) for n in ast.walk(node))
    ]
    assert found == []


def _speaks_of_formats(node: ast.AST) -> bool:
    name = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return any(word in name for word in ("format", "frontend", "dialect"))


def _decides(file: Path) -> bool:
    """Whether a module stands behind the front ends and does more than show things."""
    if str(file) in SHOWS or file.parts[:2] in {("compiler", "frontends"), ("runtime", "cli")}:
        return False
    return file.parts[0] in {"compiler", "runtime"} and str(file) != "compiler/driver.py"


def test_every_kind_of_node_has_its_own_word():
    """`kind` tags the union: two classes with one word would be read back as one another."""
    kinds = [node.__dataclass_fields__["kind"].default for node in get_args(ir.Node)]
    assert len(set(kinds)) == len(kinds)


def test_every_kind_of_node_runs():
    from flowc.runtime.nodes import NODE_KINDS

    kinds = {node.__dataclass_fields__["kind"].default for node in get_args(ir.Node)}
    assert set(NODE_KINDS) == kinds


def test_every_kind_of_node_can_be_written_in_flow_yaml():
    written = {element.type for element in keys.NODES.values()}
    assert written == set(get_args(ir.Node))


def test_every_kind_of_node_is_on_the_page_and_has_a_golden(root):
    """Its row in the table of docs/language.md, and its node in the case `every-kind`."""
    page = (root / "docs/language.md").read_text(encoding="utf-8")
    table = page.partition("## Kinds of nodes")[2].partition("\n\n`python`")[0]
    case = (root / "tests/corpus/flow/ok/every-kind/main.flow.yaml").read_text(encoding="utf-8")
    nodes = case.partition("\nnodes:\n")[2]
    rows = {line.split(":")[0].removeprefix("| `"): line for line in table.splitlines()}
    for kind in (node.__dataclass_fields__["kind"].default for node in get_args(ir.Node)):
        row = rows.get(kind, "")
        assert row, f"`{kind}` has no row on the page"
        further = [key.name for key in keys.NODES[kind].keys if key.name not in (kind, "name")]
        missing = [name for name in further if f"`{name}`" not in row]
        assert missing == [], f"keys of `{kind}` without a place on the page"
        assert re.search(rf"(?:^ +|[{{,] ?){kind}:", nodes, re.MULTILINE), f"`{kind}` has no golden"


ROW = """
    patience: int | None = option("--patience", "N", "wait N times", environment=True)
"""
ROW_IS_REACHED = """
import os, sys
from pathlib import Path
from flowc.runtime.assembly.run_options import RunOptions, settle
from flowc.runtime.cli import app
from flowc.runtime.config.settings import load_config

here = Path.cwd()
(here / "flowc.toml").write_text("patience = 3")
config = load_config(here, {})
assert config.patience == 3
assert load_config(here, {"FLOWC_PATIENCE": "4"}).patience == 4
kept = settle(RunOptions(), config).to_json()
assert RunOptions.from_json(kept).patience == 3
for command in ("run", "resume"):
    assert app.run([command, "--help"]) == 0
"""


def test_a_row_added_to_the_options_is_a_flag_a_key_a_variable_and_kept(root, tmp_path):
    """One row, in a copy of the product; that it is in the documentation as well is held by the
    test of the generated table."""
    copy = tmp_path / "copy/flowc"
    shutil.copytree(root / ".types/flowc", copy, ignore=shutil.ignore_patterns("__pycache__"))
    table = copy / "runtime/config/options.py"
    text = table.read_text(encoding="utf-8")
    place = "    max_cost: str | None"
    table.write_text(text.replace(place, ROW.strip("\n") + "\n" + place, 1), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ROW_IS_REACHED],
        cwd=tmp_path,
        env={"PYTHONPATH": str(copy.parent), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("--patience N") == 2


SAME_FLAG = {
    ("runtime/cli/serving/serve.py", "--team"): "whose executions a token sees",
    ("runtime/cli/testing/test.py", "--timeout"): "the time of one case",
    ("runtime/cli/testing/torture.py", "--timeout"): "the time of one execution",
    ("runtime/cli/testing/torture.py", "--store"): "a server to make a database on",
    ("runtime/cli/serving/mcp.py", "--root"): "the folder of the workflows",
}
"""Flags that look like an option of a run and are another one, with what they are."""


def test_nothing_else_lists_the_options_of_a_run(root, sources, tree):
    """No second list of their names, and no flag of theirs that is not made from the table."""
    from flowc.runtime.config.options import OPTIONS

    flags = {row.flag for row in OPTIONS.values() if row.flag}
    found = []
    for file in sources:
        place = str(file.relative_to(root))
        if place.startswith("compiler/") or place == "runtime/config/options.py":
            continue
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
                items = node.keys if isinstance(node, ast.Dict) else node.elts
                if len(OPTIONS.keys() & {getattr(item, "value", None) for item in items}) > 2:
                    found.append(f"{place}:{node.lineno}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "typer.Option":
                names = {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
                found += [f"{place} {f}" for f in flags & names if (place, f) not in SAME_FLAG]
    assert found == []


SERVICE = "runtime/service"
OPERATIONS = f"{SERVICE}/contract/operations.py"
TABLE = (
    OPERATIONS,
    f"{SERVICE}/contract/list_operations.py",
    f"{SERVICE}/contract/checkpoint_operations.py",
    f"{SERVICE}/contract/webhook_operations.py",
)
ROUTES = (f"{SERVICE}/api/routes.py", f"{SERVICE}/api/webhook_route.py")
NO_OPERATION = {"/v1/openapi.json", "/v1/operations/"}
"""Paths of the API that are about all operations."""


def test_the_row_is_the_only_list_of_an_operation(root, tree):
    """No path, scope or example of the service's API stands outside of the table."""
    outside = []
    for file in sorted((root / SERVICE).rglob("*.py")):
        name = str(file.relative_to(root))
        if name in TABLE:
            continue
        for node in ast.walk(tree(file)):
            where = f"{name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                path = re.fullmatch(r"(?:[A-Z]+ )?(/v1/\w\S*)", node.value)
                outside += [where] if path and path[1] not in NO_OPERATION else []
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "require":
                literal = isinstance(node.args[0], ast.Constant) and "/page/" not in name
                outside += [where] if literal else []
            if isinstance(node, ast.keyword) and node.arg in ("example", "openapi_extra"):
                outside += [where] if name not in ROUTES else []
    assert outside == []


OPERATION = """\
    Operation(
        "COUNT_STEPS",
        "POST /v1/executions/{execution_id}/steps",
        requests.StatusQuery,
        responses.WorkflowStatus,
        "control.count_steps",
        "how many steps there are",
        "admin",
        {"include_details": True},
    ),
"""
ITS_FUNCTION = """

async def count_steps(
    executing: Executing, caller: Caller, id: str, request: requests.StatusQuery
) -> responses.WorkflowStatus:
    \"\"\"COUNT_STEPS.\"\"\"
    raise ServiceFault("EXECUTION_NOT_FOUND", f"{caller.name} counts {id}")
"""
REACHED = """
from fastapi.testclient import TestClient
from flowc.runtime.config.settings import Config
from flowc.runtime.service import Client, ServiceFault
from flowc.runtime.service.app import make_app
from flowc.runtime.service.client.exchange import call
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import open_executing

app = make_app(lambda: open_service(open_executing("runs.db", Config()), trusted=True))
with TestClient(app) as http:
    client = Client()
    client.http = http
    told = http.post("/v1/executions/ex-1/steps", json={"include_details": True}).json()
    print(told["error_message"])
    whole = {"execution_id": "ex-2"}
    print(http.post("/v1/operations/COUNT_STEPS", json=whole).json()["error_message"])
    try:
        client.carry(call("COUNT_STEPS", execution_id="ex-3", include_details=True))
    except ServiceFault as fault:
        print(fault.message)
    paths = http.get("/v1/openapi.json").json()["paths"]
    described = paths["/v1/executions/{execution_id}/steps"]["post"]
    print(described["operationId"], described["description"])
    body = described["requestBody"]["content"]["application/json"]
    print(body["examples"]["count_steps"]["value"])
"""


def test_a_row_and_its_function_are_a_whole_operation(root, python, tmp_path):
    """Added to a copy, they are reachable over HTTP, in OpenAPI and for the client."""
    copy = tmp_path / "flowc"
    (copy / "runtime").mkdir(parents=True)
    for place in (".types/flowc", "runtime"):
        for entry in (root / place).iterdir():
            there = (copy if place != "runtime" else copy / "runtime") / entry.name
            if not there.exists() and entry.name != "service":
                there.symlink_to(entry.resolve())
    shutil.copytree(root / SERVICE, copy / SERVICE)
    rows = (copy / OPERATIONS).read_text(encoding="utf-8")
    first = "OPERATIONS: tuple[Operation, ...] = (\n"
    (copy / OPERATIONS).write_text(rows.replace(first, first + OPERATION), encoding="utf-8")
    with (copy / SERVICE / "operations/control.py").open("a", encoding="utf-8") as module:
        module.write(ITS_FUNCTION)
    done = python("-c", REACHED, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout.splitlines() == [
        "local counts ex-1",
        "local counts ex-2",
        "local counts ex-3",
        "count_steps COUNT_STEPS.",
        "{'include_details': True}",
    ], done.stderr
