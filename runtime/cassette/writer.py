"""The writer of a cassette.

An exchange is written after its call has returned and before the journal calls it done. When the
process dies in between, the call is in doubt: it is repeated or decided on, and its new exchange
has the same key and counts.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.source.door import open_file, read_file

from ..errors import RunError, reason_of
from ..events import Tape
from ..secrets import redact_value
from ..services import Json, ToolSchema
from .exchanges import offer_body, offer_name
from .format import (
    MAX_BYTES,
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
    read_cassette,
    whole_part,
)
from .ordinals import exchange_here


@dataclass(slots=True)
class CassetteWriter(Tape):
    """The tape that writes one cassette. `secrets` are redacted in everything."""

    path: str
    header: Header
    secrets: tuple[str, ...]
    broken: RunError | None = None
    began: float = field(default_factory=time.monotonic)
    _file: int | None = None
    _last: dict[str, tuple[str, list[Json]]] = field(default_factory=dict)
    """The last model call of each place, and under "" the last of all: (name, messages)."""
    _known: dict[Key, str] = field(default_factory=dict)
    """A digest of each written effect's value in the journal."""

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        """Open the file, empty for a new run and at its end for a resumed one. Raise `RunError`
        when it cannot be written, or holds something else than this run's recording."""
        self.broken = None
        known = self._earlier(run, resumed)
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
                text = read_file(self.path, MAX_BYTES).decode()
                os.ftruncate(self._file, len(whole_part(text).encode()))
                os.lseek(self._file, 0, os.SEEK_END)
                self._recall(known.exchanges.values())
            else:
                os.ftruncate(self._file, 0)
                self._write(header_document(header))
        except OSError as error:
            raise self._unwritable(error) from None

    def _earlier(self, run: str, resumed: bool) -> Cassette | None:
        """Return the recording that a resumed run goes on with. Raise `RunError` when the file
        holds something else, which must not be overwritten."""
        try:
            number = open_file(self.path)
            start = os.read(number, len(START))
            os.close(number)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unwritable(error) from None
        if start and start != START:
            raise RunError(
                f"`{self.path}` is there and is not a recording",
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
        self.keep("answer", name, {"said": answer})

    def record_items(self, ended: Sequence[int]) -> None:
        self.keep("items", 1, {"ended": list(ended)})

    def end(self, complete: bool) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def offer(self, tool: ToolSchema) -> str:
        """Return the name of a tool in an exchange; the first time, write the tool too."""
        body = offer_body(tool)
        name = offer_name(tool)
        exchange = Exchange("offer", tool.name, 1, 1, name, body)
        if exchange.key not in self._known:
            self._known[exchange.key] = name
            self.write(exchange)
        return name

    def time(self, seconds: float) -> float:
        self.keep("time", 1, {"seconds": seconds})
        self.complain()
        return seconds

    def knows(self, exchange: Exchange) -> bool:
        """Return whether an exchange with this key and this value is written already."""
        return self._known.get(exchange.key) == exchange.body.get("gave")

    def keep(self, kind: Kind, number: int | str, body: dict[str, Any]) -> None:
        """Write an exchange of the running visit that is not an effect."""
        self.write(exchange_here(kind, number, body))

    def write(self, exchange: Exchange) -> None:
        """Write an exchange. An error waits for `complain`: the journal keeps the effect first."""
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
        """Raise `RunError` when an exchange could not be written."""
        if self.broken is not None:
            raise self.broken

    def _recall(self, exchanges: Iterable[Exchange]) -> None:
        for exchange in exchanges:
            self._known[exchange.key] = str(exchange.body.get("gave", ""))
            if exchange.kind == "model":
                self._remember(exchange, exchange.body.get("given", {}).get("messages", []))

    def _remember(self, exchange: Exchange, messages: list[Json]) -> None:
        self._last[exchange.place] = self._last[""] = (exchange.call_name, messages)

    def _shorten(self, exchange: Exchange, body: dict[str, Any]) -> None:
        """Leave out the messages that an earlier call has written, which would stand in the file
        again and again. The earlier call is the last of the same node, or the last of all."""
        given = body.get("given")
        if not isinstance(given, dict):
            return
        messages = list(given.get("messages", []))
        before = dict(self._last[at] for at in (exchange.place, "") if at in self._last)
        before.pop(exchange.call_name, None)
        shared = {name: _same(old, messages) for name, old in before.items()}
        best = max(shared, key=shared.__getitem__, default=None)
        if best is not None and (count := shared[best]):
            since = {"since": best, "same": count}
            body["given"] = {**since, **given, "messages": messages[count:]}
        self._remember(exchange, messages)

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        while data:
            data = data[os.write(self._file, data) :]

    def _unwritable(self, error: OSError) -> RunError:
        return RunError(
            f"the recording `{self.path}` cannot be written: {reason_of(error)}",
            help="what was done is kept: make room or choose another file, then resume",
        )


def _same(old: list[Json], new: list[Json]) -> int:
    """Return how many messages both begin with."""
    count = 0
    while count < min(len(old), len(new)) and old[count] == new[count]:
        count += 1
    return count
