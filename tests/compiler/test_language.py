"""The examples of docs/language.md: each is clean, or gives the code that the page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.diagnostics.render import render_text
from flowc.compiler.driver import compile_text
from flowc.compiler.flow_yaml.keys import COMMON, NODES, SECTIONS, TOP

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["language.md", "formats/flow.md"]
EXAMPLE = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIAGNOSED = re.compile(r"Diagnosed as (FC\d+)[^\n]*\n\n\Z")


def examples():
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        for number, match in enumerate(EXAMPLE.finditer(text), start=1):
            code = DIAGNOSED.search(text, 0, match.start())
            yield pytest.param(match[1], code and code[1], id=f"{page}-{number}")


@pytest.mark.parametrize(("text", "code"), list(examples()))
def test_the_example_is_what_the_page_says(text, code):
    result = compile_text(text, "example.flow.yaml", catalog=Catalog(entries={}))
    if code is None:
        assert render_text(result.diagnostics, result.sources) == ""
    else:
        assert code in {d.code for d in result.diagnostics}


def test_every_key_is_on_the_page():
    text = (DOCS / "language.md").read_text(encoding="utf-8")
    keys = {key.name for element in NODES.values() for key in element.keys}
    keys |= {key.name for key in (*COMMON, *TOP)} | set(SECTIONS) | {"workflows"}
    assert {key for key in keys if not re.search(rf"`{key}\b|\b{key}`", text)} == set()
