"""`dataclass` for the values of the compiler: cheap to declare, cheap to make.

A command declares a hundred classes of data and makes values of thirty. Python writes and compiles
up to six methods for each where it is declared, which was a tenth of the time of a cold `flowc
check`; here a method is written when it is called for the first time. And Python builds a frozen
value with one call of `object.__setattr__` for each field, which takes three times as long as
assignments: mypy sees `dataclasses.dataclass` and refuses every assignment; at run time `frozen`
means only that the value can be hashed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

_NOTHING: dict[str, Any] = {"init": False, "repr": False, "eq": False}
_WRITTEN_BY: dict[str, dict[str, Any]] = {
    "__init__": {"init": True},
    "__repr__": {"repr": True},
    "__eq__": {"eq": True},
    "__hash__": {"eq": True, "unsafe_hash": True},
    **{name: {"eq": True, "order": True} for name in ("__lt__", "__le__", "__gt__", "__ge__")},
}
"""What `dataclasses` has to be asked for to write a method."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        eq: bool = True,
        order: bool = False,
    ) -> Callable[[type], type]:
        """Return the decorator `dataclasses.dataclass`, without `InitVar`."""
        wanted = {"__init__": True, "__repr__": True, "__eq__": eq, "__hash__": eq and frozen}
        late = [name for name in _WRITTEN_BY if wanted.get(name, order)]

        def decorate(cls: type) -> type:
            own = {name for name, value in vars(cls).items() if value is not None}
            cls.__doc__ = cls.__doc__ or cls.__name__  # or `dataclasses` writes a signature there
            cls = dataclasses.dataclass(**_NOTHING, slots=slots, kw_only=kw_only)(cls)
            for name in late:
                if name not in own:
                    setattr(cls, name, _late(cls, name))
            if eq and not frozen:
                cls.__hash__ = None
            return cls

        return decorate


def _late(cls: type, name: str) -> Any:
    """Return a method that replaces itself at its first call by what `dataclasses` writes."""

    def method(self: object, *args: object, **named: object) -> Any:
        written = getattr(_twin(cls, **_WRITTEN_BY[name]), name)
        setattr(cls, name, written)
        return written(self, *args, **named)

    return method


def _twin(cls: type, **methods: bool) -> type:
    """Return a class with the same fields and the methods that are asked for."""
    kinds = ("default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    fields = [
        (f.name, Any, dataclasses.field(**{kind: getattr(f, kind) for kind in kinds}))
        for f in dataclasses.fields(cls)
    ]
    after = getattr(cls, "__post_init__", None)
    namespace = {"__doc__": "."} | ({"__post_init__": after} if after is not None else {})
    return dataclasses.make_dataclass(
        cls.__name__, fields, namespace=namespace, **{**_NOTHING, **methods}
    )
