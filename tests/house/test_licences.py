"""What is installed may be used: MIT, BSD, Apache and their like; the rest is named here.

A package says its licence in its metadata, as an expression or by classifiers. The words stand
here as they are said, so whatever is new is looked at once.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distributions

from packaging.requirements import Requirement

FREE = {
    "3-Clause BSD License", "Apache Software License", "Apache Software License, MIT License",
    "Apache-2.0", "Apache-2.0 AND BSD-2-Clause", "Apache-2.0 AND CNRI-Python",
    "Apache-2.0 OR BSD-2-Clause", "Apache-2.0 OR BSD-3-Clause", "Apache-2.0 OR MIT",
    "BSD License", "BSD-2-Clause", "BSD-3-Clause",
    "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", "DFSG approved, MIT License",
    "Freely Distributable, MIT License", "ISC", "ISC License (ISCL)", "MIT", "MIT AND PSF-2.0",
    "MIT License", "MIT License, Apache License, Version 2.0",
    "MIT License, Apache Software License", "MIT OR Apache-2.0", "MIT-0", "MIT-CMU",
    "PSF-2.0", "Python Software Foundation License", "The Unlicense (Unlicense)",
}  # fmt: skip
ITS_FILES_ALONE = {
    "MPL-2.0", "MPL-2.0 AND (Apache-2.0 OR MIT)", "Mozilla Public License 2.0 (MPL 2.0)",
}  # fmt: skip
"""Licences that ask for changes of the package itself to be published: nothing is changed."""
NAMED = {
    "pedalboard": ("GNU General Public License v3 (GPLv3)", "the extra `audio`; see NOTICE"),
    "psycopg": ("LGPL-3.0-only", "the extra `postgres`"),
    "psycopg-binary": ("LGPL-3.0-only", "the extra `postgres`"),
    "psycopg-pool": ("LGPL-3.0-only", "the extra `postgres`"),
    "soxr": ("LGPL-2.1-or-later", "the extra `audio`; see NOTICE"),
    "langgraph-api": ("Elastic-2.0", "the extra `studio`; see NOTICE"),
    "langgraph-runtime-inmem": ("Elastic-2.0", "the extra `studio`; see NOTICE"),
    "forbiddenfruit": (
        "GNU General Public License v3 or later (GPLv3+), MIT License",
        "either of the two, MIT is taken; the extra `dev`, by way of blockbuster",
    ),
    "quickjs-ng": ("", "MIT, by the file of its licence"),
    "axe-playwright-python": ("", "MIT, by the file of its licence; the extra `dev`"),
}
"""Packages with other licences or none in their metadata, and why they may be here."""
IN_EXTRAS_ALONE = NAMED.keys() - {"quickjs-ng"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """What its metadata says: the expression, else the classifiers, else the first line."""
    about = package.metadata
    said = [line for line in about.get_all("Classifier") or () if line.startswith("License ::")]
    classifiers = ", ".join(line.rpartition(":: ")[2] for line in said if line.count("::") > 1)
    first = (about.get("License") or "").strip().partition("\n")[0]
    return about.get("License-Expression") or classifiers or first


def base(packages: dict[str, Distribution]) -> set[str]:
    """What flowc brings without extras, and what that brings."""
    found, front = set(), [("flowc", frozenset[str]())]
    while front:
        name, extras = front.pop()
        if (name, extras) in found or name not in packages:
            continue
        found.add((name, extras))
        for need in map(Requirement, packages[name].requires or ()):
            if need.marker is None or any(
                need.marker.evaluate({"extra": e}) for e in extras | {""}
            ):
                front.append((normal(need.name), frozenset(need.extras)))
    return {name for name, _ in found}


def test_every_package_has_a_licence_that_is_allowed():
    said = {normal(one.metadata["Name"]): licence(one) for one in distributions()}
    others = {name: text for name, text in said.items() if text not in FREE | ITS_FILES_ALONE}
    assert others == {name: text for name, (text, _) in NAMED.items() if name in said}


def test_what_asks_for_more_comes_with_extras_alone():
    packages = {normal(one.metadata["Name"]): one for one in distributions()}
    needed = base(packages)
    assert {"langgraph", "lark", "quickjs-ng"} <= needed
    assert needed & IN_EXTRAS_ALONE == set()
