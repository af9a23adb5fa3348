"""Writing values of the state to a store and reading them: JSON's types and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import (
    EXT_DELTA_SNAPSHOT,
    EXT_METHOD_SINGLE_ARG,
    EXT_NUMPY_ARRAY,
    JsonPlusSerializer,
)

from ...db.encryption import Seal
from ...errors import RunError

_MARK = "+flowc"
_REALM: ContextVar[str] = ContextVar("flowc_realm", default="")
"""The realm with whose key the present task reads and writes."""


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's default executes what a crafted checkpoint says; this one loads built-in types
    alone. With a `whole` seal, the store's, every value is encrypted, and one that is not is
    refused: else anybody who may write the store could make up state."""

    def __init__(self, whole: Seal | None) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)
        self.whole = whole
        self._make = self._unpack_ext_hook
        self._unpack_ext_hook = self._make_known

    @property
    def cipher(self) -> Seal | None:
        """The seal of the realm that the present task is in."""
        return self.whole and self.whole.for_realm(_REALM.get())

    @contextmanager
    def within(self, realm: str) -> Iterator[None]:
        """Read and write with the key of a realm."""
        token = _REALM.set(realm)
        try:
            yield
        finally:
            _REALM.reset(token)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[object]) -> StrictSerializer:
        """Allow none of the types that a graph's state names: ours has none."""
        return self

    def dumps_typed(self, obj: object) -> tuple[str, bytes]:
        cipher, (kind, data) = self.cipher, super().dumps_typed(obj)
        return (kind, data) if cipher is None else (kind + _MARK, cipher.close(data))

    def loads_with(self, data: bytes, code: int, read: Callable[[bytes], object]) -> Any:
        """Read MessagePack with a type of our own, which stands in lists and dictionaries alone."""
        known = self._unpack_ext_hook

        def hook(kind: int, content: bytes) -> object:
            return read(content) if kind == code else known(kind, content)

        return ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS)

    def _make_known(self, code: int, data: bytes) -> object:
        """Return what an extension of msgpack stands for. Of a type that is not allowed LangGraph
        returns the parts, as if they were the value; here that is an error."""
        _require_known(code, data)
        return self._make(code, data)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Raise `RunError` for what flowc did not write, or not with this key."""
        cipher, (kind, content) = self.cipher, data
        if cipher is not None:
            plain = kind.removesuffix(_MARK)
            kind, content = plain, cipher.open(b"" if kind == plain else content)
        try:
            return super().loads_typed((kind, content))
        except Exception as error:
            raise RunError(
                f"a value in the store cannot be read: it is damaged ({type(error).__name__})",
                help="put a copy of the store back in its place, or go on with another run",
            ) from error


def _require_known(code: int, data: bytes) -> None:
    """Raise `ValueError` unless every type inside, at any depth, is one that is allowed."""
    parts = ormsgpack.unpackb(data, ext_hook=_require_known, option=ormsgpack.OPT_NON_STR_KEYS)
    if code in (EXT_DELTA_SNAPSHOT, EXT_NUMPY_ARRAY):
        return
    known = tuple(parts[:2]) in SAFE_MSGPACK_TYPES
    if code == EXT_METHOD_SINGLE_ARG:
        known = (*parts[:2], parts[3]) in SAFE_MSGPACK_METHODS
    if not known:
        raise ValueError("a type that is not allowed")
