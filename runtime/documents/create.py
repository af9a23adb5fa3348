"""A new living document: its name, its text, and its steps with their paths."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

from flowc.compiler.plan import Value, read_plan

from . import phrases as words

_SKELETON = """\
# Workflow {id}

## 1. Request Summary

*   **Original Request:**
    ```text
    ```

---

## 2. Product Requirements Document (PRD)

---

## 3. Processing Plan & Status

---

## 4. Final Output

*   **Overall Status:** IN_PROGRESS

---

## 5. Workflow Log
"""
NO_CODE = "# no code yet"
_SLUG = re.compile(r"[^a-z0-9]+")
SUFFIX = ".wav"
_HASH = re.compile(r"_([0-9a-f]{8})(?=[_.])")


def hash_of(request: str, audio: str, number: int = 0) -> str:
    """Return eight hexadecimal digits of a digest over the request, the input's path and, unless it
    is 0, the number of earlier documents for both (A10)."""
    text = f"{request}\0{audio}" + (f"\0{number}" if number else "")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def free_hash(request: str, audio: str, names: Iterable[str]) -> str:
    """Return the first hash that is in none of these file names."""
    # A document and all its files have its hash: none may overwrite the files of another document.
    used = {hash for name in names for hash in _HASH.findall(name)}
    return next(h for n in itertools.count() if (h := hash_of(request, audio, n)) not in used)


def id_of(hash: str, now: datetime) -> str:
    """Return `{timestamp}_{hash}` (A10)."""
    return f"{now:%Y%m%d_%H%M%S}_{hash}"


def file_name(id: str) -> str:
    """Return the name of the document's file (A10)."""
    return f"workflow_{id}.md"


def time_of(now: datetime) -> str:
    """Return a time as documents write it (A11)."""
    return f"{now:%Y-%m-%d %H:%M:%S}"


def new_document(id: str, request: str, audio: str, now: datetime) -> str:
    """Return the text of a document without steps. Raise `PlanError` for a request or a path that a
    document cannot hold."""
    document = read_plan(_SKELETON.format(id=id))
    fields = {"Input Audio": audio, "Timestamp": time_of(now), "Workflow ID": id}
    for name, value in {"Original Request": request.strip(), **fields}.items():
        document = document.set(name, value, section="request")
    return document.append_log(time_of(now), words.INITIATED).text


def step_fields(
    steps: Sequence[Mapping[str, Any]], original: str, last: str, prefix: str, number: int
) -> list[dict[str, Value]]:
    """Return the fields of new steps, numbered from `number`, with their paths in a chain: the
    first reads `last` (A18), each later one the output before it. `steps` have title and
    description, and may have input, output, and code; a step with the code `N/A` passes its input
    on."""
    fields: list[dict[str, Value]] = []
    for n, step in enumerate(steps, start=number):
        title = " ".join(str(step["title"]).split()) or f"Step {n}"
        code = str(step.get("code") or "").strip() or NO_CODE
        source = str(step.get("input") or last)
        values: dict[str, Value] = {
            "title": title,
            "Description": " ".join(str(step.get("description") or title).split()),
            "Input Audio": source,
            "Code": code,
        }
        output = str(step.get("output") or "")
        if not output and code != "N/A":
            output = _output_name(original, prefix, n, title)
        if output:
            values["Output Audio"] = last = output
        fields.append(values)
    return fields


def _output_name(original: str, prefix: str, number: int, title: str) -> str:
    stem = PurePath(original).stem or "audio"
    slug = _SLUG.sub("_", title.lower()).strip("_")[:24].rstrip("_")
    return "_".join(part for part in (stem, prefix, f"step_{number}", slug) if part) + SUFFIX
