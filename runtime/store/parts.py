"""The large parts of a run's record: kept once, whichever runs have the same.

The graph of a workflow is that of all its runs; inputs and results may be megabytes, and a record
is written again whenever its run pauses or goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..db import kept
from ..db.database import Database, Row, marks
from ..db.digests import changed_value

PARTS = {"spec": "the graph", "inputs": "the inputs", "result": "the result"}
"""The fields of a record that may be kept apart, in words."""
APART = 200
"""Bytes of JSON from which on a part is kept apart."""
_PLACE = "record/"


@dataclass(frozen=True, slots=True)
class Split:
    """A record whose large parts are taken out: by field, their JSON and their hashes."""

    small: dict[str, Any]
    contents: Mapping[str, bytes]
    hashes: tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class RecordParts:
    """Reads and writes the parts of one store."""

    db: Database

    def split(self, fields: dict[str, Any]) -> Split:
        """Take the large parts out of a record."""
        small, contents = dict(fields), dict[str, bytes]()
        for part in PARTS:
            content = json.dumps(small[part]).encode()
            if len(content) >= APART:
                del small[part]
                contents[part] = content
        cipher = self.db.cipher
        hashes = {part: kept.hash_of(content, cipher) for part, content in contents.items()}
        return Split(small, contents, tuple(hashes.get(part) for part in PARTS))

    async def keep(self, inside: Database, run: str, parts: Split) -> None:
        """Keep the parts of a run in place of those it had, within the transaction that writes its
        record."""
        before = await inside.rows("select spec, inputs, result from runs where id = ?", (run,))
        if before == [parts.hashes]:
            return
        rows = await inside.rows(kept.REALM, (run,))
        realm = rows[0][0] if rows else ""
        for part, name in zip(PARTS, parts.hashes, strict=True):
            place = _PLACE + part
            if name is not None:
                data = kept.close_content(parts.contents[part], self.db.cipher)
                await inside.run(kept.KEEP, (realm, name, data))
                await inside.run(kept.HOLD, (run, _PLACE, name, realm))
            for statement, times in kept.RELEASE_PLACE:
                await inside.run(statement, (run, place) * times)
            if name is not None:
                await inside.run(kept.HOLD, (run, place, name, realm))
        for statement, times in kept.RELEASE_PLACE:
            await inside.run(statement, (run, _PLACE) * times)

    async def read(self, rows: Sequence[Row], fields: Iterable[str]) -> list[dict[str, Any]]:
        """Return the records of a few rows (id, small record, hashes in the order of `PARTS`) with
        these of their parts; of the others nothing. Raise `RunError` for what was changed."""
        wanted, runs = [_PLACE + part for part in fields], [row[0] for row in rows]
        query = (
            "select h.run, h.place, b.hash, b.data from holds h join blobs b"
            " on b.realm = h.realm and b.hash = h.hash"
            f" where h.run in ({marks(runs)}) and h.place in ({marks(wanted)})"
        )
        found = {row[:3]: row[3] for row in await self.db.rows(query, (*runs, *wanted))}
        records = []
        for id, text, *hashes in rows:
            record = json.loads(self.db.unseal(text, f"the record of run {id}"))
            for part, name in zip(PARTS, hashes, strict=True):
                if name is not None and _PLACE + part in wanted:
                    data = found.get((id, _PLACE + part, name))
                    content = data and kept.open_content(data, name, self.db.cipher)
                    if content is None:
                        raise changed_value(f"{PARTS[part]} of run {id}")
                    record[part] = json.loads(content)
            records.append(record)
        return records
