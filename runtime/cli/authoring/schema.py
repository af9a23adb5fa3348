"""`flowc schema`: the JSON Schema of what flowc reads or writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ...errors import RunError
from ..streams import print_json


def _flow() -> dict[str, Any]:
    from flowc.compiler.flow_yaml.schema import flow_schema

    return flow_schema()


SCHEMAS: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "flow": ("flow YAML files, for editors", _flow),
}


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="which one; nothing lists them")
    ] = None,
) -> None:
    """Print a JSON Schema (draft 2020-12).

    For an editor: `flowc schema flow > flow.schema.json`, and as the first line of a flow file
    `# yaml-language-server: $schema=flow.schema.json`.
    """
    if name is None:
        width = max(map(len, SCHEMAS))
        print("\n".join(f"{key:<{width}}  {title}" for key, (title, _) in SCHEMAS.items()))
        return
    if name not in SCHEMAS:
        raise RunError(f"there is no schema `{name}`", help="one of: " + ", ".join(SCHEMAS))
    print_json(SCHEMAS[name][1]())
