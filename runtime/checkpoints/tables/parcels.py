"""Values as they are kept: what is short where it belongs, what is long once, under its hash.

A slot stands where a value belongs, in a checkpoint or in a row of what was written. It holds the
packed value when that is short, else its hash. Long texts in a value are packed apart, so that a
text is kept once whichever values hold it: a list that is written anew costs its new texts.

    slot     0 packed        or  1 hash of packed
    packed   kind [number of texts, their hashes] data
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ormsgpack

from ...db.digests import changed_value
from ...db.encryption import Seal
from ...db.kept import SIZE, hash_of
from ..channels import is_snapshot, snapshot
from .serializer import StrictSerializer

LONG = 512
"""Bytes from which on a text is kept apart."""
SHORT = 200
"""Bytes of a packed value up to which it stands where it belongs."""
_KINDS = ("null", "bytes", "bytearray", "msgpack")
_TEXTS, _SNAPSHOT = 16, 32
"""Marks beside the kind: texts apart follow; the value is the whole of a delta channel."""
_TEXT = 100
"""The type of MessagePack for a text apart: its number among them. LangGraph's begin at 0."""

Fetch = Callable[[Iterable[bytes]], Mapping[bytes, bytes]]
"""Returns the contents of hashes, without those that are not there or were changed."""


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs and unpacks values of one store."""

    cipher: Seal | None
    serde: StrictSerializer = field(default_factory=lambda: StrictSerializer(None))

    def slot(self, value: object, apart: dict[bytes, bytes]) -> bytes:
        """Return the slot of a value. What it refers to is added to `apart`, by hash."""
        mark = 0
        if is_snapshot(value):
            mark, value = _SNAPSHOT, value.value  # type: ignore[attr-defined]
        hashes: dict[bytes, int] = {}
        if type(value) is str and len(value) >= LONG:
            value = self._texts_apart(value, hashes, apart)
        kind, data = self.serde.dumps_typed(value)
        if not hashes and kind == "msgpack" and len(data) >= LONG:
            value = self._texts_apart(value, hashes, apart)
            if hashes:
                data = self.serde.dumps_typed(value)[1]
        mark |= _KINDS.index(kind)
        packed = bytes((mark,)) + data
        if hashes:
            count = len(hashes).to_bytes(4, "big")
            packed = b"".join((bytes((mark | _TEXTS,)), count, *hashes, data))
        if len(packed) <= SHORT:
            return b"\0" + packed
        name = hash_of(packed, self.cipher)
        apart[name] = packed
        return b"\1" + name

    def _texts_apart(
        self, value: object, hashes: dict[bytes, int], apart: dict[bytes, bytes]
    ) -> object:
        """Return a value with marks in place of long texts."""
        if type(value) is str and len(value) >= LONG:
            content = value.encode("utf-8", "surrogatepass")
            name = hash_of(content, self.cipher)
            apart[name] = content
            at = hashes.setdefault(name, len(hashes))
            return ormsgpack.Ext(_TEXT, at.to_bytes(4, "big"))
        if type(value) is dict:
            return {key: self._texts_apart(item, hashes, apart) for key, item in value.items()}
        if type(value) is list:
            return [self._texts_apart(item, hashes, apart) for item in value]
        return value

    def values(
        self, slots: Iterable[tuple[str, bytes]], fetch: Fetch, texts: dict[bytes, str]
    ) -> list[Any]:
        """Return the values of slots, each with its name in words. `texts` keeps what was read:
        values that hold the same text share it. Raise `RunError`, which names the value, when what
        it refers to was changed."""
        named = list(slots)
        whole = fetch({slot[1:] for _, slot in named if slot[:1] == b"\1"})
        packed: list[tuple[str, bytes]] = []
        for what, slot in named:
            content = slot[1:] if slot[:1] == b"\0" else whole.get(slot[1:])
            if not content:
                raise changed_value(what)
            packed.append((what, content))
        lacking = {name for _, content in packed for name in _hashes(content)} - texts.keys()
        if lacking:
            found = fetch(lacking)
            texts.update(
                (name, data.decode("utf-8", "surrogatepass")) for name, data in found.items()
            )
        return [self._unpack(what, content, texts) for what, content in packed]

    def _unpack(self, what: str, packed: bytes, texts: Mapping[bytes, str]) -> Any:
        hashes = _hashes(packed)
        data = packed[5 + SIZE * len(hashes) :] if hashes else packed[1:]
        kind = _KINDS[packed[0] & 3]
        if not hashes:
            value = self.serde.loads_typed((kind, data))
        else:
            own = [texts.get(name) for name in hashes]
            if None in own:
                raise changed_value(what)
            value = self.serde.loads_with(data, _TEXT, lambda at: own[int.from_bytes(at, "big")])
        return snapshot(value) if packed[0] & _SNAPSHOT else value


def references(slot: bytes, contents: Mapping[bytes, bytes]) -> set[bytes]:
    """Return the hashes that a slot refers to, where the contents of the first ones are known."""
    if slot[:1] == b"\0":
        return set(_hashes(slot[1:]))
    return {slot[1:], *_hashes(contents.get(slot[1:], b"\0"))}


def _hashes(packed: bytes) -> list[bytes]:
    if not packed[0] & _TEXTS:
        return []
    end = 5 + SIZE * int.from_bytes(packed[1:5], "big")
    return [packed[at : at + SIZE] for at in range(5, end, SIZE)]
