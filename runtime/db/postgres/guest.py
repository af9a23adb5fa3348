"""Tables and functions of another library in the schema of a store.

A pool between us and the server lends each transaction another session, so that the library's own
way, a `search_path`, would be lost. Its functions get one of their own, and its statements names
with the schema.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from .names import SCHEMA

if TYPE_CHECKING:
    from .connection import Inside

_OWN_PATH = """
do $$
declare
    function regprocedure;
begin
    for function in select oid::regprocedure from pg_proc
        where pronamespace = '{schema}'::regnamespace and proname ~ '^{prefix}'
    loop
        execute format('alter function %s set search_path = {schema}, pg_temp', function);
    end loop;
end $$
"""


async def settle(inside: Inside, tables: str, prefix: str) -> None:
    """Make what a library's script makes, whose names all begin with `prefix`."""
    await inside.script(f"set local search_path = {SCHEMA}, pg_temp; {tables}")
    await inside.script(_OWN_PATH.format(schema=SCHEMA, prefix=prefix))


@functools.lru_cache(maxsize=64)
def name_all(query: str, prefix: str) -> str:
    """Return a statement of the library in which each of its names has the schema before it."""
    return re.sub(rf"\b{prefix}", f"{SCHEMA}.{prefix}", query)
