"""Results of tests as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as xml

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even as a reference."""


@dataclass(frozen=True, slots=True)
class JunitResult:
    """One case: its suite and name, where it stands, seconds; what failed or went wrong, or ""."""

    suite: str
    name: str
    file: str
    line: int
    seconds: float
    failure: str = ""
    error: str = ""


def junit_xml(results: Iterable[JunitResult]) -> bytes:
    """Return the report: a suite for each workflow."""
    suites: dict[str, list[JunitResult]] = {}
    for result in results:
        suites.setdefault(result.suite, []).append(result)
    root = xml.Element("testsuites", _counts([r for cases in suites.values() for r in cases]))
    for name, cases in suites.items():
        suite = xml.SubElement(root, "testsuite", {"name": _clean(name), **_counts(cases)})
        for result in cases:
            case = xml.SubElement(
                suite,
                "testcase",
                {
                    "classname": _clean(name),
                    "name": _clean(result.name),
                    "file": _clean(result.file),
                    "line": str(result.line),
                    "time": f"{result.seconds:.3f}",
                },
            )
            for kind, text in (("failure", result.failure), ("error", result.error)):
                if text:
                    first = _clean(text).splitlines()[0]
                    xml.SubElement(case, kind, {"message": first}).text = _clean(text)
    xml.indent(root)
    report: bytes = xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return report + b"\n"


def _counts(cases: list[JunitResult]) -> dict[str, str]:
    return {
        "tests": str(len(cases)),
        "failures": str(sum(bool(r.failure) for r in cases)),
        "errors": str(sum(bool(r.error) for r in cases)),
        "time": f"{sum(r.seconds for r in cases):.3f}",
    }


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
