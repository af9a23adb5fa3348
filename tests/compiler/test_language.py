"""The examples of the pages about flow YAML: each is clean, or gives the code that is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import compile_text
from flowc.compiler.flow_yaml.keys import COMMON, NODES, OTHER_WORDS, SECTIONS, TOP

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["language.md", "formats/flow.md", "item.md", "other-words.md"]
EXAMPLE = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIAGNOSED = re.compile(r"Diagnosed as (FC\d+)[^\n]*\n\n\Z")


def examples():
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        found = [match for match in EXAMPLE.finditer(text) if not match[1].startswith("# .github")]
        for number, match in enumerate(found, start=1):
            code = DIAGNOSED.search(text, 0, match.start())
            yield pytest.param(match[1], code and code[1], id=f"{page}-{number}")


@pytest.mark.parametrize(("text", "code"), list(examples()))
def test_the_example_is_what_the_page_says(text, code):
    result = compile_text(text, "example.flow.yaml", catalog=Catalog(entries={}))
    if code is None:
        assert render_text(result.diagnostics, result.sources) == ""
    else:
        assert code in {d.code for d in result.diagnostics}


def test_other_words_are_those_that_a_check_knows():
    """The page's table and the diagnostics say the same of every word."""
    text = (DOCS / "other-words.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", text, re.MULTILINE)
    assert len(rows) > 10
    keys = {key.name for key in (*COMMON, *TOP)} | NODES.keys() | SECTIONS.keys() | {"with"}
    keys |= {key.name for element in NODES.values() for key in element.keys}
    assert [word for word, key in rows if OTHER_WORDS.get(word, word) != key] == []
    assert {key for _, key in rows} - keys <= {"workflows", "when", "on_error"}


def test_the_words_of_a_job_are_told_with_the_keys_here():
    text = "flow: 1\njobs: {}\nnodes:\n  - {id: a, run: ls, needs: b}\n"
    said = {d.help for d in compile_text(text, "example.flow.yaml").diagnostics}
    assert {"here it is `workflows:`", "here it is `name:`"} <= said


def test_every_key_is_on_the_page():
    text = (DOCS / "language.md").read_text(encoding="utf-8")
    keys = {key.name for element in NODES.values() for key in element.keys}
    keys |= {key.name for key in (*COMMON, *TOP)} | set(SECTIONS) | {"workflows"}
    assert {key for key in keys if not re.search(rf"`{key}\b|\b{key}`", text)} == set()
