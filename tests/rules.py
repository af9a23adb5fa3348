"""`make rules`: every rule of the formats beside the tests that name it; ends with 1 on a gap.

A page in docs/formats/ states a rule in a list item that begins with its number in bold:
`- **J12** …`. One that belongs to a part of flowc which does not exist yet is marked
`- **A12** *Later*: …`, one that is not followed on purpose `*Never*`: both need no test. A test
names a rule in its name (`_j12_`), a docstring or a comment.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

FAMILIES: tuple[tuple[str, int, str], ...] = (
    ("S", 48, "step markdown"),
    ("M", 52, "flowchart markdown"),
    ("F", 12, "mermaid"),
    ("J", 46, "state machines"),
    ("A", 29, "living documents"),
    ("C", 25, "contracts"),
)
"""Letter, how many rules there are, what they are about. P numbers have been given up."""

_LETTERS = "".join(letter for letter, _, _ in FAMILIES)
_NUMBER = re.compile(rf"(?<![\w-])([{_LETTERS}])(\d{{1,3}})(?:\s*[–-]\s*\1?(\d{{1,3}}))?(?![\w])")
_STATED = re.compile(r"^[-*] +\*\*([^*]+)\*\*[ :.]*(\*(?:Later|Never)\*)?", re.MULTILINE)
_LINTER = re.compile(r"# noqa: .*")
_TEST = re.compile(r"\bdef (test_\w+)")
_IN_NAME = re.compile(rf"_([{_LETTERS.lower()}])(\d{{1,3}})(?=_|$)")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with the page that states it (None: none does), whether it is for later or
    never, and the test files that name it."""

    number: str
    page: str | None
    later: bool
    tests: tuple[str, ...]

    @property
    def fault(self) -> str:
        """What is missing; empty when nothing is."""
        if self.page is None:
            return "no page states it"
        if not self.later and not self.tests:
            return f"stated in {self.page}, but no test names it"
        return ""


def numbers_in(text: str) -> list[str]:
    """Every rule that a text names, ranges written out, in written order."""
    found: list[str] = []
    for letter, first, last in _NUMBER.findall(text):
        found += [f"{letter}{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def read_rules(root: Path) -> tuple[list[Rule], list[str]]:
    """Every rule in order, and the numbers on pages and in tests that are none."""
    stated: dict[str, tuple[str, bool]] = {}
    for page in sorted((root / "docs/formats").glob("*.md")):
        for numbers, later in _STATED.findall(page.read_text(encoding="utf-8")):
            for number in numbers_in(numbers):
                stated.setdefault(number, (page.name, bool(later)))
    named = _named_in_tests(root)
    known = [f"{letter}{n}" for letter, count, _ in FAMILIES for n in range(1, count + 1)]
    rules: list[Rule] = []
    for number in known:
        page, later = stated.get(number, (None, False))
        rules.append(Rule(number, page, later, tuple(sorted(named.get(number, ())))))
    return rules, sorted((set(stated) | set(named)) - set(known))


def _named_in_tests(root: Path) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for file in sorted((root / "tests").rglob("*.py")):
        if file == Path(__file__):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        found = set(numbers_in(_LINTER.sub("", text)))
        for name in _TEST.findall(text):
            found |= {f"{letter.upper()}{n}" for letter, n in _IN_NAME.findall(name)}
        for number in found:
            named.setdefault(number, set()).add(file.relative_to(root / "tests").as_posix())
    return named


def main(letters: str) -> int:
    """Print the families with these letters (none: all)."""
    rules, unknown = read_rules(Path(__file__).parents[1])
    rules = [rule for rule in rules if not letters or rule.number[0] in letters]
    for letter, _, about in FAMILIES:
        if letters and letter not in letters:
            continue
        mine = [rule for rule in rules if rule.number[0] == letter]
        held = sum(1 for rule in mine if not rule.fault and not rule.later)
        later = sum(1 for rule in mine if rule.later)
        print(f"\n{about}: {len(mine)} rules, {held} held by tests, {later} for later")
        for rule in mine:
            print(f"  {rule.number:4} {_shown(rule)}")
    faults = [f"{rule.number}: {rule.fault}" for rule in rules if rule.fault]
    faults += [f"{number}: there is no such rule" for number in unknown]
    print()
    for fault in faults:
        print(f"fault: {fault}")
    print(f"{len(rules)} rules, {len(faults)} faults")
    return 1 if faults else 0


def _shown(rule: Rule) -> str:
    if rule.fault:
        return f"! {rule.fault}"
    if rule.later:
        return f"{rule.page}: later"
    first, more = rule.tests[0], len(rule.tests) - 1
    return f"{rule.page}: {first}{f' and {more} more' if more else ''}"


if __name__ == "__main__":
    sys.exit(main("".join(sys.argv[1:])))
