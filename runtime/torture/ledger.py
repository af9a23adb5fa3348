"""The ledger: a file in which everything that happened outside of flowc has a line, in its order.

A tool that is let through notes its own effects there, with the label it likes and the idempotency
key that it is called under:

    import flowc

    def send_mail(to: str, idempotency_key: str = "") -> str:
        ...
        flowc.note_effect(f"mail to {to}", idempotency_key)

Another language appends the line itself, to the file that `$FLOWC_LEDGER` names:
{"what": "effect", "label": "mail to ann", "key": "3f0c9a"}. Without it nothing is noted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from ..context import EFFECT_KEY
from ..services import Json

VARIABLE = "FLOWC_LEDGER"
_ATTEMPT = re.compile(r"(?<=\d)\.\d+ ")
_AGAIN = re.compile(r"[@~#]\d+")


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A line: a `call` that flowc makes and the `result` of one, or an `effect` outside. A call's
    `label` is the same in every execution of the run (node, visit, attempt, number); `name` is the
    journal's, `effect` what was declared of it; `real` ones were let through, of `harmless` ones
    flowc itself knows what comes of them. A result that failed has its `failure`."""

    what: Literal["call", "effect", "result"]
    label: str
    key: str
    node: str = ""
    name: str = ""
    effect: str = ""
    real: bool = False
    harmless: bool = False
    value: Json = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class EffectLedger:
    """The ledger of one run."""

    path: Path

    def add(self, line: LedgerLine) -> None:
        """Append a line, at once or not at all. Raise OSError."""
        fields = {name: value for name, value in asdict(line).items() if value not in ("", None)}
        data = (json.dumps(fields, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        descriptor = os.open(
            self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def lines(self) -> list[LedgerLine]:
        """Return all lines. What somebody else wrote there and has no such form is left out."""
        if not self.path.exists():
            return []
        text = self.path.read_bytes().decode("utf-8", "surrogatepass")
        return list(_read(text.splitlines()))

    def has_effect(self, key: str) -> bool:
        """Return whether an effect came under this key."""
        return any(line.what == "effect" and line.key == key for line in self.lines())


def node_of(place: str) -> str:
    """Return a node with the calls that lead to it, whatever the visit: `each/draft` of
    `each#3/draft`."""
    return _AGAIN.sub("", place)


def _read(lines: Iterable[str]) -> Iterable[LedgerLine]:
    known = set(LedgerLine.__dataclass_fields__)
    for text in lines:
        try:
            fields = json.loads(text)
        except ValueError:
            continue
        if isinstance(fields, dict) and {"what", "label"} <= fields.keys() <= known:
            yield LedgerLine(**{"key": "", **fields})


def label_of(place: str, visit: int, attempt: int, ordinal: str, name: str) -> str:
    """Return what a call is called in every execution of the run."""
    return f"{place} {visit}.{attempt} {ordinal} {name}"


def any_attempt(label: str) -> str:
    """Return the same for all attempts of a visit."""
    return _ATTEMPT.sub(" ", label, count=1)


def note_effect(label: str, idempotency_key: str = "") -> str:
    """Note that something happened outside, while `flowc torture` looks on; at any other time do
    nothing. Without a key it is that of the call under way."""
    if path := os.environ.get(VARIABLE):
        key = idempotency_key or EFFECT_KEY.get()
        EffectLedger(Path(path)).add(LedgerLine("effect", label, key))
    return f"noted {label}"
