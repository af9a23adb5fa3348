"""Recording: services that do what they did and keep what came of it in a cassette.

A call's exchange is written after it returned and before the journal calls it done. Killed in
between, the call is in doubt and made again or decided on; whatever it then comes to is written
under the same key and counts.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import RunError
from ..secrets import redact_value
from ..services import Json, ToolSchema
from .exchanges import offer_body, offer_name
from .format import (
    RESUMED,
    START,
    WHOLE,
    Cassette,
    Exchange,
    Header,
    Key,
    Kind,
    digest_of,
    exchange_document,
    header_document,
    name_of,
    read_cassette,
    whole_part,
)
from .ordinals import here


@dataclass(slots=True)
class Recorder:
    """The tape that writes one cassette. `secrets` are blotted out in all that is written."""

    path: str
    header: Header
    secrets: tuple[str, ...]
    waits: bool = True
    broken: RunError | None = None
    began: float = field(default_factory=time.monotonic)
    _file: int | None = None
    _said: dict[str, tuple[str, list[Json]]] = field(default_factory=dict)
    """The last model call of each place, and under "" the last of all: (name, messages)."""
    _known: dict[Key, str] = field(default_factory=dict)
    """What the journal keeps of each effect that is written, as a digest."""

    @property
    def mark(self) -> dict[str, Json]:
        return {}

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        """Open the file: anew for a new run, at its end for one that goes on. Raises `RunError`
        when it cannot be written, or holds something else than this run's recording."""
        self.broken = None
        known = self._there(run, resumed)
        header = dataclasses.replace(
            self.header,
            run=run,
            inputs=redact_value(inputs, self.secrets),
            begins=RESUMED if resumed else WHOLE,
        )
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o600)
            if known is not None:
                text = Path(self.path).read_text(encoding="utf-8")
                os.ftruncate(self._file, len(whole_part(text).encode()))
                os.lseek(self._file, 0, os.SEEK_END)
                self._recall(known.exchanges.values())
            else:
                os.ftruncate(self._file, 0)
                self._write(header_document(header))
        except OSError as error:
            raise self._unwritable(error) from None

    def _there(self, run: str, resumed: bool) -> Cassette | None:
        """The recording that a resumed run goes on with. Raises `RunError` when the file holds
        something that must not be written over."""
        try:
            with open(self.path, "rb") as file:
                start = file.read(len(START))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unwritable(error) from None
        if start and start != START:
            raise RunError(
                f"`{self.path}` is there and is no recording",
                help="choose another file: --record never writes over anything else",
            )
        if not start or not resumed:
            return None
        known = read_cassette(self.path)
        if known.header.run != run:
            raise RunError(
                f"`{self.path}` is the recording of run {known.header.run}",
                help="choose another file with --record",
            )
        return known

    def record_answer(self, name: str, answer: Json) -> None:
        """A person's answer to a question of the running node."""
        self.keep("answer", name, {"said": answer})

    def end(self, complete: bool) -> str:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        return ""

    def offer(self, tool: ToolSchema) -> str:
        """What a tool is called in an exchange: its name and a digest of all that is told of it.
        The first time that is written too."""
        body = offer_body(tool)
        name = offer_name(tool)
        exchange = Exchange("offer", tool.name, 1, 1, name, body)
        if exchange.key not in self._known:
            self._known[exchange.key] = name
            self.write(exchange)
        return name

    def knows(self, exchange: Exchange) -> bool:
        """Whether an exchange of this key, with this outcome, is written already."""
        return self._known.get(exchange.key) == exchange.body.get("gave")

    def keep(self, kind: Kind, number: int | str, body: dict[str, Any]) -> None:
        """Write an exchange of the running visit that is no effect."""
        at = here()
        self.write(Exchange(kind, at.place, at.visit, at.attempt, number, body))

    def write(self, exchange: Exchange) -> None:
        """Write an exchange. A file that takes no more is complained of by `complain`, when what
        happened has been kept in the journal."""
        body = redact_value(dict(exchange.body), self.secrets)
        if "given" in body:
            body = {"digest": digest_of(body["given"]), **body}
        if exchange.kind == "model":
            self._shorten(exchange, body)
        if "gave" in body:
            self._known[exchange.key] = body["gave"]
        try:
            self._write(exchange_document(dataclasses.replace(exchange, body=body)))
        except OSError as error:
            self.broken = self._unwritable(error)

    def complain(self) -> None:
        """Raises `RunError` when something could not be written."""
        if self.broken is not None:
            raise self.broken

    def _recall(self, exchanges: Iterable[Exchange]) -> None:
        for exchange in exchanges:
            self._known[exchange.key] = str(exchange.body.get("gave", ""))
            if exchange.kind == "model":
                self._remember(exchange, exchange.body.get("given", {}).get("messages", []))

    def _remember(self, exchange: Exchange, messages: list[Json]) -> None:
        name = name_of(exchange.place, exchange.visit, exchange.number)
        self._said[exchange.place] = self._said[""] = (name, messages)

    def _shorten(self, exchange: Exchange, body: dict[str, Any]) -> None:
        """Of a conversation that goes on only what is new: a long one would be written again and
        again. The earlier call is that of the same node, or the last of all."""
        given = body.get("given")
        if not isinstance(given, dict):
            return
        messages = list(given.get("messages", []))
        own = name_of(exchange.place, exchange.visit, exchange.number)
        before = dict(self._said[at] for at in (exchange.place, "") if at in self._said)
        shared = {name: _same(old, messages) for name, old in before.items() if name != own}
        best = max(shared, key=shared.__getitem__, default=None)
        if best is not None and shared[best]:
            count = shared[best]
            given = {key: value for key, value in given.items() if key != "messages"}
            since = {"since": best, "same": count, "messages": messages[count:]}
            body["given"] = {**since, **given}
        self._remember(exchange, messages)

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        while data:
            data = data[os.write(self._file, data) :]

    def _unwritable(self, error: OSError) -> RunError:
        reason = (error.strerror or str(error)).lower()
        return RunError(
            f"the recording `{self.path}` cannot be written: {reason}",
            help="what was done is kept: make room or choose another file, then resume",
        )


def _same(old: list[Json], new: list[Json]) -> int:
    """How many messages both begin with."""
    count = 0
    while count < min(len(old), len(new)) and old[count] == new[count]:
        count += 1
    return count
