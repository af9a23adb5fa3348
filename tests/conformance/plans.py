"""Living documents: read and written back byte for byte, and every field of each set (A24, A25)."""

from __future__ import annotations

from pathlib import Path

from flowc.compiler.frontends.plan.frontend import claims
from flowc.compiler.plan import PlanDocument, PlanError, read_plan
from flowc.compiler.plan.document import field_value
from flowc.compiler.source.source import Source, Unreadable, decode

from .report import Difference, Report

TEXTS = (
    "DONE",
    "C:\\new\\1 \\g<0>",
    "one\ntwo",
    "```\nx = 1\n```\n## 4. Final Output\n### Step 9: no\n* **ID:** `step_9`",
    "`tick`",
    "",
)
LAYOUTS = {
    "as it is": lambda text: text,
    "Windows line ends": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
    "mixed line ends": lambda text: text.replace("\r\n", "\n").replace("\n\n", "\r\n\n"),
    "no line end at the end": lambda text: text.rstrip("\r\n"),
    "byte-order mark": lambda text: "\ufeff" + text,
    "one blank behind the star": lambda text: text.replace("*   **", "* **"),
    "fences at column 0": lambda text: text.replace("\n    ```", "\n```"),
}


def compare_plans(corpus: Path) -> Report:
    """Every living document in the corpus and in the folder `seeds` beside it."""
    report = Report("plans")
    for file in sorted([*corpus.rglob("*.md"), *(corpus.parent / "seeds").glob("*")]):
        try:
            text = decode(str(file), file.read_bytes())
        except (Unreadable, OSError):
            continue
        if claims(Source(str(file), text)) < 60:
            continue
        report.files += 1
        for layout, change in LAYOUTS.items():
            _compare(f"{file.name}, {layout}", change(text), report)
    return report


def _compare(at: str, text: str, report: Report) -> None:
    document = read_plan(text)
    if document.text != text:
        report.differences.append(Difference(at, "is not written back as it was"))
        return
    report.agreed["documents"] += 1
    for index, start in enumerate(document.starts()):
        block = document.blocks[index]
        for field in block.fields:
            for value in TEXTS:
                whole = (start + field.start, start + field.end)
                _set(at, document, (index, field.name), value, whole, report)


def _set(
    at: str,
    document: PlanDocument,
    place: tuple[int, str],
    value: str,
    whole: tuple[int, int],
    report: Report,
) -> None:
    index, name = place
    text = document.text
    try:
        changed = document.set_at(index, name, value).text
    except PlanError:
        report.agreed["refusals"] += 1
        return
    kept = changed.startswith(text[: whole[0]]) and changed.endswith(text[whole[1] :])
    again = read_plan(changed)
    if not kept or field_value(again.blocks[index], name) != value:
        report.differences.append(Difference(at, f"`{name}` set to {value!r} is not only that"))
    else:
        report.agreed["fields set"] += 1
