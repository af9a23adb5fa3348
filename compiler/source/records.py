"""`dataclass` for the values that are made by the million: frozen for the type checker alone.

Python builds a frozen dataclass with one call of `object.__setattr__` for each field, which takes
three times as long as plain assignments: a tenth of the time in which a file is read. So mypy
sees `dataclasses.dataclass`, and refuses every assignment; at run time `frozen` means only that
the value can be hashed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, kw_only: bool = False, order: bool = False
    ) -> Callable[[type], type]:
        """The decorator `dataclasses.dataclass`, without the cost of `frozen`."""
        return dataclasses.dataclass(slots=slots, kw_only=kw_only, order=order, unsafe_hash=frozen)
