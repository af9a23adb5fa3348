"""The words of the house: one meaning for a name, verbs and nouns for functions, plain English."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

TWICE: dict[str, str] = {}
"""Public class names that may mean two things, with the reason: at most five."""

IRREGULAR = frozenset(
    """
    told given found asked said settled carried admitted heard known made kept held shown
    taken seen written drawn chosen done sent gone brought fed felt meant met paid spoken
    spent stood thrown understood hidden broken frozen fallen built bound lost
    """.split()  # noqa: SIM905 - forty words are easier to read than forty literals
)
"""Past participles without `-ed`; those that are verbs too (read, run, set, cut) are not here."""
VERBS = {"need", "feed", "seed", "speed", "embed", "proceed", "exceed", "shed", "wed"}
PREDICATES = {"is", "are", "was", "has", "have", "can", "may", "until", "unless", "if", "on"}
NEVER = {"told", "given", "found", "asked", "said", "settled", "carried", "admitted", "heard"}
"""Words that say nothing about what a function does, wherever they stand in its name."""
NO_NOUN = re.compile(
    r"(?<!there )\b(?:is|are|was|were|be|been) no "
    r"(?!longer\b|more\b|one\b|less\b|fewer\b|such\b|matter\b)\w+"
)


def _participle(word: str) -> bool:
    return word in IRREGULAR or (
        bool(re.fullmatch(r"[a-z]+[^e]ed", word)) and word not in VERBS and len(word) > 4
    )


def _says_whether(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is a property that answers yes or no: `result.failed`."""
    property_ = any("property" in ast.unparse(d) for d in function.decorator_list)
    return property_ and function.returns is not None and ast.unparse(function.returns) == "bool"


def _bad_name(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    words = [word for word in function.name.split("_") if word]
    if not words or _says_whether(function) or words[0] in PREDICATES:
        return False
    return words[-1] in NEVER or (len(words) == 1 and _participle(words[0]))


def test_a_public_class_name_has_one_meaning(root, sources, tree):
    places = defaultdict(list)
    for file in sources:
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(root)))
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert {n: f for n, f in twice.items() if n not in TWICE} == {}
    assert len(TWICE) <= 5
    assert set(TWICE) <= set(twice), "take the name out of the list"


def test_functions_are_verbs_or_nouns(root, sources, tree):
    bad = [
        f"{file.relative_to(root)}:{node.lineno} {node.name}"
        for file in sources
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _bad_name(node)
    ]
    assert bad == []


def test_nothing_is_imported_under_the_name_of_a_participle(root, sources, tree):
    bad = [
        f"{file.relative_to(root)}:{node.lineno} {alias.asname}"
        for file in sources
        for node in ast.walk(tree(file))
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
        if alias.asname and _participle(alias.asname.strip("_"))
    ]
    assert bad == []


def test_docstrings_and_comments_say_is_not(root, sources):
    """`is not a number`, not `is no number`."""
    bad = [
        f"{file.relative_to(root)}:{line}: {match[0]}"
        for file in sources
        for line, text in _prose(file)
        for match in NO_NOUN.finditer(text)
    ]
    assert bad == []


def _prose(file: Path) -> list[tuple[int, str]]:
    """Docstrings, other texts and comments of a file, by their first line."""
    with file.open("rb") as source:
        tokens = list(tokenize.tokenize(io.BytesIO(source.read()).readline))
    kinds = (tokenize.STRING, tokenize.COMMENT)
    return [(t.start[0], " ".join(t.string.split())) for t in tokens if t.type in kinds]


def test_every_word_of_the_glossary_is_written_down_as_code(root, tree):
    rows = re.findall(
        r"^\| ([\w ]+) \| [^|]+ \| `(\w+)` \| (\S+) \|$",
        (root / "docs/glossary.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) >= 40
    assert [row for row in rows if row[1] not in _names(tree(root / row[2]))] == []
    assert len({word for word, _, _ in rows}) == len(rows)


def _names(module: ast.Module) -> set[str]:
    """What a module defines."""
    names = {node.name for node in module.body if hasattr(node, "name")}
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("def told(): ...", True),
        ("def _settled(): ...", True),
        ("def outcome_told(): ...", True),
        ("def is_held(): ...", False),
        ("def quoted_command(): ...", False),
        ("def need(): ...", False),
        ("@property\ndef failed(self) -> bool: ...", False),
    ],
)
def test_what_counts_as_a_participle(name, bad):
    (function,) = ast.parse(name).body
    assert _bad_name(function) is bad
