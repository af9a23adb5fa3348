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
from ..db.encryption import Seal

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
    realm: str
    seal: Seal | None


@dataclass(frozen=True, slots=True)
class RecordParts:
    """Reads and writes the parts of one store."""

    db: Database

    async def split(self, inside: Database, run: str, fields: dict[str, Any]) -> Split:
        """Take the large parts out of a record of a run, within the transaction that writes it."""
        small, contents = dict(fields), dict[str, bytes]()
        for part in PARTS:
            content = json.dumps(small[part]).encode()
            if len(content) >= APART:
                del small[part]
                contents[part] = content
        rows = await inside.rows(kept.REALM, (run,))
        realm = rows[0][0] if rows else ""
        seal = self._seal(realm)
        hashes = {part: kept.hash_of(content, seal) for part, content in contents.items()}
        return Split(small, contents, tuple(hashes.get(part) for part in PARTS), realm, seal)

    def _seal(self, realm: str) -> Seal | None:
        return self.db.cipher and self.db.cipher.for_realm(realm)

    async def keep(self, inside: Database, run: str, parts: Split) -> None:
        """Keep the parts of a run in place of those it had, within the transaction that writes its
        record."""
        rows = await inside.rows("select spec, inputs, result from runs where id = ?", (run,))
        before = rows[0] if rows else (None,) * len(PARTS)
        if before == parts.hashes:
            return
        changed = [set(pair) for pair in zip(before, parts.hashes, strict=True)]
        names = {name for pair in changed if len(pair) > 1 for name in pair if name is not None}
        async with inside.transaction(*kept.about_contents(parts.realm, names)):
            if any(before):
                await self._replace(inside, run, parts)
            else:
                await self._keep_first(inside, run, parts)

    async def _keep_first(self, inside: Database, run: str, parts: Split) -> None:
        for part, name in zip(PARTS, parts.hashes, strict=True):
            if name is not None:
                data = kept.close_content(parts.contents[part], parts.seal)
                await inside.run(kept.KEEP, (parts.realm, name, data))
                await inside.run(kept.HOLD, (run, _PLACE + part, name, parts.realm))

    async def _replace(self, inside: Database, run: str, parts: Split) -> None:
        realm = parts.realm
        for part, name in zip(PARTS, parts.hashes, strict=True):
            place = _PLACE + part
            if name is not None:
                data = kept.close_content(parts.contents[part], parts.seal)
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
            "select h.run, h.place, b.hash, b.data, coalesce(r.realm, '') from holds h join blobs b"
            " on b.realm = h.realm and b.hash = h.hash left join realms r on r.run = h.run"
            f" where h.run in ({marks(runs)}) and h.place in ({marks(wanted)})"
        )
        found = {row[:3]: row[3:] for row in await self.db.rows(query, (*runs, *wanted))}
        records = []
        for id, text, *hashes in rows:
            record = json.loads(self.db.unseal(text, f"the record of run {id}"))
            for part, name in zip(PARTS, hashes, strict=True):
                if name is not None and _PLACE + part in wanted:
                    data, realm = found.get((id, _PLACE + part, name), (None, ""))
                    content = data and kept.open_content(data, name, self._seal(realm))
                    if content is None:
                        raise changed_value(f"{PARTS[part]} of run {id}")
                    record[part] = json.loads(content)
            records.append(record)
        return records
