"""The documents and the code say the same."""

from __future__ import annotations

import ast
import re

import pytest

LINK = re.compile(r"(?<!\!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*\s*$", re.MULTILINE | re.DOTALL)
RULE = re.compile(r"(?<![\w-])([SMFPJAC])(\d{1,3})(?:\s*[–-]\s*\1?(\d{1,3}))?(?![\w])")


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


def _rules(text: str) -> set[str]:
    found = set()
    for letter, first, last in RULE.findall(text):
        found |= {f"{letter}{n}" for n in range(int(first), int(last or first) + 1)}
    return found


def _rules_in_names(text: str) -> set[str]:
    words = re.findall(r"\bdef test_\w+", text)
    return {
        f"{letter.upper()}{number}"
        for word in words
        for letter, number in re.findall(r"_([smfpjac])(\d{1,3})(?=_|$)", word)
    }


def test_every_rule_that_a_format_promises_is_named_by_a_test(root, files):
    """docs/formats/ numbers what a format means; a rule that no test names is a wish."""
    tests = [
        f for f in files if f.relative_to(root).parts[0] == "tests" and f.suffix in {".py", ".md"}
    ]
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in tests]
    named = set().union(*(_rules(text) | _rules_in_names(text) for text in texts))
    for page in (root / "docs/formats").glob("*.md"):
        promised = _rules(page.read_text(encoding="utf-8"))
        assert sorted(promised - named, key=lambda r: (r[0], int(r[1:]))) == [], page.name


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
