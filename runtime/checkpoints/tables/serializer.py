"""Writing values of the state to a store and reading them: JSON's types and no others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ...db.encryption import Seal
from ...errors import RunError

_MARK = "+flowc"


class StrictSerializer(JsonPlusSerializer):
    """LangGraph's default executes what a crafted checkpoint says; this one loads built-in types
    alone. With a `cipher` every value is encrypted, and one that is not is refused: else anybody
    who may write the store could make up state."""

    def __init__(self, cipher: Seal | None) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)
        self.cipher = cipher

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[object]) -> StrictSerializer:
        """Allow none of the types that a graph's state names: ours has none."""
        return self

    def dumps_typed(self, obj: object) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        return (kind, data) if self.cipher is None else (kind + _MARK, self.cipher.close(data))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Raise `RunError` for what flowc did not write, or not with this key."""
        kind, content = data
        if self.cipher is not None:
            plain = kind.removesuffix(_MARK)
            kind, content = plain, self.cipher.open(b"" if kind == plain else content)
        try:
            return super().loads_typed((kind, content))
        except Exception as error:
            raise RunError(
                f"a value in the store cannot be read: it is damaged ({type(error).__name__})",
                help="put a copy of the store back in its place, or go on with another run",
            ) from error
