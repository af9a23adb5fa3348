"""The documents and the code say the same."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*\s*$", re.MULTILINE | re.DOTALL)


def _pages(root, files):
    return [
        f
        for f in files
        if f.suffix == ".md" and f.relative_to(root).parts[0] not in {"tests", "workflows"}
    ]


def _prose(text: str) -> str:
    return FENCE.sub("", text)


def test_every_module_says_what_it_is(root, sources, tree):
    assert [str(f.relative_to(root)) for f in sources if not ast.get_docstring(tree(f))] == []


def test_every_public_function_and_class_is_documented(root, sources, tree):
    bare = [
        f"{file.relative_to(root)}:{node.lineno} {node.name}"
        for file in sources
        for node in tree(file).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert bare == []


def test_links_between_documents_resolve(root, files):
    broken = []
    for page in _pages(root, files):
        for target in LINK.findall(_prose(page.read_text(encoding="utf-8"))):
            if "://" in target or target.startswith("mailto:"):
                continue
            path, _, anchor = target.partition("#")
            there = (page.parent / path) if path else page
            if not there.exists() or (anchor and anchor not in _anchors(there)):
                broken.append(f"{page.relative_to(root)}: {target}")
    assert broken == []


def _anchors(page) -> set[str]:
    headings = re.findall(
        r"^#+ +(.+?) *#*$", _prose(page.read_text(encoding="utf-8")), re.MULTILINE
    )
    plain = (re.sub(r"[`*_]|\[|\]\([^)]*\)", "", h).lower() for h in headings)
    return {re.sub(r"[^\w\- ]", "", h).replace(" ", "-") for h in plain}


def test_every_rule_of_a_format_is_stated_and_held_by_a_test(root):
    """docs/formats/ numbers what a format means; a rule that no test names is a wish."""
    done = subprocess.run(
        [sys.executable, root / "tests/rules.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("fault")] == []
    assert done.returncode == 0, done.stderr


def test_every_front_end_has_a_page(root):
    from flowc.compiler.frontends import FRONTENDS

    pages = {f.stem for f in (root / "docs/formats").glob("*.md")}
    assert {f.name for f in FRONTENDS} - pages <= {"mermaid"}, (
        "plain mermaid is on flowchart's page"
    )
    assert pages <= {f.name for f in FRONTENDS}


def _commands(root) -> list[str]:
    text = (root / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    parts = [part.strip() for line in lines for part in line.split("#")[0].split("&&")]
    return [part for part in parts if re.match(r"(\.venv/bin/)?flowc |make ", part)]


def test_the_make_targets_in_the_readme_exist(root):
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    used = {word for c in _commands(root) if c.startswith("make ") for word in c.split()[1:]}
    assert {word for word in used if "=" not in word} <= targets


def test_the_commands_in_the_readme_exist(root, python):
    used = {c.split()[1] for c in _commands(root) if not c.startswith("make ")}
    for command in sorted(used):
        done = python("-m", "flowc", command, "--help")
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize(
    "name", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE"]
)
def test_what_a_stranger_looks_for_is_there(root, name):
    assert (root / name).stat().st_size > 200


def test_the_workflows_in_the_readme_are_clean(root):
    from flowc.compiler.driver import compile_text

    text = (root / "README.md").read_text(encoding="utf-8")
    samples = re.findall(r"^````markdown\n(.*?)^````$", text, re.MULTILINE | re.DOTALL)
    assert len(samples) == 2
    for sample in samples:
        assert compile_text(sample, "sample.md").diagnostics == ()
    (flow,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert compile_text(flow, "sample.flow.yaml").diagnostics == ()
