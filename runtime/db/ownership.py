"""Telling a store of flowc's from the database of another program.

A store always has one of two tables of ours, from the first statement that ever wrote to it. What
has tables and neither of those, or one of that name with other columns, is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import RunError
from .url import Location

_OWN = {
    "layout": {"version", "seal"},
    "runs": {"id", "status", "updated", "record"},
    "events": {"run", "seq", "kind", "event"},
}
"""Tables of ours and the columns that they have had from the beginning."""
_FIRST = ("layout", "runs")
_SHOWN = 3

SQLITE_COLUMNS = """
select t.name, c.name from sqlite_master t, pragma_table_info(t.name) c
where t.type in ('table', 'view') and t.name not like 'sqlite~_%' escape '~'
"""
"""Every column of a database: (table, column)."""
SQLITE_PROGRAMS = "select type, name from sqlite_master where type in ('trigger', 'view')"
"""What acts by itself when a table is written or read."""
POSTGRES_COLUMNS = """
select c.relname, a.attname, c.relkind = 'i' from pg_class c
join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm', 'f', 'i') and a.attnum > 0
and not a.attisdropped
"""
"""The same of a schema, with its indexes: (table or index, column, whether it is an index)."""


def refuse_foreign(columns: Iterable[tuple[str, str]], location: Location) -> None:
    """Raise `RunError` when these are not the columns of a store. An empty one becomes one."""
    tables: dict[str, set[str]] = {}
    for table, column in columns:
        tables.setdefault(table, set()).add(column)
    unlike = [name for name, own in _OWN.items() if name in tables and not own <= tables[name]]
    if not tables or (not unlike and any(name in tables for name in _FIRST)):
        return
    names = sorted(unlike or tables)
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    more = ", …" if len(names) > _SHOWN else ""
    place = f"the store {location.url}"
    if location.kind == "postgresql":
        place = f"the schema `flowc` at {location.url}"
    raise RunError(
        f"{place} belongs to another program: its tables {shown}{more} are not flowc's; nothing"
        " was written to it",
        help="name another database with `--store`"
        if location.kind == "postgresql"
        else "name another file with `--store`",
    )


def refuse_programs(found: Iterable[tuple[str, str]], location: Location) -> None:
    """Raise `RunError` for a trigger or a view: they come from somebody else, and could answer in
    the place of what was written."""
    for kind, name in found:
        raise RunError(
            f"the store {location.url} holds the {kind} `{name}`, and flowc makes none; nothing was"
            " written to it",
            help="name another file with `--store`",
        )
