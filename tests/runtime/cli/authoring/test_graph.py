"""`flowc graph`: its forms are those of the registry, in the help and in the documentation."""

from __future__ import annotations

import re

import pytest
from flowc.compiler.emit import PICTURES


@pytest.mark.parametrize("page", ["docs/cli.md", "README.md"])
def test_the_generated_list_of_pictures_is_up_to_date(page, golden, request):
    path = request.config.rootpath / page
    text = path.read_text(encoding="utf-8")
    golden(path, re.sub(r"-f mermaid[|a-z]*", f"-f {'|'.join(PICTURES)}", text))


def test_every_suffix_is_that_of_one_form():
    suffixes = [suffix for picture in PICTURES.values() for suffix in picture.form.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert {".mmd", ".dot", ".gv", ".svg", ".png", ".pdf", ".html", ".json"} <= set(suffixes)


def test_a_form_that_there_is_not(flowc):
    done = flowc("graph", "review.md", "-f", "jpeg")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'jpeg' is not one of 'mermaid', 'dot', 'svg'" in done.stderr
